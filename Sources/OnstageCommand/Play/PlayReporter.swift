internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// Tells what happens: lines for people, or a JSON object a line for programs.
struct PlayReporter {
    let screen: Screen
    let isJSON: Bool
    let start: MonotonicTime

    /// An object on a line of its own, with its kind and the milliseconds since the start.
    private func line(_ kind: String, _ members: [JSONValue.Member] = []) {
        let head: [JSONValue.Member] = [
            .init("event", .text(kind)), .init("at", .milliseconds(since: start, or: .now)),
        ]
        Output.out(JSONValue.object(head + members).line + "\n")
    }

    func began(_ item: PlayItem, _ number: Int, of count: Int, _ info: MediaInfo, from frame: Int64) {
        guard isJSON else {
            let place = count > 1 ? "\(number) of \(count): " : ""
            screen.tell(place + PlayInfo.text(info, name: item.name))
            return
        }
        line(
            "media",
            [
                .init("name", .text(info.name)), .init("number", .integer(Int64(number))),
                .init("count", .integer(Int64(count))), .init("rate", .integer(Int64(info.rate))),
                .init("channels", .integer(Int64(info.channels))), .init("format", .text(info.format)),
                .init("frames", info.hasLength ? .integer(info.frames) : .null),
                .init("seekable", .flag(info.isSeekable)), .init("position", .integer(frame)),
            ])
    }

    func acquired(_ device: ResolvedDevice, _ format: ReportedFormat) {
        guard isJSON else { return }
        let entries = format.entries.map { JSONValue.Member($0.name, $0.value.json) }
        line("acquired", [.init("device", .text(device.identity)), .init("format", .object(entries))])
    }

    func state(_ state: PlayerState, _ player: Player) {
        if isJSON { return line("state", Self.members(state)) }
        switch state {
        case .playing: screen.tell("playing on \(player.device?.identity ?? "")")
        case .ended: screen.tell("ended")
        case .idle, .opening, .buffering, .paused, .failed: break
        @unknown default: break
        }
    }

    private static func members(_ state: PlayerState) -> [JSONValue.Member] {
        func name(_ text: String) -> JSONValue.Member { .init("state", .text(text)) }
        switch state {
        case .idle: return [name("idle")]
        case .opening(let error?): return [name("opening"), .init("error", .text("\(error)"))]
        case .opening(nil): return [name("opening")]
        case .buffering: return [name("buffering")]
        case .playing: return [name("playing")]
        case .paused(let reasons):
            return [name("paused"), .init("reasons", .list(reasons.reasons.map { .text("\($0)") }))]
        case .ended: return [name("ended")]
        case .failed(let error): return [name("failed"), .init("error", .text("\(error)"))]
        @unknown default: return [name("unknown")]
        }
    }

    func position(_ frame: Int64) {
        if isJSON { line("position", [.init("frame", .integer(frame))]) }
    }

    func ended() {
        if isJSON { line("ended") }
    }

    func released(_ receipt: ReleaseReceipt, _ info: MediaInfo) {
        let detail = receipt.detail
        guard isJSON else {
            // The end is told by itself, and a pause of what was not heard is none.
            guard let position = detail.position, !receipt.reasons.contains(.finished) else { return }
            screen.tell(
                "paused at \(MediaTime.text(position, rate: info.rate)), frame \(position)" + Self.release(receipt))
            return
        }
        line(
            "released",
            [
                .init("position", .integer(or: detail.position)),
                .init("mode", detail.mode.map { .text($0.rawValue) } ?? .null),
                .init("bound", .integer(or: detail.bound)),
                .init("off", .integer(or: detail.off)), .init("asked", .milliseconds(since: start, or: receipt.asked)),
                .init("released", .milliseconds(since: start, or: receipt.released)),
                .init("forced", .flag(receipt.forced)),
                .init("stuck", .flag(receipt.stuck)),
                .init("reasons", .list(receipt.reasons.reasons.map { .text("\($0)") })),
            ])
    }

    private static func release(_ receipt: ReleaseReceipt) -> String {
        guard let released = receipt.released, !receipt.stuck else { return ", and the device is stuck: not released" }
        var text = ", device given back after \(FixedPoint.milliseconds(released - receipt.asked))"
        if let off = receipt.detail.off, off != 0 { text += ", off by \(off) frames" }
        return text
    }

    func stored(_ position: Int64) {
        if isJSON { line("stored", [.init("position", .integer(position))]) }
    }

    func recovered(_ error: DeviceError) {
        if isJSON { line("recovered", [.init("error", .text("\(error)"))]) }
        screen.write(.warning, "\(error)")
    }

    func note(_ text: String) {
        if isJSON { line("note", [.init("text", .text(text))]) }
        screen.write(.notice, text)
    }

    /// Something that cannot be played.
    func failed(_ error: DeviceError) {
        if isJSON { line("error", [.init("error", .text("\(error)"))]) }
        screen.write(.error, "\(error)")
    }

    /// The end of everything; on a terminal a line stays that says where it was left.
    func over(_ status: Int32, _ player: Player?, hasEnded: Bool) {
        if isJSON { line("end", [.init("status", .integer(Int64(status)))]) }
        guard screen.style == .status, let player else { return screen.say("") }
        let time = MediaTime.text(player.position, rate: player.info.rate)
        let place = hasEnded ? "ended" : "stopped at \(time), frame \(player.position)"
        screen.say("\(place): \(PlayItem.shown(player.info.name))\n")
    }
}
