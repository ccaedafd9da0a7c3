extension OutputFacts {
    /// Takes what has been learned of its card, unless a profile says otherwise.
    mutating func takeLearned(_ table: GuardTable = .shared) {
        guard guardOrigin != .profile, let guardKey, let lead = table.lead(guardKey), lead > 0 else { return }
        let learned = GuardTable.guardFrames(lead: lead, rate: guardKey.rate)
        guard learned > guardFrames else { return }
        (guardFrames, guardOrigin) = (learned, .learned)
    }
}
