import CV4L2
import Glibc
import OnstageCore
import Synchronization

@testable import OnstageCamera

/// A kernel that a test plays: one camera at /dev/video0 with the formats it is told, frames that the test makes, and an
/// errno at any call. It knows what is open and mapped.
final class PlayedKernel: VideoKernel {
    struct Frame {
        var sequence: UInt32 = 0
        var stamp: Int64 = 0
        var flags = UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        /// Nil: all of it.
        var bytes: Int?
        /// The errno of the dequeue in place of a frame.
        var fault: Int32?
        /// What the memory is filled with.
        var fill: UInt8 = 0x80
        /// What stands at the beginning of the memory, instead of all of it; behind it is what was there before.
        var data: [UInt8]?
    }

    struct State {
        var opened = 0
        var closed = 0
        var mapped: [UInt: Int] = [:]
        var isOn = false
        var requested = 0
        var queued: [Int] = []
        var frames: [Frame] = []
        var calls: [VideoCall] = []
        /// Faults to come: after so many good calls of this kind (counted down), this errno, so many times.
        var faults: [VideoCall: (after: Int, errno: Int32, times: Int)] = [:]
        var openFault: Int32?
        var mapFault: (after: Int, errno: Int32)?
        var memory: [UInt: UnsafeMutableRawPointer] = [:]
        /// What is to be had.
        var sizes = [(320, 180), (640, 360), (1280, 720)]
        var formats = ["YUYV", "NV12"]
        var rates = [10.0, 25.0, 30.0]
        var rate = 30.0
        var set: (Int, Int, PixelFormat) = (640, 360, .yuyv)
        var caps = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
        var driver = "played"
        var card = "Played Camera"
        var bus = "platform:played"
        var controls: [PlayedControl] = []
        /// The file that stands for what is exported; nil: the driver exports nothing.
        var exportPath: String?
        /// The first byte of each memory, when it was unmapped.
        var lastBytes: [UInt8] = []
        /// The controls that were set, in order.
        var writes: [String] = []
    }
    let state = Mutex(State())

    /// Whether it plays libv4l2.
    let isConverting: Bool
    init(isConverting: Bool = false) { self.isConverting = isConverting }

    var isClean: Bool { state.withLock { $0.opened == $0.closed && $0.mapped.isEmpty && !$0.isOn } }
    var calls: [VideoCall] { state.withLock { $0.calls } }

    func fail(_ call: VideoCall, _ errno: Int32, after: Int = 0, times: Int = 1) {
        state.withLock { $0.faults[call] = (after, errno, times) }
    }

    func give(_ frames: Frame...) {
        state.withLock { $0.frames += frames }
    }

    /// Whether poll would say readable.
    var isReady: Bool {
        state.withLock { !$0.frames.isEmpty && $0.isOn && !($0.queued.isEmpty && $0.frames[0].fault == nil) }
    }

    func open(_ node: String) -> Int32 {
        state.withLock { state in
            if let fault = state.openFault { return -fault }
            state.opened += 1
            return 1_000_000 + Int32(state.opened)
        }
    }

    func close(_ descriptor: Int32) {
        state.withLock { $0.closed += 1 }
    }

    func map(_ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32) -> UnsafeMutableRawPointer? {
        let answer = state.withLock { state -> (UnsafeMutableRawPointer?, Int32) in
            if let (after, errno) = state.mapFault {
                if after == 0 {
                    state.mapFault = nil
                    return (nil, errno)
                }
                state.mapFault = (after - 1, errno)
            }
            guard let memory = cv4l2_own(length) else { return (nil, Errno.ENOMEM) }
            state.mapped[UInt(bitPattern: memory)] = length
            state.memory[UInt(offset)] = memory
            return (memory, 0)
        }
        fault = answer.1
        return answer.0
    }

    func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32 {
        state.withLock { state in
            guard state.mapped.removeValue(forKey: UInt(bitPattern: address)) == length else { return -Errno.EINVAL }
            state.lastBytes.append(address.load(as: UInt8.self))
            return cv4l2_unmap(address, length)
        }
    }

    func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32 {
        state.withLock { state in
            guard state.mapped.removeValue(forKey: UInt(bitPattern: address)) == length else { return -Errno.EINVAL }
            return cv4l2_detach(address, length, copying ? 1 : 0)
        }
    }

    func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
        let address = UInt(bitPattern: argument)  // a number crosses into the lock's closure, a pointer does not
        return state.withLock { state in
            state.calls.append(call)
            if let (after, errno, times) = state.faults[call] {
                if after > 0 {
                    state.faults[call] = (after - 1, errno, times)
                } else {
                    state.faults[call] = times > 1 ? (0, errno, times - 1) : nil
                    return -errno
                }
            }
            guard let argument = UnsafeMutableRawPointer(bitPattern: address) else { return -Errno.EFAULT }
            return Self.obey(&state, call, argument)
        }
    }

    private static func obey(_ state: inout State, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
        switch call {
        case .queryCapability:
            let capability = argument.assumingMemoryBound(to: v4l2_capability.self)
            copy(state.driver, &capability.pointee.driver)
            copy(state.card, &capability.pointee.card)
            copy(state.bus, &capability.pointee.bus_info)
            capability.pointee.capabilities = state.caps | UInt32(V4L2_CAP_DEVICE_CAPS)
            capability.pointee.device_caps = state.caps
        case .setFormat, .tryFormat, .getFormat:
            let format = argument.assumingMemoryBound(to: v4l2_format.self)
            if call == .setFormat {
                let asked = format.pointee.fmt.pix
                let size = state.sizes.min { a, b in
                    abs(a.0 - Int(asked.width)) + abs(a.1 - Int(asked.height))
                        < abs(b.0 - Int(asked.width)) + abs(b.1 - Int(asked.height))
                }
                let wanted = PixelFormat(code: asked.pixelformat)
                let known = state.formats.compactMap { PixelFormat($0) }
                state.set = (size?.0 ?? 0, size?.1 ?? 0, known.contains(wanted) ? wanted : known[0])
            }
            format.pointee.fmt.pix.width = UInt32(state.set.0)
            format.pointee.fmt.pix.height = UInt32(state.set.1)
            format.pointee.fmt.pix.pixelformat = state.set.2.code
            let isPlanar = state.set.2 == .nv12
            format.pointee.fmt.pix.bytesperline = UInt32(state.set.0 * (isPlanar ? 1 : 2))
            format.pointee.fmt.pix.sizeimage = UInt32(state.set.0 * state.set.1 * (isPlanar ? 3 : 4) / 2)
        case .getParameters, .setParameters:
            let parameters = argument.assumingMemoryBound(to: v4l2_streamparm.self)
            if call == .setParameters {
                let asked = parameters.pointee.parm.capture.timeperframe
                let rate = Double(asked.denominator) / Double(asked.numerator)
                state.rate = state.rates.min { abs($0 - rate) < abs($1 - rate) } ?? 30
            }
            parameters.pointee.parm.capture.capability = UInt32(V4L2_CAP_TIMEPERFRAME)
            parameters.pointee.parm.capture.timeperframe = v4l2_fract(
                numerator: 100, denominator: UInt32(state.rate * 100))
        case .requestBuffers:
            let request = argument.assumingMemoryBound(to: v4l2_requestbuffers.self)
            state.requested = Int(request.pointee.count)
            state.queued = []
        case .queryBuffer:
            let buffer = argument.assumingMemoryBound(to: v4l2_buffer.self)
            buffer.pointee.length = UInt32(state.set.0 * state.set.1 * 2)
            buffer.pointee.m.offset = buffer.pointee.index << 24
        case .queue:
            state.queued.append(Int(argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.index))
        case .dequeue: return dequeue(&state, argument.assumingMemoryBound(to: v4l2_buffer.self))
        case .streamOn: state.isOn = true
        case .streamOff:
            state.isOn = false
            state.queued = []
        case .enumerateFormats, .enumerateSizes, .enumerateIntervals: return 0
        case .queryControl:
            return PlayedControl.query(&state, argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self))
        case .queryMenu: return PlayedControl.item(&state, argument.assumingMemoryBound(to: cv4l2_item.self))
        case .getControl: return PlayedControl.get(&state, argument.assumingMemoryBound(to: cv4l2_value.self))
        case .setControl: return PlayedControl.set(&state, argument.assumingMemoryBound(to: cv4l2_value.self))
        case .exportBuffer:
            guard let path = state.exportPath else { return -Errno.ENOTTY }
            let export = argument.assumingMemoryBound(to: v4l2_exportbuffer.self)
            export.pointee.fd = Glibc.open(path, Int32(bitPattern: export.pointee.flags))
            return export.pointee.fd < 0 ? -Errno.EMFILE : 0
        case .mediaInfo, .nextEntity, .getLinks, .setLink, .setPadFormat, .setPadSelection, .setPadInterval:
            return -Errno.ENOTTY
        }
        return 0
    }

    private static func dequeue(_ state: inout State, _ buffer: UnsafeMutablePointer<v4l2_buffer>) -> Int32 {
        guard state.isOn else { return -Errno.EINVAL }
        guard let frame = state.frames.first else { return -Errno.EAGAIN }
        if let fault = frame.fault {
            state.frames.removeFirst()
            return -fault
        }
        guard !state.queued.isEmpty else { return -Errno.EAGAIN }
        state.frames.removeFirst()
        let index = state.queued.removeFirst()
        let size = state.set.0 * state.set.1 * (state.set.2 == .nv12 ? 3 : 4) / 2
        buffer.pointee.index = UInt32(index)
        buffer.pointee.sequence = frame.sequence
        buffer.pointee.flags = frame.flags
        buffer.pointee.bytesused = UInt32(frame.bytes ?? frame.data?.count ?? size)
        buffer.pointee.timestamp = timeval(
            tv_sec: Int(frame.stamp / 1_000_000_000), tv_usec: Int(frame.stamp % 1_000_000_000 / 1000))
        if let memory = state.memory[UInt(index) << 24] {
            if let data = frame.data {
                memory.initializeMemory(as: UInt8.self, from: data, count: data.count)
            } else {
                memory.initializeMemory(as: UInt8.self, repeating: frame.fill, count: size)
            }
        }
        return 0
    }

    static func copy<T>(_ text: String, _ to: inout T) {
        withUnsafeMutableBytes(of: &to) { bytes in
            for (index, byte) in text.utf8.enumerated() where index < bytes.count - 1 { bytes[index] = byte }
        }
    }
}
