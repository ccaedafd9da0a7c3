internal import Glibc

package enum Shell {
    /// Runs a command; answers its status and what it wrote to both outputs.
    @discardableResult
    package static func run(_ command: String) -> (status: Int32, output: String) {
        guard let pipe = popen("{ \(command)\n} 2>&1", "r") else { return (-1, "popen failed") }
        var output = ""
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, 4096, pipe) != nil {
            output += String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return ((pclose(pipe) >> 8) & 0xff, output)
    }
}
