internal import CLinux
internal import Glibc
internal import OnstageCore

extension Terminal {
    /// Lets the terminal at `descriptor` hand over each key at once and without echo, until ``endKeys()`` or a fault that
    /// ends the program: both put it back. One terminal a process; again after a stop (SIGTSTP) sets the same anew.
    /// False where it is no terminal, or this process is in its background.
    ///
    /// *Runs on:* the main thread. *C: `tcsetattr`.*
    package static func beginKeys(_ descriptor: Int32) -> Bool {
        // From the background it would stop the process.
        guard isForeground(descriptor) else { return false }
        return clinux_keys_begin(descriptor) == 0
    }

    /// The terminal that this process belongs to, whatever its standard descriptors are; nil where there is none. Opened once,
    /// and kept. *C: `open("/dev/tty")`.*
    package static let controlling: Int32? = {
        let answer = clinux_open("/dev/tty", O_RDWR | O_NOCTTY)
        return answer < 0 ? nil : answer
    }()

    /// Puts the terminal back as it was before ``beginKeys(_:)``.
    ///
    /// *Runs on:* the main thread. *C: `tcsetattr`.*
    package static func endKeys() {
        _ = clinux_keys_end()
    }
}
