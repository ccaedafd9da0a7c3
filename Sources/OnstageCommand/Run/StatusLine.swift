internal import Onstage
internal import OnstageCore

/// The live line of a run on a terminal: state, frames per second, m/s², rad/s and where the sound is.
struct StatusLine {
    private var frames: UInt64 = 0
    private var since: MonotonicTime?
    private var rate = 0.0

    /// The line for a scene at `now`. The frame rate is measured over the time since half a second or more ago.
    ///
    /// - Parameter columns: what does not fit a narrow terminal is said shorter.
    mutating func text(_ run: RunScene, now: MonotonicTime, columns: Int) -> String {
        let isNarrow = columns < 100
        var parts = ["\(run.name) \(run.scene.phase.rawValue)"]
        if let camera = run.resources.camera {
            measure(run.readings.frames, now)
            parts.append(camera.state == .open ? FixedPoint.text(rate, 1) + " fps" : "camera \(word(camera))")
        }
        if let motion = run.resources.accelerometer {
            parts.append(axes(run.readings.acceleration, motion, "accel", "m/s²", isNarrow))
        }
        if let motion = run.resources.gyroscope {
            parts.append(axes(run.readings.turning, motion, "gyro", "rad/s", isNarrow))
        }
        if let player = run.resources.player {
            parts.append(
                Self.bar(player.position, player.info, isNarrow) + (player.state == .open ? "" : " \(word(player))"))
        }
        return parts.joined(separator: "  ")
    }

    private mutating func measure(_ count: UInt64, _ now: MonotonicTime) {
        guard let since, count >= frames else {
            (self.since, frames) = (now, count)
            return
        }
        let elapsed = FixedPoint.seconds(now - since)
        guard elapsed >= 0.5 else { return }
        rate = Double(count - frames) / elapsed
        (self.since, frames) = (now, count)
    }

    private func axes(
        _ value: SIMD3<Double>?, _ motion: Motion, _ name: String, _ unit: String, _ isNarrow: Bool
    ) -> String {
        guard motion.state == .open, let value else { return "\(name) \(word(motion))" }
        let axes = value.axes.map { FixedPoint.text($0, isNarrow ? 1 : 2) }
        return "\(axes.joined(separator: " ")) \(unit)"
    }

    private func word(_ resource: some Resource) -> String {
        switch resource.state {
        case .open: "open"
        case .opening: "opening"
        case .pendingOpen: "waits"
        case .closing: "closing"
        case .closed: resource.error?.isRecoverable ?? true ? "off" : "failed"
        }
    }

    /// "[####------] 0:12.3/1:00.0"
    static func bar(_ position: Int64, _ info: MediaInfo, _ isNarrow: Bool) -> String {
        let time = MediaTime.text(position, rate: info.rate)
        guard info.frames > 0 else { return time }
        let bar = Gauge.text(position, of: info.frames, width: isNarrow ? 6 : 10)
        return "\(bar) \(time)" + (isNarrow ? "" : "/\(MediaTime.text(info.frames, rate: info.rate))")
    }
}
