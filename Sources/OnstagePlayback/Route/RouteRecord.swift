/// What is kept of a route: who it is, and what it has changed.
struct RouteRecord: Hashable, Sendable {
    var useCase: MixerRoute.UseCase?
    var changes: [RouteChange]
    /// It has been given back, and is to be put back when nothing stands above it; else its process was killed.
    var isEnded = false
}

extension RouteRecord {
    /// As it stands in a file: which start of the machine it is of, the route, and a line for each change.
    func text(boot: String) -> String {
        let words = [isEnded ? "ended" : "stands"] + (useCase.map { [$0.verb, $0.device ?? ""] } ?? [])
        let head = words.map(RouteChange.written).joined(separator: " ") + " ."
        return ([boot, head] + changes.map(\.line)).joined(separator: "\n") + "\n"
    }

    /// Nil for what is of another start of the machine; a line that is not whole is left out.
    init?(text: String, boot: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, first == boot else { return nil }
        lines.removeFirst()
        if let head = Self.head(lines.first ?? "") {
            lines.removeFirst()
            (isEnded, useCase) = head
        }
        changes = lines.compactMap(RouteChange.init(line:))
    }

    private static func head(_ line: Substring) -> (isEnded: Bool, useCase: MixerRoute.UseCase?)? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.last == ".", words.count == 2 || words.count == 4, ["ended", "stands"].contains(words[0]) else {
            return nil
        }
        let names = words[1..<(words.count - 1)].compactMap(RouteChange.read)
        guard names.count == words.count - 2 else { return nil }
        let useCase = names.first.map { MixerRoute.UseCase(verb: $0, device: names[1].isEmpty ? nil : names[1]) }
        return (words[0] == "ended", useCase)
    }

    /// What one of them leaves, after the one before it, as a change of both: only what still follows upon another.
    func on(_ older: RouteRecord) -> RouteRecord {
        var both = self
        for change in older.changes {
            let address = change.element.address
            if let index = both.changes.firstIndex(where: { $0.element.address == address }) {
                let isNext = change.ours == nil || change.ours == both.changes[index].before
                if isNext { both.changes[index].before = change.before }
            } else {
                both.changes.append(change)
            }
        }
        both.isEnded = isEnded && older.isEnded
        return both
    }
}
