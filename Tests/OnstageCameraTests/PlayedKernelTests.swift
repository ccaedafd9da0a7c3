import CV4L2
import OnstageCore
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("scripts: camera against a played kernel")
struct PlayedKernelTests {
    private static let steps: [VideoCall] = [
        .queryCapability, .setFormat, .requestBuffers, .queryBuffer, .queue, .streamOn,
    ]

    @Test(
        "V-01, V-02, V-25: a fault at any step leaves nothing open or mapped, and is said", arguments: steps,
        [
            Errno.EBUSY, Errno.EIO, Errno.ENODEV, Errno.EINVAL, Errno.ENOSPC, Errno.EPIPE,
        ])
    func faultWhileAcquiring(step: VideoCall, errno: Int32) {
        for after in 0..<2 {
            let camera = PlayedCamera()
            camera.kernel.fail(step, errno, after: after, times: 2)
            let error = #expect(throws: DeviceError.self) {
                try camera.acquire()
                // A step that comes once only: the fault is still to come at its second time.
                if after > 0 { throw DeviceError(.cancelled, operation: step.rawValue, device: "") }
            }
            if after > 0 { camera.release() }
            #expect(camera.kernel.isClean, "\(step) \(Errno.name(errno))")
            #expect(error?.operation == step.rawValue)
            if errno == Errno.EBUSY, after == 0 {
                #expect(error?.kind == .inUse && error?.holders.isEmpty == false)
            }
            if errno == Errno.ENODEV, after == 0 { #expect(error?.kind == .absent) }
            if errno == Errno.ENOSPC, after == 0 { #expect(error?.advice?.contains("USB") == true) }
        }
    }

    @Test func aFaultWhileMappingLeavesNothing() {
        for after in 0..<2 {
            let camera = PlayedCamera()
            camera.kernel.state.withLock { $0.mapFault = (after, Errno.ENOMEM) }
            #expect(throws: DeviceError.self) { try camera.acquire() }
            #expect(camera.kernel.isClean)
        }
    }

    @Test func cancelledBetweenAnyTwoStepsLeavesNothing() throws {
        for steps in 0..<5 {
            let camera = PlayedCamera()
            let error = #expect(throws: DeviceError.self) { try camera.acquire(CancelledAfter(steps)) }
            #expect(error?.kind == .cancelled)
            #expect(camera.kernel.isClean)
        }
        let camera = PlayedCamera()
        try camera.acquire(CancelledAfter(5))
        camera.release()
    }

    @Test func releaseGivesBackInOrder() throws {
        let camera = PlayedCamera()
        try camera.acquire()
        try camera.frames([0, 1, 2])
        camera.release()
        #expect(camera.kernel.isClean)
        #expect(camera.kernel.calls.suffix(2) == [.streamOff, .requestBuffers])
        #expect(camera.driver.counts.delivered == 3)
    }

    @Test("V-11: flagged, short and empty frames are counted and never delivered")
    func badFrames() throws {
        let camera = PlayedCamera()
        let seen = Log<UInt64>()
        try camera.sinks.add(.inline) { seen.append($0.sequence) }
        try camera.acquire()
        try camera.frames([0])
        let flags = UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_ERROR)
        camera.kernel.give(.init(sequence: 1, flags: flags))
        try camera.turn()
        camera.kernel.give(.init(sequence: 2, bytes: 0))
        try camera.turn()
        camera.kernel.give(.init(sequence: 3, bytes: 1000))
        try camera.turn()
        try camera.frames([4])
        #expect(seen.entries == [0, 4])
        #expect(camera.driver.counts.bad == 3)
        #expect(camera.driver.counts.dropped == 0)
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test("V-11: many bad frames in a row start the stream anew")
    func badRun() throws {
        let camera = PlayedCamera()
        try camera.acquire()
        for number in 0..<UInt32(CaptureProgress.badLimit) {
            camera.kernel.give(.init(sequence: number, bytes: 0))
            try camera.turn()
        }
        #expect(camera.recovered.map(\.kind) == [.inputOutput])
        try camera.frames([0, 1])
        #expect(camera.driver.counts.delivered == 2)
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test("gaps are counted, repeats are not frames")
    func gaps() throws {
        let camera = PlayedCamera()
        let lost = Log<Int>()
        try camera.sinks.add(.inline) { lost.append($0.droppedBefore) }
        try camera.acquire()
        try camera.frames([0, 1, 5])
        camera.kernel.give(.init(sequence: 5, stamp: camera.now.nanoseconds))
        try camera.turn()
        #expect(lost.entries == [0, 0, 3])
        #expect(camera.driver.counts.dropped == 3)
        camera.release()
    }

    @Test("several ready: the newest is handed on")
    func drain() throws {
        let camera = PlayedCamera()
        let seen = Log<UInt64>()
        try camera.sinks.add(.inline) { seen.append($0.sequence) }
        try camera.acquire()
        camera.advance(.milliseconds(300))
        let now = camera.now.nanoseconds
        camera.kernel.give(
            .init(sequence: 0, stamp: now - 200_000_000), .init(sequence: 1, stamp: now - 100_000_000))
        try camera.turn()
        #expect(seen.entries == [1])
        #expect(camera.driver.counts.dropped == 1)
        camera.release()
    }

    @Test("V-12: EIO once is nothing, again and again starts the stream anew, for ever is an error")
    func inputOutput() throws {
        let camera = PlayedCamera()
        try camera.acquire()
        try camera.frames([0])
        camera.kernel.give(.init(fault: Errno.EIO))
        try camera.turn()
        try camera.frames([1])
        #expect(camera.recovered.isEmpty)
        for _ in 0..<3 { camera.kernel.give(.init(fault: Errno.EIO)) }
        for _ in 0..<3 { try camera.turn() }
        #expect(camera.recovered.count == 1)
        for _ in 0..<20 { camera.kernel.give(.init(fault: Errno.EIO)) }
        let error = #expect(throws: DeviceError.self) { for _ in 0..<20 { try camera.turn() } }
        #expect(error?.kind == .inputOutput)
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test("V-07, V-30: no frame in time restarts the stream, then gives up; a frame in between begins anew")
    func stall() throws {
        let camera = PlayedCamera()
        try camera.acquire()
        for _ in 0..<2 {
            camera.advance(.milliseconds(999))
            try camera.turn()
            camera.advance(.milliseconds(2))
            try camera.turn()
        }
        #expect(camera.recovered.map(\.kind) == [.stalled, .stalled])
        try camera.frames([0])
        camera.advance(.milliseconds(1100))
        try camera.turn()
        #expect(camera.recovered.count == 3)
        camera.advance(.milliseconds(1100))
        try camera.turn()
        camera.advance(.milliseconds(1100))
        let error = #expect(throws: DeviceError.self) { try camera.turn() }
        #expect(error?.kind == .stalled)
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test(
        "V-09: ENODEV at any call of a stream is the end of it, and leaves nothing",
        arguments: [
            VideoCall.dequeue, .queue,
        ])
    func unplugged(call: VideoCall) throws {
        let camera = PlayedCamera()
        try camera.acquire()
        try camera.frames([0])
        camera.kernel.fail(call, Errno.ENODEV, times: 100)
        camera.kernel.fail(.streamOff, Errno.ENODEV, times: 100)
        camera.kernel.give(.init(sequence: 1, stamp: camera.now.nanoseconds))
        let error = #expect(throws: DeviceError.self) { try camera.turn() }
        #expect(error?.kind == .absent)
        camera.release()
        #expect(camera.kernel.state.withLock { $0.opened == $0.closed && $0.mapped.isEmpty })
    }

    @Test("an error state of the queue is no busy loop")
    func errorState() throws {
        let camera = PlayedCamera()
        try camera.acquire()
        try camera.turn(answers: WaitSet.error)
        #expect(camera.recovered.count == 1)
        try camera.frames([0])
        camera.release()
    }

    @Test("V-20: settling leaves out the first frames; the first of an acquire is told once")
    func settle() throws {
        let camera = PlayedCamera(CameraConfiguration(settleFrames: 5))
        let seen = Log<UInt64>()
        try camera.sinks.add(.inline) { seen.append($0.sequence) }
        try camera.acquire()
        try camera.frames(Array(0..<7))
        #expect(seen.entries == [5, 6])
        #expect(camera.firsts == 1)
        camera.release()
        try camera.acquire()
        try camera.frames(Array(0..<6))
        #expect(camera.firsts == 2)
        camera.release()
    }

    @Test("V-17: a clock that is not said to be monotonic is replaced by the arrival, and marked")
    func stamps() throws {
        let camera = PlayedCamera()
        let seen = Log<FrameInfo>()
        try camera.sinks.add(.inline) { seen.append($0.info) }
        try camera.acquire()
        try camera.frames([0])
        camera.kernel.give(.init(sequence: 1, stamp: 1_700_000_000_000_000_000, flags: 0))
        try camera.turn()
        #expect(seen.entries.map(\.isArrivalTime) == [false, true])
        #expect(seen.entries.last?.timestamp == camera.now)
        camera.release()
    }

    @Test("V-15: what is really set is reported")
    func report() throws {
        let camera = PlayedCamera(CameraConfiguration(width: 800, height: 600, pixelFormat: .nv12, rate: Hertz(17)))
        let acquired = try camera.acquire()
        let format = Dictionary(uniqueKeysWithValues: acquired.format.map { ($0.name, $0.value) })
        #expect(format["width"] == .integer(640) && format["height"] == .integer(360))
        #expect(format["pixelFormat"] == .text("NV12"))
        #expect(format["rate"] == .number(10))
        #expect(format["buffers"] == .integer(2))
        #expect(acquired.notes.count == 2)
        camera.release()
    }

    @Test func anExactWishThatCannotBeHadIsRefused() {
        let camera = PlayedCamera(CameraConfiguration(width: 800, height: 600, isExact: true))
        let error = #expect(throws: DeviceError.self) { try camera.acquire() }
        #expect(error?.kind == .configuration)
        #expect(camera.kernel.isClean)
    }

    @Test("kept frames do not hold the device: blank or copied", arguments: [KeptFramePolicy.blank, .copy])
    func kept(policy: KeptFramePolicy) throws {
        let camera = PlayedCamera(CameraConfiguration(keptFrames: 1, keptFramePolicy: policy))
        let kept = Log<KeptFrame>()
        let sink = try camera.sinks.add(.inline) { kept.append($0.keep()) }
        try camera.acquire()
        try camera.frames([0])
        sink.remove()
        try camera.frames([1, 2, 3, 4, 5])
        #expect(kept.count == 1)
        #expect(kept.entries[0].withFrame { $0.withUnsafeBytes { $0[0] } } == 0x80)
        camera.release()
        #expect(camera.kernel.isClean)
        #expect(camera.driver.keptCount == 1)
        let expected: UInt8 = policy == .blank ? 0 : 0x80
        #expect(kept.entries[0].withFrame { $0.withUnsafeBytes { $0.allSatisfy { $0 == expected } } })
        #expect(kept.entries[0].sequence == 0)
    }

    @Test("with every buffer kept the driver waits for one to come home, and stalls no alarm")
    func starving() throws {
        let camera = PlayedCamera()
        let kept = Mutex<[KeptFrame]>([])
        let sink = try camera.sinks.add(.inline) { frame in
            let one = frame.keep()
            kept.withLock { $0.append(one) }
        }
        try camera.acquire()
        try camera.frames([0, 1])
        camera.advance(.seconds(5))
        try camera.turn()
        #expect(camera.kernel.state.withLock { $0.queued.isEmpty })
        sink.remove()
        kept.withLock { $0.removeAll() }
        try camera.turn()
        #expect(camera.kernel.state.withLock { $0.queued.count } == 2)
        camera.advance(.milliseconds(500))
        try camera.turn()
        #expect(camera.recovered.isEmpty)
        try camera.frames([2])
        #expect(camera.driver.counts.delivered == 3)
        camera.release()
        #expect(camera.kernel.isClean)
    }

    @Test("V-24: libv4l2 only for what the camera lacks; its memory is never lent")
    func converting() throws {
        let library = PlayedKernel(isConverting: true)
        library.state.withLock { $0.formats = ["RGB3"] }
        let camera = PlayedCamera(CameraConfiguration(pixelFormat: .rgb24, keptFrames: 1), library: library)
        let kept = Log<KeptFrame>()
        let sink = try camera.sinks.add(.inline) { kept.append($0.keep()) }
        let acquired = try camera.acquire()
        #expect(acquired.notes.isEmpty)
        #expect(acquired.format.contains { $0.name == "converted" && $0.value == .flag(true) })
        #expect(camera.kernel.isClean)
        func frame(_ number: UInt32) throws {
            camera.advance(.milliseconds(33))
            library.give(.init(sequence: number, stamp: camera.now.nanoseconds, fill: 0x40))
            try camera.turn(answers: WaitSet.readable)
        }
        try frame(0)
        sink.remove()
        for number in 1..<20 as Range<UInt32> { try frame(number) }
        #expect(camera.driver.counts.delivered == 20)
        #expect(library.state.withLock { $0.queued.count } == 3)
        #expect(kept.entries[0].withFrame { $0.withUnsafeBytes { $0[1000] } } == 0x40)
        camera.release()
        #expect(library.isClean)
        #expect(kept.entries[0].withFrame { $0.withUnsafeBytes { $0[1000] } } == 0)

        // What neither has is adjusted, by the plain node.
        let other = PlayedCamera(CameraConfiguration(pixelFormat: .grey), library: library)
        #expect(try other.acquire().notes == ["asked for GREY, YUYV is set"])
        #expect(library.isClean)
        other.release()
        #expect(other.kernel.isClean)
    }
}
