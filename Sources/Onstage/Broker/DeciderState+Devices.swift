internal import OnstageCore

// What the world tells: devices that come, go, or are let go by others.
extension DeciderState {
    /// Watches for the end of what keeps a resource waiting.
    func watchIfWaiting(_ id: ResourceID, _ error: DeviceError?) {
        guard error != nil, let entry = resources[id] else {
            watch?.forget(id)
            return
        }
        if watch == nil { watch = DeviceWatch(log: configuration.log) }
        watch?.expect(id, kind: entry.handle.kind, nodes: entry.device?.nodes ?? [])
    }

    func deviceChanged(_ id: ResourceID) {
        // The kernel tells of a close before the driver has let go: at once, and once more a little later.
        timers.start(.again(id), at: now + .milliseconds(20))
        apply(id, .deviceChanged)
    }
}
