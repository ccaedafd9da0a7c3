internal import CV4L2
internal import Glibc
internal import OnstageCore
internal import OnstageLinux

/// Puts a camera's pipeline together for an acquire, and its links back after the release. *Runs on:* the device's thread.
///
/// Links are for the whole machine: those that had to be changed are changed back, the last first, so that whoever set them
/// finds them again. Formats are not: like that of a camera's node, the last that was set stays, and whoever streams sets its
/// own. Nothing is open between the two, and a process that is ended in between leaves the links as it had set them.
struct PipelineDesk {
    private let kernel: any VideoKernel
    private let pipeline: MediaPipeline
    private let sys: String
    private let dev: String
    /// The links that were changed; also those of an acquire before that could not be put back yet.
    private var former: [Former] = []
    /// The media device's node, once it is known.
    private var node: String?
    /// The device numbers of its entities' nodes.
    private var numbers: [String] = []

    private struct Former {
        /// As it was.
        let link: cv4l2_link
        /// As it was set.
        let wanted: MediaPipeline.Link
        /// The names of its ends: another device that has taken the node has other entities by the same numbers.
        let ends: [String]
        /// Whether it was said that it could not be put back.
        var isTold = false
    }

    init(_ pipeline: MediaPipeline, _ kernel: any VideoKernel, sys: String, dev: String) {
        self.pipeline = pipeline
        self.kernel = kernel
        self.sys = sys
        self.dev = dev
    }

    /// Sets links, then formats. What a part made of a format, if something else, is answered.
    ///
    /// - Parameter camera: the node of the camera.
    /// - Throws: `absent` when the media device is not there; `configuration` for what it does not have; `inUse` while another
    ///   program streams from it. ``undo()`` puts back what was changed until then.
    mutating func set(for camera: String) throws(DeviceError) -> [String] {
        let graph = try open(for: camera)
        defer { graph.close() }
        if node != graph.node { former = [] }
        node = graph.node
        numbers = graph.entities.compactMap(\.number)
        for link in pipeline.links { try set(link, graph) }
        var notes: [String] = []
        for setting in pipeline.formats { notes += try set(setting, graph) }
        return notes
    }

    /// The nodes of all cameras of the media device: each may be what holds its links. None before it was found.
    var cameras: [String] { numbers.compactMap { partNode($0, "video") } }

    /// A link that is no longer as it was set: another camera that shares it, or another program, has changed it.
    func changed() throws(DeviceError) -> MediaPipeline.Link? {
        guard let node else { return nil }
        let graph = try MediaGraph(kernel, node: node)
        defer { graph.close() }
        for wanted in pipeline.links where try find(wanted, graph).link.isEnabled != wanted.isEnabled { return wanted }
        return nil
    }

    /// Puts back the links that were changed; answers what could not be, once. That is tried again at the next ``undo()``.
    mutating func undo() -> [String] {
        guard let node, !former.isEmpty else { return [] }
        var notes: [String] = []
        var stuck: [Former] = []
        do throws(DeviceError) {
            let graph = try MediaGraph(kernel, node: node)
            defer { graph.close() }
            for var former in former.reversed() {
                guard graph.ends(of: former.link) == former.ends else { continue }
                let answer = graph.set(former.link)
                guard answer < 0 else { continue }
                if !former.isTold {
                    notes.append("the link \(former.wanted) stays: \(fault(-answer, .setLink, node))")
                }
                former.isTold = true
                stuck.insert(former, at: 0)
            }
        } catch {
            // The links of a device that is gone are gone too.
            stuck = error.kind == .absent ? [] : former
            if stuck.contains(where: { !$0.isTold }) {
                notes.append("the links of \(node) stay as they were set: \(error)")
            }
            for index in stuck.indices { stuck[index].isTold = true }
        }
        former = stuck
        return notes
    }

    // MARK: - The media device

    private func open(for camera: String) throws(DeviceError) -> MediaGraph {
        if let path = pipeline.device, path.hasPrefix("/") { return try MediaGraph(kernel, node: path) }
        let number = SmallFile.line("\(sys)/class/video4linux/\(camera.split(separator: "/").last ?? "")/dev")
        var known: [String] = []
        var closed: DeviceError?
        for name in Folder.names(in: dev) where name.hasPrefix("media") && Int(name.dropFirst(5)) != nil {
            let graph: MediaGraph
            do throws(DeviceError) {
                graph = try MediaGraph(kernel, node: "\(dev)/\(name)")
            } catch {
                // It may be the one that is meant.
                if error.kind != .absent { closed = closed ?? error }
                continue
            }
            let names = graph.names
            let isNamed = pipeline.device.map(names.contains)
            // Two of one driver share their names: the camera is in one of them.
            let hasCamera = number != nil && graph.entities.contains { $0.number == number }
            if isNamed ?? hasCamera, hasCamera || number == nil { return graph }
            graph.close()
            let other = isNamed == true ? ", without this camera" : ""
            known.append("\(graph.node) (\(names.first ?? "")\(other))")
        }
        if let closed { throw closed }
        throw DeviceError(
            .absent, operation: VideoCall.mediaInfo.rawValue, device: pipeline.device ?? "media device of \(camera)",
            reason: known.isEmpty
                ? "this machine has no media device" : "there are only \(known.joined(separator: ", "))",
            advice: "it is waited for; a profile names it by bus info, model, driver or node")
    }

    // MARK: - Links

    private mutating func set(_ wanted: MediaPipeline.Link, _ graph: MediaGraph) throws(DeviceError) {
        let (link, ends) = try find(wanted, graph)
        // A link that cannot be changed may be asked for as it is.
        guard link.isEnabled != wanted.isEnabled else { return }
        let answer = graph.set(link.enabled(wanted.isEnabled))
        guard answer >= 0 else {
            var error = fault(-answer, .setLink, graph.node)
            error.reason = "the link \(wanted) cannot be set"
            throw error
        }
        // One that could not be put back is known already.
        if !former.contains(where: { $0.wanted == wanted && $0.ends == ends }) {
            former.append(Former(link: link, wanted: wanted, ends: ends))
        }
    }

    private func find(
        _ wanted: MediaPipeline.Link, _ graph: MediaGraph
    ) throws(DeviceError) -> (link: cv4l2_link, ends: [String]) {
        let source = try graph.entity(wanted.source.entity)
        let sink = try graph.entity(wanted.sink.entity)
        let link = try graph.links(from: source).all.first { link in
            link.source_pad == wanted.source.index && link.sink == sink.id && link.sink_pad == wanted.sink.index
        }
        if let link { return (link, [source.name, sink.name]) }
        throw DeviceError(
            .configuration, operation: VideoCall.getLinks.rawValue, device: graph.node,
            reason: "it has no link \(wanted.source) -> \(wanted.sink)",
            advice: "`media-ctl -d \(graph.node) -p` lists its links")
    }

    // MARK: - Formats

    private func set(_ setting: MediaPipeline.PadSetting, _ graph: MediaGraph) throws(DeviceError) -> [String] {
        let pad = setting.pad
        let entity = try graph.entity(pad.entity)
        let (links, sources) = try graph.links(from: entity)
        let isSource = pad.index < 64 && sources & 1 << UInt64(pad.index) != 0
        var notes: [String] = []
        try with(entity, graph) { part throws(DeviceError) in
            var real: MediaPipeline.BusFormat?
            func put() throws(DeviceError) {
                guard let format = setting.format else { return }
                let set = try self.put(format, part, pad, graph.node)
                notes += note(format, set, pad)
                real = set
            }
            // A format resets the rectangles behind it: what comes in is said first, then what of it, then what goes out.
            if !isSource { try put() }
            if let crop = setting.crop { try select(part, pad, V4L2_SEL_TGT_CROP, crop, graph.node) }
            if let compose = setting.compose { try select(part, pad, V4L2_SEL_TGT_COMPOSE, compose, graph.node) }
            if isSource { try put() }
            if let interval = setting.interval { try pace(part, pad, interval, graph.node) }
            if isSource, let real { try hand(real, along: links.filter { $0.source_pad == pad.index }, graph) }
        }
        return notes
    }

    /// Opens the node of an entity for the time of `body`.
    private func with(
        _ entity: MediaGraph.Entity, _ graph: MediaGraph, _ body: (Int32) throws(DeviceError) -> Void
    ) throws(DeviceError) {
        guard let number = entity.number, let part = partNode(number) else {
            throw DeviceError(
                .configuration, operation: "open", device: graph.node,
                reason: "\"\(entity.name)\" has no device node, and no format that could be set")
        }
        let descriptor = kernel.open(part)
        guard descriptor >= 0 else { throw CaptureFault.error(-descriptor, operation: "open", node: part) }
        defer { kernel.close(descriptor) }
        try body(descriptor)
    }

    /// "/dev/v4l-subdev0" for "81:4"; nil for a node of another kind.
    private func partNode(_ number: String, _ kind: String = "v4l-subdev") -> String? {
        let text = SmallFile.text("\(sys)/dev/char/\(number)/uevent") ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("DEVNAME=\(kind)") }
        return line.map { "\(dev)/\($0.dropFirst("DEVNAME=".count))" }
    }

    /// Sets a format, and answers what it became. *C: `VIDIOC_SUBDEV_S_FMT`.*
    private func put(
        _ format: MediaPipeline.BusFormat, _ part: Int32, _ pad: MediaPipeline.Pad, _ media: String
    ) throws(DeviceError) -> MediaPipeline.BusFormat {
        var request = v4l2_subdev_format()
        request.which = UInt32(V4L2_SUBDEV_FORMAT_ACTIVE.rawValue)
        request.pad = UInt32(pad.index)
        request.format.width = format.width
        request.format.height = format.height
        request.format.code = format.code
        request.format.field = format.field ?? V4L2_FIELD_NONE.rawValue
        request.format.colorspace = format.colorspace
        request.format.xfer_func = format.transfer
        request.format.ycbcr_enc = format.encoding
        request.format.quantization = format.quantization
        let answer = kernel.call(part, .setPadFormat, &request)
        guard answer >= 0 else { throw fault(-answer, .setPadFormat, "\(pad) of \(media)") }
        let real = request.format
        return MediaPipeline.BusFormat(
            code: real.code, width: real.width, height: real.height, field: real.field, colorspace: real.colorspace,
            transfer: real.xfer_func, encoding: real.ycbcr_enc, quantization: real.quantization)
    }

    /// A pad that feeds others hands its format on to theirs, as media-ctl does.
    private func hand(
        _ format: MediaPipeline.BusFormat, along links: [cv4l2_link], _ graph: MediaGraph
    ) throws(DeviceError) {
        for link in links where link.isEnabled {
            guard let sink = graph.entities.first(where: { $0.id == link.sink }), let number = sink.number,
                partNode(number) != nil
            else { continue }  // a camera's own node: its format is negotiated
            let theirs = MediaPipeline.Pad(entity: .name(sink.name), index: link.sink_pad)
            try with(sink, graph) { part throws(DeviceError) in
                _ = try put(format, part, theirs, graph.node)
            }
        }
    }

    /// *C: `VIDIOC_SUBDEV_S_SELECTION`.*
    private func select(
        _ part: Int32, _ pad: MediaPipeline.Pad, _ target: Int32, _ rectangle: MediaPipeline.Rectangle, _ media: String
    ) throws(DeviceError) {
        var request = v4l2_subdev_selection()
        request.which = UInt32(V4L2_SUBDEV_FORMAT_ACTIVE.rawValue)
        request.pad = UInt32(pad.index)
        request.target = UInt32(target)
        request.r = v4l2_rect(
            left: rectangle.left, top: rectangle.top, width: rectangle.width, height: rectangle.height)
        let answer = kernel.call(part, .setPadSelection, &request)
        guard answer >= 0 else { throw fault(-answer, .setPadSelection, "\(pad) of \(media)") }
    }

    /// *C: `VIDIOC_SUBDEV_S_FRAME_INTERVAL`.*
    private func pace(
        _ part: Int32, _ pad: MediaPipeline.Pad, _ interval: MediaPipeline.Interval, _ media: String
    ) throws(DeviceError) {
        var request = v4l2_subdev_frame_interval()
        request.pad = UInt32(pad.index)
        request.interval = v4l2_fract(numerator: interval.numerator, denominator: interval.denominator)
        let answer = kernel.call(part, .setPadInterval, &request)
        guard answer >= 0 else { throw fault(-answer, .setPadInterval, "\(pad) of \(media)") }
    }

    private func note(
        _ asked: MediaPipeline.BusFormat, _ real: MediaPipeline.BusFormat, _ pad: MediaPipeline.Pad
    ) -> [String] {
        guard (asked.code, asked.width, asked.height) != (real.code, real.width, real.height) else { return [] }
        return ["asked for \(asked) at \(pad), \(real) is set"]
    }

    private func fault(_ errno: Int32, _ call: VideoCall, _ device: String) -> DeviceError {
        var error = DeviceError(errno: errno, operation: call.rawValue, device: device)
        switch errno {
        case Errno.EBUSY: error.advice = "another program streams from it: it is tried again"
        case Errno.EINVAL, Errno.ENOTTY: error.advice = "see `media-ctl -p`, and the profile's \"media\""
        default: break
        }
        return error
    }
}
