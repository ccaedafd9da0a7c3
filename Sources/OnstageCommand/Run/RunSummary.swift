internal import Onstage
internal import OnstageCore

/// What a run tells a person at its end.
enum RunSummary {
    /// - Parameters:
    ///   - ended: when.
    ///   - stuck: what the kernel still holds.
    static func text(_ report: Report, ended: MonotonicTime) -> String {
        let seconds = FixedPoint.text(FixedPoint.seconds(ended - report.start), 1)
        let activations = report.earlierActivations + report.transitions.count { $0.to == .active }
        var text = "\nonstage run: \(seconds) s with profile \(report.profile), "
        text += "\(activations) \(activations == 1 ? "activation" : "activations")"
        text += report.exit == 0 ? "\n" : ", failed\n"
        let scenes = Set(report.resources.map(\.scene))
        for resource in report.resources {
            let name = scenes.count > 1 ? "\(resource.scene) \(resource.id)" : resource.id
            let made = resource.isSynthetic ? " (synthetic)" : ""
            text += "  \(name): \(resource.device ?? "no device")\(made)\n"
            text += "    \(counts(resource))\n    \(receipts(resource))\n"
            for error in resource.errors { text += "    error: \(error)\n" }
        }
        if let playback = report.playback, let position = playback.position {
            text += "  sound: \(playback.media ?? "built-in"), next frame \(position)"
            if let frames = playback.frames, frames > 0 { text += " of \(frames)" }
            text += "\n"
        }
        let made = report.resources.filter(\.isSynthetic)
        if !made.isEmpty {
            let all = made.count == report.resources.count
            let names = made.map { scenes.count > 1 ? "\($0.scene) \($0.id)" : $0.id }.joined(separator: ", ")
            text += "  synthetic, made up by Onstage: \(all ? "all of them" : names)\n"
        }
        return text
    }

    private static func counts(_ resource: Report.Resource) -> String {
        let opened = resource.sums.opened
        let what =
            switch resource.kind {
            case .camera: "frames"
            case .motion: "samples"
            case .audio: "heard frames"
            }
        var text = "\(resource.counts.delivered) \(what) over \(opened) \(opened == 1 ? "acquisition" : "acquisitions")"
        if resource.counts.dropped > 0 { text += ", \(resource.counts.dropped) dropped" }
        if resource.counts.bad > 0 { text += ", \(resource.counts.bad) bad" }
        if resource.counts.underruns > 0 {
            text += ", \(resource.counts.underruns) \(resource.counts.underruns == 1 ? "underrun" : "underruns")"
        }
        return text
    }

    private static func receipts(_ resource: Report.Resource) -> String {
        let sums = resource.sums
        guard sums.receipts > 0 else { return "no receipts" }
        var text = "\(sums.receipts) \(sums.receipts == 1 ? "receipt" : "receipts")"
        if let worst = sums.worst { text += ", worst pause to released \(FixedPoint.milliseconds(worst))" }
        if sums.forced > 0 { text += ", \(sums.forced) forced" }
        if sums.stuck > 0 { text += ", \(sums.stuck) stuck: not released" }
        return text
    }
}
