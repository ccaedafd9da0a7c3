internal import OnstageCamera
internal import OnstageCore

/// Reads a profile, and names everything that is wrong with it. `hw-profiles/schema.json` says the same; a test holds the
/// two together.
enum ProfileDecoder {
    /// The profile in `bytes`; `path` names it in an error.
    static func profile(_ bytes: [UInt8], path: String) throws(ProfileError) -> Profile {
        let value: JSONValue
        do throws(JSONReader.Fault) {
            value = try JSONReader.read(bytes)
        } catch {
            let message = "line \(error.line), column \(error.column): \(error.reason)"
            throw ProfileError(path: path, problems: [.init("", message)])
        }
        var problems: [ProfileError.Problem] = []
        guard var object = ProfileObject(value, "", &problems) else {
            throw ProfileError(path: path, problems: problems)
        }
        let profile = profile(&object)
        problems = object.finish()
        guard problems.isEmpty, let profile else { throw ProfileError(path: path, problems: problems) }
        return profile
    }

    private static func profile(_ object: inout ProfileObject) -> Profile? {
        if let schema = object.value("$schema"), case .text = schema {
        } else if object.has("$schema") {
            object.complain("$schema", "must be a text")
        }
        object.require("name")
        let name = object.text(
            "name", limit: 64, expected: "must be made of small letters, digits and \"-\", and not begin with \"-\"",
            where: isName)
        var profile = Profile(name: name ?? "")
        profile.summary = object.text("description")
        if !["camera", "accelerometer", "gyroscope", "playback"].contains(where: object.has) {
            object.complainHere("names no device: one of camera, accelerometer, gyroscope and playback is needed")
        }
        profile.camera = object.object("camera", camera)
        profile.accelerometer = object.object("accelerometer", sensor)
        profile.gyroscope = object.object("gyroscope", sensor)
        profile.playback = object.object("playback", playback)
        profile.deadlines = object.object("deadlines", deadlines) ?? profile.deadlines
        profile.retry = object.object("retry", retry) ?? profile.retry
        return profile
    }

    /// What a profile may be called, and is looked up by.
    static func isName(_ text: String) -> Bool {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) }
        return text.utf8.first.map(isLetter) == true && text.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "-") }
    }

    private static func camera(_ object: inout ProfileObject) -> Profile.Camera? {
        object.require("device")
        var camera = Profile.Camera(device: object.text("device") ?? "")
        camera.width = object.integer("width", 1...65_535)
        camera.height = object.integer("height", 1...65_535)
        if object.has("width") { object.require("height") }
        if object.has("height") { object.require("width") }
        camera.pixelFormat = pixelFormat(&object)
        camera.framesPerSecond = object.number("framesPerSecond", 0...10_000, above: 0)
        camera.isExact = object.flag("exact") ?? camera.isExact
        camera.allowsConversion = object.flag("conversion") ?? camera.allowsConversion
        camera.buffers = object.integer("buffers", 2...32)
        camera.frameDeadline = object.milliseconds("frameDeadlineMilliseconds", 100...60_000)
        camera.settleFrames = object.integer("settleFrames", 0...1_000) ?? camera.settleFrames
        camera.settleTime = object.milliseconds("settleMilliseconds", 0...60_000) ?? camera.settleTime
        camera.copiesKeptFrames = object.choice("keptFrames", ["blank", "copy"]) == "copy"
        camera.controls = controls(&object)
        camera.pipeline = object.object("media", media)
        if object.has("media"), camera.isSynthetic {
            object.complain("media", "is not possible with the device \"synthetic\"")
        }
        return camera
    }

    /// Links and formats in media-ctl's notation.
    private static func media(_ object: inout ProfileObject) -> MediaPipeline? {
        if !object.has("links"), !object.has("formats") {
            object.complainHere("gives neither links nor formats")
        }
        var pipeline = MediaPipeline(device: object.text("device"))
        pipeline.links = object.texts("links", 64) { text throws(MediaNotationError) in try MediaPipeline.links(text) }
        pipeline.formats = object.texts("formats", 64) { text throws(MediaNotationError) in
            try MediaPipeline.formats(text)
        }
        return pipeline
    }

    /// Names and what they are set to: a number, true or false, or a menu's item by name.
    private static func controls(_ object: inout ProfileObject) -> [ControlSetting] {
        guard let value = object.value("controls") else { return [] }
        guard case .object(let members) = value else {
            object.complain("controls", "must be an object")
            return []
        }
        if members.count > 64 { object.complain("controls", "has more than 64 entries") }
        return members.compactMap { member in
            let name = ControlName(member.name)
            guard !name.description.isEmpty, member.name.unicodeScalars.count <= 64 else {
                object.complain("controls", "\"\(member.name)\" is no name of a control")
                return nil
            }
            switch member.value {
            case .integer(let number) where number.magnitude <= largest: return ControlSetting(name, .number(number))
            case .number(let number) where number.magnitude <= Double(largest) && number == number.rounded():
                return ControlSetting(name, .number(Int64(number)))
            case .flag(let flag): return ControlSetting(name, .number(flag ? 1 : 0))
            case .text(let text) where (1...255).contains(text.unicodeScalars.count):
                return ControlSetting(name, .text(text))
            default:
                object.complain("controls", "\(member.name) must be a whole number, true, false or the name of an item")
                return nil
            }
        }
    }

    /// The largest number that every JSON reader keeps whole.
    static let largest: UInt64 = 1 << 53 - 1

    /// A fourcc may end in blanks ("Y16 ").
    private static func pixelFormat(_ object: inout ProfileObject) -> String? {
        guard let value = object.value("pixelFormat") else { return nil }
        guard case .text(let text) = value, (1...4).contains(text.utf8.count), text.utf8.first != 0x20,
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            object.complain("pixelFormat", "must be a fourcc: one to four ASCII characters, such as \"YUYV\"")
            return nil
        }
        return text
    }

    private static func sensor(_ object: inout ProfileObject) -> Profile.Sensor? {
        object.require("device")
        let device = object.text(
            "device",
            expected:
                "must be \"any\", \"synthetic\", \"name NAME\", \"label LABEL\", \"location PLACE\" or \"path PART\""
        ) { text in
            ["any", Profile.synthetic].contains(text)
                || ["name ", "label ", "location ", "path "].contains(where: text.hasPrefix)
        }
        var sensor = Profile.Sensor(device: device ?? "")
        if let rate = object.value("rate") {
            switch rate {
            case .text(let name) where ["fastest", "game", "ui", "normal"].contains(name): sensor.rate = name
            case .integer(let hertz) where (1...100_000).contains(hertz): sensor.rate = String(hertz)
            case .number(let hertz) where hertz > 0 && hertz <= 100_000: sensor.rate = String(hertz)
            default:
                object.complain(
                    "rate",
                    "must be \"fastest\", \"game\", \"ui\", \"normal\" or a number of Hz above 0 and at most 100000")
            }
        }
        sensor.maxLatency = object.milliseconds("maxLatencyMilliseconds", 0...60_000) ?? sensor.maxLatency
        sensor.mountMatrix = object.matrix("mountMatrix", -1...1)
        sensor.stallLimit = object.milliseconds("stallMilliseconds", 100...60_000) ?? sensor.stallLimit
        sensor.powerDownDelay = object.milliseconds("powerDownMilliseconds", 0...60_000)
        sensor.trigger = object.text("trigger")
        return sensor
    }

    private static func playback(_ object: inout ProfileObject) -> Profile.Playback? {
        object.require("device")
        var playback = Profile.Playback(device: object.text("device") ?? "")
        playback.recording = object.text("recording")
        if object.has("recording"), !playback.isSynthetic {
            object.complain("recording", "is only possible with the device \"synthetic\"")
        }
        playback.bufferTime = object.milliseconds("bufferMilliseconds", 20...2_000) ?? playback.bufferTime
        playback.nearLimit = object.milliseconds("nearMilliseconds", 10...500) ?? playback.nearLimit
        playback.horizon = object.milliseconds("horizonMilliseconds", 2...100) ?? playback.horizon
        playback.guardTime = object.milliseconds("guardMilliseconds", 0...200)
        playback.pauseMode = object.choice("pause", ["exact", "fast"]).flatMap(PauseMode.init) ?? playback.pauseMode
        playback.volume = object.number("volume", 0...1) ?? playback.volume
        playback.atEnd = object.choice("atEnd") ?? playback.atEnd
        playback.fade = object.milliseconds("fadeMilliseconds", 0...50) ?? playback.fade
        playback.reservesDevice = object.flag("reserve") ?? playback.reservesDevice
        playback.reservePriority = object.integer("reservePriority", -1_000_000...1_000_000) ?? playback.reservePriority
        playback.realtime = object.choice("realtime") ?? playback.realtime
        playback.readAhead = object.milliseconds("aheadMilliseconds", 100...10_000) ?? playback.readAhead
        playback.pausesWhenNoisy = object.flag("pauseWhenNoisy") ?? playback.pausesWhenNoisy
        playback.route = route(&object, of: playback)
        playback.journal = object.choice("journal") ?? playback.journal
        return playback
    }

    private static func deadlines(_ object: inout ProfileObject) -> Profile.Deadlines? {
        var deadlines = Profile.Deadlines()
        deadlines.release = object.milliseconds("releaseMilliseconds", 100...10_000) ?? deadlines.release
        deadlines.debounce = object.milliseconds("debounceMilliseconds", 0...5_000) ?? deadlines.debounce
        deadlines.saving = object.milliseconds("savingMilliseconds", 0...5_000) ?? deadlines.saving
        return deadlines
    }

    private static func retry(_ object: inout ProfileObject) -> Profile.Retry? {
        var retry = Profile.Retry()
        if let delays = object.numbers("delaysMilliseconds", count: 3, 50...60_000) {
            let times = delays.map { Duration.nanoseconds(Int64(($0 * 1_000_000).rounded())) }
            (retry.first, retry.second, retry.third) = (times[0], times[1], times[2])
        }
        if let limit = object.number("limitSeconds", 0...86_400) {
            retry.limit = .nanoseconds(Int64((limit * 1_000_000_000).rounded()))
        }
        return retry
    }
}
