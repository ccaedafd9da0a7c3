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

    /// Sets a control of vivid.
    static func control(_ setting: String) {
        Shell.run("v4l2-ctl -d /dev/video0 -c \(setting)")
    }

    /// Open descriptors and mappings of video nodes in this process.
    static var heldNodes: [String] {
        var held: [String] = []
        for name in Folder.names(in: "/proc/self/fd") {
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/self/fd/\(name)", &target, 255)
            if count <= 0 { continue }
            let text = String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix("/dev/video") { held.append("fd \(name): \(text)") }
        }
        for line in (SmallFile.text("/proc/self/maps", limit: 1 << 20) ?? "").split(separator: "\n")
        where line.contains("/dev/video") { held.append(String(line)) }
        return held
    }

    static var descriptorCount: Int { Folder.names(in: "/proc/self/fd").count }
}
