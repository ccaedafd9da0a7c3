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

    /// So many samples wait for a slow sink; then the oldest is let go.
    static let capacity = 256

    private let state = Mutex(State())
    private let event: Descriptor

    /// - Throws: `tooMany` when the process is out of descriptors.
    init() throws(DeviceError) {
        let answer = clinux_eventfd()
        guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "eventfd", device: "motion sink") }
        event = Descriptor(owning: answer)
    }

    /// Puts one sample; false when the oldest had to go for it. *Runs on:* the device's thread.
    func put(_ sample: MotionSample) -> Bool {
        let (fits, wakes) = state.withLock { state in
            if state.ring.isEmpty { state.ring = Array(repeating: sample, count: Self.capacity) }
            let fits = state.count < Self.capacity
            if !fits {
                state.first = (state.first + 1) % Self.capacity
                state.count -= 1
            }
            state.ring[(state.first + state.count) % Self.capacity] = sample
            state.count += 1
            return (fits, state.count == 1)
        }
        if wakes { clinux_eventfd_add(event.number) }
        return fits
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

    /// The next sample; nil at the end. *Runs on:* the sink's own thread.
    func next() -> MotionSample? {
        while true {
            let (sample, isStopped) = state.withLock { state -> (MotionSample?, Bool) in
                guard state.count > 0, !state.isStopped else { return (nil, state.isStopped) }
                let sample = state.ring[state.first]
                state.first = (state.first + 1) % Self.capacity
                state.count -= 1
                return (sample, false)
            }
            if let sample { return sample }
            if isStopped { return nil }
            var entry = pollfd(fd: event.number, events: Int16(POLLIN), revents: 0)
            _ = clinux_poll(&entry, 1, -1)
            clinux_eventfd_clear(event.number)
        }
    }
}
