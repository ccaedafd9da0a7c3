internal import CLinux
internal import Glibc

/// What is known of the terminal at a descriptor.
package enum Terminal {
    /// Whether it is a terminal. *C: `isatty`.*
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// Its width in characters; nil where it is no terminal or does not know. *C: `TIOCGWINSZ`.*
    package static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard clinux_ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether a line can be written over itself there: a terminal that is not "dumb".
    package static func canRewriteLine(_ descriptor: Int32) -> Bool {
        guard isTerminal(descriptor), let kind = Environment.value("TERM") else { return false }
        return kind != "dumb"
    }

    /// Whether this process may write to and read from it now: it is in the terminal's foreground group. A background job
    /// that reads is stopped by SIGTTIN. *C: `tcgetpgrp`.*
    package static func isForeground(_ descriptor: Int32) -> Bool {
        tcgetpgrp(descriptor) == getpgrp()
    }

    /// Whether it takes output now, without a wait: not while its user holds it (Ctrl-S), nor while nobody reads its far side.
    /// *C: `poll`.*
    package static func takesOutput(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return clinux_poll(&entry, 1, 0) != 0
    }

    /// Whether it hands over each key at once, without echo, instead of lines. *C: `tcgetattr`.*
    package static func isRaw(_ descriptor: Int32) -> Bool {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return false }
        return settings.c_lflag & tcflag_t(ICANON) == 0
    }
}
