import Glibc

/// What all children of the tests have in common.
enum Child {
    /// `own`, and under a sanitizer what an instrumented program needs to be told, as our tests are.
    static func surroundings(_ own: [String: String]) -> [String: String] {
        var all = own
        for name in ["LD_PRELOAD", "TSAN_OPTIONS"] {
            if let value = getenv(name) { all[name] = String(cString: value) }
        }
        return all
    }

    /// Waits for its end; the exit status, or 128 + N after signal N, as the shell says it.
    @discardableResult
    static func reap(_ pid: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
    }
}
