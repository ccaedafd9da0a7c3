extension String {
    /// With blanks behind it up to `width` characters: a cell of a table.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
