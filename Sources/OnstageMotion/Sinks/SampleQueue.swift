internal import CLinux
internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// The ring between a device's thread and a sink's own: the newest samples that have not been handed over.
final class SampleQueue: Sendable {
    private struct State {
        var ring: [MotionSample] = []
        var first = 0
        var count = 0
        /// Counts the releases: what was taken before one does not begin after it.
        var epoch: UInt64 = 0
        var isStopped = false
    }

    /// So many samples wait for a slow sink, or what may come together; then the oldest is let go.
    static let capacity = 256

    private let state = Mutex(State())
    private let event: Descriptor

    /// - Throws: `tooMany` when the process is out of descriptors.
    init() throws(DeviceError) {
        let answer = clinux_eventfd()
        guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "eventfd", device: "motion sink") }
        event = Descriptor(owning: answer)
    }

    /// Makes room for so many samples; what waits stays. *Runs on:* the device's thread.
    func reserve(_ capacity: Int) {
        let empty = MotionSample(
            kind: .accelerometer, value: .zero, unmounted: .zero, raw: .zero, timestamp: MonotonicTime(nanoseconds: 0),
            isMonotonic: false, isPolled: false, sequence: 0)
        state.withLock { state in
            let capacity = max(capacity, Self.capacity)
            guard state.ring.count < capacity else { return }
            var ring = Array(repeating: empty, count: capacity)
            for place in 0..<state.count { ring[place] = state.ring[(state.first + place) % state.ring.count] }
            state.ring = ring
            state.first = 0
        }
    }

    /// Puts samples; answers how many older ones had to go for them. *Runs on:* the device's thread.
    func put(_ batch: borrowing MotionBatch) -> Int {
        var (lost, wakes) = (0, false)
        state.withLock { state in
            let capacity = state.ring.count
            guard capacity > 0 else { return }
            wakes = state.count == 0
            for index in 0..<batch.count {
                if state.count == capacity {
                    state.first += 1
                    if state.first == capacity { state.first = 0 }
                    state.count -= 1
                    lost += 1
                }
                var place = state.first + state.count
                if place >= capacity { place -= capacity }
                state.ring[place] = batch[index]
                state.count += 1
            }
        }
        if wakes { clinux_eventfd_add(event.number) }
        return lost
    }

    /// Nothing that was put begins a call any more; answers how many waited. *Runs on:* the device's thread.
    func withdraw() -> Int {
        state.withLock { state in
            defer { state.count = 0 }
            state.epoch += 1
            return state.count
        }
    }

    /// Ends the sink's thread. *Runs on:* any thread.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.epoch += 1
            state.count = 0
        }
        clinux_eventfd_add(event.number)
    }

    /// Whether what was taken in that epoch may still be handed over. *Runs on:* the sink's own thread.
    func isWanted(_ epoch: UInt64) -> Bool {
        state.withLock { $0.epoch == epoch }
    }

    /// The next sample, and the epoch to ask ``isWanted(_:)`` with right before the call; nil at the end.
    /// *Runs on:* the sink's own thread.
    func next() -> (sample: MotionSample, epoch: UInt64)? {
        while true {
            let (taken, isStopped) = state.withLock { state -> ((sample: MotionSample, epoch: UInt64)?, Bool) in
                guard state.count > 0, !state.isStopped else { return (nil, state.isStopped) }
                let sample = state.ring[state.first]
                state.first = (state.first + 1) % state.ring.count
                state.count -= 1
                return ((sample, state.epoch), false)
            }
            if let taken { return taken }
            if isStopped { return nil }
            var entry = pollfd(fd: event.number, events: Int16(POLLIN), revents: 0)
            _ = clinux_poll(&entry, 1, -1)
            clinux_eventfd_clear(event.number)
        }
    }
}
