internal import Glibc

/// A lock with a place to wait in, for a sink's own thread.
///
/// Unchecked: a pthread mutex and condition at fixed addresses, made for being shared.
final class Gate: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
    /// Only with the lock; has it again at the return. *C: `pthread_cond_wait`.*
    func wait() { pthread_cond_wait(condition, mutex) }
    func wake() { pthread_cond_signal(condition) }
}
