public import OnstageCore
internal import OnstageStore

extension Positions {
    /// What is kept in `directory`, the newest first; nothing where there is no store. Players may use it meanwhile.
    ///
    /// *Runs on:* a thread that may wait for a disk, and up to 5 s for another process.
    /// - Throws: `inUse`, `permission`, `inputOutput`; `configuration` where the store is broken or a later version's. It is
    ///   left as it is.
    public static func kept(in directory: String) throws(DeviceError) -> [KeptPosition] {
        try PositionCatalog(directory: directory).entries().map(KeptPosition.init)
    }

    /// Takes out of `directory` what `isMeant` says, and answers how many. One that plays now is kept anew within its
    /// journal's interval.
    ///
    /// *Runs on:* a thread that may wait for a disk, and up to 5 s for another process.
    /// - Throws: as ``kept(in:)``.
    @discardableResult
    public static func forget(
        in directory: String, where isMeant: (KeptPosition) -> Bool = { _ in true }
    ) throws(DeviceError) -> Int {
        let catalog = PositionCatalog(directory: directory)
        return try catalog.remove(try catalog.entries().filter { isMeant(KeptPosition($0)) })
    }
}

extension KeptPosition {
    init(_ entry: PositionCatalog.Entry) {
        let isKey = entry.media.size < 0
        media = isKey ? .key(entry.media.name) : .file(entry.media.name)
        scene = entry.scene
        position = entry.stored?.position
        rate = Int(entry.stored?.rate ?? 0)
        frames = entry.stored?.frames
        kept = entry.stored?.updated ?? 0
        doubt = entry.doubt
        // A file that cannot be looked at is none of ours any more.
        isCurrent = isKey || (try? MediaIdentity(file: entry.media.name)) == entry.media
    }
}
