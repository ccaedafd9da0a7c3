internal import CALSA
internal import CLinux
internal import OnstageLinux

extension ForceHandle {
    /// Drops what a PCM has still to play. *Runs on:* any thread. *C: `SNDRV_PCM_IOCTL_DROP`.*
    func dropStream() {
        force { _ = clinux_ioctl($0, UInt(CALSA_IOCTL_DROP), nil) }
    }
}
