/// One object of a profile while it is read: each key is asked for once, what is left over is unknown.
struct ProfileObject {
    private let pointer: String
    private let members: [JSONValue.Member]
    private var known: [String] = []
    private(set) var problems: [ProfileError.Problem] = []

    /// Nil, with a problem in `problems`, if `value` is no object.
    init?(_ value: JSONValue, _ pointer: String, _ problems: inout [ProfileError.Problem]) {
        guard case .object(let members) = value else {
            problems.append(.init(pointer, "must be an object"))
            return nil
        }
        self.pointer = pointer
        self.members = members
    }

    mutating func complain(_ name: String, _ message: String) {
        problems.append(.init(Self.pointer(pointer, name), message))
    }

    /// Complains about the object itself.
    mutating func complainHere(_ message: String) {
        problems.append(.init(pointer, message))
    }

    /// The value of `name`, whatever it is.
    mutating func value(_ name: String) -> JSONValue? {
        known.append(name)
        return members.first { $0.name == name }?.value
    }

    /// Complains if `name` is missing.
    mutating func require(_ name: String) {
        if !members.contains(where: { $0.name == name }) {
            problems.append(.init(pointer, "the key \"\(name)\" is missing"))
        }
    }

    func has(_ name: String) -> Bool {
        members.contains { $0.name == name }
    }

    /// A text without control characters and without blanks at its ends, of at most `limit` characters.
    mutating func text(
        _ name: String, limit: Int = 512, expected: String? = nil, where fits: (String) -> Bool = { _ in true }
    ) -> String? {
        guard let value = value(name) else { return nil }
        guard case .text(let text) = value else {
            complain(name, "must be a text")
            return nil
        }
        let scalars = text.unicodeScalars
        if scalars.isEmpty || scalars.count > limit {
            complain(name, "must be 1 to \(limit) characters long")
        } else if scalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            complain(name, "has a control character in it")
        } else if scalars.first == " " || scalars.last == " " {
            complain(name, "begins or ends with a blank")
        } else if !fits(text) {
            complain(name, expected ?? "is not possible")
        } else {
            return text
        }
        return nil
    }

    mutating func number(_ name: String, _ range: ClosedRange<Double>, above least: Double? = nil) -> Double? {
        guard let value = value(name) else { return nil }
        let isAbove = { (number: Double) in least.map { number > $0 } ?? true }
        guard let number = Self.number(value), range.contains(number), isAbove(number) else {
            let low = least.map { "above \(Self.text($0)) and at most" } ?? "\(Self.text(range.lowerBound)) to"
            complain(name, "must be a number, \(low) \(Self.text(range.upperBound))")
            return nil
        }
        return number
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let value = value(name) else { return nil }
        // To JSON, 3 and 3.0 are the same number.
        guard let number = Self.number(value), let whole = Int(exactly: number), range.contains(whole) else {
            complain(name, "must be a whole number, \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return whole
    }

    mutating func milliseconds(_ name: String, _ range: ClosedRange<Double>) -> Duration? {
        number(name, range).map { Duration.nanoseconds(Int64(($0 * 1_000_000).rounded())) }
    }

    mutating func flag(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .flag(let flag) = value else {
            complain(name, "must be true or false")
            return nil
        }
        return flag
    }

    mutating func choice(_ name: String, _ choices: [String]) -> String? {
        guard let value = value(name) else { return nil }
        guard case .text(let text) = value, choices.contains(text) else {
            complain(name, "must be one of " + choices.map { "\"\($0)\"" }.joined(separator: ", "))
            return nil
        }
        return text
    }

    /// One of all the values of a type.
    mutating func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String) -> Value? {
        choice(name, Value.allCases.map(\.rawValue)).flatMap(Value.init)
    }

    /// `count` numbers.
    mutating func numbers(_ name: String, count: Int, _ range: ClosedRange<Double>) -> [Double]? {
        guard let value = value(name) else { return nil }
        return Self.numbers(value, Self.pointer(pointer, name), count, range, &problems)
    }

    /// Three rows of three numbers.
    mutating func matrix(_ name: String, _ range: ClosedRange<Double>) -> [[Double]]? {
        guard let value = value(name) else { return nil }
        guard case .list(let rows) = value, rows.count == 3 else {
            complain(name, "must be three rows of three numbers")
            return nil
        }
        let place = Self.pointer(pointer, name)
        let read = rows.enumerated().map { Self.numbers($1, "\(place)/\($0)", 3, range, &problems) }
        return read.contains(nil) ? nil : read.compactMap { $0 }
    }

    /// A list of 1 to `limit` texts, each read by `read`; a fault of one is said of it.
    mutating func texts<Element, Fault: Error & CustomStringConvertible>(
        _ name: String, _ limit: Int, _ read: (String) throws(Fault) -> [Element]
    ) -> [Element] {
        guard let value = value(name) else { return [] }
        guard case .list(let values) = value, (1...limit).contains(values.count) else {
            complain(name, "must be a list of 1 to \(limit) texts")
            return []
        }
        var all: [Element] = []
        let place = Self.pointer(pointer, name)
        for (index, value) in values.enumerated() {
            guard case .text(let text) = value, text.unicodeScalars.count <= 512 else {
                problems.append(.init("\(place)/\(index)", "must be a text of at most 512 characters"))
                continue
            }
            do throws(Fault) {
                all += try read(text)
            } catch {
                problems.append(.init("\(place)/\(index)", error.description))
            }
        }
        return all
    }

    /// The object `name`, read by `read`.
    mutating func object<Answer>(_ name: String, _ read: (inout ProfileObject) -> Answer?) -> Answer? {
        guard let value = value(name),
            var object = ProfileObject(value, Self.pointer(pointer, name), &problems)
        else { return nil }
        let answer = read(&object)
        problems += object.finish()
        return answer
    }

    /// The list of objects `name`, as many as `count` allows, each read by `read`.
    mutating func objects<Answer>(
        _ name: String, _ count: ClosedRange<Int>, _ read: (inout ProfileObject) -> Answer?
    ) -> [Answer]? {
        guard let value = value(name) else { return nil }
        guard case .list(let elements) = value, count.contains(elements.count) else {
            complain(name, "must be a list of \(count.lowerBound) to \(count.upperBound) objects")
            return nil
        }
        let place = Self.pointer(pointer, name)
        return elements.enumerated().compactMap { index, element in
            guard var object = ProfileObject(element, "\(place)/\(index)", &problems) else { return nil }
            let answer = read(&object)
            problems += object.finish()
            return answer
        }
    }

    /// What was wrong here, unknown keys with it.
    func finish() -> [ProfileError.Problem] {
        problems
            + members.filter { !known.contains($0.name) }.map { member in
                let near = known.first { Self.isNear($0, member.name) }
                return .init(
                    Self.pointer(pointer, member.name),
                    "is no key of a profile" + (near.map { "; was \"\($0)\" meant?" } ?? ""))
            }
    }

    // MARK: Parts

    private static func pointer(_ pointer: String, _ name: String) -> String {
        var text = pointer + "/"
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private static func numbers(
        _ value: JSONValue, _ pointer: String, _ count: Int, _ range: ClosedRange<Double>,
        _ problems: inout [ProfileError.Problem]
    ) -> [Double]? {
        let expected = "must be \(count) numbers, each \(text(range.lowerBound)) to \(text(range.upperBound))"
        guard case .list(let elements) = value, elements.count == count else {
            problems.append(.init(pointer, expected))
            return nil
        }
        let numbers = elements.compactMap(number).filter(range.contains)
        guard numbers.count == count else {
            problems.append(.init(pointer, expected))
            return nil
        }
        return numbers
    }

    private static func text(_ number: Double) -> String {
        JSONValue.number(number).line
    }

    /// Whether one word may be a slip of the other: at most two letters wrong, missing or too many.
    private static func isNear(_ one: String, _ other: String) -> Bool {
        let (a, b) = (Array(one.lowercased().utf8), Array(other.lowercased().utf8))
        guard abs(a.count - b.count) <= 2, a.count > 2, b.count <= 64 else { return false }
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let change = diagonal + (letter == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(change, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count] <= 2
    }
}
