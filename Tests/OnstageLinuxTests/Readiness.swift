import CLinux
import Glibc
import Testing

/// Waits until `descriptor` is readable, as its user would; ten seconds at most, so that a fault ends the test.
func awaitReadable(_ descriptor: Int32, _ comment: Comment? = nil) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let answer = clinux_poll(&entry, 1, 10_000_000_000)
    #expect(answer > 0, comment ?? "nothing came")
}

/// Whether `descriptor` is readable now.
func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return clinux_poll(&entry, 1, 0) > 0
}
