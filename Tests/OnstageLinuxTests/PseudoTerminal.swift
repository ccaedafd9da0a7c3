import CLinux
import Glibc
import OnstageLinux

/// A terminal of a test's own: a real character device that nobody else opens. The test holds the far side.
final class PseudoTerminal {
    let far: Int32
    /// The near side, as a program would have it.
    let node: String

    init() {
        far = clinux_open("/dev/ptmx", O_RDWR | O_NOCTTY)
        precondition(far >= 0)
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        // TIOCSPTLCK and TIOCGPTN
        precondition(clinux_ioctl(far, 0x4004_5431, &unlocked) == 0 && clinux_ioctl(far, 0x8004_5430, &number) == 0)
        node = "/dev/pts/\(number)"
    }

    deinit { _ = clinux_close(far) }
}
