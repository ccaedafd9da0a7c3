/// What a device's thread waits for: descriptors and a deadline.
///
/// Filled anew by the driver before each wait; nothing is allocated once it has grown to its size.
package struct WaitSet {
    /// One descriptor to wait for. Laid out like C's `struct pollfd`, so that the waiting function hands it over as it is.
    package struct Entry {
        package var descriptor: Int32
        package var events: Int16
        package var answers: Int16
    }

    /// `POLLIN`
    package static let readable: Int16 = 0x001
    /// `POLLPRI`
    package static let urgent: Int16 = 0x002
    /// `POLLOUT`
    package static let writable: Int16 = 0x004
    /// `POLLERR`
    package static let error: Int16 = 0x008
    /// `POLLHUP`
    package static let hangUp: Int16 = 0x010
    /// `POLLNVAL`
    package static let invalid: Int16 = 0x020

    package var entries: [Entry] = []
    package private(set) var deadline: MonotonicTime?

    package init() {}

    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        deadline = nil
    }

    /// Waits for `events` on `descriptor`; answers the index to ask ``answers(_:)`` with.
    @discardableResult
    package mutating func add(_ descriptor: Int32, _ events: Int16 = WaitSet.readable) -> Int {
        entries.append(Entry(descriptor: descriptor, events: events, answers: 0))
        return entries.count - 1
    }

    /// Ends the wait at `time` at the latest. The earliest of several counts.
    package mutating func wake(at time: MonotonicTime) {
        deadline = deadline.map { min($0, time) } ?? time
    }

    /// Ends the wait at `time` at the latest, and not before.
    package mutating func putOff(to time: MonotonicTime) {
        deadline = time
    }

    /// What the kernel answered for the descriptor at `index` (`revents`).
    package func answers(_ index: Int) -> Int16 {
        entries[index].answers
    }
}
