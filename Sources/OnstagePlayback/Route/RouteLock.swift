internal import CLinux
internal import Glibc
internal import OnstageCore
internal import OnstageLinux

/// The lock that one process has on the routes of a card while it sets or puts back: an flock on a file of its own, which stays.
///
/// Who has it reads and writes what all processes keep of that card, and the card's controls.
final class RouteLock {
    /// Nil where no other process can know of us: there is no folder.
    private let number: Int32?

    /// Waits until it is free.
    ///
    /// - Parameter patience: for how long; another process holds it for as long as its card takes, a use case's own commands
    ///   with it, or for ever if it is stopped in the middle.
    /// - Returns: nil when it has not become free by then, or nobody can say: no descriptor is left.
    init?(card: String, folder: String?, patience: Duration) {
        guard let folder else {
            number = nil
            return
        }
        let opened = clinux_open("\(folder)/route-\(card).lock", O_RDWR | O_CREAT | O_NOFOLLOW)
        guard opened >= 0 else {
            if [EMFILE, ENFILE, ENOMEM].contains(-opened) { return nil }
            number = nil
            return
        }
        let deadline = MonotonicTime.now + patience
        // Whatever else it says, the file system knows no locks.
        while flock(opened, LOCK_EX | LOCK_NB) < 0, errno == EWOULDBLOCK {
            guard MonotonicTime.now < deadline else {
                _ = clinux_close(opened)
                return nil
            }
            _ = clinux_poll(nil, 0, 5_000_000)
        }
        number = opened
    }

    deinit {
        guard let number else { return }
        // A child that is just being made may have a copy of the descriptor.
        _ = flock(number, LOCK_UN)
        _ = clinux_close(number)
    }
}
