internal import CLinux
internal import Glibc
internal import OnstageCore
internal import OnstageLinux

/// Reads a sensor that has no buffer, one sample at a time, from its `_raw` attributes.
///
/// *Runs on:* the device's thread.
final class SensorPoller {
    /// Each reading is three questions to the device: more than so many a second are not asked, in Hz.
    static let fastest: Double = 100

    let sensor: IIOSensor
    private(set) var due: MonotonicTime
    /// Readings that failed in a row.
    private(set) var failures = 0
    private let period: Duration
    private let tree: IIOTree
    private let paths: [String]
    private var files: [Int32] = []

    /// - Throws: what opening one of the three attributes says; then none is open.
    init(_ sensor: IIOSensor, period: Duration, tree: IIOTree) throws(DeviceError) {
        self.sensor = sensor
        self.period = period
        self.tree = tree
        due = .now
        paths = ["x", "y", "z"].map { "\(sensor.folder)/\(sensor.prefix)_\($0)_raw" }
        for path in paths {
            let file = tree.fault?("open", path).map { -$0 } ?? clinux_open(path, O_RDONLY)
            guard file >= 0 else {
                close()
                throw DeviceError(errno: -file, operation: "open", device: sensor.identity, reason: path)
            }
            files.append(file)
        }
    }

    deinit {
        close()
    }

    func close() {
        for file in files { _ = clinux_close(file) }
        files = []
    }

    /// One sample, or the errno of the axis that failed.
    func read(now: MonotonicTime) -> (raw: SIMD3<Int64>?, errno: Int32) {
        due = due + period
        if due < now { due = now + period }
        var raw = SIMD3<Int64>.zero
        for (axis, file) in files.enumerated() {
            let answer = number(file, paths[axis])
            guard let value = answer.value else {
                failures += 1
                return (nil, answer.errno)
            }
            raw[axis] = value
        }
        failures = 0
        return (raw, 0)
    }

    private func number(_ file: Int32, _ path: String) -> (value: Int64?, errno: Int32) {
        if let errno = tree.fault?("read", path) { return (nil, errno) }
        return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { bytes in
            // From the start each time: the kernel makes the text anew for a read at 0.
            let count = clinux_read_at(file, bytes.baseAddress, 32, 0)
            guard count >= 0 else { return (nil, Int32(-count)) }
            let text = String(decoding: bytes[..<count], as: UTF8.self).prefix { !$0.isWhitespace }
            guard let value = Int64(text) else { return (nil, Errno.EIO) }
            return (value, 0)
        }
    }
}
