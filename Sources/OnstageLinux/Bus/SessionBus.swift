internal import CLinux
internal import CSystemd
package import OnstageCore

/// A connection to the user's own message bus (D-Bus), through sd-bus of libsystemd, which is loaded at first use.
///
/// Nothing waits for anybody: what is sent is queued, and what is answered comes in ``process()``.
/// *Runs on:* one thread, which waits for ``prepare(_:)`` beside its mailbox.
package final class SessionBus {
    private let bus: OpaquePointer
    private var slots: [OpaquePointer] = []
    private var calls: [ObjectIdentifier: BusCall] = [:]
    private var servers: [Server] = []
    /// The connection is at its end: nothing is answered any more.
    package private(set) var isOver = false

    /// Whether this process has a bus by what its environment says; asks nobody. *C: `getenv`, `stat`.*
    package static var isThere: Bool {
        if let address = Environment.value("DBUS_SESSION_BUS_ADDRESS") { return !address.isEmpty }
        guard let folder = Environment.value("XDG_RUNTIME_DIR"), !folder.isEmpty else { return false }
        var file = clinux_file()
        return clinux_look(AT_FDCWD, folder + "/bus", &file) == 0
    }

    /// Begins the connection.
    ///
    /// - Parameter address: as D-Bus writes it; nil for what the environment says.
    /// - Throws: `absent` when libsystemd is not installed, or nobody listens at the bus's address.
    ///   *C: `sd_bus_open_user`.*
    package init(address: String? = nil) throws(DeviceError) {
        if let fault = csystemd_load() {
            throw DeviceError(.absent, operation: "dlopen", device: "libsystemd", reason: String(cString: fault))
        }
        var opened: OpaquePointer?
        let answer = address.map { csystemd_open_at(&opened, $0) } ?? csystemd_open(&opened)
        guard answer >= 0, let opened else { throw Self.failure(-answer, "sd_bus_open_user") }
        bus = opened
    }

    deinit {
        for call in calls.values { call.end() }
        for slot in slots { csystemd_end(slot) }
        csystemd_close(bus)
    }

    /// Names what to wait for.
    package func prepare(_ wait: inout WaitSet) {
        let descriptor = csystemd_descriptor(bus)
        let events = csystemd_events(bus)
        guard descriptor >= 0, events >= 0 else {
            isOver = true
            return
        }
        wait.add(descriptor, Int16(truncatingIfNeeded: events))
        var microseconds = UInt64.max
        guard csystemd_timeout(bus, &microseconds) >= 0, let time = Int64(exactly: microseconds) else { return }
        wait.wake(at: MonotonicTime(nanoseconds: time.multipliedReportingOverflow(by: 1000).partialValue))
    }

    /// Sends what is queued and takes what has come, calling those whom it is for. *C: `sd_bus_process`.*
    package func process() {
        // A bound, so that a storm of messages cannot hold the caller: there is more in the next turn.
        for _ in 0..<256 {
            let answer = csystemd_process(bus)
            if answer < 0 { isOver = true }
            guard answer > 0 else { return }
        }
    }

    /// This connection's own name; only when something has been answered. *C: `sd_bus_get_unique_name`.*
    package var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        guard csystemd_unique_name(bus, &name) >= 0, let name else { return nil }
        return String(cString: name)
    }

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - limit: An error comes in place of the answer when that has not come by then.
    ///   - answered: Takes the answer, or the error; called by ``process()``, once, unless it is called off.
    /// - Returns: What calls it off; nil where it could not be sent, and nothing will be answered.
    /// *C: `sd_bus_call_async`.*
    @discardableResult
    package func call(
        _ to: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
        limit: Duration, answered: @escaping (BusMessage) -> Void
    ) -> BusCall? {
        var message: OpaquePointer?
        guard csystemd_new_call(bus, &message, to, path, interface, member) >= 0, let message else { return nil }
        defer { csystemd_drop(message) }
        for argument in arguments where argument.append(to: message) < 0 { return nil }
        let call = BusCall(self, answered)
        let answer = csystemd_call(
            bus, &call.slot, message, { message, data, _ in BusCall.take(message, data) },
            Unmanaged.passUnretained(call).toOpaque(),
            UInt64(limit.wholeNanoseconds / 1000))
        guard answer >= 0 else { return nil }
        calls[ObjectIdentifier(call)] = call
        return call
    }

    fileprivate func finish(_ call: BusCall) {
        calls[ObjectIdentifier(call)] = nil
    }

    /// Answers what is asked of the object `path`.
    ///
    /// - Parameter handle: whether the request is one of its own; others are refused as unknown.
    /// - Throws: whatever sd-bus says. *C: `sd_bus_add_object`.*
    package func serve(_ path: String, _ handle: @escaping (BusRequest) -> Bool) throws(DeviceError) {
        let server = Server { message in
            guard let request = BusRequest(message) else { return 0 }
            return handle(request) ? 1 : 0
        }
        try add(server, "sd_bus_add_object") { slot, data in
            csystemd_add_object(bus, &slot, path, { message, data, _ in Server.take(message, data) }, data)
        }
    }

    /// Hears who owns the name `name` from now on: its connection, or nil for nobody.
    /// - Throws: whatever sd-bus says. *C: `sd_bus_add_match_async`.*
    package func watchOwner(of name: String, _ changed: @escaping (String?) -> Void) throws(DeviceError) {
        let server = Server { message in
            var message = BusMessage(message)
            guard message.text() == name, message.text() != nil, let owner = message.text() else { return 0 }
            changed(owner.isEmpty ? nil : owner)
            return 0
        }
        let match =
            "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
            + "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(name)'"
        try add(server, "sd_bus_add_match_async") { slot, data in
            csystemd_match(bus, &slot, match, { message, data, _ in Server.take(message, data) }, data)
        }
    }

    /// Has sd-bus call `server` for as long as the connection lasts.
    private func add(
        _ server: Server, _ operation: String, _ call: (inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) throws(DeviceError) {
        servers.append(server)
        var slot: OpaquePointer?
        let answer = call(&slot, Unmanaged.passUnretained(server).toOpaque())
        guard answer >= 0, let slot else { throw Self.failure(-answer, operation) }
        slots.append(slot)
    }

    /// *C: `sd_bus_send`.*
    func send(_ message: OpaquePointer) {
        _ = csystemd_send(bus, message)  // a bus that is at its end says so when it is processed
    }

    private static func failure(_ errno: Int32, _ call: String) -> DeviceError {
        DeviceError(errno: errno, operation: call, device: "session bus")
    }
}

/// Takes what comes of one kind; the bus keeps it for as long as sd-bus may call it.
private final class Server {
    private let handle: (OpaquePointer) -> Int32

    init(_ handle: @escaping (OpaquePointer) -> Int32) {
        self.handle = handle
    }

    static func take(_ message: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> Int32 {
        guard let message, let data else { return 0 }
        return Unmanaged<Server>.fromOpaque(data).takeUnretainedValue().handle(message)
    }
}

/// A call whose answer has not come.
package final class BusCall {
    private weak var bus: SessionBus?
    private let answered: (BusMessage) -> Void
    fileprivate var slot: OpaquePointer?

    fileprivate init(_ bus: SessionBus, _ answered: @escaping (BusMessage) -> Void) {
        self.bus = bus
        self.answered = answered
    }

    /// Its answer is not wanted any more.
    package func callOff() {
        end()
        bus?.finish(self)
    }

    fileprivate func end() {
        if let slot { csystemd_end(slot) }
        slot = nil
    }

    fileprivate static func take(_ message: OpaquePointer?, _ data: UnsafeMutableRawPointer?) -> Int32 {
        guard let message, let data else { return 0 }
        let call = Unmanaged<BusCall>.fromOpaque(data).takeUnretainedValue()
        call.callOff()
        call.answered(BusMessage(message))
        return 1
    }
}
