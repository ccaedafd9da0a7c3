internal import CALSA
internal import OnstageCore
internal import OnstageLinux

/// A PCM of libasound, open without blocking.
final class ALSAOutput: PCMOutput {
    var facts: OutputFacts
    private let pcm: OpaquePointer
    /// A plain device with one descriptor, as all of the kernel's are.
    private let hasOneDescriptor: Bool
    private let isMixed: Bool
    private var isClosed = false
    private let space: OpaquePointer
    private let descriptors: UnsafeMutableBufferPointer<pollfd>
    /// Where this output's descriptors begin in the wait set of the last wait that named them.
    private var firstEntry: Int?
    /// Where in the ring the next write goes.
    private var place = 0

    /// Opens and configures it, reading back what is really set; what was set before by the same request is set in one step.
    ///
    /// - Parameter shown: how the device is named in errors.
    /// - Throws: `inUse` with the holders, `absent`, `permission`; `configuration` when it lacks what is asked.
    /// *C: `snd_pcm_open`, `snd_pcm_hw_params`.*
    init(_ way: ALSAWay, shown: String, _ request: OutputRequest, _ memory: ALSAMemory) throws(DeviceError) {
        calsa_forget()
        guard let known = memory.known else {
            throw DeviceError(errno: Errno.ENOMEM, operation: "snd_pcm_hw_params_malloc", device: shown)
        }
        var opened: OpaquePointer?
        let answer = way.open(&opened)
        guard answer >= 0, let pcm = opened else { throw Self.refusal(-answer, "snd_pcm_open", way.name, shown) }
        if let facts = memory.facts(way, request), calsa_configure_again(pcm, known) == 0 {
            self.facts = facts
        } else {
            do throws(DeviceError) {
                facts = try Self.configure(pcm, way.name, shown, request, known)
            } catch {
                snd_pcm_close(pcm)
                throw error
            }
            // What a name of the configuration means may change: that is asked for anew each time.
            if way.direct != nil { memory.keep(way, request, facts) } else { memory.forgetOpening() }
        }
        facts.takeLearned()
        var status: OpaquePointer?
        let count = max(0, snd_pcm_poll_descriptors_count(pcm))
        guard snd_pcm_status_malloc(&status) >= 0, let space = status else {
            snd_pcm_close(pcm)
            throw DeviceError(errno: Errno.ENOMEM, operation: "snd_pcm_status_malloc", device: shown)
        }
        self.pcm = pcm
        self.space = space
        hasOneDescriptor = facts.isPlain && count == 1
        isMixed = facts.isMixed
        descriptors = .allocate(capacity: Int(count))
        descriptors.initialize(repeating: pollfd())
    }

    deinit {
        assert(isClosed, "a PCM was left open")
        close()
        snd_pcm_status_free(space)
        descriptors.deallocate()
    }

    func note(_ text: String) {
        facts.notes.append(text)
    }

    func available() -> Int {
        // With the status page mapped this is no system call; in plug-ins it asks the slave.
        Int(snd_pcm_avail_update(pcm))
    }

    func status() -> Result<PCMStatus, PCMFault> {
        var (state, delay, available, triggered): (Int32, Int64, Int64, Int64) = (0, 0, 0, 0)
        let answer = calsa_status(pcm, space, &state, &delay, &available, &triggered)
        guard answer >= 0 else { return .failure(PCMFault(errno: -answer)) }
        return .success(
            PCMStatus(
                state: PCMState(rawValue: state) ?? .open, delay: delay, available: available,
                triggered: facts.isPlain && triggered > 0 ? MonotonicTime(nanoseconds: triggered) : nil))
    }

    func write(_ samples: UnsafeRawPointer, frames: Int) -> Int {
        // Into a mixer a write over the end of the ring is handed over in two pieces; in one it is late or in time as
        // a whole.
        guard isMixed else { return Int(snd_pcm_writei(pcm, samples, snd_pcm_uframes_t(frames))) }
        let most = min(frames, facts.bufferFrames - place)
        let answer = Int(snd_pcm_writei(pcm, samples, snd_pcm_uframes_t(most)))
        if answer > 0 { place = (place + answer) % facts.bufferFrames }
        return answer
    }

    func fillAtWrite() -> Int {
        facts.bufferFrames - Int(snd_pcm_forwardable(pcm))
    }

    func rewind(_ frames: Int) -> Int {
        guard facts.isPlain else { return 0 }
        let possible = Int(snd_pcm_rewindable(pcm))
        guard possible > 0 else { return possible }
        return Int(snd_pcm_rewind(pcm, snd_pcm_uframes_t(min(frames, possible))))
    }

    func hold() -> Int {
        var delay = 0
        // The kernel takes the pointer and stops the stream in one go, with its lock held: whoever stops us stops both.
        let answer = snd_pcm_pause(pcm, 1)
        guard answer >= 0 else { return Int(answer) }
        let asked = snd_pcm_delay(pcm, &delay)
        return asked < 0 ? Int(asked) : max(0, delay)
    }

    func prepareStream() -> Int32 {
        place = 0
        return snd_pcm_prepare(pcm)
    }

    func start() -> Int32 { snd_pcm_start(pcm) }
    func drop() -> Int32 { snd_pcm_drop(pcm) }
    func close() {
        guard !isClosed else { return }
        isClosed = true
        snd_pcm_close(pcm)
    }

    func prepare(_ wait: inout WaitSet, now: MonotonicTime) {
        let count = snd_pcm_poll_descriptors(pcm, descriptors.baseAddress, UInt32(descriptors.count))
        firstEntry = wait.entries.count
        for index in 0..<max(0, Int(count)) { wait.add(descriptors[index].fd, descriptors[index].events) }
    }

    var keepsWait: Bool { hasOneDescriptor }

    func isReady(_ wait: borrowing WaitSet) -> Bool {
        guard let first = firstEntry, first + descriptors.count <= wait.entries.count else { return true }
        // The one of a plain device means what it says.
        if hasOneDescriptor { return wait.answers(first) != 0 }
        for index in descriptors.indices { descriptors[index].revents = wait.answers(first + index) }
        var events: UInt16 = 0
        let answer = snd_pcm_poll_descriptors_revents(
            pcm, descriptors.baseAddress, UInt32(descriptors.count), &events)
        // An error (POLLERR) says little by itself: what the next write answers counts.
        return answer < 0 || events != 0
    }

    var deviceDescriptor: Int32? {
        guard facts.isPlain, snd_pcm_poll_descriptors(pcm, descriptors.baseAddress, UInt32(descriptors.count)) > 0
        else { return nil }
        return descriptors[0].fd
    }

    func takeTrouble() -> DeviceError? { nil }
}
