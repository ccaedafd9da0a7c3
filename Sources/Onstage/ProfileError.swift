/// Everything that is wrong with a profile.
public struct ProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    public struct Problem: Hashable, Sendable {
        /// Where, as a JSON pointer (RFC 6901); empty for the whole file.
        public var pointer: String
        public var message: String

        public init(_ pointer: String, _ message: String) {
            self.pointer = pointer
            self.message = message
        }
    }

    /// The file, or the name that was asked for.
    public var path: String
    public var problems: [Problem]

    public init(path: String, problems: [Problem]) {
        self.path = path
        self.problems = problems
    }

    /// A line for each problem.
    public var description: String {
        problems.map { $0.pointer.isEmpty ? "\(path): \($0.message)" : "\(path): \($0.pointer): \($0.message)" }
            .joined(separator: "\n")
    }
}
