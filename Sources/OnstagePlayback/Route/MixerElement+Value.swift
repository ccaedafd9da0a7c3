internal import OnstageCore

// What is wished of a control, as the numbers that it takes; or what is wrong with that.
extension MixerElement {
    /// The values for `control`: one for each of its channels.
    /// - Throws: `configuration` when it does not take them, with what it takes; `permission` when nobody may set it; `inUse`
    ///   when another program has locked it.
    func values(_ control: MixerRoute.Control, _ card: any MixerCard) throws(DeviceError) -> [Int64] {
        guard kind != .other, kind != .bytes, isReadable, isWritable else {
            throw refusal("cannot be set", card, .configuration)
        }
        guard !isLocked else { throw refusal("is locked by another program", card, .inUse) }
        guard control.values.count == 1 || control.values.count == count else {
            throw refusal(
                "has \(count) channel\(count == 1 ? "" : "s"), and \(control.values.count) values are given", card)
        }
        var values: [Int64] = []
        for value in control.values { values.append(try number(value, card)) }
        return values.count == count ? values : Array(repeating: values[0], count: count)
    }

    private func number(_ value: MixerRoute.Value, _ card: any MixerCard) throws(DeviceError) -> Int64 {
        switch (kind, value) {
        case (.flag, .flag(let isOn)): return isOn ? 1 : 0
        case (.flag, _): throw refusal("is on or off: true or false, not \(value)", card)
        case (.number(let range), .number(let number)):
            guard range.contains(number) else { throw refusal("is \(text(range, card)), not \(number)", card) }
            return number
        case (.number(let range), .text(let text)): return try number(text, range, card)
        case (.number(let range), .flag): throw refusal("is a number, \(text(range, card)), not \(value)", card)
        case (.item, .text(let name)):
            let items = card.items(self)
            guard let item = items.firstIndex(of: name) else {
                throw refusal("has no item \"\(name)\"; it has \(Self.listed(items))", card)
            }
            return Int64(item)
        case (.item, _): throw refusal("is one of \(Self.listed(card.items(self))), not \(value)", card)
        case (.bytes, _), (.other, _): throw refusal("cannot be set", card)
        }
    }

    /// A number in words: "50%", as amixer takes it, or "-12.5dB".
    private func number(
        _ text: String, _ range: ClosedRange<Int64>, _ card: any MixerCard
    ) throws(DeviceError) -> Int64 {
        if let percent = Self.number(text, unit: "%") {
            guard (0...100).contains(percent) else { throw refusal("takes 0% to 100%, not \(text)", card) }
            let span = Double(range.upperBound) - Double(range.lowerBound)
            // Upwards, as amixer does.
            let value = (percent * span / 100 + Double(range.lowerBound)).rounded(.up)
            // Compared as it is: of 64 bits the ends are rounded, and may be beyond what an integer holds.
            if value >= Double(range.upperBound) { return range.upperBound }
            return value <= Double(range.lowerBound) ? range.lowerBound : Int64(value)
        }
        guard let level = Self.number(text, unit: "dB") else {
            throw refusal("is \(self.text(range, card)), not \"\(text)\"", card)
        }
        guard let levels = card.decibels(self) else {
            throw refusal("has no scale in dB; it is \(self.text(range, card))", card)
        }
        let hundredths = Int64((level * 100).rounded())
        guard levels.contains(hundredths), let value = card.value(decibels: hundredths, self) else {
            throw refusal("is \(self.text(range, card)), not \(text)", card)
        }
        return min(max(value, range.lowerBound), range.upperBound)
    }

    /// The number in "50%", "-12.5 dB"; nil where it is none of that unit, or more than any control has.
    static func number(_ text: String, unit: String) -> Double? {
        guard text.hasSuffix(unit) else { return nil }
        var digits = text.dropLast(unit.count)
        while digits.last == " " { digits.removeLast() }
        guard !digits.isEmpty, digits.allSatisfy({ "+-.0123456789".contains($0) }), let number = Double(digits),
            abs(number) < 1_000_000
        else { return nil }
        return number
    }

    /// "0 to 87", with the levels of a dB scale.
    private func text(_ range: ClosedRange<Int64>, _ card: any MixerCard) -> String {
        let numbers = "\(range.lowerBound) to \(range.upperBound)"
        guard let levels = card.decibels(self) else { return numbers }
        return numbers + " (\(Self.level(levels.lowerBound)) to \(Self.level(levels.upperBound)) dB)"
    }

    /// Hundredths of a dB as a person writes them.
    static func level(_ hundredths: Int64) -> String {
        let whole = hundredths.magnitude
        let fraction = whole % 100
        return (hundredths < 0 ? "-" : "") + "\(whole / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    /// Names in quotes, but not more than a person reads.
    static func listed(_ names: [String]) -> String {
        let most = 40
        let all = names.prefix(most).map { "\"\($0)\"" }.joined(separator: ", ")
        if names.isEmpty { return "none" }
        return names.count > most ? "\(all) and \(names.count - most) more" : all
    }

    private func refusal(
        _ text: String, _ card: any MixerCard, _ kind: DeviceError.Kind = .configuration
    ) -> DeviceError {
        DeviceError(
            kind, operation: "snd_ctl_elem_info", device: card.shown,
            reason: "the control \"\(address)\" of the card \(card.id) \(text)",
            advice: "see `amixer -c \(card.id) contents`")
    }
}
