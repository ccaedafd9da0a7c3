extension ReleaseReceipt: CustomStringConvertible {
    /// One line for a person: "playback released after 11.2 ms, goes on at frame 96410".
    public var description: String {
        guard let released, !stuck else { return "\(resource) is stuck: not released" }
        let (seconds, attoseconds) = (released - asked).components
        let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
        var text = "\(resource) released after \(tenths / 10).\(tenths % 10) ms"
        if forced { text += ", forced" }
        if let sequence = detail.lastSequence { text += ", last sequence number \(sequence)" }
        if let position = detail.position { text += ", goes on at frame \(position)" }
        if let off = detail.off, off != 0 { text += ", off by \(off) frames" }
        return text
    }
}
