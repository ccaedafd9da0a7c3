internal import CLinux
internal import Glibc

/// Keeps other processes from opening, judging or mending the store at the same moment.
struct DirectoryLock: ~Copyable {
    private let number: Int32

    /// Waits up to a second for it, then goes on without: a process that is stopped must not stop us.
    init(_ directory: String) {
        number = clinux_open(directory, O_RDONLY | O_DIRECTORY)
        guard number >= 0 else { return }
        for _ in 0..<50 {
            // Held now, or a file system that knows no locks.
            if flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return }
            _ = clinux_poll(nil, 0, 20_000_000)
        }
    }

    deinit {
        if number >= 0 { _ = clinux_close(number) }
    }
}
