internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

// Resources: bindings, the machines and their effects, receipts.
extension DeciderState {
    // MARK: Bindings

    func bind(_ scene: Scene, _ id: ResourceID, _ handle: ResourceHandle, _ threshold: BindingThreshold) {
        let sceneID = scene.id
        waitingBinds[id] = nil
        guard let entry = scenes[sceneID], !entry.lifecycle.isEnded, !isClosing else {
            // The scene ended while the wish was on its way.
            handle.clear(token(id))
            return handle.turns.leave(token(id))
        }
        // Another thread's unbind may have overtaken it on its way: nobody could end that binding any more.
        guard handle.holds(token(id)) else { return handle.turns.leave(token(id)) }
        let decider = broker.decider
        guard handle.turns.take(token(id), begin: { decider.send(.bind(scene, id, handle, threshold)) }) else {
            waitingBinds[id] = WaitingBind(scene: sceneID, handle: handle)
            return
        }
        var limits = ResourceMachine.Limits()
        limits.watchdog = configuration.releaseWatchdog
        limits.retry = configuration.retry
        var reasons = handle.standingReasons.withLock { $0 }
        reasons.formUnion(standing)
        reasons.insert(PauseReasons(.lifecycle))
        if entry.interruptions.isInterrupted(handle.kind) { reasons.insert(PauseReasons(.interrupted)) }
        resources[id] = ResourceEntry(
            handle: handle, scene: sceneID, threshold: threshold,
            machine: ResourceMachine(reasons: reasons, limits: limits))
        scenes[sceneID]?.resources.append(id)
        handle.state.withLock { $0 = ResourceHandle.Snapshot(reasons: reasons, device: $0.device) }
        emit(.bound(name(id), at: now))
        tell(handle, .bound)
        applyLifecycle(id)
    }

    func unbind(_ id: ResourceID) {
        if let waiting = waitingBinds.removeValue(forKey: id) { waiting.handle.turns.leave(token(id)) }
        guard let entry = resources[id], !entry.isUnbound else { return }
        resources[id]?.isUnbound = true
        apply(id, .pause(.lifecycle, hurried: false))
        goIfUnbound(id)
    }

    func unbindAll(_ id: SceneID) {
        for (resource, waiting) in waitingBinds where waiting.scene == id {
            waiting.handle.clear(token(resource))
            unbind(resource)
        }
        for resource in scenes[id]?.resources ?? [] {
            resources[resource]?.handle.clear(token(resource))
            unbind(resource)
        }
    }

    /// Ends the thread of an unbound resource that holds nothing.
    private func goIfUnbound(_ id: ResourceID) {
        guard let entry = resources[id], entry.isUnbound, entry.machine.phase == .closed else { return }
        timers.stop(.retry(id))
        timers.stop(.again(id))
        timers.stop(.watchdog(id))
        if let thread = entry.thread { thread.send(.end) } else { gone(id) }
    }

    private func gone(_ id: ResourceID) {
        guard let entry = resources[id] else { return }
        emit(.unbound(name(id), at: now))
        tell(entry.handle, .unbound)
        entry.handle.clear(token(id))
        resources[id] = nil
        scenes[entry.scene]?.resources.removeAll { $0 == id }
        answerWaiting(entry.scene)
        goIfEnded(entry.scene)
        entry.handle.turns.leave(token(id))
        finishIfDone()
    }

    // MARK: Reasons

    /// Sets the lifecycle reason by what the scene has decided.
    func applyLifecycle(_ id: ResourceID) {
        guard let entry = resources[id], !entry.isUnbound, let scene = scenes[entry.scene] else { return }
        if entry.threshold.holds(in: scene.lifecycle.decided) {
            apply(id, .unpause(.lifecycle))
        } else {
            apply(id, .pause(.lifecycle, hurried: false))
        }
    }

    func pause(_ id: ResourceID, _ reason: PauseReason, _ isPaused: Bool, by cause: PlayWhenReadyReason) {
        if reason == .user, let entry = resources[id], entry.machine.reasons.contains(.user) != isPaused {
            entry.handle.state.withLock { $0.cause = cause }
        }
        apply(id, isPaused ? .pause(reason, hurried: false) : .unpause(reason))
        // From here on it is the user's pause that keeps it silent.
        if cause == .focusLoss, resources[id]?.focus.isHeld == false { apply(id, .unpause(.focus)) }
    }

    func pauseAll(_ reason: PauseReason, _ isPaused: Bool) {
        if isPaused { standing.insert(PauseReasons(reason)) } else { standing.remove(PauseReasons(reason)) }
        for id in resources.keys.sorted() {
            apply(id, isPaused ? .pause(reason, hurried: reason == .systemSleep) : .unpause(reason))
        }
    }

    // MARK: The machine

    func apply(_ id: ResourceID, _ event: ResourceMachine.Event) {
        guard var entry = resources[id] else { return }
        let now = now
        let reasons = entry.machine.reasons
        let effects = entry.machine.apply(event, now: now)
        if case .pause(let reason, _) = event, !reasons.contains(reason) { entry.openPauses += 1 }
        resources[id] = entry
        let isNew = entry.machine.reasons != reasons
        if isNew { entry.handle.state.withLock { $0.reasons = entry.machine.reasons } }
        for effect in effects { run(id, effect, now) }
        // Told when the device's thread has been: observers cost a pause nothing.
        if isNew { tell(entry.handle, .changed) }
        settleFocus(id, event)
        goIfUnbound(id)
    }

    private func run(_ id: ResourceID, _ effect: ResourceMachine.Effect, _ now: MonotonicTime) {
        guard let entry = resources[id] else { return }
        switch effect {
        case .acquire(let generation):
            resources[id]?.asked = now
            guard let thread = thread(id, generation) else { return }
            watch?.forget(id)
            thread.send(.acquire(generation))
            hasOrdered = true
        case .claim(let generation):
            // It is there, and about to be opened. Those who are to make way for its sound hear so before its claim, which on
            // the same device would hurry them.
            if askForFocus(id) { broker.decider.send(.claim(id, generation)) } else { claim(id, generation) }
        case .proceed(let generation):
            entry.thread?.send(.proceed(generation))
            hasOrdered = true
        case .release(let generation, let request):
            // The kernel gave no thread: nothing is held.
            guard let thread = entry.thread else {
                return answerLater(id, .released(generation, ReleaseDetail(released: request.asked)))
            }
            thread.send(.release(generation, request))
            hasOrdered = true
        case .withdraw: decide(arbiter.withdraw(id))
        case .givenBack: decide(arbiter.givenBack(id))
        case .startRetry(let deadline): timers.start(.retry(id), at: deadline)
        case .stopRetry: timers.stop(.retry(id))
        case .startWatchdog(_, let deadline): timers.start(.watchdog(id), at: deadline)
        case .stopWatchdog: timers.stop(.watchdog(id))
        case .force: entry.handle.force()
        case .receipt(let pause, let released, let forced, let stuck, let detail):
            receipt(id, pause, released: released, forced: forced, stuck: stuck, detail)
        case .stateChanged(let state, let error):
            entry.handle.state.withLock { snapshot in
                snapshot.state = state
                snapshot.error = error
            }
            emit(.resourceChanged(name(id), state, error, at: now))
            tell(entry.handle, .changed)
            setTick(id)
            setFollow(id, isOpen: state == .open)
            watchIfWaiting(id, error)
        }
    }

    /// Asks the arbiter for the device that was found.
    func claim(_ id: ResourceID, _ generation: Generation) {
        guard let entry = resources[id], entry.machine.phase == .claiming(generation) else { return }
        guard let key = entry.device?.key else {
            return apply(id, .granted(generation))  // shared by nature: no one has to let go
        }
        decide(arbiter.claim(id, key: key, rank: rank(id)))
    }

    /// The resource's thread, started at its first acquire.
    private func thread(_ id: ResourceID, _ generation: Generation) -> DeviceThread? {
        guard let entry = resources[id] else { return nil }
        if let thread = entry.thread { return thread }
        let decider = broker.decider
        let (turns, token) = (entry.handle.turns, token(id))
        do {
            let thread = try DeviceThread(
                name: "on-\(entry.handle.name)", clock: configuration.clock, makeDriver: entry.handle.adoptDriver,
                answer: { answer in
                    decider.send(.answer(id, answer))
                    // Here, because the broker of a thread that was stuck may have ended before it.
                    if case .ended = answer { turns.leave(token) }
                })
            resources[id]?.thread = thread
            return thread
        } catch {
            answerLater(id, .failed(generation, error, now))
            return nil
        }
    }

    /// Answers as the device's thread would, after the effects that stand.
    private func answerLater(_ id: ResourceID, _ answer: DeviceAnswer) {
        broker.decider.send(.answer(id, answer))
    }

    func token(_ id: ResourceID) -> ResourceHandle.Token {
        ResourceHandle.Token(id, broker)
    }

    func rank(_ id: ResourceID) -> Arbiter.Rank {
        let activation = resources[id].flatMap { scenes[$0.scene]?.activation } ?? 0
        // In one scene the device is first of all for who has the sound.
        let order = resources[id].flatMap { $0.focus.isHeld ? (1 << 32) + $0.focus.asked : nil }
        return Arbiter.Rank(activation: activation, binding: order ?? UInt64(id.number))
    }

    func decide(_ decisions: [Arbiter.Decision]) {
        for decision in decisions {
            switch decision {
            case .grant(let id):
                guard let machine = resources[id]?.machine else { continue }
                apply(id, .granted(machine.generation))
            case .evict(let id, let winner):
                configuration.log(
                    .info, "\(name(id).resource) of \(name(id).scene) makes way for \(name(winner).scene)")
                apply(id, .pause(.evicted, hurried: true))
            case .restore(let id): apply(id, .unpause(.evicted))
            }
        }
    }

    // MARK: Answers

    func answer(_ id: ResourceID, _ answer: DeviceAnswer) {
        switch answer {
        case .resolved(let generation, let device):
            guard resources[id]?.machine.generation == generation else { return }
            resources[id]?.device = device
            resources[id]?.handle.state.withLock { $0.device = device }
            apply(id, .resolved(generation))
        case .opened(let generation, let device, let acquired, let at):
            guard let entry = resources[id] else { return }
            let isCurrent = entry.machine.phase == .opening(generation)
            apply(id, .opened(generation))
            guard isCurrent else { return }
            emit(
                .acquired(
                    name(id), device: device, format: ReportedFormat(acquired.format), asked: entry.asked, at: at))
            for text in acquired.notes { note(id, text, at: at) }
        case .failed(let generation, let error, _): apply(id, .failed(generation, error))
        case .lost(let generation, let error, let detail):
            keep(id, detail)
            apply(id, .lost(generation, error))
            if error.kind == .absent { becameNoisy(id, "its device went away") }
        case .report(let generation, let report):
            // What a driver settles behind its answer may come when it is wanted again already.
            if case .note(let text) = report { return note(id, text, at: now) }
            guard resources[id]?.machine.generation == generation else { return }
            self.report(id, report)
        case .released(let generation, let detail): apply(id, .released(generation, detail))
        case .ended: gone(id)
        }
    }

    private func report(_ id: ResourceID, _ report: DriverReport) {
        guard let entry = resources[id] else { return }
        switch report {
        case .first(let at):
            emit(.first(name(id), at: at))
            tell(entry.handle, .first)
        case .waiting(let isWaiting): tell(entry.handle, .waiting(isWaiting))
        case .note(let text): note(id, text, at: now)
        case .recovered(let error):
            emit(.recovered(name(id), error, at: now))
            tell(entry.handle, .recovered(error))
        case .becameNoisy: becameNoisy(id, "its plug was pulled")
        case .ended:
            // By mail like every other reason of the resource's own, so that it stays in order with a play or a seek; before
            // anybody hears of it, who may answer with a play.
            entry.handle.pause(.finished, true)
            emit(.ended(name(id), at: now))
            tell(entry.handle, .ended)
        case .available: deviceChanged(id)
        }
    }

    /// What it was heard by is no longer there: it does not go on by itself.
    private func becameNoisy(_ id: ResourceID, _ why: String) {
        guard let handle = resources[id]?.handle, handle.pausesWhenNoisy,
            !handle.standingReasons.withLock({ $0.contains(.user) })
        else { return }
        note(id, "paused: \(why)", at: now)
        handle.pause(.user, true, by: .becomingNoisy)
    }

    /// While its device is open, its position is kept as often as is wished. Ended before anything is recorded of a
    /// pause; a device that was lost is recorded first, at the position where it stands by then.
    private func setFollow(_ id: ResourceID, isOpen: Bool) {
        guard let entry = resources[id], isOpen != (entry.endFollow != nil) else { return }
        entry.endFollow?()
        resources[id]?.endFollow =
            isOpen ? entry.handle.journal?.follow(scene: broker.sceneName(entry.scene)) : nil
    }

    /// Journals the position of a device that went away by itself.
    private func keep(_ id: ResourceID, _ detail: ReleaseDetail) {
        guard let position = detail.position, let entry = resources[id] else { return }
        entry.handle.journal?.record(position, scene: broker.sceneName(entry.scene), stored: nil)
    }

    // MARK: Receipts

    private func receipt(
        _ id: ResourceID, _ pause: ResourceMachine.PendingPause, released: MonotonicTime?, forced: Bool, stuck: Bool,
        _ detail: ReleaseDetail
    ) {
        guard let entry = resources[id] else { return }
        resources[id]?.openPauses -= 1
        let receipt = ReleaseReceipt(
            resource: entry.handle.name, scene: broker.sceneName(entry.scene), device: entry.device?.identity,
            asked: pause.asked, released: released, forced: forced, stuck: stuck, detail: detail, reasons: pause.reasons
        )
        keep(receipt, entry.scene)
        if let position = detail.position, let journal = entry.handle.journal {
            let decider = broker.decider
            // By its name: the resource may be unbound before the disk is done.
            let (handle, name) = (entry.handle, name(id))
            journal.record(position, scene: receipt.scene) { at in
                decider.send(.stored(handle, name, position: position, asked: pause.asked, at: at))
            }
        }
        // Told when it is kept: whoever hears it may wish for another position.
        emit(.released(receipt))
        tell(entry.handle, .released(receipt))
        answerWaiting(entry.scene)
    }

    func awaitReleased(_ scene: Scene, _ continuation: CheckedContinuation<[ReleaseReceipt], Never>) {
        let id = scene.id
        guard scenes[id] != nil else { return continuation.resume(returning: scene.lastReceipts) }
        scenes[id]?.waiting.append(continuation)
        answerWaiting(id)
    }

    /// Keeps an answer for ``Scene/released``; a scene that stays active while its user pauses for years keeps the last.
    private func keep(_ receipt: ReleaseReceipt, _ id: SceneID) {
        guard let scene = scenes[id] else { return }
        let limit = max(64, 4 * scene.resources.count)
        if scene.receipts.count >= limit { scenes[id]?.receipts.removeFirst() }
        scenes[id]?.receipts.append(receipt)
    }

    private func answerWaiting(_ id: SceneID) {
        guard let entry = scenes[id], !entry.waiting.isEmpty else { return }
        guard entry.resources.allSatisfy({ resources[$0]?.openPauses ?? 0 == 0 }) else { return }
        scenes[id]?.waiting = []
        for continuation in entry.waiting { continuation.resume(returning: entry.receipts) }
    }
}
