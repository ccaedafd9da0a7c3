internal import OnstageCore
internal import Synchronization

// What resources are told of themselves.
extension DeciderState {
    func tell(_ handle: ResourceHandle, _ event: ResourceEvent) {
        handle.onEvent?(event, handle, broker)
    }

    /// Something worth knowing that changes nothing.
    func note(_ id: ResourceID, _ text: String, at time: MonotonicTime) {
        emit(.note(name(id), text, at: time))
        if let handle = resources[id]?.handle { tell(handle, .note(text)) }
    }

    /// Tells a resource what a wish asked for.
    func tell(_ id: ResourceID, _ event: ResourceEvent) {
        guard let handle = resources[id]?.handle else { return }
        if case .watched = event {
            // Its interval may be another one.
            timers.stop(.tick(id))
            setTick(id)
        }
        tell(handle, event)
    }

    /// Starts or ends the timer of a resource that is watched at an interval: it runs while its device is open.
    func setTick(_ id: ResourceID) {
        guard let entry = resources[id], entry.machine.state == .open,
            let interval = entry.handle.tick.withLock({ $0 })
        else { return timers.stop(.tick(id)) }
        if !timers.isStarted(.tick(id)) { timers.start(.tick(id), at: now + interval) }
    }

    func tick(_ id: ResourceID) {
        guard let entry = resources[id] else { return }
        setTick(id)
        tell(entry.handle, .tick)
    }
}
