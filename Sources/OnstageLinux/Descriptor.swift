internal import CLinux
package import OnstageCore

/// One open file descriptor, closed exactly once, by the thread that uses it.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32

    /// Takes over a descriptor that some C call has opened.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Opens `path`, close-on-exec.
    /// - Throws: the errno of the call, by the one table. *C: `open`.*
    package init(opening path: String, flags: Int32) throws(DeviceError) {
        let answer = clinux_open(path, flags)
        guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "open", device: path) }
        number = answer
    }

    /// Gives it back now. *C: `close`.*
    package consuming func close() {
        let number = number
        discard self
        _ = clinux_close(number)
    }

    deinit {
        _ = clinux_close(number)
    }
}
