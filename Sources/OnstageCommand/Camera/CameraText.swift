internal import Onstage
internal import OnstageCore

/// A camera, its formats and its controls, for people.
enum CameraText {
    static func table(_ entries: [DeviceList.CameraEntry]) -> String {
        if entries.isEmpty { return "there is no camera\n" }
        var text = ""
        let width = entries.map(\.info.identity.count).max() ?? 0
        for entry in entries {
            let info = entry.info
            text += "\(info.identity.padded(to: width))  \(info.node), \(info.driver)\n"
            if let reason = info.reason { text += "  not usable: \(reason)\n" }
            for holder in entry.holders {
                let program = holder.program ?? "a process of another user"
                text += "  held by \(program)" + (holder.pid.map { " (pid \($0))" } ?? "") + "\n"
            }
        }
        return text
    }

    /// Every form in which a camera can be named.
    static func names(_ info: CameraInfo) -> String {
        var text = "\(info.name): \(info.node), driver \(info.driver), \(info.busInfo)\n"
        for name in info.identities { text += "  \(name)\n" }
        return text
    }

    static func table(_ formats: [CameraFormat]) -> String {
        if formats.isEmpty { return "the camera has no format\n" }
        var text = ""
        for format in formats {
            var facts = format.title
            if format.isCompressed { facts += ", compressed" }
            if !format.isConvertible { facts += ", not convertible" }
            text += "\(format.pixelFormat)  \(facts)\n"
            for size in format.sizes { text += "  \(line(size))\n" }
        }
        return text
    }

    private static func line(_ size: CameraFormat.Size) -> String {
        var text = "\(size.width.upperBound)x\(size.height.upperBound)"
        if size.width.count > 1 || size.height.count > 1 {
            text = "\(size.width.lowerBound)x\(size.height.lowerBound) … \(text)"
            if size.widthStep > 1 || size.heightStep > 1 {
                text += " in steps of \(size.widthStep)x\(size.heightStep)"
            }
        }
        let rates = size.rates.map { rate($0.value) }
        if !rates.isEmpty { text += "  \(rates.joined(separator: ", ")) Hz" }
        if let range = size.rateRange { text += "  \(rate(range.lowerBound)) … \(rate(range.upperBound)) Hz" }
        return text
    }

    /// "25", "29.97"
    static func rate(_ value: Double) -> String {
        let text = FixedPoint.text(value, 2)
        return text.hasSuffix(".00") ? String(text.dropLast(3)) : text
    }

    static func table(_ controls: [CameraControl]) -> String {
        if controls.isEmpty { return "the camera has no control\n" }
        let width = controls.map(\.name.count).max() ?? 0
        var text = ""
        for control in controls {
            text += "\(control.name.padded(to: width))  \(value(control))\n"
            for item in control.items { text += "\("".padded(to: width))    \(item.index) \(item.name)\n" }
        }
        return text
    }

    private static func value(_ control: CameraControl) -> String {
        var facts: [String] = []
        switch control.kind {
        case .button: facts.append("(button)")
        case .compound: facts.append("(array)")
        case .text: facts.append("\"\(control.value?.description ?? "")\"")
        case .flag:
            facts.append(control.value == .number(1) ? "on" : "off")
            facts.append("default \(control.defaultValue == 1 ? "on" : "off")")
        case .menu, .integerMenu:
            facts.append(control.value?.description ?? "-")
            facts.append("default \(control.defaultValue)")
        case .bitmask:
            if case .number(let bits)? = control.value { facts.append("0x" + hex(bits)) }
            facts.append(control.rangeText)
            facts.append("default 0x\(hex(control.defaultValue))")
        case .integer:
            facts.append(control.value?.description ?? "-")
            facts.append(control.rangeText)
            facts.append("default \(control.defaultValue)")
        }
        if control.isReadOnly { facts.append("read only") }
        if control.isGrabbed { facts.append("not while streaming") }
        if control.isInactive { facts.append("\(control.automatic ?? "another control") decides") }
        return facts.joined(separator: ", ")
    }

    private static func hex(_ bits: Int64) -> String { String(UInt32(truncatingIfNeeded: bits), radix: 16) }
}
