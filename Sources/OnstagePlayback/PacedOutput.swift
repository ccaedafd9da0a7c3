internal import OnstageCore

/// A sound card that is none: it takes sound at the pace of the clock and writes what would have been heard to a file.
///
/// It is driven like a plain `hw:` device, ring, pointer, rewind, XRUN and all, so that the same player runs on it.
final class PacedOutput: PCMOutput {
    var facts: OutputFacts
    private let clock: any MonotonicClock
    private let recorder: WAVRecorder?
    private let ring: UnsafeMutableRawBufferPointer
    private var state = PCMState.prepared
    /// Frames since the stream was prepared: taken from the application, and heard.
    private var written: Int64 = 0
    private var heard: Int64 = 0
    private var started = MonotonicTime(nanoseconds: 0)

    init(_ request: OutputRequest, clock: any MonotonicClock, recorder: WAVRecorder?) {
        let buffer = Int(
            request.configuration.bufferTime.wholeNanoseconds * Int64(request.rate) / 1_000_000_000)
        var facts = OutputFacts(
            name: "synthetic sound", format: request.formats[0] == .s24 ? .s32 : request.formats[0],
            rate: request.rate, channels: request.channels, periodFrames: max(16, buffer / 4),
            bufferFrames: max(64, buffer), isPlain: true, isBatch: false, guardFrames: max(1, request.rate / 1000))
        // As a WAV file has them.
        facts.layout = .media(facts.channels)
        self.facts = facts
        self.clock = clock
        self.recorder = recorder
        ring = .allocate(byteCount: facts.bufferFrames * facts.channels * facts.format.bytes, alignment: 16)
        recorder?.open(facts)
    }

    deinit {
        ring.deallocate()
    }

    private var frameBytes: Int { facts.channels * facts.format.bytes }

    /// Moves the pointer to where the clock says it is, recording what it passes.
    private func advance() {
        guard state == .running else { return }
        let elapsed = max(0, (clock.now - started).wholeNanoseconds)
        let rate = Int64(facts.rate)
        let pointer = elapsed / 1_000_000_000 * rate + elapsed % 1_000_000_000 * rate / 1_000_000_000
        let to = min(pointer, written)
        let buffer = Int64(facts.bufferFrames)
        while heard < to, let start = ring.baseAddress {
            let place = heard % buffer
            let run = min(to - heard, buffer - place)
            recorder?.write(start + Int(place) * frameBytes, frames: Int(run))
            heard += run
        }
        if pointer > written { state = .xrun }
    }

    func available() -> Int {
        advance()
        if state == .xrun { return -Int(Errno.EPIPE) }
        return facts.bufferFrames - Int(written - heard)
    }

    func status() -> Result<PCMStatus, PCMFault> {
        advance()
        return .success(
            PCMStatus(state: state, delay: written - heard, available: Int64(facts.bufferFrames) - (written - heard)))
    }

    func write(_ samples: UnsafeRawPointer, frames: Int) -> Int {
        let room = available()
        guard room > 0, let start = ring.baseAddress else { return room == 0 ? -Int(Errno.EAGAIN) : room }
        let count = min(frames, room)
        let place = Int(written % Int64(facts.bufferFrames))
        let run = min(count, facts.bufferFrames - place)
        (start + place * frameBytes).copyMemory(from: samples, byteCount: run * frameBytes)
        start.copyMemory(from: samples + run * frameBytes, byteCount: (count - run) * frameBytes)
        written += Int64(count)
        return count
    }

    func fillAtWrite() -> Int { Int(written - heard) }

    func rewind(_ frames: Int) -> Int {
        advance()
        guard state == .running else { return -Int(Errno.EPIPE) }
        let count = min(Int64(frames), written - heard)
        written -= count
        return Int(count)
    }

    func hold() -> Int { -Int(Errno.ENOSYS) }

    func prepareStream() -> Int32 {
        (state, written, heard) = (.prepared, 0, 0)
        return 0
    }

    func start() -> Int32 {
        guard state == .prepared else { return -Errno.EBADFD }
        state = .running
        started = clock.now
        return 0
    }

    func drop() -> Int32 {
        advance()
        state = .setup
        return 0
    }

    func close() {
        advance()
        recorder?.close()
    }

    func prepare(_ wait: inout WaitSet, now: MonotonicTime) {
        // When a period can be written.
        let pointer = max(0, written - Int64(facts.bufferFrames - facts.periodFrames))
        let rate = Int64(facts.rate)
        wait.wake(at: started + .seconds(pointer / rate) + .nanoseconds((pointer % rate + 1) * 1_000_000_000 / rate))
    }

    var keepsWait: Bool { false }
    func isReady(_ wait: borrowing WaitSet) -> Bool { true }
    var deviceDescriptor: Int32? { nil }
    func takeTrouble() -> DeviceError? { recorder?.takeTrouble() }
}

extension OutputBackend {
    /// No device: a sink that the clock paces.
    static func paced(clock: any MonotonicClock, recorder: WAVRecorder?) -> OutputBackend {
        OutputBackend(
            resolve: { _ throws(DeviceError) in
                ResolvedDevice(
                    key: "synthetic sound 0", identity: "synthetic sound", node: "synthetic sound", isSynthetic: true)
            },
            open: { _, request, _ throws(DeviceError) in
                PacedOutput(request, clock: clock, recorder: recorder)
            })
    }
}
