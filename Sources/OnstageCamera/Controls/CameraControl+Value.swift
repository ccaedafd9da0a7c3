internal import CV4L2

extension CameraControl {
    /// A wish as this control's own number or text.
    enum Resolved: Hashable {
        case number(Int64)
        case text(String)
    }

    /// Why a wish does not fit, for a person.
    struct Refusal: Error {
        let reason: String
    }

    /// What a wish means here.
    /// - Throws: why it means nothing.
    func resolve(_ value: ControlValue) throws(Refusal) -> Resolved {
        if isReadOnly { throw Refusal(reason: "\(name) can only be read") }
        switch (kind, value) {
        case (.compound, _): throw Refusal(reason: "\(name) is an array or a structure: it cannot be set here")
        case (.text, .text(let text)):
            guard (minimum...max(minimum, maximum)).contains(Int64(text.utf8.count)), text.utf8.count < 256 else {
                throw Refusal(reason: "\(name) takes a text of \(minimum) to \(maximum) bytes")
            }
            return .text(text)
        case (.text, .number(let number)): return try resolve(.text(String(number)))
        case (.button, _): return .number(1)
        case (_, .automatic), (_, .manual): return .number(try automaticValue(value == .automatic))
        case (_, .number(let number)): return .number(try within(number))
        case (.flag, .text(let text)):
            switch text.lowercased() {
            case "on", "true", "yes": return .number(1)
            case "off", "false", "no": return .number(0)
            default: throw Refusal(reason: "\(name) is on or off, not \"\(text)\"")
            }
        case (.menu, .text(let text)), (.integerMenu, .text(let text)):
            if let item = items.first(where: { $0.name == text }) { return .number(item.index) }
            let wanted = ControlName.normal(text)
            var found = items.filter { ControlName.normal($0.name) == wanted }
            if found.isEmpty { found = items.filter { ControlName.normal($0.name).hasPrefix(wanted + "_") } }
            guard found.count == 1, !wanted.isEmpty else {
                throw Refusal(reason: "\(name) has no \"\(text)\": it has \(itemText)")
            }
            return .number(found[0].index)
        case (.integer, .text(let text)), (.bitmask, .text(let text)):
            guard case .number(let number) = ControlValue(text) else {
                throw Refusal(reason: "\(name) is a number (\(rangeText)), not \"\(text)\"")
            }
            return .number(try within(number))
        }
    }

    private func within(_ number: Int64) throws(Refusal) -> Int64 {
        if kind == .menu || kind == .integerMenu {
            guard items.contains(where: { $0.index == number }) else {
                throw Refusal(reason: "\(name) has no item \(number): it has \(itemText)")
            }
            return number
        }
        // A bitmask's maximum is the bits that there are.
        let fits =
            kind == .bitmask
            ? UInt64(bitPattern: number) & ~UInt64(UInt32(truncatingIfNeeded: maximum)) == 0
            : minimum <= number && number <= maximum
        guard fits else { throw Refusal(reason: "\(name) is \(rangeText), not \(number)") }
        return number
    }

    /// The number of automatic or manual. Cameras differ in which of the four automatics of exposure they have.
    private func automaticValue(_ isAutomatic: Bool) throws(Refusal) -> Int64 {
        if id == ControlName.exposureAutomatic.id {
            let order: [Int64] = isAutomatic ? [0, 3, 2] : [1, 2]
            if let number = order.first(where: { number in items.contains { $0.index == number } }) { return number }
        } else if kind == .flag {
            return isAutomatic ? 1 : 0
        } else if kind == .integer, minimum == 0, maximum == 1 {
            return isAutomatic ? 1 : 0
        } else if kind == .menu || kind == .integerMenu {
            let wanted = isAutomatic ? "auto" : "manual"
            if let item = items.first(where: { ControlName.normal($0.name).hasPrefix(wanted) }) { return item.index }
        }
        throw Refusal(reason: "\(name) has no \(isAutomatic ? "automatic" : "manual")")
    }

    /// "0…255", "0…255 in steps of 5"
    public var rangeText: String {
        switch kind {
        case .bitmask: "any bits of 0x\(String(UInt32(truncatingIfNeeded: maximum), radix: 16))"
        default: "\(minimum)…\(maximum)" + (step > 1 ? " in steps of \(step)" : "")
        }
    }

    private var itemText: String {
        items.map { "\($0.index) \"\($0.name)\"" }.joined(separator: ", ")
    }
}
