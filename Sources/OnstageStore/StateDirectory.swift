internal import CLinux
internal import Glibc
package import OnstageCore

/// The directory in which what outlives the process is kept.
package enum StateDirectory {
    /// `$STATE_DIRECTORY` (systemd's; the first of several), else `$XDG_STATE_HOME/onstage`, else
    /// `$HOME/.local/state/onstage`; nil where none of them is an absolute path.
    package static func standard(environment: [String: String]) -> String? {
        if let first = environment["STATE_DIRECTORY"]?.split(separator: ":").first, first.hasPrefix("/") {
            return String(first)
        }
        for (name, rest) in [("XDG_STATE_HOME", "/onstage"), ("HOME", "/.local/state/onstage")] {
            if let base = environment[name], base.hasPrefix("/") { return base + rest }
        }
        return nil
    }

    /// Makes `path` and what it lies in, for its owner alone (0700), as far as it is not there. Each new name is on the
    /// disk when this returns.
    /// - Throws: the errno of the call, by the one table. *C: `mkdir`, `fsync`.*
    package static func make(_ path: String) throws(DeviceError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw DeviceError(errno: ENOTDIR, operation: "mkdir", device: path)
            }
            return
        }
        let parent = parent(of: path)
        if let parent, parent != path { try make(parent) }
        // Another process may have been quicker.
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw DeviceError(errno: errno, operation: "mkdir", device: path)
        }
        sync(parent ?? ".")
    }

    /// Puts the names in a directory on the disk. What cannot be synced is left: some file systems have no such thing.
    static func sync(_ directory: String) {
        let number = clinux_open(directory, O_RDONLY | O_DIRECTORY)
        guard number >= 0 else { return }
        _ = fsync(number)
        _ = clinux_close(number)
    }

    private static func parent(of path: String) -> String? {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return nil }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }
}
