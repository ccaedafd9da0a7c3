internal import Glibc
internal import OnstageLinux

/// Files that could not be read, kept beside the one that took their place for whoever wants to know why.
enum BrokenFile {
    /// How many are kept.
    static let kept = 3

    /// Moves `name` in `directory` to `name.broken-N` with what belongs to it, and forgets the oldest beyond ``kept``.
    /// Answers the new name, or nil if it could not be moved.
    static func moveAside(_ name: String, in directory: String) -> String? {
        let numbers = numbers(of: name, in: directory)
        let number = (numbers.last ?? 0) + 1
        let aside = "\(name).broken-\(number)"
        // The journal first: a process that opens in between still finds the broken file and waits for our lock.
        _ = rename("\(directory)/\(name)-wal", "\(directory)/\(aside)-wal")
        _ = unlink("\(directory)/\(name)-shm")
        _ = rename("\(directory)/\(name)-journal", "\(directory)/\(aside)-journal")
        guard rename("\(directory)/\(name)", "\(directory)/\(aside)") == 0 else { return nil }
        for old in (numbers + [number]).dropLast(kept) {
            for end in ["", "-wal", "-journal"] { _ = remove("\(directory)/\(name).broken-\(old)\(end)") }
        }
        StateDirectory.sync(directory)
        return aside
    }

    /// The numbers of those that are there, ascending.
    static func numbers(of name: String, in directory: String) -> [Int] {
        let prefix = "\(name).broken-"
        return Folder.names(in: directory).compactMap { file in
            guard file.hasPrefix(prefix), let number = Int(file.dropFirst(prefix.count)) else { return nil }
            return number > 0 && number < Int.max ? number : nil
        }.sorted()
    }
}
