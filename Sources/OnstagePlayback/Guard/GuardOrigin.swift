/// Where a guard comes from.
package enum GuardOrigin: String, Hashable, Sendable {
    /// The profile says it: it stands, whatever the card shows.
    case profile
    /// What is known of drivers of its kind.
    case usual = "default"
    /// The card has shown that more lies behind its pointer than that.
    case learned
}
