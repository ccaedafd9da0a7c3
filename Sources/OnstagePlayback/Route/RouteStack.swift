internal import OnstageCore

/// The routes on one card, by age: those of this process, and by their files those of others.
///
/// What is on top and has ended is put back, down to the first one that stands. So whoever is heard is heard by what it has set,
/// whoever ends first; and what a killed process has left is put back when nobody stands above it. Two that have ended one after
/// the other, below one that stands, are made one: there are never many.
///
/// A use case can be left by the very opening of the card alone that has set it. That is kept open while a player of this
/// process stands above; below another process's route a use case is not left, and that is noted. Used with the card's locks.
struct RouteStack {
    let card: String
    let folder: String?
    /// Those of this process that stand; of those that have ended only what has no file.
    private var own: [Entry] = []
    /// Use cases of this process's that have ended and are not left yet.
    private var owed: [Owed] = []

    init(card: String, folder: String?) {
        self.card = card
        self.folder = folder
    }

    private struct Entry {
        var name: String
        var record: RouteRecord
        var file: RouteFile?
    }

    private struct Owed {
        /// The level that it is left with.
        var name: String
        let age: String
        let useCase: MixerRoute.UseCase
        let card: OpenCard
    }

    /// One level of all that are there.
    private struct Level {
        var name: String
        var record: RouteRecord
        var isLiving: Bool
    }

    /// A card that is handed from thread to thread, with what is done to it.
    private struct OpenCard: @unchecked Sendable {  // used with the card's lock alone
        let card: any MixerCard
    }

    /// All of them, the oldest first.
    private func levels() -> [Level] {
        var all = own.map { Level(name: $0.name, record: $0.record, isLiving: !$0.record.isEnded) }
        if let folder {
            all += RouteFile.others(card: card, folder: folder, own: Set(own.map(\.name))).map {
                Level(name: $0.name, record: $0.record, isLiving: $0.isLiving)
            }
        }
        return all.sorted { $0.name < $1.name }
    }

    // MARK: Setting

    /// - Parameter isLocked: whether no other process does the same now; else what they have left is left alone.
    /// - Returns: how it is called, and what there is to note.
    mutating func set(
        _ route: MixerRoute, _ card: any MixerCard, isLocked: Bool
    ) throws(DeviceError) -> (name: String, notes: [String]) {
        let desk = RouteDesk(card: card)
        var notes = isLocked ? putBackTop(desk) : [hung]
        let plan = try desk.plan(route)
        let name = RouteFile.newName(card: self.card)
        var entry = Entry(name: name, record: RouteRecord(useCase: route.useCase, changes: plan.changes))
        let leaves = !(route.useCase.map(isShared) ?? false)
        // Before anything is set: a process may be killed in the middle of it.
        notes += keep(&entry)
        do throws(DeviceError) {
            let (changes, more) = try desk.set(plan, leaves: leaves)
            entry.record.changes = changes
            notes += more
        } catch {
            entry.file?.remove()
            throw error
        }
        notes += keep(&entry)
        own.append(entry)
        return (name, notes)
    }

    private var hung: String {
        "another process does not come to an end of setting the card \(card): what it leaves is put back later"
    }

    private func keep(_ entry: inout Entry) -> [String] {
        guard let folder else { return [] }
        do throws(PCMFault) {
            if entry.file == nil { entry.file = try RouteFile(entry.name, folder: folder) }
            try entry.file?.write(entry.record)
            return []
        } catch {
            return ["what the card \(card) is set to cannot be kept in \(folder) (\(Errno.name(error.errno)))"]
        }
    }

    // MARK: Putting back

    /// - Returns: what there is to note.
    mutating func end(_ name: String, _ card: any MixerCard, isLocked: Bool) -> [String] {
        guard let index = own.firstIndex(where: { $0.name == name }) else {
            card.close()
            return []
        }
        let desk = RouteDesk(card: card)
        // A card that is gone has nothing to be put back; what comes in its place is set by its driver.
        guard desk.isThere else {
            own[index].file?.remove()
            own.remove(at: index)
            own.removeAll { $0.record.isEnded }
            forget { _ in true }
            card.close()
            return []
        }
        own[index].record.isEnded = true
        let useCase = own[index].record.useCase
        if let useCase { owed.append(Owed(name: name, age: name, useCase: useCase, card: OpenCard(card: card))) }
        var notes = isLocked ? putBackTop(desk) : [hung]
        notes += leaveBehind()
        if isLocked { unite() }
        if own.allSatisfy(\.record.isEnded) {
            // Nothing of a card is held by a process that has no player on it.
            for one in owed where !isShared(one.useCase) {
                notes.append(
                    "the use case \(one.useCase) of the card \(self.card) is not left: another route stands on it")
            }
            forget { _ in true }
        }
        if useCase == nil { card.close() }
        return notes
    }

    /// Whether somebody else stands on the same verb: with whatever device, it is the verb that is left.
    private func isShared(_ useCase: MixerRoute.UseCase) -> Bool {
        levels().contains { $0.isLiving && $0.record.useCase?.verb == useCase.verb }
    }

    /// Puts back all that has ended and has nothing above it that stands.
    private mutating func putBackTop(_ desk: RouteDesk) -> [String] {
        var rest = levels()
        var top: [Level] = []
        while let last = rest.last, !last.isLiving { top.append(rest.removeLast()) }
        guard !top.isEmpty else { return [] }
        var known = Set(rest.lazy.filter(\.isLiving).compactMap(\.record.useCase?.verb))
        let names = Set(top.map(\.name))
        // Another process may have made one of two, below its own.
        let due = owed.filter { names.contains($0.name) || rest.isEmpty }.sorted { $0.age > $1.age }
        let leaving = due.filter { known.insert($0.useCase.verb).inserted }.map(\.card.card)
        let notes = desk.undo(top.map(\.record), leaving: leaving)
        for level in top { remove(level) }
        forget { names.contains($0.name) || rest.isEmpty }
        return notes
    }

    private mutating func remove(_ level: Level) {
        if let index = own.firstIndex(where: { $0.name == level.name }) {
            own[index].file?.remove()
            own.remove(at: index)
        } else if let folder {
            RouteFile.remove(level.name, folder: folder)
        }
    }

    private mutating func forget(_ isMeant: (Owed) -> Bool) {
        for one in owed where isMeant(one) { one.card.card.close() }
        owed.removeAll(where: isMeant)
    }

    /// What has ended is anybody's to put back.
    private mutating func leaveBehind() -> [String] {
        var notes: [String] = []
        for index in own.indices where own[index].record.isEnded && own[index].file != nil {
            notes += keep(&own[index])
        }
        own.removeAll { $0.record.isEnded && $0.file != nil }
        return notes
    }

    /// Makes one of two that have ended one after the other.
    private mutating func unite() {
        var older: Level?
        for level in levels() {
            guard !level.isLiving else {
                older = nil
                continue
            }
            var level = level
            if let before = older {
                level.record = level.record.on(before.record)
                guard replace(level) else {
                    older = nil
                    continue
                }
                remove(before)
                for index in owed.indices where owed[index].name == before.name { owed[index].name = level.name }
            }
            older = level
        }
    }

    /// - Returns: false where it stays as it was, or is lost.
    private mutating func replace(_ level: Level) -> Bool {
        if let index = own.firstIndex(where: { $0.name == level.name }) {
            own[index].record = level.record
            return true
        }
        guard let folder else { return false }
        do throws(PCMFault) {
            try RouteFile.rewrite(level.name, folder: folder, level.record)
            return true
        } catch {
            return false  // the two stay; of a full disk what fits
        }
    }
}
