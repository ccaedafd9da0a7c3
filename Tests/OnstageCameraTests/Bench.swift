import Glibc
import OnstageLinux
import OnstageTestSupport

/// What the bench VM has, and its tools.
enum Bench {
    /// Whether /dev/video0 is vivid's.
    static var hasVivid: Bool {
        SmallFile.line("/sys/class/video4linux/video0/name")?.hasPrefix("vivid") == true
            && access("/dev/video0", R_OK | W_OK) == 0
    }

    /// Whether /dev/video0 is vimc's.
    static var hasVimc: Bool {
        Path.target(ofLink: "/sys/class/video4linux/video0/device")?.contains("vimc") == true
            && access("/dev/video0", R_OK | W_OK) == 0
    }

    /// Sets a control of vivid.
    static func control(_ setting: String) {
        Shell.run("v4l2-ctl -d /dev/video0 -c \(setting)")
    }

    /// Loads vivid anew, with parameters beside those that it always has here.
    static func load(_ parameters: String = "") -> Bool {
        Shell.run(
            "modprobe -r vivid && modprobe vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=0x0 \(parameters)"
        ).status == 0
    }

    /// What this process has open whose name begins so.
    static func open(_ prefix: String) -> [String] {
        Folder.names(in: "/proc/self/fd").compactMap { name in
            guard let target = Path.target(ofLink: "/proc/self/fd/\(name)"), target.hasPrefix(prefix) else {
                return nil
            }
            return "fd \(name): \(target)"
        }
    }

    /// The dma-bufs that this process has open.
    static var dmaBuffers: [String] { open("/dmabuf") + open("anon_inode:dmabuf") }

    /// Open descriptors and mappings of video nodes in this process.
    static var heldNodes: [String] {
        var held = open("/dev/video")
        for line in (SmallFile.text("/proc/self/maps", limit: 1 << 20) ?? "").split(separator: "\n")
        where line.contains("/dev/video") { held.append(String(line)) }
        return held
    }

    static var descriptorCount: Int { Folder.names(in: "/proc/self/fd").count }
}
