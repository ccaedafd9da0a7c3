/// A command line that cannot be followed; the text is for the person who wrote it.
struct UsageError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
