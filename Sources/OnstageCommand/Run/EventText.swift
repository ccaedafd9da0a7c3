internal import Onstage
internal import OnstageCore

/// The one line that a broker's event is shown as: `SECONDS SCENE WHAT`.
enum EventText {
    /// Nil for what is no change that a person waits for.
    static func line(_ event: BrokerEvent, start: MonotonicTime) -> String? {
        guard let (at, scene, text) = parts(event) else { return nil }
        let seconds = FixedPoint.text(FixedPoint.seconds(at - start), 3)
        return "\(seconds) \(scene) \(text)"
    }

    private static func parts(_ event: BrokerEvent) -> (MonotonicTime, String, String)? {
        switch event {
        case .sceneMoved(let scene, let from, let to, let at):
            return (at, scene, "\(from.rawValue) -> \(to.rawValue)")
        case .refused(let scene, let wish, let error, let at):
            return (at, scene, "refused \(wish): \(error)")
        case .interrupted(let scene, let reason, let kind, let at):
            return (at, scene, "interrupted \(reason)" + (kind.map { " \($0.rawValue)" } ?? ""))
        case .interruptionEnded(let scene, let reason, let shouldResume, let at):
            return (at, scene, "interruption ended \(reason) \(shouldResume ? "resume" : "stay")")
        case .resourceChanged(let name, let state, let error, let at):
            return changed(state, error).map { (at, name.scene, "\(name.resource) \($0)") }
        case .acquired(let name, let device, let format, _, let at):
            let made = device.isSynthetic ? " (synthetic)" : ""
            let values = format.entries.map { "\($0.name)=\(text($0.value))" }.joined(separator: " ")
            return (
                at, name.scene,
                "\(name.resource) open \(device.identity)\(made)" + (values.isEmpty ? "" : ": \(values)")
            )
        case .first(let name, let at):
            return (at, name.scene, "\(name.resource) first")
        case .released(let receipt):
            return (receipt.released ?? receipt.asked, receipt.scene, "\(receipt.resource) \(released(receipt))")
        case .recovered(let name, let error, let at):
            return (at, name.scene, "\(name.resource) recovered: \(error)")
        case .note(let name, let note, let at):
            return (at, name.scene, "\(name.resource) note: \(note)")
        case .ended(let name, let at):
            return (at, name.scene, "\(name.resource) ended")
        case .appMoved, .bound, .unbound, .stored: return nil
        }
    }

    /// Opening and closing are told by what they come to. What is still waited for when it is asked for no more has not
    /// failed.
    private static func changed(_ state: ResourceState, _ error: DeviceError?) -> String? {
        switch (state, error) {
        case (.pendingOpen, let error?): "waits: \(error)"
        case (.pendingOpen, nil): "waits"
        case (.closed, let error?): error.isRecoverable ? "waits no more" : "failed: \(error)"
        case (.closed, nil), (.opening, _), (.open, _), (.closing, _): nil
        }
    }

    private static func released(_ receipt: ReleaseReceipt) -> String {
        guard let released = receipt.released, !receipt.stuck else { return "stuck: not released" }
        var text = "released after \(FixedPoint.milliseconds(released - receipt.asked))"
        if receipt.forced { text += ", forced" }
        if let position = receipt.detail.position { text += ", position \(position)" }
        if let off = receipt.detail.off, off != 0 { text += ", off by \(off)" }
        return text
    }

    static func text(_ value: FormatValue) -> String {
        value.text { number in
            if number == number.rounded() { return FixedPoint.text(number, 0) }
            // A scale (0.000980665) is nothing with three decimals.
            return abs(number) < 1 ? "\(number)" : FixedPoint.text(number, 3)
        }
    }
}
