internal import OnstageCore

/// Another program's claim to a card that we had reserved.
struct ReservationClaim: Hashable, Sendable {
    /// The card's name among reservations ("Audio0").
    var card: String
    var holder: DeviceHolder
    /// What it asked with; nil where it took the name without asking.
    var priority: Int32?
    /// What we had it with.
    var ours: Int32

    /// The error that stands while the claim does.
    func error(_ device: String) -> DeviceError {
        let reason =
            priority.map { "it asked for \(card) with priority \($0), and ours is \(ours)" }
            ?? "it took \(card) without asking"
        return DeviceError(
            .inUse, operation: "RequestRelease", device: device, holders: [holder], reason: reason,
            advice: "it is played on when it gives the card back")
    }
}
