internal import OnstageCore
internal import OnstageLinux

/// Tells when something that a resource waits for may have come: its node appeared, changed its rights, or was let go.
///
/// The timer of the retry policy stands behind it: what cannot be watched is found a little later.
struct DeviceWatch {
    private struct Expectation {
        var kind: ResourceKind
        var nodes: [String]
    }

    private var expectations: [ResourceID: Expectation] = [:]
    private let nodes: NodeWatch?
    private let hotPlug: HotPlug?
    private var nodesIndex: Int?
    private var hotPlugIndex: Int?

    init(log: @Sendable (LogLevel, String) -> Void) {
        var nodes: NodeWatch?
        var hotPlug: HotPlug?
        do throws(DeviceError) { nodes = try NodeWatch() } catch {
            log(.notice, "\(error); devices are tried by the timer")
        }
        do throws(DeviceError) { hotPlug = try HotPlug() } catch {
            log(.notice, "\(error); devices are tried by the timer")
        }
        self.nodes = nodes
        self.hotPlug = hotPlug
    }

    /// `resource` waits: for one of `watched` to be let go or to change, or for a device of its kind to come.
    mutating func expect(_ resource: ResourceID, kind: ResourceKind, nodes watched: [String]) {
        forget(resource)
        // What came before this moment is our own try's open and close.
        _ = nodes?.drain()
        expectations[resource] = Expectation(kind: kind, nodes: watched)
        for node in watched { try? nodes?.add(node) }  // what cannot be watched is found by the timer
    }

    /// `resource` waits no longer.
    mutating func forget(_ resource: ResourceID) {
        guard let old = expectations.removeValue(forKey: resource) else { return }
        for node in old.nodes where !expectations.values.contains(where: { $0.nodes.contains(node) }) {
            nodes?.remove(node)
        }
    }

    mutating func prepare(_ wait: inout WaitSet) {
        nodesIndex = expectations.isEmpty ? nil : nodes.map { wait.add($0.descriptor) }
        hotPlugIndex = hotPlug.map { wait.add($0.descriptor) }
    }

    /// Which resources are worth another try, after a wait.
    mutating func changes(_ wait: borrowing WaitSet) -> [ResourceID] {
        var changed: Set<ResourceID> = []
        if let nodesIndex, wait.answers(nodesIndex) != 0, let events = nodes?.drain() {
            for (resource, expectation) in expectations {
                let concerns = expectation.nodes.contains { node in events.contains { $0.concerns(node) } }
                if concerns { changed.insert(resource) }
            }
        }
        if let hotPlugIndex, wait.answers(hotPlugIndex) != 0, let events = hotPlug?.drain() {
            let isOverflow = events.contains(.overflow)
            let kinds = Set(events.compactMap(\.resourceKind))
            for (resource, expectation) in expectations where isOverflow || kinds.contains(expectation.kind) {
                changed.insert(resource)
            }
        }
        return changed.sorted()
    }
}

extension NodeEvent {
    fileprivate func concerns(_ node: String) -> Bool {
        switch self {
        case .closed(let name), .appeared(let name), .changed(let name): name == node
        case .removed: false
        case .overflow: true
        }
    }
}

extension HotPlugEvent {
    /// The family that may find its device now; nil for one that went away or that none of ours drives.
    fileprivate var resourceKind: ResourceKind? {
        guard case .device(let device) = self, device.action != .remove else { return nil }
        return switch device.subsystem {
        case "video4linux": .camera
        case "iio": .motion
        case "sound": .audio
        default: nil
        }
    }
}
