/// What a command line of a subcommand says.
protocol CommandOptions {
    static var table: OptionTable { get }
    /// `--help` was given: nothing else counts.
    var wantsHelp: Bool { get }
    /// - Throws: `UsageError`.
    init(_ arguments: some Sequence<String>) throws(UsageError)
}
