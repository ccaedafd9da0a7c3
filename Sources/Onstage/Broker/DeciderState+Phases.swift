internal import OnstageCore

// Who reads the phases of a scene, or of the app.
extension DeciderState {
    func follow(_ id: SceneID, _ follower: PhaseFollower) {
        // Of a scene that has come to its end there is nothing more to tell, also where the kernel still holds a device of it.
        guard let entry = scenes[id], !(entry.lifecycle.isEnded && entry.lifecycle.phase == .notRunning) else {
            return follower.finish()
        }
        scenes[id]?.phaseFollowers.append(follower)
    }

    func followApp(_ follower: PhaseFollower) {
        appPhaseFollowers.append(follower)
    }

    func tellFollowers(_ id: SceneID, _ change: PhaseChange) {
        scenes[id]?.phaseFollowers.removeAll { !$0.yield(change) }
    }

    func tellAppFollowers(_ change: PhaseChange) {
        appPhaseFollowers.removeAll { !$0.yield(change) }
    }

    /// A scene has come to its end.
    func endFollowers(_ id: SceneID) {
        for follower in scenes[id]?.phaseFollowers ?? [] { follower.finish() }
        scenes[id]?.phaseFollowers = []
    }

    /// The broker has ended.
    func endFollowers() {
        for id in scenes.keys { endFollowers(id) }
        for follower in appPhaseFollowers { follower.finish() }
        appPhaseFollowers = []
    }
}
