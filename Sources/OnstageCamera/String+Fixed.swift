extension String {
    /// The text in an array of a C struct: up to its zero, or all of it.
    init<T>(fixed bytes: T) {
        self = withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
