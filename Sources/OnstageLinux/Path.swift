internal import CLinux
internal import Glibc

/// Where paths lead, as the kernel says at this moment.
package enum Path {
    /// `path` without links, "." and ".."; nil where nothing is. *C: `realpath`.*
    package static func canonical(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// What the link at `path` says, which may be relative; nil where there is no link. *C: `readlink`.*
    package static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { text in
            let length = clinux_link(AT_FDCWD, path, text.baseAddress, text.count)
            guard length >= 0 else { return nil }
            return String(decoding: text[..<length].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Whether something is there, and links on the way lead somewhere. *C: `access`.*
    package static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Whether it may be read. *C: `access`.*
    package static func isReadable(_ path: String) -> Bool {
        access(path, R_OK) == 0
    }

    /// The folder that relative paths start from; nil when it has been taken away. *C: `getcwd`.*
    package static var current: String? {
        guard let path = getcwd(nil, 0) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }
}
