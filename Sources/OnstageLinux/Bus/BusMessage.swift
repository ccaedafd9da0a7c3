internal import CSystemd

/// A value of a message.
package enum BusValue: Hashable, Sendable {
    case text(String)
    case int32(Int32)
    case uint32(UInt32)
    case flag(Bool)

    /// Its type as D-Bus writes it.
    var signature: String {
        switch self {
        case .text: "s"
        case .int32: "i"
        case .uint32: "u"
        case .flag: "b"
        }
    }

    /// *C: `sd_bus_message_append_basic`.*
    func append(to message: OpaquePointer) -> Int32 {
        switch self {
        case .text(let text): csystemd_append_text(message, text)
        case .int32(let value): csystemd_append_int32(message, value)
        case .uint32(let value): csystemd_append_uint32(message, value)
        case .flag(let flag): csystemd_append_bool(message, flag)
        }
    }

    /// The same in a variant.
    func appendVariant(to message: OpaquePointer) -> Int32 {
        let answer = csystemd_open_container(message, CChar(UInt8(ascii: "v")), signature)
        guard answer >= 0 else { return answer }
        let appended = append(to: message)
        return appended < 0 ? appended : csystemd_close_container(message)
    }
}

/// A message that has come, to be read from its front; only for as long as the call lasts that it was handed to.
package struct BusMessage {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) {
        self.message = message
    }

    /// The name of the error that it is; nil for a good answer.
    package var error: String? {
        csystemd_error(message).map { String(cString: $0) }
    }

    /// The next value; nil where that is none of this type. *C: `sd_bus_message_read_basic`.*
    package mutating func text() -> String? {
        var text: UnsafePointer<CChar>?
        guard csystemd_read_text(message, &text) > 0, let text else { return nil }
        return String(cString: text)
    }

    package mutating func int32() -> Int32? {
        var value: Int32 = 0
        return csystemd_read_int32(message, &value) > 0 ? value : nil
    }

    package mutating func uint32() -> UInt32? {
        var value: UInt32 = 0
        return csystemd_read_uint32(message, &value) > 0 ? value : nil
    }

    package mutating func flag() -> Bool? {
        var value = false
        return csystemd_read_bool(message, &value) > 0 ? value : nil
    }
}

/// A method that another program has called; kept for as long as its answer takes.
package final class BusRequest {
    private let message: OpaquePointer
    package let interface: String
    package let member: String
    /// The caller's connection.
    package let sender: String
    /// What it was called with.
    package var arguments: BusMessage

    init?(_ message: OpaquePointer) {
        guard csystemd_is_call(message), let interface = csystemd_interface(message),
            let member = csystemd_member(message), let sender = csystemd_sender(message)
        else { return nil }
        csystemd_keep(message)
        self.message = message
        self.interface = String(cString: interface)
        self.member = String(cString: member)
        self.sender = String(cString: sender)
        arguments = BusMessage(message)
    }

    deinit { csystemd_drop(message) }

    /// Answers with one value, as it is or in a variant. A caller that has gone is no fault.
    package func answer(_ value: BusValue, isVariant: Bool, on bus: SessionBus) {
        send(on: bus) { isVariant ? value.appendVariant(to: $0) : value.append(to: $0) }
    }

    /// Answers with names and values (`a{sv}`).
    package func answer(_ values: [(name: String, value: BusValue)], on bus: SessionBus) {
        send(on: bus) { answer in
            var result = csystemd_open_container(answer, CChar(UInt8(ascii: "a")), "{sv}")
            for (name, value) in values where result >= 0 {
                result = csystemd_open_container(answer, CChar(UInt8(ascii: "e")), "sv")
                if result >= 0 { result = csystemd_append_text(answer, name) }
                if result >= 0 { result = value.appendVariant(to: answer) }
                if result >= 0 { result = csystemd_close_container(answer) }
            }
            return result < 0 ? result : csystemd_close_container(answer)
        }
    }

    private func send(on bus: SessionBus, _ fill: (OpaquePointer) -> Int32) {
        var answer: OpaquePointer?
        guard csystemd_new_answer(message, &answer) >= 0, let answer else { return }
        defer { csystemd_drop(answer) }
        if fill(answer) >= 0 { bus.send(answer) }
    }
}
