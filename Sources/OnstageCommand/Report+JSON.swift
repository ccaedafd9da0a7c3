internal import Onstage
internal import OnstageCore

extension Report {
    static let version: Int64 = 1

    /// This report as it is written to a file.
    var json: JSONValue {
        [
            "version": .integer(Self.version),
            "profile": .text(profile),
            "exit": .integer(Int64(exit)),
            "transitions": .list(transitions.map(json)),
            "resources": .list(resources.map(json)),
            "playback": playback.map(json) ?? .null,
        ]
    }

    /// The file's text.
    var text: String { json.text + "\n" }

    private func json(_ transition: Transition) -> JSONValue {
        [
            "at": time(transition.at), "scene": .text(transition.scene), "from": .text(transition.from.rawValue),
            "to": .text(transition.to.rawValue),
        ]
    }

    private func json(_ resource: Resource) -> JSONValue {
        let isPlayback = resource.id == "playback"
        var members: [JSONValue.Member] = [
            .init("id", .text(resource.id)),
            .init("scene", .text(resource.scene)),
            .init("kind", .text(resource.kind.rawValue)),
            .init("device", .text(or: resource.device)),
            .init("synthetic", .flag(resource.isSynthetic)),
            .init("format", .object(resource.format.map { JSONValue.Member($0.name, $0.value.json) })),
            .init(
                "acquisitions",
                .list(
                    resource.acquisitions.map {
                        ["asked": time($0.asked), "open": time($0.open), "first": time($0.first)]
                    })),
            .init("receipts", .list(resource.receipts.map { json($0, isPlayback: isPlayback) })),
            .init("delivered", count(resource.counts.delivered)),
            .init("dropped", count(resource.counts.dropped)),
            .init("bad", count(resource.counts.bad)),
            .init("errors", .list(resource.errors.map(JSONValue.text))),
        ]
        if let value = resource.value { members.append(.init("value", Self.axes(value))) }
        return .object(members)
    }

    /// x, y and z.
    static func axes(_ value: SIMD3<Double>) -> JSONValue {
        .list([.number(value.x), .number(value.y), .number(value.z)])
    }

    /// What only playback has is left out of the others' receipts.
    private func json(_ entry: Receipt, isPlayback: Bool) -> JSONValue {
        let receipt = entry.receipt
        var members: [JSONValue.Member] = [
            .init("asked", time(receipt.asked)),
            .init("released", time(receipt.stuck ? nil : receipt.released)),
            .init("forced", .flag(receipt.forced)),
        ]
        if receipt.stuck { members.append(.init("stuck", true)) }
        if isPlayback {
            let detail = receipt.detail
            members += [
                .init("position", .integer(or: detail.position)),
                .init("mode", detail.mode.map { .text($0.rawValue) } ?? .null),
                .init("bound", .integer(or: detail.bound)),
                .init("off", .integer(or: detail.off)),
                .init("stored", time(entry.stored)),
            ]
        }
        return .object(members)
    }

    private func json(_ playback: Playback) -> JSONValue {
        [
            "media": .text(or: playback.media),
            "rate": .integer(or: playback.rate.map(Int64.init)),
            "frames": .integer(or: playback.frames),
            "position": .integer(or: playback.position),
            "underruns": count(playback.underruns),
        ]
    }

    private func time(_ time: MonotonicTime?) -> JSONValue {
        .milliseconds(since: start, or: time)
    }

    private func count(_ count: UInt64) -> JSONValue {
        .integer(Int64(clamping: count))
    }
}
