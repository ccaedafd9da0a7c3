internal import OnstageCore
internal import Synchronization

/// Hands frames to the sinks, on the device's thread.
///
/// Its loops count by hand: without optimization `for … in` makes an object at each turn, and nothing may be made for a
/// frame in any build.
struct FrameDispatch {
    let sinks: FrameSinks
    let counters: FrameCounters
    private var version: UInt64 = .max
    private var inline: [FrameSink] = []
    private var queued: [FrameSink] = []
    /// Whether a sink asks for dma-bufs.
    private(set) var wantsExport = false

    init(sinks: FrameSinks, counters: FrameCounters) {
        self.sinks = sinks
        self.counters = counters
    }

    /// Looks whether the list has changed.
    mutating func refresh() {
        let now = sinks.version.load(ordering: .acquiring)
        guard now != version else { return }
        version = now
        let all = sinks.all
        inline = all.filter { $0.queue == nil }
        queued = all.filter { $0.queue != nil }
        wantsExport = all.contains { $0.pixels.isExported }
    }

    /// Whether a sink lets the camera wait: no frame is taken until it has done with one.
    mutating func isBlocked() -> Bool {
        refresh()
        var index = 0
        while index < queued.count {
            if queued[index].queue?.isFull == true { return true }
            index += 1
        }
        return false
    }

    /// Takes back what waits in slots: a newer frame is here. Buffers without a hold left go home.
    mutating func displace() {
        refresh()
        var index = 0
        while index < queued.count {
            let sink = queued[index]
            index += 1
            guard sink.queue?.depth == nil, let old = sink.queue?.displace() else { continue }
            counters.dropped.wrappingAdd(1, ordering: .relaxed)
            sink.dropped.wrappingAdd(1, ordering: .relaxed)
            old.giveBack()
        }
    }

    /// Hands one frame to all sinks. The caller has a hold of its own for the time of the call.
    ///
    /// - Parameter mayLend: Whether the device has another buffer to fill; else queued sinks are passed by.
    mutating func deliver(_ buffer: FrameBuffer, mayLend: Bool) {
        counters.delivered.wrappingAdd(1, ordering: .relaxed)
        var index = 0
        while index < queued.count {
            let sink = queued[index]
            index += 1
            guard let queue = sink.queue, mayLend || queue.depth != nil else {
                sink.queue?.skip()
                sink.dropped.wrappingAdd(1, ordering: .relaxed)
                counters.dropped.wrappingAdd(1, ordering: .relaxed)
                continue
            }
            buffer.hold()
            queue.put(buffer)?.giveBack()
        }
        index = 0
        while index < inline.count {
            inline[index].call(buffer, missed: 0)
            index += 1
        }
    }

    /// After this no call begins for any frame so far.
    mutating func withdraw() {
        refresh()
        for sink in queued { sink.queue?.withdraw() }
        sinks.withdrawWaiting()
    }
}

/// What is counted for ``DriverCounts``; read from any thread.
final class FrameCounters: Sendable {
    let delivered = Atomic<UInt64>(0)
    let dropped = Atomic<UInt64>(0)
    let bad = Atomic<UInt64>(0)
    /// Frames that readers still had at a release.
    let kept = Atomic<UInt64>(0)

    var counts: DriverCounts {
        var counts = DriverCounts()
        counts.delivered = delivered.load(ordering: .relaxed)
        counts.dropped = dropped.load(ordering: .relaxed)
        counts.bad = bad.load(ordering: .relaxed)
        return counts
    }
}
