internal import Glibc
internal import Onstage
internal import OnstageCore

/// What is kept, for programs and for people.
enum PositionsText {
    static func json(_ all: [KeptPosition], _ directory: String) -> String {
        let list = all.map { kept -> JSONValue in
            let (kind, media) =
                switch kept.media {
                case .file(let path): ("file", path)
                case .key(let key): ("key", key)
                }
            return [
                "media": .text(media), "kind": .text(kind), "scene": .text(kept.scene),
                "position": .integer(or: kept.position),
                "rate": .integer(Int64(kept.rate)), "frames": .integer(or: kept.frames),
                "kept": .text(time(kept.kept, "%Y-%m-%dT%H:%M:%S%z")), "current": .flag(kept.isCurrent),
                "doubt": .text(or: kept.doubt),
            ]
        }
        let document: JSONValue = ["version": 1, "directory": .text(directory), "positions": .list(list)]
        return document.text + "\n"
    }

    /// A line for each: how far, of how much, when, by which scene, of what.
    static func table(_ all: [KeptPosition]) -> String {
        let rows = all.map { kept -> [String] in
            let place = kept.position.map { MediaTime.text($0, rate: kept.rate) } ?? "?"
            let length = kept.frames.flatMap { $0 > 0 ? MediaTime.text($0, rate: kept.rate) : nil } ?? "?"
            return [place, length, time(kept.kept, "%Y-%m-%d %H:%M"), PlayItem.shown(kept.scene), media(kept)]
        }
        let titles = ["AT", "OF", "KEPT", "SCENE", "MEDIA"]
        let widths = titles.indices.map { column in ([titles] + rows).map { $0[column].count }.max() ?? 0 }
        return ([titles] + rows).map { row in
            row.enumerated().map { column, text in
                let blanks = String(repeating: " ", count: widths[column] - text.count)
                return column == row.count - 1 ? text : column < 2 ? blanks + text : text + blanks
            }.joined(separator: "  ") + "\n"
        }.joined()
    }

    private static func media(_ kept: KeptPosition) -> String {
        var text: String
        switch kept.media {
        case .file(let path): text = PlayItem.shown(path)
        case .key(let key): text = "key \(PlayItem.shown(key))"
        }
        if !kept.isCurrent { text += " (gone, or another file now)" }
        if let doubt = kept.doubt { text += " (not believed: its position \(doubt))" }
        return text
    }

    /// Nanoseconds since 1970 in the user's time. *C: `strftime`.*
    private static func time(_ nanoseconds: Int64, _ format: String) -> String {
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        guard nanoseconds > 0, localtime_r(&seconds, &parts) != nil else { return "?" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { space in
            guard let start = space.baseAddress, strftime(start, space.count, format, &parts) > 0 else { return "?" }
            return String(cString: start)
        }
    }
}
