internal import Onstage

/// What a command line of `onstage camera` says.
struct CameraOptions: CommandOptions, Sendable {
    /// Nil: all of them.
    var name: String?
    var wantsFormats = false
    var wantsControls = false
    var settings: [ControlSetting] = []
    var includesOther = false
    var isJSON = false
    var wantsHelp = false

    static let table = OptionTable(
        program: "onstage camera", forms: ["[OPTION]…", "[OPTION]… NAME"],
        summary:
            "Lists cameras, or says what one has and sets its controls. NAME: any form that onstage devices shows, or any.",
        options: [
            .init("formats", short: "f", "pixel formats, sizes and rates"),
            .init("controls", short: "c", "controls with their ranges, and what they are set to"),
            .init(
                "set", short: "s", value: "CONTROL=VALUE",
                "set a control: a number, on or off, or an item of its menu; may be\nrepeated, automatics are set first"
            ),
            .init("all", short: "a", "nodes that are no cameras, too"),
            .init("json", short: "j", "for programs"),
        ],
        notes: """
            A control keeps its value until somebody sets it or the camera is pulled; a profile's "controls" are put back at
            each acquire.

            Exit status: 0 done, 1 not (no such camera, a control that cannot be set so), 2 wrong usage.
            """)

    /// - Throws: `UsageError`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let parsed = try ParsedOptions(arguments, Self.table)
        wantsHelp = parsed.has("help")
        if wantsHelp { return }
        if parsed.operands.count > 1 { throw UsageError("one camera at a time: what is \"\(parsed.operands[1])\"?") }
        if parsed.operands.first == "" { throw UsageError("a camera has no name") }
        wantsFormats = parsed.has("formats")
        wantsControls = parsed.has("controls")
        settings = try CameraWords.settings(parsed, "set")
        includesOther = parsed.has("all")
        isJSON = parsed.has("json")
        name = parsed.operands.first
        if name == nil, wantsFormats || wantsControls || !settings.isEmpty { name = "any" }
        if name != nil, includesOther { throw UsageError("--all goes with the list: leave \"\(name ?? "")\" out") }
    }
}
