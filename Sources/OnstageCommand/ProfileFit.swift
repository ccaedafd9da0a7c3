internal import Onstage

/// How well a profile fits a machine.
struct ProfileFit: Hashable, Sendable {
    /// Devices that it names and the machine has.
    var named: [String] = []
    /// Kinds of which it takes any, and the machine has one.
    var taken: [String] = []
    /// What it wants and the machine lacks.
    var lacking: [String] = []
    /// Kinds that are made up.
    var synthetic: [String] = []

    init(_ profile: Profile, on devices: DetectedDevices) {
        if let camera = profile.camera {
            weigh(
                "camera", camera.device,
                devices.cameras.filter { !$0.needsPipeline || camera.pipeline != nil }.map { camera in
                    { text in
                        text.hasPrefix("driver ") ? camera.driver == text.dropFirst(7) : camera.names.contains(text)
                    }
                })
        }
        for (kind, sensor, found) in [
            ("accelerometer", profile.accelerometer, devices.accelerometers),
            ("gyroscope", profile.gyroscope, devices.gyroscopes),
        ] {
            if let sensor { weigh(kind, sensor.device, found.map { sensor in { Self.fits($0, sensor) } }) }
        }
        if let playback = profile.playback {
            weigh("sound", playback.device, devices.soundCards.map { card in { Self.card($0) == card } })
        }
    }

    /// A profile that names a device which is not there is for another machine; one that makes devices up is for none.
    var isPossible: Bool { synthetic.isEmpty && (lacking.isEmpty || named.isEmpty) && !(named + taken).isEmpty }

    /// Why, in words.
    var reason: String {
        var parts: [String] = []
        if !named.isEmpty { parts.append("it names " + named.joined(separator: ", ")) }
        if !taken.isEmpty { parts.append("it takes any " + taken.joined(separator: ", ")) }
        if !lacking.isEmpty { parts.append("it waits for " + lacking.joined(separator: ", ")) }
        if !synthetic.isEmpty { parts.append("it makes up " + synthetic.joined(separator: ", ")) }
        return parts.joined(separator: "; ")
    }

    private mutating func weigh(_ kind: String, _ device: String, _ found: [(String) -> Bool]) {
        switch device {
        case Profile.synthetic: synthetic.append(kind)
        case "any", "default": if found.isEmpty { lacking.append(kind) } else { taken.append(kind) }
        case _ where found.contains { $0(device) }: named.append("\(kind) \(device)")
        default: lacking.append("\(kind) \(device)")
        }
    }

    private static func fits(_ text: String, _ sensor: DetectedDevices.Sensor) -> Bool {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return false }
        switch parts[0] {
        case "name": return sensor.name == parts[1]
        case "label": return sensor.label == parts[1]
        case "location": return sensor.location == parts[1]
        case "path": return sensor.path.contains(parts[1])
        default: return false
        }
    }

    /// The card in "hw:CARD=Loopback,DEV=0", "plughw:Loopback,0".
    private static func card(_ name: String) -> String {
        var card = name.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
        if card.hasPrefix("CARD=") { card.removeFirst(5) }
        return String(card.prefix { $0 != "," })
    }
}
