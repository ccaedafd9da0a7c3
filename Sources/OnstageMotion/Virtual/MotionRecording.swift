/// Motion that was written down: one line a sample, `time, ax, ay, az, gx, gy, gz` in s, m/s² and rad/s.
///
/// Blank lines and lines that begin with `#` are left out, and so is a first line that names the columns.
package struct MotionRecording: Sendable {
    package struct Row: Hashable, Sendable {
        package var seconds: Double
        package var acceleration: SIMD3<Double>
        package var turn: SIMD3<Double>
    }

    /// What is wrong with a recording, and on which line.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        package var line: Int
        package var reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// In the order of time, the first at 0. Never empty.
    package let rows: [Row]

    /// Reads the text of a CSV file.
    /// - Throws: the first line that is not seven numbers, or goes back in time; line 0 when there is no line at all.
    package init(_ text: String) throws(Fault) {
        var rows: [Row] = []
        var number = 0
        // "\r\n" is one Character in Swift, and a newline too.
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
            if fields.first?.isEmpty != false && fields.count <= 1 || line.first == "#" { continue }
            if rows.isEmpty && fields.first == "time" { continue }
            guard fields.count == 7 else {
                throw Fault(
                    line: number, reason: "7 numbers were expected (time, ax, ay, az, gx, gy, gz), not \(fields.count)")
            }
            var values: [Double] = []
            for field in fields {
                guard let value = Double(field), value.isFinite else {
                    throw Fault(line: number, reason: "\"\(field)\" is not a number")
                }
                values.append(value)
            }
            if let last = rows.last, values[0] <= last.seconds {
                throw Fault(line: number, reason: "the time \(values[0]) does not come after \(last.seconds)")
            }
            rows.append(
                Row(
                    seconds: values[0], acceleration: SIMD3(values[1], values[2], values[3]),
                    turn: SIMD3(values[4], values[5], values[6])))
        }
        guard let start = rows.first?.seconds else { throw Fault(line: 0, reason: "there is no sample in it") }
        self.rows = rows.map { row in
            Row(seconds: row.seconds - start, acceleration: row.acceleration, turn: row.turn)
        }
    }

    /// How long one pass takes: up to the last row, and one step more.
    private var length: Double {
        guard rows.count > 1 else { return 1 }
        return rows[rows.count - 1].seconds + rows[rows.count - 1].seconds - rows[rows.count - 2].seconds
    }

    /// The row nearest to `seconds`, from the start again after the end.
    func moment(at seconds: Double) -> VirtualMotion.Moment {
        let time = seconds.truncatingRemainder(dividingBy: length)
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].seconds <= time { low = middle + 1 } else { high = middle }
        }
        var index = max(0, low - 1)
        // Nearest, not latest: a moment that was computed a hair too early must not show the row before.
        if low < rows.count && rows[low].seconds - time < time - rows[index].seconds {
            index = low
        } else if low == rows.count && length - time < time - rows[index].seconds {
            index = 0
        }
        return VirtualMotion.Moment(acceleration: rows[index].acceleration, turn: rows[index].turn)
    }

    private static func trimmed(_ field: Substring) -> String {
        var field = field
        while let first = field.first, first == " " || first == "\t" { field.removeFirst() }
        while let last = field.last, last == " " || last == "\t" { field.removeLast() }
        return String(field)
    }
}
