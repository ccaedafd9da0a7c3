import CLinux
import Glibc
import OnstageLinux
import Testing

@Suite("Lines from a descriptor")
struct LineReaderTests {
    private func pipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(clinux_pipe(&ends, 0) == 0)
        return (ends[0], ends[1])
    }

    private func put(_ text: String, _ descriptor: Int32) {
        let bytes = Array(text.utf8)
        #expect(clinux_write(descriptor, bytes, bytes.count) == bytes.count)
    }

    @Test("Lines come whole however they arrive; the end is told once, and the rest before it")
    func lines() {
        let (input, output) = pipe()
        var reader = LineReader(input)
        #expect(reader.drain().isEmpty, "an open pipe without data does not block")
        put("act", output)
        #expect(reader.drain().isEmpty)
        put("ive\r\n\npause\nse", output)
        #expect(reader.drain() == [.line("active"), .line(""), .line("pause")])
        put("ek 7", output)
        _ = clinux_close(output)
        #expect(reader.drain() == [.line("seek 7"), .end])
        #expect(!reader.wantsInput)
        #expect(reader.drain().isEmpty)
        _ = clinux_close(input)
    }

    @Test("A line past the limit is left out, and said; the next one is right")
    func tooLong() {
        let (input, output) = pipe()
        var reader = LineReader(input, limit: 10)
        put("0123456789\n0123456789x\nok\n", output)
        #expect(reader.drain() == [.line("0123456789"), .tooLong, .line("ok")])
        for _ in 0..<100 {
            put("012345678", output)
            #expect(reader.drain().isEmpty)
        }
        put("\nafter\n", output)
        #expect(reader.drain() == [.tooLong, .line("after")])
        _ = clinux_close(output)
        _ = clinux_close(input)
    }

    @Test("An input that is closed, or no input at all, is at its end")
    func noInput() {
        var reader = LineReader(clinux_open("/dev/null", O_RDONLY))
        #expect(reader.drain() == [.end])
        _ = clinux_close(reader.descriptor)
        var closed = LineReader(1_000_000)
        #expect(closed.drain() == [.end])
    }

    @Test("A terminal is known, with its width; a file is none")
    func terminal() {
        let terminal = PseudoTerminal()
        let near = clinux_open(terminal.node, O_RDWR | O_NOCTTY)
        #expect(Terminal.isTerminal(near))
        #expect(Terminal.columns(near) == nil)
        var size = winsize(ws_row: 24, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
        _ = clinux_ioctl(terminal.far, UInt(TIOCSWINSZ), &size)
        #expect(Terminal.columns(near) == 132)
        #expect(!Terminal.isRaw(near))
        let null = clinux_open("/dev/null", O_RDWR)
        #expect(!Terminal.isTerminal(null) && Terminal.columns(null) == nil && !Terminal.canRewriteLine(null))
        _ = clinux_close(near)
        _ = clinux_close(null)
    }

    @Test("A terminal that hangs up is at its end")
    func hangUp() {
        var terminal: PseudoTerminal? = PseudoTerminal()
        let near = clinux_open(terminal?.node ?? "", O_RDWR | O_NOCTTY)
        var reader = LineReader(near)
        #expect(reader.drain().isEmpty)
        terminal = nil
        #expect(reader.drain() == [.end])
        _ = clinux_close(near)
    }
}
