/// What went wrong with a device, sorted by what the caller can do about it.
public struct DeviceError: Error, Hashable, Sendable {
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Recoverable: somebody else has the device. Tried again when they let go.
        case inUse
        /// Recoverable: a limit is reached (descriptors, USB bandwidth).
        case tooMany
        /// Recoverable: no data within the deadline.
        case stalled
        /// Recoverable: an input/output error.
        case inputOutput
        /// The device is not there. It is awaited.
        case absent
        /// Critical: the device cannot do what was asked, or the request makes no sense.
        case configuration
        /// Critical: the right to open or set it is missing.
        case permission
        /// Critical: a policy forbids it.
        case policy
        /// Critical: anything that trying again does not mend.
        case fatal
        /// The acquire was called off by a later wish. Never reaches an app.
        case cancelled
    }

    public var kind: Kind
    /// The call that failed, by its C name ("VIDIOC_REQBUFS", "snd_pcm_open", "open").
    public var operation: String
    /// The device as the user wrote it, or its node.
    public var device: String
    /// The errno of the call, if it left one.
    public var errno: Int32?
    /// Who has the device, as far as /proc shows it.
    public var holders: [DeviceHolder]
    /// What is wrong, where the kind and the errno do not tell enough.
    public var reason: String?
    /// What a person can do.
    public var advice: String?

    public init(
        _ kind: Kind, operation: String, device: String, errno: Int32? = nil, holders: [DeviceHolder] = [],
        reason: String? = nil, advice: String? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.device = device
        self.errno = errno
        self.holders = holders
        self.reason = reason
        self.advice = advice
    }

    /// An error from a C call that left `errno` (positive), sorted by the one table of ``Kind/init(errno:)``.
    public init(errno: Int32, operation: String, device: String, reason: String? = nil, advice: String? = nil) {
        self.init(
            Kind(errno: errno), operation: operation, device: device, errno: errno, reason: reason, advice: advice)
    }

    /// Whether trying again later can help without anybody changing the request.
    public var isRecoverable: Bool {
        switch kind {
        case .inUse, .tooMany, .stalled, .inputOutput, .absent: true
        case .configuration, .permission, .policy, .fatal, .cancelled: false
        }
    }
}

/// A process that has a device open.
public struct DeviceHolder: Hashable, Sendable {
    /// Its process ID; nil for "a process of another user" whose descriptors /proc hides.
    public var pid: Int32?
    /// Its program's name (`/proc/PID/comm`).
    public var program: String?

    public init(pid: Int32?, program: String?) {
        self.pid = pid
        self.program = program
    }
}

extension DeviceError: CustomStringConvertible {
    /// One line: what, which device, which call, which errno, who holds it, what to do.
    public var description: String {
        var text = "\(device) "
        switch kind {
        case .inUse: text += "is in use by \(holderText)"
        case .tooMany: text += "cannot be added: a limit is reached"
        case .stalled: text += "gives no data"
        case .inputOutput: text += "had an input/output error"
        case .absent: text += "is not there"
        case .configuration: text += "cannot be used as asked"
        case .permission: text += "may not be used"
        case .policy: text += "is not allowed"
        case .fatal: text += "failed"
        case .cancelled: text += "was called off"
        }
        if let reason { text += ": \(reason)" }
        if let errno {
            text += " (\(Errno.name(errno)) from \(operation))"
        } else if !operation.isEmpty {
            text += " (\(operation))"
        }
        if let advice { text += "; \(advice)" }
        return text
    }

    private var holderText: String {
        guard !holders.isEmpty else { return "a process of another user" }
        return holders.map { holder in
            switch (holder.program, holder.pid) {
            case (let program?, let pid?): "\(program) (pid \(pid))"
            case (nil, let pid?): "pid \(pid)"
            case (let program?, nil): program
            case (nil, nil): "a process of another user"
            }
        }.joined(separator: ", ")
    }
}
