internal import Onstage
internal import OnstageCore

/// Makes a report of what a broker tells. *Runs on:* one thread.
struct ReportCollector {
    /// What is known of a resource beside its report.
    fileprivate struct Track {
        var entry: Report.Resource
        var state = ResourceState.closed
        /// An acquisition has been asked for and is neither open nor called off.
        var isWaiting = false
        /// A fault that trying again does not mend, and that nothing has mended.
        var standing: DeviceError?
        var lastError: String?
        var isStuck = false
    }

    /// How many of the newest transitions, acquisitions and receipts it holds at least; nil for all, as a report that is
    /// written needs. The others are summed up: a run that goes on for months does not grow.
    let keeps: Int?
    private(set) var transitions: [Report.Transition] = []
    private(set) var earlierActivations = 0
    private var tracks: [Track] = []
    private var indices: [ResourceName: Int] = [:]
    private(set) var phases: [String: LifecycleState] = [:]
    /// Where the synthetic sound is recorded: a fault of that file ends the recording for good.
    var recording: String?
    private(set) var recordingFault: DeviceError?
    /// Lines of errors that a resource's report holds at most; the first ones and the newest one tell the story.
    static let errorLimit = 200

    init(keeping keeps: Int? = nil) {
        self.keeps = keeps
    }

    /// Enters a resource, so that it is in the report even if nothing ever happens to it.
    mutating func add(_ name: ResourceName, _ kind: ResourceKind, isSynthetic: Bool) {
        guard indices[name] == nil else { return }
        indices[name] = tracks.count
        var entry = Report.Resource(id: name.resource, scene: name.scene, kind: kind)
        entry.isSynthetic = isSynthetic
        tracks.append(Track(entry: entry))
    }

    mutating func take(_ event: BrokerEvent) {
        switch event {
        case .sceneMoved(let scene, let from, let to, let at):
            transitions.append(.init(at: at, scene: scene, from: from, to: to))
            phases[scene] = to
            if let keeps, transitions.count >= 2 * keeps {
                earlierActivations += transitions.prefix(keeps).count { $0.to == .active }
                transitions.removeFirst(keeps)
            }
        case .resourceChanged(let name, let state, let error, let at):
            change(name) { $0.change(state, error, at) }
        case .acquired(let name, let device, let format, let asked, let at):
            change(name) { $0.acquired(device, format, asked: asked, at) }
        case .first(let name, let at):
            change(name) { $0.first(at) }
        case .released(let receipt):
            change(ResourceName(resource: receipt.resource, scene: receipt.scene)) { $0.released(receipt) }
        case .stored(let name, _, let asked, let at):
            change(name) { track in
                let receipts = track.entry.receipts
                guard let index = receipts.lastIndex(where: { $0.receipt.asked == asked }) else { return }
                track.entry.receipts[index].stored = at
            }
        case .recovered(let name, let error, _):
            // One that could not be begun at all (a read-only root) is an error like others; one that breaks off has lost
            // what was heard.
            if let recording, error.device == recording, error.operation != "open" || error.errno == Errno.ENOSPC {
                recordingFault = error
            }
            change(name) { $0.complain("\(error)") }
        case .appMoved, .refused, .interrupted, .interruptionEnded, .bound, .unbound, .note, .ended: break
        }
    }

    private mutating func change(_ name: ResourceName, _ change: (inout Track) -> Void) {
        guard let index = indices[name] else { return }
        change(&tracks[index])
        if let keeps { tracks[index].sumUp(keeping: keeps) }
    }

    /// A fault of a resource that no event tells of.
    mutating func fail(_ name: ResourceName, _ error: DeviceError) {
        change(name) { track in
            track.complain("\(error)")
            track.standing = error
        }
    }

    /// The entries so far; their counts are the caller's to add.
    var resources: [Report.Resource] { tracks.map(\.entry) }

    /// Faults that stand: what makes the run a failure.
    var standing: [(name: ResourceName, error: DeviceError)] {
        tracks.compactMap { track in
            track.standing.map { (ResourceName(resource: track.entry.id, scene: track.entry.scene), $0) }
        }
    }

    /// Resources whose thread the kernel still holds.
    var stuck: [ResourceName] {
        tracks.filter(\.isStuck).map { ResourceName(resource: $0.entry.id, scene: $0.entry.scene) }
    }

    /// Resources that have not been given back yet; nothing more is to be expected of those that are stuck.
    var unreleased: [ResourceName] {
        tracks.filter { $0.state != .closed && !$0.isStuck }.map {
            ResourceName(resource: $0.entry.id, scene: $0.entry.scene)
        }
    }

    /// Whether the position that the newest receipt of each player tells of is on the disk.
    var isStored: Bool {
        tracks.allSatisfy { track in
            guard let last = track.entry.receipts.last, last.receipt.detail.position != nil else { return true }
            return last.stored != nil
        }
    }
}

extension ReportCollector.Track {
    fileprivate mutating func change(_ state: ResourceState, _ error: DeviceError?, _ at: MonotonicTime) {
        self.state = state
        if let error {
            complain("\(error)")
            if !error.isRecoverable, error.kind != .cancelled { standing = error }
        }
        switch state {
        case .opening, .pendingOpen:
            if !isWaiting { entry.acquisitions.append(.init(asked: at)) }
            isWaiting = true
        case .closed, .closing: isWaiting = false
        case .open: break
        }
    }

    fileprivate mutating func acquired(
        _ device: ResolvedDevice, _ format: ReportedFormat, asked: MonotonicTime, _ at: MonotonicTime
    ) {
        if !isWaiting || entry.acquisitions.isEmpty { entry.acquisitions.append(.init(asked: asked)) }
        isWaiting = false
        let last = entry.acquisitions.count - 1
        entry.acquisitions[last].open = at
        if let first = entry.acquisitions[last].first { entry.acquisitions[last].first = max(first, at) }
        entry.device = device.identity
        entry.isSynthetic = device.isSynthetic
        entry.format = format.entries
        standing = nil
        lastError = nil
        isStuck = false
    }

    /// A sample may have been taken before the device was told to be open; it came to nobody before.
    fileprivate mutating func first(_ at: MonotonicTime) {
        guard let last = entry.acquisitions.indices.last, entry.acquisitions[last].first == nil else { return }
        entry.acquisitions[last].first = entry.acquisitions[last].open.map { max($0, at) } ?? at
    }

    fileprivate mutating func released(_ receipt: ReleaseReceipt) {
        entry.receipts.append(.init(receipt: receipt))
        if let device = receipt.device { entry.device = device }
        if receipt.stuck {
            isStuck = true
            complain("\(receipt.device ?? entry.id) is not released: its thread is stuck in the kernel")
        }
    }

    /// Leaves the oldest acquisitions and receipts out where there are twice as many as are to be kept.
    fileprivate mutating func sumUp(keeping keeps: Int) {
        if entry.acquisitions.count >= 2 * keeps {
            for old in entry.acquisitions.prefix(keeps) { entry.earlier.add(old) }
            entry.acquisitions.removeFirst(keeps)
        }
        if entry.receipts.count >= 2 * keeps {
            for old in entry.receipts.prefix(keeps) { entry.earlier.add(old.receipt) }
            entry.receipts.removeFirst(keeps)
        }
    }

    /// Each fault once for as long as it lasts, however often it is tried again.
    fileprivate mutating func complain(_ text: String) {
        guard text != lastError else { return }
        lastError = text
        if entry.errors.count >= ReportCollector.errorLimit { entry.errors.removeLast() }
        entry.errors.append(text)
    }
}
