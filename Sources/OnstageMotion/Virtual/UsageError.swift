/// A command line that cannot be followed; the text is for the person who wrote it.
package struct UsageError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
