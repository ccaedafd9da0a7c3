internal import CV4L2
package import OnstageCore
internal import OnstageLinux
internal import Synchronization

/// A V4L2 camera.
///
/// Per frame in the steady state: one wait, one DQBUF, one QBUF; no allocation and no pass over the pixels.
package final class CameraDriver: DeviceDriver {
    let configuration: CameraConfiguration
    let report: DriverReporter
    let finder: CameraFinder
    private let kernel: any VideoKernel
    private let converting: @Sendable () -> (any VideoKernel)?
    private let clock: @Sendable () -> MonotonicTime
    private let sinks: FrameSinks
    private let controls: ControlSettings
    private let forceHandle = ForceHandle()
    private let counters = FrameCounters()
    private let bell = HomeBell()
    private let pool = ConversionPool()
    /// Of a camera behind a media controller; knows what it has to put back.
    private var pipeline: PipelineDesk?
    /// The acquire under way, or the last one, has got to its pipeline.
    private var hasPipeline = false

    /// What is known of the camera that was found last: asked again before everything is searched.
    private struct Known {
        let info: CameraInfo
        let stamp: NodeStamp?
        /// As the camera says of itself.
        var rotation: Int?
        /// What it can be set to.
        var controls: [CameraControl]?
    }
    private var known: Known?
    /// Of the frames of this acquire.
    @exclusivity(unchecked) private(set) var rotation = 0
    // What is touched for each frame, by the device's thread alone and never from within itself: the checks for that would
    // cost more than the rest.
    @exclusivity(unchecked) var stream: CaptureStream?
    @exclusivity(unchecked) var dispatch: FrameDispatch
    @exclusivity(unchecked) var progress = CaptureProgress()
    @exclusivity(unchecked) private var pollIndex = -1
    @exclusivity(unchecked) private var isStarving = false

    /// - Parameters:
    ///   - controls: what the app has set; what the configuration says when not given.
    ///   - kernel: a test plays it.
    ///   - converting: libv4l2, or nil where it is not installed.
    package init(
        configuration: CameraConfiguration, sinks: FrameSinks, controls: ControlSettings? = nil,
        report: @escaping DriverReporter, kernel: any VideoKernel = RawKernel(), finder: CameraFinder? = nil,
        converting: @escaping @Sendable () -> (any VideoKernel)? = CameraDriver.library,
        clock: @escaping @Sendable () -> MonotonicTime = { .now }
    ) {
        self.configuration = configuration
        self.sinks = sinks
        self.controls = controls ?? ControlSettings(configuration.controls)
        self.report = report
        self.kernel = kernel
        self.finder = finder ?? CameraFinder(kernel: kernel)
        self.converting = converting
        self.clock = clock
        dispatch = FrameDispatch(sinks: sinks, counters: counters)
        pipeline = configuration.pipeline.map { [finder = self.finder] in
            PipelineDesk($0, kernel, sys: finder.sys, dev: finder.dev)
        }
    }

    /// libv4l2, loaded at the first need.
    package static let library: @Sendable () -> (any VideoKernel)? = {
        cv4l2_load() == 0 ? ConvertingKernel() : nil
    }

    // MARK: - Finding and opening

    package func resolve() throws(DeviceError) -> ResolvedDevice {
        try configuration.check()
        if let known, finder.isStill(known.info, known.stamp) { return known.info.resolved }
        known = nil
        let info = try finder.resolve(configuration.selector, hasPipeline: configuration.pipeline != nil)
        known = Known(info: info, stamp: NodeStamp(info.node))
        return info.resolved
    }

    package func acquire(
        _ device: ResolvedDevice, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> Acquired {
        let stream = CaptureStream(kernel: kernel, node: device.node, ring: BufferRing(bell: bell), pool: pool)
        hasPipeline = false
        do throws(DeviceError) {
            try setUp(stream, device, cancellation)
        } catch {
            forceHandle.disarm()
            _ = close(stream)
            // While another has the camera nothing is put back either, also not what was left over.
            if hasPipeline { for note in takeDownPipeline() { report(.note(note)) } }
            throw named(error, device)
        }
        self.stream = stream
        isStarving = false
        pollIndex = -1
        progress.begin(clock(), configuration, rate: stream.rate)
        return acquired(stream)
    }

    private func setUp(
        _ stream: CaptureStream, _ device: ResolvedDevice, _ cancellation: any CancellationSource
    ) throws(DeviceError) {
        func step() throws(DeviceError) { try cancellation.check("acquire", device: device.identity) }
        try step()
        try stream.open()
        forceHandle.arm(stream.descriptor)
        if let info = known?.info, info.node == device.node, let capability = stream.capability {
            guard info.matches(capability), capability.isCapture else {
                let isOther = !info.matches(capability)
                self.known = nil
                throw DeviceError(
                    .absent, operation: VideoCall.queryCapability.rawValue, device: device.identity,
                    reason: isOther
                        ? "another device has taken its node \(device.node)" : "it is no camera for the moment")
            }
        }
        try step()
        try setUpPipeline(stream)
        try stream.configure(configuration, converting: converting) { number in
            if number >= 0 { forceHandle.arm(number) } else { forceHandle.disarm() }
        }
        rotation =
            configuration.rotation ?? known?.rotation ?? CameraControl.rotation(stream.kernel, stream.descriptor)
        known?.rotation = rotation
        try step()
        stream.notes += try setControls(controls.all, stream)
        try stream.request(sinks.buffers(for: configuration))
        dispatch.refresh()
        if dispatch.wantsExport, let note = try stream.export() { stream.notes.append(note) }
        try step()
        try start(stream)
        try step()
    }

    private func setUpPipeline(_ stream: CaptureStream) throws(DeviceError) {
        guard pipeline != nil else { return }
        // Whoever has the camera has its pipeline too: not even a format is touched then.
        try stream.checkFree()
        hasPipeline = true
        let notes = try pipeline?.set(for: stream.node) ?? []
        guard notes.isEmpty || !configuration.isExact else {
            throw DeviceError(
                .configuration, operation: VideoCall.setPadFormat.rawValue, device: stream.node,
                reason: notes.joined(separator: "; "), advice: "ask for what it has, or let it be adjusted")
        }
        stream.notes += notes
    }

    /// Puts the links back, after the stream has let go of them.
    private func takeDownPipeline() -> [String] { pipeline?.undo() ?? [] }

    /// Starts the stream. What a pipeline's parts refuse may be another's doing, who has changed a link since it was set.
    func start(_ stream: CaptureStream) throws(DeviceError) {
        do throws(DeviceError) {
            try stream.start()
        } catch {
            guard error.errno == Errno.EPIPE, let link = try pipeline?.changed() else { throw error }
            throw DeviceError(
                .inUse, operation: error.operation, device: stream.node, errno: error.errno,
                reason: "its link \(link) was changed meanwhile", advice: "it is tried again")
        }
    }

    /// Gives everything of a stream back; answers how many frames readers still have.
    private func close(_ stream: CaptureStream) -> Int {
        stream.close(configuration.releasePolicy, blanksExported: configuration.isSensitive)
    }

    private func setControls(_ settings: [ControlSetting], _ stream: CaptureStream) throws(DeviceError) -> [String] {
        guard !settings.isEmpty else { return [] }
        var desk = ControlDesk(stream.kernel, stream.descriptor, node: stream.node, known: known?.controls)
        let notes = try desk.set(settings)
        known?.controls = desk.controls
        return notes
    }

    /// Sets controls now, if the camera is open; an acquire sets all that stand. *Runs on:* the device's thread.
    package func set(_ settings: [ControlSetting]) {
        guard let stream else { return }
        do throws(DeviceError) {
            for note in try setControls(settings, stream) { report(.note(note)) }
        } catch {
            // A camera that is gone is found by the stream itself.
            report(.note("\(error)"))
        }
    }

    /// Tells who has it, after everything of ours is closed.
    private func named(_ error: DeviceError, _ device: ResolvedDevice) -> DeviceError {
        var error = error
        if error.kind == .inUse {
            // Links may be held by whoever streams from another camera of the same media device.
            let held = DeviceHolders.of(nodes: [device.node] + (pipeline?.cameras ?? []))
            error.holders = held.first { !$0.isEmpty } ?? [DeviceHolders.unknown]
        }
        if error.kind == .absent { known = nil }
        return error
    }

    private func acquired(_ stream: CaptureStream) -> Acquired {
        let format = stream.format
        var set: [(name: String, value: FormatValue)] = [
            ("pixelFormat", .text(format.pixelFormat.description)), ("width", .integer(Int64(format.width))),
            ("height", .integer(Int64(format.height))), ("stride", .integer(Int64(format.strides.first ?? 0))),
        ]
        if let rate = stream.rate { set.append(("rate", .number(rate.value))) }
        set += [
            ("colorspace", .text(format.color.space)), ("encoding", .text(format.color.matrix)),
            ("fullRange", .flag(format.color.isFullRange)), ("buffers", .integer(Int64(stream.buffers.count))),
            ("converted", .flag(stream.isConverting)),
        ]
        var notes = stream.notes
        if configuration.settleFrames > 0 || configuration.settleTime > .zero {
            notes.append("the first frames are left out until exposure has settled")
        }
        return Acquired(format: set, notes: notes)
    }

    // MARK: - Streaming

    package func prepare(_ wait: inout WaitSet) {
        pollIndex = -1
        guard let stream else { return }
        if stream.queuedCount > 0, !dispatch.isBlocked() {
            pollIndex = wait.add(stream.descriptor)
            wait.wake(at: progress.deadline)
            return
        }
        // Readers have every buffer, or one of them lets the camera wait: nothing is taken before one lets go.
        isStarving = true
        stream.ring.awaitHome(&wait, since: progress.lastTurn) { stream.queuedCount > 0 && !dispatch.isBlocked() }
    }

    package var keepsWait: Bool {
        guard pollIndex >= 0, let stream else { return false }
        // The deadline that was named is never later than the present one: each frame puts it off.
        return stream.queuedCount > 0 && !dispatch.isBlocked()
    }

    package func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {
        guard let stream else { return }
        progress.lastTurn = now
        if isStarving {
            isStarving = false
            stream.ring.feed()
            progress.extend(now)
        }
        do throws(DeviceError) {
            try stream.queue(home: stream.ring.take())
            if pollIndex >= 0, wait.answers(pollIndex) != 0 {
                try takeFrames(stream, answers: wait.answers(pollIndex), now: now)
            } else if pollIndex >= 0, now >= progress.deadline {
                throw stalled(stream)
            }
        } catch {
            try mend(stream, error, now: now)
        }
        if let complaint = sinks.takeComplaint() { report(.note("a frame could not be converted: \(complaint)")) }
    }

    // MARK: - The end

    package func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
        guard let stream else {
            return .released(ReleaseDetail(released: request.asked, lastSequence: progress.lastDelivered))
        }
        dispatch.withdraw()
        forceHandle.disarm()
        if configuration.isSensitive { stream.blankConversions() }
        let kept = close(stream)
        for note in takeDownPipeline() { report(.note(note)) }
        counters.kept.wrappingAdd(UInt64(kept), ordering: .relaxed)
        self.stream = nil
        pollIndex = -1
        pool.removeAll()
        if kept > 0 {
            let fate = configuration.releasePolicy == .blank ? "blanked" : "copied"
            report(.note("\(kept) kept \(kept == 1 ? "frame was" : "frames were") \(fate) at the release"))
        }
        return .released(ReleaseDetail(released: clock(), lastSequence: progress.lastDelivered))
    }

    package var counts: DriverCounts { counters.counts }

    /// Frames that readers still had at releases, so far. *Runs on:* any thread.
    package var keptCount: UInt64 { counters.kept.load(ordering: .relaxed) }

    package func force() {
        let kernel = RawKernel()
        forceHandle.force { duplicate in
            for isMultiPlanar in [false, true] {
                var type = Int32(VideoFormatDescription.bufferType(isMultiPlanar: isMultiPlanar))
                _ = kernel.call(duplicate, .streamOff, &type)
            }
        }
    }

    func countBad() { counters.bad.wrappingAdd(1, ordering: .relaxed) }
    func countDropped(_ count: Int) { counters.dropped.wrappingAdd(UInt64(count), ordering: .relaxed) }
}

extension CameraInfo {
    fileprivate var resolved: ResolvedDevice {
        ResolvedDevice(key: node, identity: identity, node: node)
    }
}
