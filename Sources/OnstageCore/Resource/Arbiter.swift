/// Who has a device when several resources want it.
///
/// CameraX's rule: whose scene became active last has it; the one before is evicted, keeps its claim, and has the device
/// back by itself when the winner no longer wants it. The old one has let go before the new one opens.
package struct Arbiter: Hashable, Sendable {
    /// What a claim is worth: the activation of its scene, then the order of binding. Higher wins.
    package struct Rank: Hashable, Sendable, Comparable {
        package var activation: UInt64
        package var binding: UInt64
        package init(activation: UInt64, binding: UInt64) {
            self.activation = activation
            self.binding = binding
        }
        package static func < (a: Rank, b: Rank) -> Bool {
            (a.activation, a.binding) < (b.activation, b.binding)
        }
    }

    package enum Decision: Hashable, Sendable {
        /// It may open the device now.
        case grant(ResourceID)
        /// It has to let go, or must not open it: `by` is worth more. It keeps its claim.
        case evict(ResourceID, by: ResourceID)
        /// It was evicted, and nobody worth more wants the device any more.
        case restore(ResourceID)
    }

    private struct Claim: Hashable, Sendable {
        var rank: Rank
        /// Waits for a grant.
        var isAsking: Bool
        var isEvicted: Bool
    }

    private struct Device: Hashable, Sendable {
        var claims: [ResourceID: Claim] = [:]
        /// Who has it open, or is opening it.
        var holder: ResourceID?
    }

    private var devices: [String: Device] = [:]
    private var keys: [ResourceID: String] = [:]

    package init() {}

    /// `resource` has found that it wants the device `key`. Answers what is to be done about it.
    package mutating func claim(_ resource: ResourceID, key: String, rank: Rank) -> [Decision] {
        var decisions: [Decision] = []
        if let old = keys[resource], old != key { decisions += drop(resource, from: old) }
        keys[resource] = key
        devices[key, default: Device()].claims[resource] = Claim(rank: rank, isAsking: true, isEvicted: false)
        return decisions + settle(key)
    }

    /// The scene of `resource` has become active once more: what it claims already is worth more from now on.
    package mutating func rerank(_ resource: ResourceID, _ rank: Rank) -> [Decision] {
        guard let key = keys[resource], devices[key]?.claims[resource] != nil else { return [] }
        devices[key]?.claims[resource]?.rank = rank
        return settle(key)
    }

    /// `resource` no longer wants its device. If it has it, it is its holder until ``givenBack(_:)``.
    package mutating func withdraw(_ resource: ResourceID) -> [Decision] {
        guard let key = keys[resource] else { return [] }
        devices[key]?.claims[resource] = nil
        if devices[key]?.holder != resource { keys[resource] = nil }
        return settle(key)
    }

    /// `resource` holds nothing any more (released, failed, lost). It keeps its claim if it still has one.
    package mutating func givenBack(_ resource: ResourceID) -> [Decision] {
        guard let key = keys[resource] else { return [] }
        if devices[key]?.holder == resource { devices[key]?.holder = nil }
        if devices[key]?.claims[resource] == nil {
            keys[resource] = nil
        } else {
            devices[key]?.claims[resource]?.isAsking = false
        }
        return settle(key)
    }

    /// Who has the device `key` open.
    package func holder(of key: String) -> ResourceID? {
        devices[key]?.holder
    }

    /// Who is worth most of those that claim the device `key`.
    package func first(of key: String) -> ResourceID? {
        devices[key].flatMap { first($0) }
    }

    private func first(_ device: Device) -> ResourceID? {
        device.claims.max { a, b in (a.value.rank, a.key) < (b.value.rank, b.key) }?.key
    }

    private mutating func drop(_ resource: ResourceID, from key: String) -> [Decision] {
        devices[key]?.claims[resource] = nil
        if devices[key]?.holder == resource { devices[key]?.holder = nil }
        return settle(key)
    }

    private mutating func settle(_ key: String) -> [Decision] {
        guard var device = devices[key] else { return [] }
        defer { devices[key] = device.claims.isEmpty && device.holder == nil ? nil : device }
        guard let winner = first(device) else { return [] }
        var decisions: [Decision] = []
        // Everybody else that has it or asks for it is told to wait, in a fixed order.
        for id in device.claims.keys.sorted() where id != winner {
            guard let claim = device.claims[id], !claim.isEvicted, claim.isAsking || device.holder == id else {
                continue
            }
            device.claims[id]?.isEvicted = true
            device.claims[id]?.isAsking = false
            decisions.append(.evict(id, by: winner))
        }
        guard device.holder == nil else { return decisions }
        if device.claims[winner]?.isAsking == true {
            device.claims[winner]?.isAsking = false
            device.claims[winner]?.isEvicted = false
            device.holder = winner
            decisions.append(.grant(winner))
        } else if device.claims[winner]?.isEvicted == true {
            device.claims[winner]?.isEvicted = false
            decisions.append(.restore(winner))
        }
        return decisions
    }
}
