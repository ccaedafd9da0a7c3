internal import Onstage
internal import OnstageCore

/// A scene of a run and the resources that it has of its own.
final class RunScene {
    let scene: Scene
    let resources: Profile.Resources
    let readings = Readings()
    /// Whether it has been wished to run: how far that has come does not count.
    private(set) var hasBegun = false

    /// Makes sinks for the resources and binds them; no device is touched.
    init(_ scene: Scene, _ resources: Profile.Resources, isFresh: Bool) throws {
        self.scene = scene
        self.resources = resources
        let readings = readings
        // Inline: counting and keeping one sample is over long before the next comes.
        if let camera = resources.camera { try camera.onFrame(.inline) { _ in readings.countFrame() } }
        for motion in [resources.accelerometer, resources.gyroscope] {
            try motion?.onSample(.inline) { readings.take($0) }
        }
        if let player = resources.player {
            // What was sought stands before what was kept.
            if isFresh { player.seek(to: 0) }
            player.playWhenReady = true
        }
        if let camera = resources.camera { try scene.bind(camera) }
        if let accelerometer = resources.accelerometer { try scene.bind(accelerometer) }
        if let gyroscope = resources.gyroscope { try scene.bind(gyroscope) }
        if let player = resources.player { try scene.bind(player) }
    }

    var name: String { scene.name }

    /// The newest sample of a motion sensor of this scene, in m/s² or rad/s.
    func value(of resource: any Resource) -> SIMD3<Double>? {
        if resource === resources.accelerometer { return readings.acceleration }
        return resource === resources.gyroscope ? readings.turning : nil
    }

    /// Carries out a wish that is for this scene; `end` ends it.
    func carryOut(_ wish: Wish) {
        switch wish {
        case .state(let state):
            hasBegun = true
            scene.wish(state)
        case .play: resources.player?.play()
        case .pause: resources.player?.pause()
        case .seek(let frame): resources.player?.seek(to: frame)
        case .interrupt(let reason, let kind): scene.interruptionBegan(reason, kind)
        case .interruptEnded(let shouldResume): scene.interruptionEnded(shouldResume: shouldResume)
        case .end: scene.end()
        }
    }
}
