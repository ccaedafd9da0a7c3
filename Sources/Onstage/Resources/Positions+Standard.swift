internal import OnstageLinux
internal import OnstageStore

extension Positions {
    /// Where positions are kept if the app says nothing else: `$STATE_DIRECTORY`, else `$XDG_STATE_HOME/onstage`, else
    /// `$HOME/.local/state/onstage`; nil where none of them is an absolute path.
    public static var standardDirectory: String? {
        StateDirectory.standard(environment: Environment.values(["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"]))
    }
}
