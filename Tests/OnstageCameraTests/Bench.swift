import Glibc
import OnstageLinux

/// What the bench VM has, and its tools.
enum Bench {
    /// Whether /dev/video0 is vivid's.
    static var hasVivid: Bool {
        SmallFile.line("/sys/class/video4linux/video0/name")?.hasPrefix("vivid") == true
            && access("/dev/video0", R_OK | W_OK) == 0
    }

    /// Runs a command; answers its status and what it wrote to both outputs.
    @discardableResult
    static func shell(_ command: String) -> (status: Int32, output: String) {
        guard let pipe = popen("{ \(command)\n} 2>&1", "r") else { return (-1, "popen failed") }
        var output = ""
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, 4096, pipe) != nil {
            output += String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        let status = pclose(pipe)
        return ((status >> 8) & 0xff, output)
    }

    /// Sets a control of vivid.
    static func control(_ setting: String) {
        shell("v4l2-ctl -d /dev/video0 -c \(setting)")
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
