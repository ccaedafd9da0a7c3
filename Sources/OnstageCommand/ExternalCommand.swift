internal import Glibc
internal import OnstageLinux

/// Subcommands that are programs of their own: `onstage-NAME`, beside this one or on the path.
enum ExternalCommand {
    /// Becomes that program; returns only when there is none. *C: `execv`.*
    static func replaceProcess(_ name: String, _ arguments: [String]) {
        guard !name.isEmpty, !name.contains("/") else { return }
        for folder in folders {
            let path = "\(folder)/onstage-\(name)"
            guard access(path, X_OK) == 0 else { continue }
            var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
            words.append(nil)
            execv(path, words)
            for word in words { free(word) }
        }
    }

    private static var folders: [String] {
        var folders: [String] = []
        if let own = Path.canonical("/proc/self/exe"), let slash = own.lastIndex(of: "/") {
            folders.append(String(own[..<slash]))
        }
        guard let path = Environment.value("PATH") else { return folders }
        // An empty part means the current directory, where a stranger's program may lie.
        return folders + path.split(separator: ":").map(String.init)
    }
}
