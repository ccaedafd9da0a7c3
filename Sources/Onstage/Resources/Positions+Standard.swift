internal import Glibc
internal import OnstageStore

extension Positions {
    /// Where positions are kept if the app says nothing else: `$STATE_DIRECTORY`, else `$XDG_STATE_HOME/onstage`, else
    /// `$HOME/.local/state/onstage`; nil where none of them is an absolute path.
    public static var standardDirectory: String? {
        var environment: [String: String] = [:]
        for name in ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return StateDirectory.standard(environment: environment)
    }
}
