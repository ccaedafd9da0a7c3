internal import OnstageCore
internal import OnstageLinux

/// One sensor's buffer, set up and running: everything that was changed on the device, and how it is put back.
///
/// *Runs on:* the device's thread.
final class SensorBuffer {
    let sensor: IIOSensor
    let tree: IIOTree
    private var node: Descriptor?
    /// What stood in the attributes that were changed, oldest first.
    private var undo: [(path: String, value: String)] = []
    private(set) var isEnabled = false
    private(set) var notes: [String] = []
    private(set) var trigger: String?
    private(set) var clock = TimestampClock.reading
    private(set) var decoder = SampleDecoder(SampleLayout(axes: SensorBuffer.noAxes, timestamp: nil))
    private(set) var length = 0

    private static let noAxes = [ScanElement](
        repeating: ScanElement.byte, count: 3)

    init(_ sensor: IIOSensor, tree: IIOTree) {
        self.sensor = sensor
        self.tree = tree
    }

    /// The node to wait for; -1 when it is not open.
    var descriptor: Int32 { node?.number ?? -1 }

    func note(_ text: String) { notes.append(text) }

    /// Takes the node, which only one process can have, and ends what a dead holder has left running.
    func claim() throws(DeviceError) {
        do {
            node = try tree.open(sensor.node)
        } catch {
            var error = error
            error.device = "\(sensor.identity) (\(sensor.node))"
            switch error.kind {
            case .inUse:
                error.holders = DeviceHolders.of(node: sensor.node, knownBusy: true)
                error.advice = "stop it, or wait: it is tried again when it lets go"
            case .permission:
                error.reason = "\(sensor.node) may not be opened"
                error.advice = Self.rightsAdvice
            default: break
            }
            throw error
        }
        let enable = path("buffer/enable")
        if tree.attribute(enable) == "1" {
            try set(enable, "0", restoring: false)
            // Its channels too: found on, they would be put back as they were found.
            let folder = path("scan_elements")
            for name in tree.names(in: folder) where name.hasSuffix("_en") {
                try set("\(folder)/\(name)", "0", restoring: false)
            }
            note("reset after a dead holder: its buffer was still enabled")
        }
    }

    /// Chooses what makes the device sample: the trigger of its own name, else the one that is set, else the wished one.
    func chooseTrigger(_ wished: String?) throws(DeviceError) {
        let current = path("trigger/current_trigger")
        guard tree.exists(current) else { return }
        let set = tree.attribute(current).flatMap { $0.isEmpty ? nil : $0 }
        let own = sensor.name.map { "\($0)-dev\(sensor.number)" }
        if let set, set == own {
            trigger = set
            return
        }
        let names = triggerNames()
        let choice: String
        if let own, names.contains(own) {
            choice = own
        } else if let set {
            choice = set
        } else if let wished, names.contains(wished) {
            choice = wished
        } else {
            let missing = wished ?? own ?? "a trigger"
            let there = names.isEmpty ? "the kernel has none" : "there is \(names.joined(separator: ", "))"
            throw DeviceError(
                .configuration, operation: "", device: sensor.identity,
                reason: "trigger \(missing) is missing: \(there)",
                advice: "load the driver's trigger, or name one in the profile")
        }
        trigger = choice
        try self.set(current, choice, restoring: true)
    }

    /// Has the device take its times on CLOCK_MONOTONIC, or finds out on which clock it does.
    func chooseClock() {
        let file = path("current_timestamp_clock")
        let before = tree.attribute(file)
        clock = TimestampClock(before)
        guard let before, clock != .monotonic else { return }
        if tree.write("monotonic", to: file) == 0 { undo.append((file, before)) }
        // What it is now decides, not whether the write was taken.
        clock = TimestampClock(tree.attribute(file))
        if clock != .monotonic { note("timestamps are on the clock \(before): they are converted") }
    }

    /// How the channels of a sensor lie, as it was read at an earlier acquire.
    struct Description {
        /// The text of the first axis's `_type`: where a setting changes it, it changes all of them.
        fileprivate let type: String
        fileprivate let decoder: SampleDecoder
    }

    /// Switches on x, y, z and the time, everything else off, and reads how they lie, unless they lie as they did.
    func chooseChannels(_ known: Description? = nil) throws(DeviceError) -> Description {
        let wanted = ["x", "y", "z"].map { "\(sensor.prefix)_\($0)" }
        let folder = path("scan_elements")
        let hasTime = tree.exists("\(folder)/in_timestamp_en")
        for name in tree.names(in: folder) where name.hasSuffix("_en") {
            let channel = String(name.dropLast(3))
            guard !wanted.contains(channel), channel != "in_timestamp" else { continue }
            try set("\(folder)/\(name)", "0", restoring: true)
        }
        for channel in wanted { try set("\(folder)/\(channel)_en", "1", restoring: true) }
        if hasTime { try set("\(folder)/in_timestamp_en", "1", restoring: true) }
        let type = tree.attribute("\(folder)/\(wanted[0])_type") ?? ""
        if let known, known.type == type, known.decoder.hasTimestamp == hasTime {
            decoder = known.decoder
        } else {
            var axes: [ScanElement] = []
            for channel in wanted { axes.append(try element(channel)) }
            let layout = SampleLayout(axes: axes, timestamp: hasTime ? try element("in_timestamp") : nil)
            decoder = SampleDecoder(layout)
        }
        if !hasTime {
            clock = .reading
            note("the device gives no timestamps: the time of reading stands for them")
        }
        return Description(type: type, decoder: decoder)
    }

    /// Sets the buffer's length, in samples, and from how many on it wakes a reader.
    func size(length: Int, watermark: Int) throws(DeviceError) {
        self.length = length
        if tree.exists(path("buffer/length")) {
            let before = tree.attribute(path("buffer/length"))
            if before != String(length) {
                // A watermark left above the new length would have it refused.
                if tree.exists(path("buffer/watermark")) { _ = tree.write("1", to: path("buffer/watermark")) }
                let errno = tree.write(String(length), to: path("buffer/length"))
                if errno == Errno.EACCES || errno == Errno.ENODEV {
                    throw error(errno, path("buffer/length"))
                } else if errno != 0 {
                    self.length = before.flatMap { Int($0) } ?? 1
                    note("a buffer of \(length) samples was refused (\(Errno.name(errno))): it holds \(self.length)")
                }
            }
        }
        // A device without hardware buffering has only the watermark 1, and may refuse to be told so.
        if let before = tree.attribute(path("buffer/watermark")), before != String(watermark) {
            _ = tree.write(String(watermark), to: path("buffer/watermark"))
        }
    }

    func enable() throws(DeviceError) {
        try set(path("buffer/enable"), "1", restoring: false, force: true)
        isEnabled = true
    }

    /// Ends the stream; answers the errno of it, 0 as a rule.
    @discardableResult
    func disable() -> Int32 {
        isEnabled = false
        return tree.write("0", to: path("buffer/enable"))
    }

    /// Ends the stream, puts everything back as it was found, and gives the node back. Errors are passed over: a device
    /// that is gone holds nothing.
    func close() {
        if isEnabled { disable() }
        for (path, value) in undo.reversed() { _ = tree.write(value, to: path) }
        undo = []
        node.take()?.close()
    }

    func path(_ name: String) -> String { "\(sensor.folder)/\(name)" }

    /// Sets an attribute unless it stands so already.
    func set(_ path: String, _ value: String, restoring: Bool, force: Bool = false) throws(DeviceError) {
        let before = force ? nil : tree.attribute(path)
        if before == value { return }
        let errno = tree.write(value, to: path)
        guard errno == 0 else { throw error(errno, path) }
        if restoring { undo.append((path, before ?? "")) }
    }

    /// What a refused write of an attribute means.
    func error(_ errno: Int32, _ path: String) -> DeviceError {
        var error = DeviceError(errno: errno, operation: "write", device: sensor.identity, reason: path)
        switch error.kind {
        case .permission:
            error.reason = "\(path) may not be written"
            error.advice = Self.rightsAdvice
        case .inUse:
            error.holders = DeviceHolders.of(node: sensor.node, knownBusy: true)
            error.reason = "\(path) is locked"
        default: break
        }
        return error
    }

    static let rightsAdvice = "install scripts/packaging/60-onstage.rules and join the group input"

    private func element(_ channel: String) throws(DeviceError) -> ScanElement {
        let folder = path("scan_elements")
        let type = tree.attribute("\(folder)/\(channel)_type")
        let index = tree.attribute("\(folder)/\(channel)_index")
        guard let type, let index, let number = Int(index), let element = ScanElement(type: type, index: number) else {
            throw DeviceError(
                .configuration, operation: "", device: sensor.identity,
                reason: "\(folder)/\(channel)_type is not understood: \"\(type ?? "")\", index \"\(index ?? "")\"")
        }
        return element
    }

    private func triggerNames() -> [String] {
        Folder.names(in: tree.devices).filter { $0.hasPrefix("trigger") }.sorted()
            .compactMap { tree.attribute("\(tree.devices)/\($0)/name") }
    }
}
