/// A key that means something to `onstage play`.
enum Key: Hashable, Sendable {
    case character(UInt8)
    case up, down, left, right
}

/// Finds keys in the bytes of a terminal, however they arrive.
///
/// Arrows are "ESC [ A" or "ESC O A". Other escape sequences, and an escape by itself, mean nothing.
struct KeyReader: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case plain
        case escape
        /// Behind "ESC [" or "ESC O"; whether only the last byte is missing.
        case sequence(isPlain: Bool)
    }

    private var state = State.plain

    mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        bytes.compactMap { take($0) }
    }

    private mutating func take(_ byte: UInt8) -> Key? {
        switch (state, byte) {
        case (_, 0x1B):
            state = .escape
            return nil
        case (.plain, _): return .character(byte)
        case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")):
            state = .sequence(isPlain: true)
            return nil
        case (.escape, _):
            // Alt and a key: not the key.
            state = .plain
            return nil
        case (.sequence(let isPlain), 0x40...0x7E):
            state = .plain
            guard isPlain else { return nil }
            return switch byte {
            case UInt8(ascii: "A"): .up
            case UInt8(ascii: "B"): .down
            case UInt8(ascii: "C"): .right
            case UInt8(ascii: "D"): .left
            default: nil
            }
        case (.sequence, _):
            state = .sequence(isPlain: false)
            return nil
        }
    }
}
