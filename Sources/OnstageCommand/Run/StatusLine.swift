internal import Onstage
internal import OnstageCore

/// The live line of a run on a terminal: state, frames per second, m/s², rad/s and where the sound is.
struct StatusLine {
    private var frames: UInt64 = 0
    private var since: MonotonicTime?
    private var rate = 0.0

    /// The line for a scene at `now`. The frame rate is measured over the time since half a second or more ago.
    mutating func text(_ run: RunScene, now: MonotonicTime) -> String {
        var parts = ["\(run.name) \(run.scene.phase.rawValue)"]
        if let camera = run.resources.camera {
            measure(run.readings.frames, now)
            parts.append("camera " + (camera.state == .open ? FixedPoint.text(rate, 1) + " fps" : word(camera)))
        }
        if let motion = run.resources.accelerometer {
            parts.append("accel " + axes(run.readings.acceleration, motion, "m/s²"))
        }
        if let motion = run.resources.gyroscope { parts.append("gyro " + axes(run.readings.turning, motion, "rad/s")) }
        if let player = run.resources.player { parts.append(Self.bar(player.position, player.info, word(player))) }
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

    private func axes(_ value: SIMD3<Double>?, _ motion: Motion, _ unit: String) -> String {
        guard motion.state == .open, let value else { return word(motion) }
        return "\(FixedPoint.text(value.x, 2)) \(FixedPoint.text(value.y, 2)) \(FixedPoint.text(value.z, 2)) \(unit)"
    }

    private func word(_ resource: some Resource) -> String {
        switch resource.state {
        case .open: "open"
        case .opening: "opening"
        case .pendingOpen: "waits"
        case .closing: "closing"
        case .closed: resource.error == nil ? "off" : "failed"
        }
    }

    /// "[####------] 0:12.3/1:00.0"
    static func bar(_ position: Int64, _ info: MediaInfo, _ word: String) -> String {
        let width = 10
        let time = Self.time(position, info.rate)
        guard info.frames > 0 else { return "\(word) \(time)" }
        let done = min(width, max(0, Int(Double(position) / Double(info.frames) * Double(width))))
        let bar = String(repeating: "#", count: done) + String(repeating: "-", count: width - done)
        return "\(word) [\(bar)] \(time)/\(Self.time(info.frames, info.rate))"
    }

    private static func time(_ frames: Int64, _ rate: Int) -> String {
        guard rate > 0 else { return "-" }
        let tenths = frames / Int64(rate) * 10 + frames % Int64(rate) * 10 / Int64(rate)
        let seconds = tenths / 10 % 60
        return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds).\(tenths % 10)"
    }
}
