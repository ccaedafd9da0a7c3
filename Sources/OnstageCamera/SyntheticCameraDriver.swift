internal import CV4L2
package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// A camera that is made up: the test pattern at a pace, through the same sinks and frames as a real one.
package final class SyntheticCameraDriver: DeviceDriver {
    /// When the next frame comes.
    package enum Pace: Sendable {
        /// At the configured rate.
        case steady
        /// As soon as a buffer is free.
        case asFastAsTheyCome
    }

    private let configuration: CameraConfiguration
    private let pace: Pace
    private let report: DriverReporter
    private let clock: @Sendable () -> MonotonicTime
    private let index: Int
    private let sinks: FrameSinks
    private let counters = FrameCounters()
    private let bell = HomeBell()
    private let pool = ConversionPool()
    private var dispatch: FrameDispatch
    private var ring: BufferRing?
    private var buffers: [FrameBuffer] = []
    private var free: UInt32 = 0
    private var next: MonotonicTime?
    private var lastTurn = MonotonicTime(nanoseconds: 0)
    private var sequence: UInt64 = 0
    private var lastDelivered: UInt64?
    private var missed = 0
    private var isStarving = false
    private var settleLeft = 0
    /// Whether it was said in this acquire that frames cannot be lent as dma-bufs.
    private var hasToldExport = false

    /// - Parameter index: tells several apart; in the device's name.
    package init(
        configuration: CameraConfiguration, sinks: FrameSinks, report: @escaping DriverReporter, index: Int = 0,
        pace: Pace = .steady, clock: @escaping @Sendable () -> MonotonicTime = { .now }
    ) {
        self.configuration = configuration
        self.sinks = sinks
        self.report = report
        self.index = index
        self.pace = pace
        self.clock = clock
        dispatch = FrameDispatch(sinks: sinks, counters: counters)
    }

    private static let unlent = CaptureStream.unlent("they are made up, in memory of this process")
    private var name: String { "synthetic camera \(index)" }
    private var rate: Hertz { configuration.rate ?? Hertz(30) }

    package func resolve() throws(DeviceError) -> ResolvedDevice {
        try configuration.check()
        return ResolvedDevice(key: name, identity: name, node: name, isSynthetic: true)
    }

    package func acquire(
        _ device: ResolvedDevice, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> Acquired {
        try cancellation.check("acquire", device: device.identity)
        let format = configuration.pixelFormat == .bgra ? PixelFormat.bgra : .yuyv
        let setting = Negotiation.Setting(
            width: max(64, (configuration.width ?? 640) / 2 * 2), height: max(16, configuration.height ?? 480),
            pixelFormat: format, rate: rate)
        let outcome = Negotiation(wish: configuration, set: setting)
        if case .impossible(let reasons) = outcome {
            throw DeviceError(
                .configuration, operation: "", device: name, reason: reasons.joined(separator: "; "))
        }
        let stride = setting.width * (format == .bgra ? 4 : 2)
        let size = stride * setting.height
        var layout = FrameLayout(
            width: setting.width, height: setting.height, pixelFormat: format,
            color: ColorEncoding(isFullRange: format == .bgra), strides: [stride], sizes: [size])
        layout.rate = rate
        let count = sinks.buffers(for: configuration)
        let ring = BufferRing(bell: bell)
        for index in 0..<count {
            guard let memory = cv4l2_own(size) else {
                buffers.removeAll()
                throw DeviceError(.tooMany, operation: "mmap", device: name, errno: Errno.ENOMEM)
            }
            let place = FrameBuffer.Memory(address: memory, length: size)
            let buffer = FrameBuffer(
                index: index, layout: layout, memories: [place], isOwn: true, ring: ring, pool: pool)
            buffer.used[0] = FrameBuffer.Used(offset: 0, count: size)
            TestPattern.draw(UnsafeMutableRawBufferPointer(start: memory, count: size), layout: layout)
            buffers.append(buffer)
        }
        var notes = outcome.reasons
        dispatch.refresh()
        hasToldExport = dispatch.wantsExport
        if hasToldExport { notes.append(Self.unlent) }
        self.ring = ring
        free = count == 32 ? .max : (1 << UInt32(count)) - 1
        (next, sequence, missed, lastDelivered) = (nil, 0, 0, nil)
        isStarving = false
        settleLeft = configuration.settleFrames
        return Acquired(
            format: [
                ("pixelFormat", .text(format.description)), ("width", .integer(Int64(setting.width))),
                ("height", .integer(Int64(setting.height))), ("stride", .integer(Int64(stride))),
                ("rate", .number(rate.value)), ("colorspace", .text("srgb")), ("encoding", .text("601")),
                ("fullRange", .flag(format == .bgra)), ("buffers", .integer(Int64(count))), ("converted", .flag(false)),
            ], notes: notes)
    }

    package func prepare(_ wait: inout WaitSet) {
        guard let ring else { return }
        if pace == .steady || (free != 0 && !dispatch.isBlocked()) {
            wait.wake(at: next ?? lastTurn)
            return
        }
        isStarving = true
        ring.awaitHome(&wait, since: lastTurn) { free != 0 && !dispatch.isBlocked() }
    }

    package func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {
        guard let ring else { return }
        lastTurn = now
        if isStarving {
            isStarving = false
            ring.feed()
        }
        free |= ring.take()
        if let due = next, now < due { return }
        let due = next ?? now
        switch pace {
        case .asFastAsTheyCome:
            next = now
        case .steady:
            // What a sleeping thread missed is lost, as with a camera; the pace keeps its phase.
            let period = rate.period
            let late = max(0, (now - due).wholeNanoseconds / max(1, period.wholeNanoseconds))
            next = due + .nanoseconds(period.wholeNanoseconds * (late + 1))
            lose(Int(late))
        }
        frame(ring, stamp: pace == .steady ? due : now)
    }

    private func lose(_ count: Int) {
        guard count > 0 else { return }
        sequence += UInt64(count)
        missed += count
        counters.dropped.wrappingAdd(UInt64(count), ordering: .relaxed)
    }

    private func frame(_ ring: BufferRing, stamp: MonotonicTime) {
        dispatch.displace()
        free |= ring.take()
        guard free != 0, !dispatch.isBlocked() else {
            if pace == .steady { lose(1) }
            return
        }
        let index = free.trailingZeroBitCount
        free &= ~(1 << UInt32(index))
        let buffer = buffers[index]
        let memory = buffer.memories[0]
        TestPattern.update(
            UnsafeMutableRawBufferPointer(start: memory.address, count: memory.length), layout: buffer.layout,
            number: UInt32(truncatingIfNeeded: sequence))
        defer { sequence += 1 }
        if settleLeft > 0 {
            settleLeft -= 1
            free |= 1 << UInt32(index)
            return
        }
        buffer.info = FrameInfo(
            sequence: sequence, timestamp: stamp, droppedBefore: missed, rotation: configuration.rotation ?? 0)
        missed = 0
        if lastDelivered == nil { report(.first(stamp)) }
        lastDelivered = sequence
        buffer.hold()
        dispatch.deliver(buffer, mayLend: free != 0)
        if buffer.letGo() { free |= 1 << UInt32(index) }
        // A sink that came after the acquire.
        if dispatch.wantsExport, !hasToldExport {
            hasToldExport = true
            report(.note(Self.unlent))
        }
        if let complaint = sinks.takeComplaint() { report(.note("a frame could not be converted: \(complaint)")) }
    }

    package func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
        guard ring != nil else {
            return .released(ReleaseDetail(released: request.asked, lastSequence: lastDelivered))
        }
        dispatch.withdraw()
        var kept = 0
        for buffer in buffers where buffer.isHeld {
            kept += 1
            if configuration.releasePolicy == .blank { buffer.detach(.blank, RawKernel()) }
            if configuration.isSensitive { buffer.blankConversions() }
        }
        counters.kept.wrappingAdd(UInt64(kept), ordering: .relaxed)
        if configuration.isSensitive { pool.blank() }
        buffers.removeAll()
        ring = nil
        pool.removeAll()
        return .released(ReleaseDetail(released: clock(), lastSequence: lastDelivered))
    }

    package var counts: DriverCounts { counters.counts }

    /// Frames that readers still had at releases, so far. *Runs on:* any thread.
    package var keptCount: UInt64 { counters.kept.load(ordering: .relaxed) }

    package func force() {}
}
