internal import CLinux
internal import Glibc
internal import OnstageCore

/// One client of a ``ControlSocket``, never waited for.
final class ControlConnection {
    let client: ControlSocket.Client
    private let descriptor: Descriptor
    private let limits: ControlSocket.Limits
    private var input: LineBuffer
    private var output: [UInt8] = []
    private var partialSince: MonotonicTime?
    private var unreadSince: MonotonicTime?
    private(set) var isAtEnd = false
    private var unanswered = 0
    /// When something last came from it, or it came itself.
    private(set) var lastHeard: MonotonicTime
    /// Its place in the wait set.
    var index = 0
    /// Whether it is to be dropped, with whatever is unread.
    var isOver = false

    init(
        _ client: ControlSocket.Client, _ descriptor: consuming Descriptor, limits: ControlSocket.Limits,
        now: MonotonicTime
    ) {
        self.client = client
        self.descriptor = descriptor
        self.limits = limits
        input = LineBuffer(limit: limits.line)
        lastHeard = now
    }

    var number: Int32 { descriptor.number }

    /// Nothing is read while answers pile up: who does not listen is not asked for more.
    var wantedEvents: Int16 {
        (isAtEnd || output.count > limits.pending / 2 ? 0 : WaitSet.readable) | (output.isEmpty ? 0 : WaitSet.writable)
    }

    var deadline: MonotonicTime? {
        let since = [partialSince, unreadSince].compactMap(\.self).min()
        return since.map { $0 + limits.patience }
    }

    /// Whether it may be let go: it is broken, or it will ask no more and has read every answer.
    var isFinished: Bool { isOver || isAtEnd && output.isEmpty && unanswered == 0 }

    func read(now: MonotonicTime) -> [LineBuffer.Line] {
        guard !isAtEnd else { return [] }
        var lines: [LineBuffer.Line] = []
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { bytes in
            let count = clinux_read(descriptor.number, bytes.baseAddress, bytes.count)
            if count > 0 {
                lastHeard = now
                input.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                while let line = input.next() { lines.append(line) }
                unanswered += lines.count
            } else if count == 0 {
                isAtEnd = true  // it may still read its answers: half-closed by shutdown
            } else if count != -Int(EAGAIN) {
                isOver = true
            }
        }
        if !input.isPartial || isAtEnd { partialSince = nil } else if partialSince == nil { partialSince = now }
        return lines
    }

    /// Puts the whole answer to one request into its output.
    func answer(_ text: String) {
        unanswered = max(0, unanswered - 1)
        output += text.utf8
        if output.count > limits.pending { isOver = true }
    }

    func flush(now: MonotonicTime) {
        guard !output.isEmpty, !isOver else { return }
        let count = clinux_send(descriptor.number, output, output.count)
        if count > 0 {
            output.removeFirst(count)
            unreadSince = nil
        } else if count != -Int(EAGAIN) {
            isOver = true
        }
        if output.isEmpty { unreadSince = nil } else if unreadSince == nil { unreadSince = now }
    }
}
