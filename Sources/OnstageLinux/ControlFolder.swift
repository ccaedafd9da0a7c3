internal import CLinux
internal import Glibc
package import OnstageCore

/// Where the sockets of running programs are: PID.sock in a folder that only its owner may write to.
package enum ControlFolder {
    /// The folders in the order tried: `$XDG_RUNTIME_DIR/onstage`, `/run/onstage`, `/tmp/onstage-UID`.
    package static func candidates(
        runtime: String? = Environment.value("XDG_RUNTIME_DIR"), user: UInt32 = geteuid()
    ) -> [String] {
        // The base-directory rules: a relative path there is to be ignored.
        let own = runtime.flatMap { $0.hasPrefix("/") ? "\($0)/onstage" : nil }
        return (own.map { [$0] } ?? []) + ["/run/onstage", "/tmp/onstage-\(user)"]
    }

    /// Makes `path` with mode 0700 if it is not there.
    /// - Throws: `policy` when it is a link, no folder, somebody else's, or open to others' writing: whoever may write there
    ///   could put a socket of his own in place of ours.
    package static func prepare(_ path: String) throws(DeviceError) {
        let answer = clinux_make_folder(path)
        if answer < 0, -answer != EEXIST { throw DeviceError(errno: -answer, operation: "mkdir", device: path) }
        try check(path)
    }

    /// - Throws: as ``prepare(_:)``; `absent` when it is not there.
    static func check(_ path: String, foreignOwners: Set<UInt32> = []) throws(DeviceError) {
        var file = clinux_file()
        let answer = clinux_look_at_link(AT_FDCWD, path, &file)
        guard answer == 0 else { throw DeviceError(errno: -answer, operation: "statx", device: path) }
        let reason: String? =
            if !clinux_is_folder(file) {
                "it is not a folder (links are not followed)"
            } else if file.owner != geteuid(), !foreignOwners.contains(file.owner) {
                "it belongs to user \(file.owner)"
            } else if file.mode & 0o022 != 0 {
                "others may write to it"
            } else {
                nil
            }
        if let reason { throw DeviceError(.policy, operation: "statx", device: path, reason: reason) }
    }

    /// Takes away the sockets in `path` of processes that are gone.
    static func sweep(_ path: String) {
        for name in Folder.names(in: path) {
            guard let pid = pid(of: name) else { continue }
            // Both: a process of another PID namespace may serve the same folder under a number that is free here.
            if kill(pid, 0) < 0, errno == ESRCH, isRefused("\(path)/\(name)") { unlink("\(path)/\(name)") }
        }
    }

    /// Whether nobody listens at `path`.
    static func isRefused(_ path: String) -> Bool {
        let answer = clinux_unix_connect(path)
        if answer >= 0 { _ = clinux_close(answer) }
        return -answer == ECONNREFUSED
    }

    /// The process ID in "812.sock".
    static func pid(of name: String) -> Int32? {
        guard name.hasSuffix(".sock") else { return nil }
        let digits = name.dropLast(5)
        return digits.allSatisfy(\.isNumber) ? Int32(digits).flatMap { $0 > 0 ? $0 : nil } : nil
    }
}
