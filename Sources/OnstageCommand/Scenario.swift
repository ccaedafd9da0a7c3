internal import OnstageCore
internal import OnstageLinux

/// Wishes at their times: one a line, `SECONDS WISH [scene=NAME]`, `#` begins a comment.
struct Scenario: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// Since the broker stood, in whole nanoseconds from 0.
        var at: Duration
        var wish: SceneWish
    }

    /// In the order of the lines, which is that of their times; lines of the same time are carried out in their order.
    var entries: [Entry]

    /// Everything that is wrong with a scenario. Nothing of one that has a bad line is carried out.
    struct Refusal: Error, Hashable, CustomStringConvertible {
        struct Line: Hashable {
            /// From 1.
            var number: Int
            var text: String
        }

        var path: String
        var lines: [Line]

        var description: String {
            lines.map { "\(path):\($0.number): \($0.text)" }.joined(separator: "\n")
        }
    }

    /// Reads the scenario in the file at `path`, or what comes through a pipe there until its writer has closed it.
    /// - Throws: `Refusal` for bad lines, `DeviceError` for a file that cannot be read.
    init(file path: String) throws {
        let bytes = try TextFile.bytes(path, waits: true)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Refusal(path: path, lines: [Refusal.Line(number: 1, text: "the file is no UTF-8 text")])
        }
        try self.init(text, path: path)
    }

    /// Reads a scenario; `path` names it in a refusal.
    init(_ text: String, path: String = "scenario") throws(Refusal) {
        entries = []
        var refused: [Refusal.Line] = []
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = SceneWish.words(String(line))
            guard let first = words.first else { continue }
            do throws(SceneWish.Refusal) {
                guard let time = Self.seconds(first) else {
                    throw SceneWish.Refusal(found: first, expected: "a time in seconds (such as 0 or 2.5)")
                }
                let wish = try SceneWish(words: words.dropFirst())
                if let last = entries.last, time < last.at {
                    throw SceneWish.Refusal(
                        found: first, expected: "a time that is not before the line above (\(Self.text(last.at)))")
                }
                entries.append(Entry(at: time, wish: wish))
            } catch {
                refused.append(Refusal.Line(number: index + 1, text: error.description))
            }
        }
        if !refused.isEmpty { throw Refusal(path: path, lines: refused) }
    }

    /// A time as a line says it: whole seconds, and at most nine decimals.
    static func seconds(_ text: String) -> Duration? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
        guard isDecimal, parts.count <= 2, parts[0].count <= 9, let seconds = Int64(Substring(parts[0])) else {
            return nil
        }
        guard parts.count == 2 else { return .seconds(seconds) }
        let decimals = parts[1]
        guard decimals.count <= 9, var fraction = Int64(Substring(decimals)) else { return nil }
        for _ in decimals.count..<9 { fraction *= 10 }
        return .seconds(seconds) + .nanoseconds(fraction)
    }

    /// The shortest text that reads back as `time`.
    static func text(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let nanoseconds = attoseconds / 1_000_000_000
        guard nanoseconds > 0 else { return String(seconds) }
        var digits = String(nanoseconds)
        digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(seconds).\(digits)"
    }
}

extension Scenario.Entry: CustomStringConvertible {
    /// The line that reads back as this entry.
    var description: String { "\(Scenario.text(at)) \(wish)" }
}
