internal import Onstage
internal import OnstageCore
internal import OnstageLinux

// What is left behind: the report, the summary, the exit status.
extension Run {
    /// Called once, when all is given back or has been waited for long enough.
    func finish() -> Int32 {
        let ended = MonotonicTime.now
        positions?.close()
        for message in mailbox.take() {
            if case .event(let event) = message { collector.take(event) }
        }
        for name in collector.stuck + collector.unreleased {
            hasFailed = true
            screen.write(.error, "\(name.resource) of scene \(name.scene) is not released: its thread is stuck")
        }
        for (name, error) in collector.standing {
            hasFailed = true
            screen.write(.error, "\(name.resource) of scene \(name.scene): \(error)")
        }
        if let fault = collector.recordingFault {
            hasFailed = true
            screen.write(.error, "\(fault)")
        }
        var report = report
        report.exit = hasFailed ? 1 : 0
        if let path = plan.options.report {
            do throws(DeviceError) {
                try AtomicFile.write(path, report.text)
            } catch {
                report.exit = 1
                screen.write(.error, "the report is not written: \(error)")
            }
        }
        screen.say(RunSummary.text(report, ended: ended))
        return report.exit
    }

    private var report: Report {
        var report = Report(start: start, profile: plan.profile.name)
        report.transitions = collector.transitions
        report.earlierActivations = collector.earlierActivations
        report.resources = collector.resources.map { entry in
            var entry = entry
            for scene in allScenes where scene.name == entry.scene {
                for resource in scene.resources.all where resource.handle.name == entry.id {
                    entry.counts = entry.counts + resource.handle.counts
                    entry.value = scene.value(of: resource) ?? entry.value
                }
            }
            return entry
        }
        if let player = scenes[SceneWish.mainScene]?.resources.player {
            report.playback = Report.Playback(
                media: plan.options.media, rate: player.info.rate,
                frames: player.info.frames > 0 ? player.info.frames : nil, position: player.position,
                underruns: report.resources.filter { $0.id == "playback" }.reduce(0) { $0 + $1.counts.underruns })
        }
        return report
    }
}
