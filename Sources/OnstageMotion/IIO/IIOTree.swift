internal import CLinux
internal import OnstageCore
internal import OnstageLinux

/// Where the kernel shows its sensors; a test shows others.
package struct IIOTree: Sendable {
    /// The folder with a link for each device and trigger.
    package var devices: String
    /// The folder with the nodes.
    package var nodes: String
    /// Attributes that are kept open; nil where each is opened when it is asked for.
    var files: AttributeFiles?
    /// Lets a test make a call fail: told "open", "read" or "write" and the path, answers the errno it is to have.
    package var fault: (@Sendable (_ operation: String, _ path: String) -> Int32?)?

    package init(devices: String = "/sys/bus/iio/devices", nodes: String = "/dev") {
        self.devices = devices
        self.nodes = nodes
    }

    /// The kernel's own.
    package static let system = IIOTree()

    /// An attribute without the white space around it and without the zero byte that some end in
    /// (`current_timestamp_clock` for one); nil when it is not there or cannot be read.
    func attribute(_ path: String) -> String? {
        if fault?("read", path) != nil { return nil }
        let whole = if let files { files.text(path) } else { SmallFile.text(path) }
        // Byte by byte: what a character is would cost more than the reading.
        guard var text = whole?.utf8[...] else { return nil }
        while let last = text.last, last <= UInt8(ascii: " ") { text.removeLast() }
        while let first = text.first, first <= UInt8(ascii: " ") { text.removeFirst() }
        return String(Substring(text))
    }

    /// An attribute that is a finite number.
    func number(_ path: String) -> Double? {
        guard let text = attribute(path), let number = Double(text), number.isFinite else { return nil }
        return number
    }

    func exists(_ path: String) -> Bool {
        if let files { files.exists(path) } else { Path.exists(path) }
    }

    /// The names in a folder of a device, sorted.
    func names(in folder: String) -> [String] {
        if let files { files.names(folder) } else { Folder.names(in: folder) }
    }

    /// Whether it is the kernel's own, whose files are attributes.
    var isKernel: Bool { devices == IIOTree.system.devices }

    /// Sets an attribute; answers 0 or the errno.
    func write(_ value: String, to path: String) -> Int32 {
        if let errno = fault?("write", path) { return errno }
        // An attribute is emptied with a line end: a write of nothing does not reach the driver.
        var text = value.isEmpty ? "\n" : value
        if let files { return files.write(text, to: path) }
        let file = clinux_open(path, O_WRONLY | O_TRUNC)
        guard file >= 0 else { return -file }
        defer { _ = clinux_close(file) }
        let answer = text.withUTF8 { clinux_write(file, $0.baseAddress, $0.count) }
        return answer < 0 ? Int32(-answer) : 0
    }

    /// Opens a node to read it without ever waiting in a read.
    func open(_ node: String) throws(DeviceError) -> Descriptor {
        if let errno = fault?("open", node) { throw DeviceError(errno: errno, operation: "open", device: node) }
        return try Descriptor(opening: node, flags: O_RDONLY | O_NONBLOCK)
    }
}
