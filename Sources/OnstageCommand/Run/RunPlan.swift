internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// A run that has been looked up and found possible; no device has been touched.
struct RunPlan: Sendable {
    var options: RunOptions
    var profile: Profile
    var scenario: Scenario?
    /// All devices are made up; the reason is told.
    var isSynthetic: Bool
    /// What to tell before it begins.
    var notices: [String] = []
    var stateDirectory: String?

    /// What a wrong profile or scenario, or a file that cannot be used, leaves with.
    struct Refusal: Error {
        var status: Int32
        var text: String
    }

    init(_ options: RunOptions) throws(Refusal) {
        self.options = options
        do {
            profile = try ProfileLibrary.standard.profile(options.profile ?? "generic")
            scenario = try options.scenario.map { try Scenario(file: $0) }
        } catch {
            throw Refusal(status: 2, text: "\(error)")
        }
        isSynthetic = options.isSynthetic
        if !isSynthetic, options.profile == nil, !DeviceList.isAny {
            isSynthetic = true
            notices.append("this machine has no camera, no motion sensor and no sound card: they are made up")
        }
        stateDirectory = options.state ?? Positions.standardDirectory
        if let report = options.report, let fault = Self.fault(of: report) {
            throw Refusal(status: 1, text: "the report cannot be written: \(fault)")
        }
    }

    var media: Profile.Media {
        Profile.Media(path: options.media, folder: stateDirectory)
    }

    /// Why a file cannot be put at `path` by rename, as far as can be told now.
    private static func fault(of path: String) -> DeviceError? {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            guard status.st_mode & S_IFMT == S_IFDIR else { return nil }  // a terminal, /dev/stdout: written to
            return DeviceError(errno: EISDIR, operation: "open", device: path)
        }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard access(folder, W_OK | X_OK) != 0 else { return nil }
        return DeviceError(errno: errno, operation: "access", device: folder)
    }
}
