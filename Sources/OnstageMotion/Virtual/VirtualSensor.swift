internal import OnstageCore

/// One of the two sensors inside the virtual hub: what the kernel has set, and when it is to report next.
struct VirtualSensor {
    /// Power states in the order of their selectors (HID usage 0x0319).
    enum Power: UInt8 {
        case undefined = 1
        case full, low, standby, sleep, off
    }

    /// Reporting states in the order of their selectors (HID usage 0x0316).
    enum Reporting: UInt8 {
        case none = 1
        case all, threshold, noneWake, allWake, thresholdWake
    }

    let kind: MotionKind
    private(set) var power = Power.off
    private(set) var reporting = Reporting.none
    /// Milliseconds between two reports, as the kernel asked; 0 = as fast as it can.
    private(set) var interval: UInt32 = 10
    /// When it was switched on.
    private(set) var poweredAt = MonotonicTime(nanoseconds: 0)
    /// When the next report is due. Meaningful while it is on.
    private(set) var due = MonotonicTime(nanoseconds: 0)
    /// Reports sent since it was switched on.
    private(set) var sent: Int64 = 0
    /// Switched on, but does not know it (fault `deaf`).
    var isDeaf = false

    init(_ kind: MotionKind) {
        self.kind = kind
    }

    /// Its report number: the same for its input and its feature report.
    var report: UInt8 { kind == .accelerometer ? 1 : 2 }

    var isOn: Bool {
        (power == .full || power == .low) && reporting != .none && reporting != .noneWake
    }

    /// The feature report: number, reporting state, power state, interval.
    var feature: [UInt8] {
        [report, reporting.rawValue, power.rawValue] + Self.bytes(UInt32(interval))
    }

    /// The input report: number, state (2 = ready), x, y, z.
    func input(_ counts: SIMD3<Int32>) -> [UInt8] {
        var bytes: [UInt8] = [report, 2]
        for axis in 0..<3 { bytes += Self.bytes(UInt32(bitPattern: counts[axis])) }
        return bytes
    }

    /// Takes a feature report; answers whether it has just been switched on.
    mutating func set(_ bytes: some Sequence<UInt8>, now: MonotonicTime) -> Bool {
        let bytes = Array(bytes)
        let wasOn = isOn
        if bytes.count > 1, let state = Reporting(rawValue: bytes[1]) { reporting = state }
        if bytes.count > 2, let state = Power(rawValue: bytes[2]) { power = state }
        if bytes.count > 6 {
            interval = (3...6).reversed().reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
        }
        guard isOn, !wasOn else { return false }
        poweredAt = now
        due = now
        sent = 0
        return true
    }

    /// The time between two reports, in nanoseconds.
    func period(limit: Double?) -> Int64 {
        let asked = max(1, Int64(interval)) * 1_000_000
        guard let limit else { return asked }
        return max(asked, Int64(1_000_000_000 / limit))
    }

    /// Counts one report and sets when the next is due; one that is late by more than 100 ms does not catch up.
    mutating func advance(limit: Double?, now: MonotonicTime) {
        sent += 1
        due = MonotonicTime(nanoseconds: due.nanoseconds + period(limit: limit))
        if now - due > .milliseconds(100) { due = now }
    }

    /// Leaves out a report without counting it.
    mutating func skip(limit: Double?, now: MonotonicTime) {
        sent -= 1
        advance(limit: limit, now: now)
    }

    /// What was felt, as the sensor writes it: 10⁻⁴ g, or 10⁻⁴ degrees a second.
    func counts(_ moment: VirtualMotion.Moment) -> SIMD3<Int32> {
        var counts = SIMD3<Int32>.zero
        for axis in 0..<3 {
            let value =
                kind == .accelerometer
                ? moment.acceleration[axis] / VirtualMotion.gravity * 1e4
                : moment.turn[axis] * 180 / .pi * 1e4
            counts[axis] = Int32(max(-2e9, min(2e9, value.rounded())))
        }
        return counts
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
    }
}

extension HIDDescriptor {
    /// A sensor hub with a three-axis accelerometer (report 1) and a three-axis gyrometer (report 2).
    static var sensorHub: HIDDescriptor {
        var descriptor = HIDDescriptor()
        descriptor.usagePage(0x20)
        descriptor.collection(0x01, .application) { hub in
            hub.sensor(0x73, report: 1, firstAxis: 0x0453)
            hub.sensor(0x76, report: 2, firstAxis: 0x0457)
        }
        return descriptor
    }

    private mutating func sensor(_ usage: Int64, report: UInt8, firstAxis: Int64) {
        collection(usage, .physical) { sensor in
            sensor.reportID(report)
            sensor.selector(0x0316, of: 0x0840...0x0845, .feature)
            sensor.selector(0x0319, of: 0x0850...0x0855, .feature)
            sensor.number(0x030E, 0...0x7FFF_FFFF, exponent: 0, .feature)
            sensor.selector(0x0201, of: 0x0800...0x0806, .input)
            for axis in firstAxis...(firstAxis + 2) {
                // No unit is given: that means g for an accelerometer, degrees a second for a gyrometer.
                sensor.number(axis, -0x7FFF_FFFF...0x7FFF_FFFF, exponent: -4, .input)
            }
        }
    }
}
