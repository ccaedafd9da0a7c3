/// Cuts a stream of bytes into lines, however they arrive.
package struct LineBuffer: Sendable {
    /// One line, or what stands for one.
    package enum Line: Hashable, Sendable {
        /// A line without its end ("\n" or "\r\n"); invalid UTF-8 is mended.
        case text(String)
        /// A line that was longer than the limit; it is left out.
        case tooLong
    }

    private var bytes: [UInt8] = []
    private var searched = 0
    private var isSkipping = false
    private let limit: Int

    /// - Parameter limit: The longest line, in bytes.
    package init(limit: Int = 4096) {
        self.limit = limit
    }

    /// Whether a line has begun and not ended.
    package var isPartial: Bool { isSkipping || !bytes.isEmpty }

    package mutating func append(_ more: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: more)
    }

    /// The next whole line; nil when there is none.
    package mutating func next() -> Line? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            if isSkipping || searched > limit + 1 {  // room for a "\r" whose "\n" is still to come
                isSkipping = true
                bytes.removeAll(keepingCapacity: true)
                searched = 0
            }
            return nil
        }
        var line = bytes[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let answer = isSkipping || line.count > limit ? Line.tooLong : .text(String(decoding: line, as: UTF8.self))
        bytes.removeSubrange(...end)
        searched = 0
        isSkipping = false
        return answer
    }

    /// The rest behind the last line end, when nothing more will come.
    package mutating func finish() -> Line? {
        guard isPartial else { return nil }
        bytes.append(UInt8(ascii: "\n"))
        return next()
    }
}
