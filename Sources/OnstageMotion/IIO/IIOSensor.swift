/// A set of three channels, x, y and z, of one kind in one IIO device.
package struct IIOSensor: Hashable, Sendable {
    package let kind: MotionKind
    /// The kernel's number of the device: changes when it is plugged in again.
    package let number: Int
    /// The device's folder of attributes.
    package let folder: String
    package let node: String
    package let name: String?
    package let label: String?
    package let location: String?
    /// The real path of the folder: tells where the device is attached.
    package let realPath: String
    /// Has a buffer with all three channels, and need not be polled.
    package let hasBuffer: Bool

    /// What the names of its channels begin with.
    var prefix: String { kind.channelPrefix }

    /// The folder of the device that it is a part of.
    var parent: String { Self.parent(realPath) }

    private static func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// How it is named in errors, receipts and reports: its label, or the name of its driver and where it is attached,
    /// without the numbers that the kernel gives anew at each plugging in.
    package let identity: String

    package init(
        kind: MotionKind, number: Int, folder: String, node: String, name: String? = nil, label: String? = nil,
        location: String? = nil, realPath: String, hasBuffer: Bool
    ) {
        self.kind = kind
        self.number = number
        self.folder = folder
        self.node = node
        self.name = name
        self.label = label
        self.location = location
        self.realPath = realPath
        self.hasBuffer = hasBuffer
        // Once: it is named at every step of an acquire, and taking a path apart costs more than such a step.
        if let label, !label.isEmpty {
            identity = label
        } else {
            var place = Self.parent(realPath).split(separator: "/").last.map(String.init) ?? ""
            // "HID-SENSOR-200073.3.auto" is the same sensor as "HID-SENSOR-200073.1.auto" a plugging in earlier.
            if place.hasSuffix(".auto") { place = String(place.prefix { $0 != "." }) }
            let text = name ?? "iio:device\(number)"
            identity = place.isEmpty ? text : "\(text) (\(place))"
        }
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
