internal import Onstage

/// `onstage profile list|show|detect|check`, as answers; printing them is the command's.
enum ProfileCommand {
    /// What to print and the exit status to leave with.
    struct Answer: Hashable, Sendable {
        var status: Int32 = 0
        /// For standard output.
        var output = ""
        /// For standard error.
        var errors = ""
    }

    /// Name, place and description of every profile; a broken one is said to be.
    static func list(_ library: ProfileLibrary, json: Bool = false) -> Answer {
        let rows = library.entries().map { entry -> (name: String, place: String, text: String?, problems: Int) in
            do throws(ProfileError) {
                return (entry.name, entry.place, try entry.profile().summary, 0)
            } catch {
                return (entry.name, entry.place, nil, error.problems.count)
            }
        }
        if json {
            let profiles = rows.map { row -> JSONValue in
                [
                    "name": .text(row.name), "place": .text(row.place),
                    "description": .text(or: row.text), "problems": .integer(Int64(row.problems)),
                ]
            }
            let value: JSONValue = ["version": 1, "profiles": .list(profiles)]
            return Answer(output: value.text + "\n")
        }
        let width = rows.map(\.name.count).max() ?? 0
        let lines = rows.map { row in
            let text = row.problems > 0 ? "broken: see onstage profile check \(row.name)" : row.text ?? ""
            return "\(row.name.padded(to: width))  \(text)\n\("".padded(to: width))  \(row.place)\n"
        }
        return Answer(output: lines.joined())
    }

    /// The text of a profile, as it stands in its file.
    static func show(_ nameOrPath: String, _ library: ProfileLibrary) -> Answer {
        do throws(ProfileError) {
            let text = try library.entry(nameOrPath).text
            return Answer(output: text.hasSuffix("\n") ? text : text + "\n")
        } catch {
            return Answer(status: 2, errors: "\(error)\n")
        }
    }

    /// Status 0 for a good profile; 2 and a line for each problem else.
    static func check(_ nameOrPath: String, _ library: ProfileLibrary) -> Answer {
        do throws(ProfileError) {
            let entry = try library.entry(nameOrPath)
            _ = try entry.profile()
            return Answer(output: "\(entry.name) (\(entry.place)): good\n")
        } catch {
            return Answer(status: 2, errors: "\(error)\n")
        }
    }

    /// The profile that fits a machine, and why: the one that names most of its devices, else `generic`; `bench` where
    /// there is no device of any kind.
    static func choice(_ devices: DetectedDevices, _ library: ProfileLibrary) -> (name: String, reason: String) {
        var best: (name: String, fit: ProfileFit)?
        for entry in library.entries() {
            // A broken one is for check to name, not for detect to stumble over.
            guard let profile = try? entry.profile() else { continue }
            let fit = ProfileFit(profile, on: devices)
            guard fit.isPossible else { continue }
            let rank = (fit.named.count, fit.taken.count)
            if let known = best, (known.fit.named.count, known.fit.taken.count) >= rank { continue }
            best = (entry.name, fit)
        }
        if let best { return (best.name, best.fit.reason) }
        // Not before: a camera behind a media controller is one where a profile brings its links.
        guard !devices.isEmpty else {
            return ("bench", "this machine has no camera, no motion sensor and no sound card; it makes them up")
        }
        return ("generic", "no profile names a device of this machine")
    }

    static func detect(_ devices: DetectedDevices, _ library: ProfileLibrary, json: Bool = false) -> Answer {
        let (name, reason) = choice(devices, library)
        if json {
            let value: JSONValue = ["version": 1, "profile": .text(name), "reason": .text(reason)]
            return Answer(output: value.text + "\n")
        }
        return Answer(output: "\(name): \(reason)\n")
    }
}
