package import OnstageCore
internal import OnstageLinux

extension CameraFinder {
    /// The one camera that `selector` means.
    ///
    /// - Parameter hasPipeline: cameras behind a media controller can be used: their links and formats are known.
    /// - Throws: `absent` when it is not there, or is there and no camera yet; `configuration` when several fit or it is
    ///   something else; `permission` when it may not be opened.
    package func resolve(
        _ selector: CameraSelector, hasPipeline: Bool = false
    ) throws(DeviceError) -> CameraInfo {
        let device = "camera \(selector)"
        // A node's own path means that node, whatever else there is.
        if case .identity(let text) = selector.kind, let found = look(node: text) {
            let info = hasPipeline ? found.info.withPipeline : found.info
            if info.supported { return info }
        }
        var found = search()
        if hasPipeline { for index in found.indices { found[index].info = found[index].info.withPipeline } }
        switch selector.kind {
        case .any:
            return try first(found.filter { !$0.info.isOther }, "camera", missing: "this machine has no camera")
        case .driver(let name): return try first(found.filter { $0.info.driver == name && !$0.info.isOther }, device)
        case .matching(_, let accepts): return try first(found.filter { accepts($0.info) }, device)
        case .identity(let text): return try only(found, text, device)
        }
    }

    /// The first that can be used; else why not.
    private func first(
        _ found: [Found], _ device: String, missing: String = "there is no such camera"
    ) throws(DeviceError) -> CameraInfo {
        if let usable = found.first(where: { $0.info.supported }) { return usable.info }
        if let barred = found.first(where: { $0.isBarred }) { throw permission(barred, device) }
        let reason =
            found.isEmpty
            ? missing
            : found.map { "\($0.info.node) (\($0.info.name)): \($0.info.reason ?? "")" }.joined(separator: "; ")
        throw DeviceError(
            .absent, operation: "", device: device, reason: reason,
            advice: "it is waited for; `onstage devices` lists all")
    }

    /// The one that a text names.
    private func only(_ found: [Found], _ text: String, _ device: String) throws(DeviceError) -> CameraInfo {
        let real = text.hasPrefix("/") ? Path.canonical(text) : nil
        let named = found.filter {
            $0.info.identities.contains(text) || $0.info.node == real || $0.info.identity == text
        }
        let usable = named.filter { $0.info.supported }
        if usable.count == 1 { return usable[0].info }
        if usable.count > 1 {
            let candidates = usable.map { "\"\($0.info.identity)\" (\($0.info.node))" }.joined(separator: ", ")
            throw DeviceError(
                .configuration, operation: "", device: device, reason: "several cameras fit: \(candidates)",
                advice: "name one of them")
        }
        guard let one = named.first else {
            let cameras = found.filter { $0.info.supported }.map { "\"\($0.info.identity)\"" }
            var reason = cameras.isEmpty ? "there is no camera" : "there are only \(cameras.joined(separator: ", "))"
            // It may be one of these, which tell their names only to whoever may open them.
            let barred = found.filter { $0.isBarred }.map(\.info.node)
            if !barred.isEmpty {
                reason += "; \(barred.joined(separator: ", ")) may not be opened: add the user to the group video"
            }
            throw DeviceError(
                .absent, operation: "", device: device, reason: reason,
                advice: "it is waited for; `onstage devices` lists all")
        }
        if let barred = named.first(where: { $0.isBarred }) { throw permission(barred, device) }
        if let waiting = named.first(where: { $0.info.isWaiting }) {
            throw DeviceError(
                .absent, operation: waiting.fault == nil ? "VIDIOC_QUERYCAP" : "open", device: device,
                errno: waiting.fault, reason: waiting.info.reason, advice: "it is waited for")
        }
        throw DeviceError(
            .configuration, operation: "VIDIOC_QUERYCAP", device: device, reason: one.info.reason,
            advice: one.info.needsPipeline
                ? "a profile gives its links and formats (\"media\")" : "`onstage devices` lists the cameras")
    }

    private func permission(_ found: Found, _ device: String) -> DeviceError {
        DeviceError(
            errno: found.fault ?? Errno.EACCES, operation: "open", device: found.info.node,
            advice: "add the user to the group video")
    }
}

extension CameraFinder.Found {
    fileprivate var isBarred: Bool { fault == Errno.EACCES || fault == Errno.EPERM }
}
