import CV4L2
import OnstageCore
import OnstageTestSupport
import Synchronization

@testable import OnstageCamera

/// A kernel with one media device: a sensor, two filters and a camera's node, with links between them.
///
///     1 "sensor":0 -> 2 "filter":0 [on], 3 "other":0 [off];  2:1 -> 4 "capture":0 [on];  3:1 -> 4:0 [off]
final class PlayedMedia: VideoKernel {
    struct State {
        var open: [Int32: String] = [:]
        var opened: Int32 = 2_000_000
        var links: [cv4l2_link] = []
        /// What was set, in order: "link 1:0 -> 2:0 [1]", "v4l-subdev0 pad 0 SBGGR8_1X8/640x480".
        var writes: [String] = []
        /// The errno of the calls of one kind, after so many good ones.
        var fault: (call: VideoCall, errno: Int32, after: Int)?
        /// What parts make of any format.
        var width: UInt32?
        /// The errno of every open.
        var openFault: Int32?
        /// A media device with the same names and parts of its own: the camera is not in it.
        var twin: String?
        /// The media device whose links were set last.
        var linked: String?
        var names = ["sensor", "filter", "other", "capture"]
        /// A link that another turns when the camera is started.
        var meddled: Int?
    }
    let state = Mutex(State())
    /// Folders in the place of /sys and /dev.
    let tree = Scratch()

    init() {
        for (minor, node) in ["v4l-subdev0", "v4l-subdev1", "v4l-subdev2", "video0"].enumerated() {
            tree.file("sys/dev/char/81:\(minor)/uevent", "MAJOR=81\nMINOR=\(minor)\nDEVNAME=\(node)\n")
        }
        tree.file("sys/class/video4linux/video0/dev", "81:3\n")
        tree.file("dev/media0")
        state.withLock {
            $0.links = [
                .init(source: 1, sink: 2, source_pad: 0, sink_pad: 0, flags: 1),
                .init(source: 1, sink: 3, source_pad: 0, sink_pad: 0, flags: 0),
                .init(source: 2, sink: 4, source_pad: 1, sink_pad: 0, flags: 1),
                .init(source: 3, sink: 4, source_pad: 1, sink_pad: 0, flags: 0),
            ]
        }
    }

    func desk(_ pipeline: MediaPipeline) -> PipelineDesk {
        PipelineDesk(pipeline, self, sys: tree("sys"), dev: tree("dev"))
    }

    var writes: [String] {
        state.withLock { state in
            defer { state.writes = [] }
            return state.writes
        }
    }
    var isClosed: Bool { state.withLock { $0.open.isEmpty } }

    var isConverting: Bool { false }
    func open(_ node: String) -> Int32 {
        let name = String(node.split(separator: "/").last ?? "")
        guard ["media0", "media1", "v4l-subdev0", "v4l-subdev1", "v4l-subdev2"].contains(name) else {
            return -Errno.ENOENT
        }
        return state.withLock { state in
            if let fault = state.openFault { return -fault }
            state.opened += 1
            state.open[state.opened] = name
            return state.opened
        }
    }
    func close(_ descriptor: Int32) { state.withLock { $0.open[descriptor] = nil } }
    func map(_ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32) -> UnsafeMutableRawPointer? { nil }
    func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32 { 0 }
    func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32 { 0 }

    func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
        let address = UInt(bitPattern: argument)  // a number crosses into the lock's closure, a pointer does not
        return state.withLock { state in
            guard let name = state.open[descriptor], let argument = UnsafeMutableRawPointer(bitPattern: address) else {
                return -Errno.EBADF
            }
            if let fault = state.fault, fault.call == call {
                if fault.after == 0 { return -fault.errno }
                state.fault?.after -= 1
            }
            return Self.obey(&state, name, call, argument)
        }
    }

    private static func obey(
        _ state: inout State, _ node: String, _ call: VideoCall, _ argument: UnsafeMutableRawPointer
    ) -> Int32 {
        switch call {
        case .mediaInfo:
            let info = argument.assumingMemoryBound(to: media_device_info.self)
            PlayedKernel.copy("platform:played", &info.pointee.bus_info)
        case .nextEntity:
            let entity = argument.assumingMemoryBound(to: cv4l2_entity.self)
            guard entity.pointee.id < 4 else { return -Errno.EINVAL }
            let index = Int(entity.pointee.id)
            entity.pointee = cv4l2_entity()
            entity.pointee.id = UInt32(index + 1)
            (entity.pointee.major, entity.pointee.minor) = (81, UInt32(index + (node == state.twin ? 10 : 0)))
            PlayedKernel.copy(state.names[index], &entity.pointee.name)
        case .getLinks:
            let links = argument.assumingMemoryBound(to: cv4l2_links.self)
            let id = links.pointee.entity
            let mine = state.links.filter { $0.source == id }
            links.pointee.count = UInt32(mine.count)
            links.pointee.sources = id == 1 ? 1 : id == 4 ? 0 : 2
            withUnsafeMutableBytes(of: &links.pointee.links) { bytes in
                let places = bytes.bindMemory(to: cv4l2_link.self)
                for (index, link) in mine.enumerated() { places[index] = link }
            }
        case .setLink:
            let link = argument.assumingMemoryBound(to: cv4l2_link.self).pointee
            let place = state.links.firstIndex {
                ($0.source, $0.source_pad, $0.sink, $0.sink_pad) == (
                    link.source, link.source_pad, link.sink, link.sink_pad
                )
            }
            guard let place else { return -Errno.EINVAL }
            state.links[place].flags = link.flags
            state.linked = node
            state.writes.append(
                "link \(link.source):\(link.source_pad) -> \(link.sink):\(link.sink_pad) [\(link.flags)]")
        case .setPadFormat:
            let format = argument.assumingMemoryBound(to: v4l2_subdev_format.self)
            if let width = state.width { format.pointee.format.width = width }
            let set = format.pointee.format
            state.writes.append(
                "\(node) pad \(format.pointee.pad) \(MediaBusFormat.name(set.code))/\(set.width)x\(set.height)")
        case .setPadSelection:
            let selection = argument.assumingMemoryBound(to: v4l2_subdev_selection.self).pointee
            let (what, size) = (selection.target == 0 ? "crop" : "compose", selection.r)
            state.writes.append("\(node) pad \(selection.pad) \(what) \(size.width)x\(size.height)")
        case .setPadInterval:
            let interval = argument.assumingMemoryBound(to: v4l2_subdev_frame_interval.self).pointee
            let (seconds, frames) = (interval.interval.numerator, interval.interval.denominator)
            state.writes.append("\(node) pad \(interval.pad) \(seconds)/\(frames)")
        default: return -Errno.ENOTTY
        }
        return 0
    }
}
