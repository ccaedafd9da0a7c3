internal import OnstageCore

// Who reads the phases of a scene, or of the app. They are told behind the devices, as those who read events are.
extension DeciderState {
    /// - Parameter id: nil for the app.
    func follow(_ id: SceneID?, _ follower: PhaseFollower) {
        guard let id else { return appPhaseFollowers.append(follower) }
        // Of a scene that has come to its end there is nothing more to tell, also where the kernel still holds a device of it.
        guard let entry = scenes[id], !(entry.lifecycle.isEnded && entry.lifecycle.phase == .notRunning) else {
            return follower.finish()
        }
        scenes[id]?.phaseFollowers.append(follower)
    }

    func leave(_ id: SceneID?, _ token: PhaseFollower.Token) {
        if let id {
            scenes[id]?.phaseFollowers.removeAll { $0.token === token }
        } else {
            appPhaseFollowers.removeAll { $0.token === token }
        }
    }

    /// Takes note of a move of a scene, or of the app (nil).
    func noteMove(_ id: SceneID?, _ change: PhaseChange) {
        for follower in id.map({ scenes[$0]?.phaseFollowers ?? [] }) ?? appPhaseFollowers {
            untoldPhases.append((follower, change))
        }
    }

    /// A scene has come to its end.
    func endFollowers(_ id: SceneID) {
        for follower in scenes[id]?.phaseFollowers ?? [] { untoldPhases.append((follower, nil)) }
        scenes[id]?.phaseFollowers = []
    }

    /// The broker has ended.
    func endFollowers() {
        for id in scenes.keys { endFollowers(id) }
        for follower in appPhaseFollowers { untoldPhases.append((follower, nil)) }
        appPhaseFollowers = []
        tellFollowers()
    }

    /// Hands out what was noted.
    func tellFollowers() {
        guard !untoldPhases.isEmpty else { return }
        for (follower, change) in untoldPhases { if let change { follower.yield(change) } else { follower.finish() } }
        untoldPhases.removeAll(keepingCapacity: true)
    }
}
