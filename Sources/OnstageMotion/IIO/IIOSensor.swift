/// A set of three channels, x, y and z, of one kind in one IIO device.
package struct IIOSensor: Hashable, Sendable {
    package var kind: MotionKind
    /// The kernel's number of the device: changes when it is plugged in again.
    package var number: Int
    /// The device's folder of attributes.
    package var folder: String
    package var node: String
    package var name: String?
    package var label: String?
    package var location: String?
    /// The real path of the folder: tells where the device is attached.
    package var realPath: String
    /// Has a buffer with all three channels, and need not be polled.
    package var hasBuffer: Bool

    /// What the names of its channels begin with.
    var prefix: String { kind.channelPrefix }

    /// The folder of the device that it is a part of.
    var parent: String {
        guard let slash = realPath.lastIndex(of: "/"), slash != realPath.startIndex else { return "/" }
        return String(realPath[..<slash])
    }

    /// How it is named in errors, receipts and reports: its label, or the name of its driver and where it is attached,
    /// without the numbers that the kernel gives anew at each plugging in.
    package var identity: String {
        if let label, !label.isEmpty { return label }
        var place = parent.split(separator: "/").last.map(String.init) ?? ""
        // "HID-SENSOR-200073.3.auto" is the same sensor as "HID-SENSOR-200073.1.auto" a plugging in earlier.
        if place.hasSuffix(".auto") { place = String(place.prefix { $0 != "." }) }
        let text = name ?? "iio:device\(number)"
        return place.isEmpty ? text : "\(text) (\(place))"
    }

    /// A line for a person who is to choose among several.
    var candidate: String {
        var text = "\(node) \(name ?? "unnamed")"
        if let label { text += " label=\(label)" }
        if let location { text += " location=\(location)" }
        return text + " path=\(realPath)"
    }
}

extension MotionKind {
    /// What IIO calls its channels.
    var channelPrefix: String {
        switch self {
        case .accelerometer: "in_accel"
        case .gyroscope: "in_anglvel"
        }
    }
}
