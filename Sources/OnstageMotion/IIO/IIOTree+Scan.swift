package import OnstageCore
internal import OnstageLinux

extension IIOTree {
    /// All sensors of one kind, by the kernel's number; none where the kernel has no IIO at all.
    ///
    /// A device that cannot be read is left out and hides no other.
    package func sensors(_ kind: MotionKind) -> [IIOSensor] {
        var found: [IIOSensor] = []
        for entry in Folder.names(in: devices) {
            guard entry.hasPrefix("iio:device"), let number = Int(entry.dropFirst(10)) else { continue }
            if let sensor = sensor(kind, number: number, entry: entry) { found.append(sensor) }
        }
        return found.sorted { $0.number < $1.number }
    }

    private func sensor(_ kind: MotionKind, number: Int, entry: String) -> IIOSensor? {
        let folder = "\(devices)/\(entry)"
        let channels = ["x", "y", "z"].map { "\(kind.channelPrefix)_\($0)" }
        let isBuffered =
            exists("\(folder)/buffer/enable") && channels.allSatisfy { exists("\(folder)/scan_elements/\($0)_en") }
        let isPolled = channels.allSatisfy { exists("\(folder)/\($0)_raw") }
        guard isBuffered || isPolled else { return nil }
        return IIOSensor(
            kind: kind, number: number, folder: folder, node: "\(nodes)/\(entry)",
            name: attribute("\(folder)/name"), label: attribute("\(folder)/label"),
            location: attribute("\(folder)/location"), realPath: Path.canonical(folder) ?? folder, hasBuffer: isBuffered
        )
    }

    /// The one sensor that a selector means.
    /// - Throws: `absent` when there is none; `configuration`, with the candidates, when there are several.
    package func sensor(_ kind: MotionKind, _ selector: MotionSelector) throws(DeviceError) -> IIOSensor {
        let all = sensors(kind)
        let (matching, wish) = Self.matches(selector, in: all)
        switch (matching.count, selector) {
        case (1, _):
            return matching[0]
        case (0, _):
            let reason =
                all.isEmpty
                ? "this machine has no \(kind.rawValue)"
                : "no \(kind.rawValue) has the \(wish); there is \(all.map(\.candidate).joined(separator: "; "))"
            throw DeviceError(
                .absent, operation: "", device: all.isEmpty ? kind.rawValue : wish, reason: reason,
                advice: "it is waited for; `onstage devices` lists all")
        case (_, .any):
            return Self.preferred(matching)
        default:
            throw DeviceError(
                .configuration, operation: "", device: wish,
                reason: "\(matching.count) sensors match: \(matching.map(\.candidate).joined(separator: "; "))",
                advice: "choose one by label, location or path")
        }
    }

    private static func matches(_ selector: MotionSelector, in all: [IIOSensor]) -> ([IIOSensor], wish: String) {
        switch selector {
        case .any: (all, "any \(all.first?.kind.rawValue ?? "sensor")")
        case .name(let name): (all.filter { $0.name == name }, "name \(name)")
        case .label(let label): (all.filter { $0.label == label }, "label \(label)")
        case .location(let location): (all.filter { $0.location == location }, "location \(location)")
        case .path(let path):
            (all.filter { $0.node == path || $0.folder == path || $0.realPath.hasPart(path) }, "path \(path)")
        }
    }

    /// The sensor that moves with the display comes first (in a folding machine there is another in the keyboard), then
    /// the lowest number.
    private static func preferred(_ sensors: [IIOSensor]) -> IIOSensor {
        sensors.first { $0.label == "\($0.kind == .accelerometer ? "accel" : "gyro")-display" }
            ?? sensors.first { $0.location == "lid" } ?? sensors[0]
    }
}

extension String {
    /// Whether `part` is somewhere in it; an empty one is nowhere.
    fileprivate func hasPart(_ part: String) -> Bool {
        guard !part.isEmpty else { return false }
        let bytes = Array(utf8)
        let wanted = Array(part.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { bytes[$0...].starts(with: wanted) }
    }
}

extension IIOTree {
    /// The folder of the trigger of that name.
    func triggerFolder(_ name: String) -> String? {
        Folder.names(in: devices).filter { $0.hasPrefix("trigger") }.map { "\(devices)/\($0)" }
            .first { attribute("\($0)/name") == name }
    }
}
