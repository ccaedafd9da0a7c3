internal import CLinux

/// Reads lines from a descriptor that it does not own (standard input), without ever blocking.
///
/// The descriptor's own flags are left alone: O_NONBLOCK would be set for every process that shares it (the shell).
/// *Runs on:* one thread.
package struct LineReader {
    package enum Event: Hashable, Sendable {
        case line(String)
        /// A line that was longer than the limit; it is left out.
        case tooLong
        /// No more will come. Told once; after it the descriptor is not to be polled (``wantsInput``).
        case end
    }

    package let descriptor: Int32
    private var buffer: LineBuffer
    /// False after the end: a descriptor at its end is readable for ever and would spin a loop that polls it.
    package private(set) var wantsInput = true

    package init(_ descriptor: Int32 = 0, limit: Int = 4096) {
        self.descriptor = descriptor
        buffer = LineBuffer(limit: limit)
    }

    /// The lines that have come. Never blocks: it looks before each read. *C: `poll`, `read`.*
    package mutating func drain() -> [Event] {
        var events: [Event] = []
        // A bound, so that an endless input cannot hold the caller.
        for _ in 0..<16 where wantsInput {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard clinux_poll(&entry, 1, 0) > 0 else { break }
            let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { bytes in
                let count = clinux_read(descriptor, bytes.baseAddress, bytes.count)
                if count > 0 { buffer.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
                return count
            }
            if count == -Int(EAGAIN) { break }
            while let line = buffer.next() { events.append(Event(line)) }
            guard count > 0 else {  // the end, or a terminal that is gone (EIO), or a closed descriptor
                if let line = buffer.finish() { events.append(Event(line)) }
                events.append(.end)
                wantsInput = false
                break
            }
        }
        return events
    }
}

extension LineReader.Event {
    fileprivate init(_ line: LineBuffer.Line) {
        switch line {
        case .text(let text): self = .line(text)
        case .tooLong: self = .tooLong
        }
    }
}
