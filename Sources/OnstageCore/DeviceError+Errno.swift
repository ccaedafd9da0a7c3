// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are C's, so that they are found where a manual page names them.

/// Linux errno numbers that devices give, by name. The same on x86-64 and aarch64.
package enum Errno {
    package static let EPERM: Int32 = 1
    package static let ENOENT: Int32 = 2
    package static let EINTR: Int32 = 4
    package static let EIO: Int32 = 5
    package static let ENXIO: Int32 = 6
    package static let EBADF: Int32 = 9
    package static let EAGAIN: Int32 = 11
    package static let ENOMEM: Int32 = 12
    package static let EACCES: Int32 = 13
    package static let EFAULT: Int32 = 14
    package static let EBUSY: Int32 = 16
    package static let EEXIST: Int32 = 17
    package static let ENODEV: Int32 = 19
    package static let ENOTDIR: Int32 = 20
    package static let EINVAL: Int32 = 22
    package static let ENFILE: Int32 = 23
    package static let EMFILE: Int32 = 24
    package static let ENOTTY: Int32 = 25
    package static let ENOSPC: Int32 = 28
    package static let EROFS: Int32 = 30
    package static let EPIPE: Int32 = 32
    package static let ERANGE: Int32 = 34
    package static let ENOSYS: Int32 = 38
    package static let ENODATA: Int32 = 61
    package static let EPROTO: Int32 = 71
    package static let EBADFD: Int32 = 77
    package static let ESTRPIPE: Int32 = 86
    package static let EUSERS: Int32 = 87
    package static let EOPNOTSUPP: Int32 = 95
    package static let ESHUTDOWN: Int32 = 108
    package static let ETIMEDOUT: Int32 = 110
    package static let EREMOTEIO: Int32 = 121
    package static let ECANCELED: Int32 = 125

    private static let names: [Int32: String] = [
        1: "EPERM", 2: "ENOENT", 3: "ESRCH", 4: "EINTR", 5: "EIO", 6: "ENXIO", 9: "EBADF", 11: "EAGAIN", 12: "ENOMEM",
        13: "EACCES", 14: "EFAULT", 16: "EBUSY", 17: "EEXIST", 19: "ENODEV", 20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL",
        23: "ENFILE", 24: "EMFILE", 25: "ENOTTY", 28: "ENOSPC", 30: "EROFS", 32: "EPIPE", 34: "ERANGE",
        36: "ENAMETOOLONG",
        38: "ENOSYS", 40: "ELOOP", 61: "ENODATA", 71: "EPROTO", 77: "EBADFD", 86: "ESTRPIPE", 87: "EUSERS",
        95: "EOPNOTSUPP", 98: "EADDRINUSE", 105: "ENOBUFS",
        108: "ESHUTDOWN", 110: "ETIMEDOUT", 111: "ECONNREFUSED", 121: "EREMOTEIO", 125: "ECANCELED",
    ]

    /// The name of an errno, or "errno 123" for one that no table here has.
    package static func name(_ errno: Int32) -> String {
        names[errno] ?? "errno \(errno)"
    }
}

extension DeviceError.Kind {
    /// The one table from errno to what the caller can do.
    public init(errno: Int32) {
        self =
            switch errno {
            case Errno.EBUSY: .inUse
            case Errno.EMFILE, Errno.ENFILE, Errno.ENOSPC, Errno.EUSERS, Errno.ENOMEM: .tooMany
            case Errno.EAGAIN, Errno.ETIMEDOUT: .stalled
            case Errno.EIO, Errno.EPROTO, Errno.EREMOTEIO, Errno.EPIPE, Errno.ESTRPIPE: .inputOutput
            case Errno.ENOENT, Errno.ENODEV, Errno.ENXIO, Errno.ESHUTDOWN, Errno.EBADFD: .absent
            case Errno.EINVAL, Errno.ENOTTY, Errno.ENOSYS, Errno.EOPNOTSUPP, Errno.ERANGE, Errno.ENODATA: .configuration
            case Errno.EACCES, Errno.EPERM, Errno.EROFS: .permission
            case Errno.ECANCELED: .cancelled
            default: .fatal
            }
    }
}
