internal import CLinux
internal import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// One value on its way from the store's thread to a thread that waits for it, but not for ever.
final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let bell = Descriptor(owning: clinux_eventfd())

    func give(_ value: Value) {
        self.value.withLock { $0 = value }
        clinux_eventfd_add(bell.number)
    }

    /// The value, or nil if it has not come within `limit`.
    func wait(_ limit: Duration) -> Value? {
        let end = MonotonicTime.now + limit
        var set = pollfd(fd: bell.number, events: Int16(POLLIN), revents: 0)
        while true {
            if let value = value.withLock({ $0 }) { return value }
            let rest = (end - .now).wholeNanoseconds
            guard rest > 0 else { return nil }
            _ = clinux_poll(&set, 1, rest)
        }
    }
}
