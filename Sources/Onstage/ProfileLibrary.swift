internal import OnstageCore
internal import OnstageLinux

/// Where profiles are found, in this order: a path that was given, `$XDG_CONFIG_HOME/onstage/profiles` (else `~/.config`),
/// `/etc/onstage/profiles`, `share/onstage/profiles` beside the executable's `bin`, the checkout that the executable was
/// built in, the checkout that is the current directory, and at last what is built in.
public struct ProfileLibrary: Sendable {
    /// In the order searched.
    public var directories: [String]

    /// A profile's text and where it came from.
    public struct Entry: Hashable, Sendable {
        public var name: String
        /// Nil for one that is built in.
        public var path: String?
        public var text: String

        /// The path, or "built in".
        public var place: String { path ?? "built in" }

        /// What the text says.
        /// - Throws: everything that is wrong with it.
        public func profile() throws(ProfileError) -> Profile {
            try ProfileDecoder.profile(Array(text.utf8), path: path ?? name)
        }
    }

    public init(directories: [String]) {
        self.directories = directories
    }

    /// The places that follow from a process's surroundings; paths that are not absolute are left out.
    public init(environment: [String: String], executable: String?, currentDirectory: String?) {
        directories = []
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            directories.append(base + "/onstage/profiles")
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            directories.append(home + "/.config/onstage/profiles")
        }
        directories.append("/etc/onstage/profiles")
        if let executable, executable.hasPrefix("/") {
            let parts = executable.split(separator: "/").dropLast()
            if !parts.isEmpty {
                directories.append("/" + (parts.dropLast() + ["share", "onstage", "profiles"]).joined(separator: "/"))
            }
            if let build = parts.lastIndex(of: ".build") {
                directories.append("/" + (parts[..<build] + ["hw-profiles"]).joined(separator: "/"))
            }
        }
        // Only a checkout: a stranger's files in /tmp are not to be taken for ours by whoever happens to stand there.
        if let currentDirectory, Path.isReadable(currentDirectory + "/Package.swift") {
            let checkout = currentDirectory + "/hw-profiles"
            if !directories.contains(checkout) { directories.append(checkout) }
        }
    }

    /// The places of this process.
    public static var standard: ProfileLibrary {
        ProfileLibrary(
            environment: Environment.values(["XDG_CONFIG_HOME", "HOME"]),
            executable: Path.target(ofLink: "/proc/self/exe"), currentDirectory: Path.current)
    }

    /// The profile of this name, or in the file at this path (whatever has a "/" in it, or ends in ".json").
    /// - Throws: when there is none, or its file cannot be read. A broken one is found; its ``Entry/profile()`` throws.
    public func entry(_ nameOrPath: String) throws(ProfileError) -> Entry {
        if nameOrPath.contains("/") || nameOrPath.hasSuffix(".json") {
            let last = nameOrPath.split(separator: "/").last.map(String.init) ?? nameOrPath
            let name = last.hasSuffix(".json") ? String(last.dropLast(5)) : last
            return try Self.entry(name, path: nameOrPath, waits: true)
        }
        if ProfileDecoder.isName(nameOrPath) {
            for directory in directories {
                let path = "\(directory)/\(nameOrPath).json"
                if Path.exists(path) { return try Self.entry(nameOrPath, path: path) }
            }
            if let found = ProfileBuiltIn.texts.first(where: { $0.name == nameOrPath }) {
                return Entry(name: found.name, path: nil, text: found.text)
            }
        }
        let names = entries().map(\.name).joined(separator: ", ")
        throw ProfileError(
            path: nameOrPath, problems: [.init("", "there is no profile of this name; there are \(names)")])
    }

    /// The profile of this name or in this file, decoded.
    public func profile(_ nameOrPath: String) throws(ProfileError) -> Profile {
        try entry(nameOrPath).profile()
    }

    /// Every profile that can be found by its name, by name. Files that cannot be read are left out.
    public func entries() -> [Entry] {
        var found: [String: Entry] = [:]
        for directory in directories {
            for name in Self.names(directory) where found[name] == nil {
                found[name] = try? Self.entry(name, path: "\(directory)/\(name).json")
            }
        }
        for (name, text) in ProfileBuiltIn.texts where found[name] == nil {
            found[name] = Entry(name: name, path: nil, text: text)
        }
        return found.values.sorted { $0.name < $1.name }
    }

    /// - Parameter waits: for the writer of a pipe; what is only come across is never waited for.
    private static func entry(_ name: String, path: String, waits: Bool = false) throws(ProfileError) -> Entry {
        let bytes: [UInt8]
        do throws(DeviceError) {
            bytes = try TextFile.bytes(path, waits: waits)
        } catch {
            throw ProfileError(path: path, problems: [.init("", "cannot be read: \(error)")])
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ProfileError(path: path, problems: [.init("", "is no UTF-8 text")])
        }
        return Entry(name: name, path: path, text: text)
    }

    /// The profiles in a directory; the schema beside them is none.
    private static func names(_ directory: String) -> [String] {
        Folder.names(in: directory).filter { $0.hasSuffix(".json") && $0 != "schema.json" }
            .map { String($0.dropLast(5)) }.filter(ProfileDecoder.isName)
    }
}
