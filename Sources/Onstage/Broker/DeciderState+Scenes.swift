internal import OnstageCore
internal import Synchronization

// Lifecycle: wishes, passes over the observers, interruptions, the app.
extension DeciderState {
    func wish(_ scene: Scene, _ state: LifecycleState) {
        let id = scene.id
        guard var entry = scenes[id] else {
            guard state != .notRunning else { return }
            return emit(.refused(scene: scene.name, wish: state.rawValue, error: .ended, at: now))
        }
        let before = entry.lifecycle.decided
        do {
            // An end ends also what has never run: nobody can bind to it any more.
            if state == .notRunning { entry.lifecycle.end() } else { try entry.lifecycle.wish(state) }
        } catch {
            return emit(.refused(scene: entry.scene.name, wish: state.rawValue, error: error, at: now))
        }
        // Shown by the wish itself, inside a callback: a return that overtakes the leaving takes it away again.
        if entry.scene.shared.withLock({ $0.isShaded }) { entry.isShaded = true }
        let decided = entry.lifecycle.decided
        if decided != before {
            // The answers of one pause are those of its resources, not of the pause before.
            entry.receipts = []
            if decided == .active {
                activations += 1
                entry.activation = activations
            }
        }
        scenes[id] = entry
        // Devices first: they wait for no callback.
        if decided != before { for resource in entry.resources { applyLifecycle(resource) } }
        if decided == .active, decided != before {
            for resource in entry.resources { decide(arbiter.rerank(resource, rank(resource))) }
        }
        step(id)
    }

    /// Takes a scene's steps up to the next callback.
    func step(_ id: SceneID) {
        while let entry = scenes[id], !entry.isCallingOut {
            guard let step = scenes[id]?.lifecycle.next() else { break }
            switch step {
            case .transition(let from, let to): moved(id, from: from, to: to)
            case .deliver(let observer, let callback): deliver(id, observer, callback)
            }
        }
        settled(id)
    }

    private func moved(_ id: SceneID, from: LifecycleState, to: LifecycleState) {
        guard let scene = scenes[id]?.scene else { return }
        let now = now
        scene.shared.withLock { shared in
            shared.phase = to
            if to == .notRunning { shared.isEnded = true }
        }
        emit(.sceneMoved(scene: scene.name, from: from, to: to, at: now))
        noteMove(id, PhaseChange(old: from, new: to, at: now))
        if to == .notRunning { endFollowers(id) }
        setClock(id, isRunning: to == .active)
        if from == .active { shade(id) }
        if to == .notRunning, from == .background { scenes[id]?.isEnding = true }
        applyApp(now)
    }

    /// The app stands where its scenes do.
    private func applyApp(_ now: MonotonicTime) {
        let phases = scenes.keys.sorted().compactMap { id -> LifecycleState? in
            guard let entry = scenes[id] else { return nil }
            // The app's end is told behind that of its scenes, which may still need what it closes then.
            return entry.isEnding ? .background : entry.lifecycle.phase
        }
        run(app.apply(.scenes(phases), now: now))
        stepApp()
    }

    /// Shows the shades before anybody hears `willResignActive`.
    private func shade(_ id: SceneID) {
        guard let scene = scenes[id]?.scene else { return }
        scenes[id]?.isShaded = true
        guard scene.shared.withLock({ !$0.shades.isEmpty && !$0.isShaded }) else { return }
        callOut(id) { scene.showShades() }
    }

    private func deliver(_ id: SceneID, _ observer: ObserverID, _ callback: LifecycleCallback) {
        guard let scene = scenes[id]?.scene, let target = scenes[id]?.observers[observer] else { return }
        callOut(id) { target.receive(callback, scene) }
    }

    func callOut(_ id: SceneID, _ body: @escaping @Sendable () -> Void) {
        scenes[id]?.isCallingOut = true
        let decider = broker.decider
        broker.callbacks.run {
            body()
            decider.send(.sceneCallbackReturned(id))
        }
    }

    /// What is due when every observer stands where the scene does.
    private func settled(_ id: SceneID) {
        guard let entry = scenes[id], !entry.isCallingOut, entry.lifecycle.isSettled else { return }
        if entry.lifecycle.phase == .active {
            if entry.isShaded {
                scenes[id]?.isShaded = false
                let scene = entry.scene
                // Without a shade that stands there is nothing to wait for before the next step.
                if scene.shared.withLock({ $0.isShaded }) {
                    callOut(id) { scene.hideShades() }
                    return
                }
            }
            runBlocks(id)
            runTimers(id)
        }
        if entry.lifecycle.isEnded {
            scenes[id]?.timerBodies = [:]
            for resource in entry.resources { unbind(resource) }
            goIfEnded(id)
            if entry.isEnding {
                scenes[id]?.isEnding = false
                applyApp(now)
            }
            finishIfDone()
        }
    }

    /// Forgets a scene that has ended and holds nothing, but for its last answers: an app may make one for each customer.
    func goIfEnded(_ id: SceneID) {
        guard let entry = scenes[id], entry.lifecycle.isEnded, entry.lifecycle.isSettled, !entry.isCallingOut,
            entry.resources.isEmpty
        else { return }
        entry.scene.shared.withLock { $0.lastReceipts = entry.receipts }
        for continuation in entry.waiting { continuation.resume(returning: entry.receipts) }
        scenes[id] = nil
        broker.forget(entry.scene)
    }

    /// Runs the next block that waits for the scene to be active; its return asks for the one after.
    func runBlocks(_ id: SceneID) {
        guard let entry = scenes[id], !entry.isCallingOut, entry.lifecycle.isSettled,
            let block = scenes[id]?.blocks.next(isActive: entry.lifecycle.phase == .active)
        else { return }
        guard let body = scenes[id]?.blockBodies.removeValue(forKey: block) else { return }
        callOut(id, body)
    }

    // MARK: Observers

    func add(_ id: SceneID, _ observer: any SceneObserver) {
        guard let entry = scenes[id], !entry.observers.values.contains(where: { $0 === observer }) else { return }
        nextObserver += 1
        let observerID = ObserverID(nextObserver)
        do {
            try scenes[id]?.lifecycle.add(observerID)
        } catch {
            return emit(.refused(scene: entry.scene.name, wish: "observe", error: error, at: now))
        }
        scenes[id]?.observers[observerID] = observer
        step(id)
    }

    func remove(_ id: SceneID, _ observer: ObjectIdentifier) {
        guard let found = scenes[id]?.observers.first(where: { ObjectIdentifier($0.value) == observer }) else { return }
        scenes[id]?.lifecycle.remove(found.key)
        scenes[id]?.observers[found.key] = nil
        step(id)
    }

    // MARK: The app

    func run(_ effects: [AppLifecycle.Effect]) {
        for effect in effects {
            switch effect {
            case .startTimer(let deadline): timers.start(.background, at: deadline)
            case .cancelTimer: timers.stop(.background)
            }
        }
    }

    func stepApp() {
        while !isAppCallingOut, let step = app.next() {
            switch step {
            case .transition(let from, let to):
                broker.appPhase.withLock { $0 = to }
                let change = PhaseChange(old: from, new: to, at: now)
                emit(.appMoved(from: from, to: to, at: change.at))
                noteMove(nil, change)
            case .deliver(let observer, let callback):
                guard let target = appObservers[observer] else { continue }
                isAppCallingOut = true
                let broker = broker
                broker.callbacks.run {
                    target.app(broker, callback)
                    broker.decider.send(.appCallbackReturned)
                }
            }
        }
        if isClosing { finishIfDone() }
    }

    func add(_ observer: any AppObserver) {
        guard !appObservers.values.contains(where: { $0 === observer }) else { return }
        nextObserver += 1
        app.add(ObserverID(nextObserver))
        appObservers[ObserverID(nextObserver)] = observer
        stepApp()
    }

    func removeApp(_ observer: ObjectIdentifier) {
        guard let found = appObservers.first(where: { ObjectIdentifier($0.value) == observer }) else { return }
        app.remove(found.key)
        appObservers[found.key] = nil
        stepApp()
    }

    // MARK: Interruptions

    func interruptionBegan(_ id: SceneID, _ reason: String, _ kind: ResourceKind?) {
        guard var entry = scenes[id] else { return }
        let change = entry.interruptions.began(reason: reason, kind: kind)
        entry.receipts = []
        scenes[id] = entry
        emit(.interrupted(scene: entry.scene.name, reason: reason, kind: kind, at: now))
        for resource in entry.resources {
            guard let found = resources[resource]?.handle.kind, change.interrupted.contains(found) else { continue }
            apply(resource, .pause(.interrupted, hurried: false))
        }
    }

    func interruptionEnded(_ id: SceneID, _ reason: String?, shouldResume: Bool) {
        guard var entry = scenes[id] else { return }
        let change: Interruptions.Change
        do {
            change = try entry.interruptions.ended(reason: reason, shouldResume: shouldResume)
        } catch {
            return emit(.refused(scene: entry.scene.name, wish: "interrupt-ended", error: error, at: now))
        }
        scenes[id] = entry
        emit(
            .interruptionEnded(
                scene: entry.scene.name, reason: change.interruption.reason, shouldResume: shouldResume, at: now))
        for resource in entry.resources {
            guard let handle = resources[resource]?.handle else { continue }
            // The user's pause first: otherwise the sound would go on for a moment.
            if change.pausesPlayback, handle.kind == .audio {
                handle.pause(.user, true)
                apply(resource, .pause(.user, hurried: false))
            }
            if change.freed.contains(handle.kind) { apply(resource, .unpause(.interrupted)) }
        }
    }
}
