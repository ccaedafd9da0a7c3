import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import Testing

@testable import OnstageMotion

/// A tree as the kernel shows its sensors, in a folder of its own; the nodes are pipes.
final class IIOFixture {
    let root: String
    var tree: IIOTree

    init() throws {
        var template = Array("/tmp/onstage-iio-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        tree = IIOTree(devices: "\(root)/devices", nodes: "\(root)/dev")
        mkdir(tree.devices, 0o755)
        mkdir(tree.nodes, 0o755)
    }

    deinit {
        Self.remove(root)
    }

    private static func remove(_ path: String) {
        for name in Folder.names(in: path) { remove("\(path)/\(name)") }
        if unlink(path) != 0 { rmdir(path) }
    }

    /// Writes a file, making the folders on the way.
    func put(_ path: String, _ text: String) {
        var folder = root
        for part in path.split(separator: "/").dropLast() {
            folder += "/\(part)"
            mkdir(folder, 0o755)
        }
        let file = clinux_open("\(root)/\(path)", O_WRONLY | O_CREAT | O_TRUNC)
        var text = text
        text.withUTF8 { _ = clinux_write(file, $0.baseAddress, $0.count) }
        _ = clinux_close(file)
    }

    func get(_ path: String) -> String? { tree.attribute("\(root)/\(path)") }

    /// Takes an attribute away.
    func drop(_ path: String) { unlink("\(root)/\(path)") }

    /// Makes an accelerometer (le:s16/16>>0 and a time) as HID and I2C drivers show them; answers its node's other end.
    @discardableResult
    func accelerometer(_ number: Int, name: String? = "accel_3d", prefix: String = "in_accel") throws -> FakeNode {
        let device = "devices/iio:device\(number)"
        if let name { put("\(device)/name", name + "\n") }
        put("\(device)/current_timestamp_clock", "realtime\n")
        put("\(device)/\(prefix)_sampling_frequency", "100.000000\n")
        put("\(device)/\(prefix)_scale", "0.01\n")
        for (index, axis) in ["x", "y", "z"].enumerated() {
            put("\(device)/\(prefix)_\(axis)_raw", "\(index + 1)\n")
            put("\(device)/scan_elements/\(prefix)_\(axis)_en", "0\n")
            put("\(device)/scan_elements/\(prefix)_\(axis)_index", "\(index)\n")
            put("\(device)/scan_elements/\(prefix)_\(axis)_type", "le:s16/16>>0\n")
        }
        put("\(device)/scan_elements/in_timestamp_en", "0\n")
        put("\(device)/scan_elements/in_timestamp_index", "3\n")
        put("\(device)/scan_elements/in_timestamp_type", "le:s64/64>>0\n")
        put("\(device)/scan_elements/in_temp_en", "0\n")
        put("\(device)/buffer/enable", "0\n")
        put("\(device)/buffer/length", "2\n")
        put("\(device)/buffer/watermark", "1\n")
        put("\(device)/trigger/current_trigger", "\n")
        put("devices/trigger\(number)/name", "\(name ?? "none")-dev\(number)\n")
        return try FakeNode("\(tree.nodes)/iio:device\(number)")
    }
}

/// The device's end of a node.
final class FakeNode {
    private let file: Descriptor

    init(_ path: String) throws {
        try #require(mkfifo(path, 0o600) == 0)
        // Both ends, so that a reader sees no end of the file while the device is there.
        file = try Descriptor(opening: path, flags: O_RDWR | O_NONBLOCK)
    }

    func send(_ x: Int16, _ y: Int16, _ z: Int16, at time: Int64) {
        var bytes: [UInt8] = []
        for value in [x, y, z] { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }
        bytes += [0xAA, 0xAA]  // padding
        withUnsafeBytes(of: time.littleEndian) { bytes += $0 }
        write(bytes)
    }

    func write(_ bytes: [UInt8]) {
        _ = clinux_write(file.number, bytes, bytes.count)
    }
}
