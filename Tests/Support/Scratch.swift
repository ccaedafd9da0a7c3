internal import CLinux
internal import Glibc
internal import OnstageLinux

/// An empty folder of a test's own, gone with it.
package final class Scratch: Sendable {
    package let path: String

    /// - Parameters:
    ///   - parent: "/dev/shm" where a disk would be slow, or would be timed along.
    ///   - name: the beginning of its name; a short one where sockets are made in it.
    package init(in parent: String = "/tmp", name: String = "onstage-test") {
        var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a file with `text` and answers its path; folders on the way are made too.
    @discardableResult
    package func file(_ name: String, _ text: String = "") -> String {
        let parts = name.split(separator: "/")
        for count in 1..<max(1, parts.count) { mkdir(self(parts[..<count].joined(separator: "/")), 0o755) }
        let file = clinux_open(self(name), O_WRONLY | O_CREAT | O_TRUNC)
        precondition(file >= 0)
        let bytes = Array(text.utf8)
        precondition(clinux_write(file, bytes, bytes.count) == bytes.count)
        _ = clinux_close(file)
        return self(name)
    }

    private static func remove(_ path: String) {
        var file = clinux_file()
        if clinux_look_at_link(AT_FDCWD, path, &file) == 0, clinux_is_folder(file) {
            for name in Folder.names(in: path) { remove("\(path)/\(name)") }
            rmdir(path)
        } else {
            unlink(path)
        }
    }

    deinit { Self.remove(path) }
}
