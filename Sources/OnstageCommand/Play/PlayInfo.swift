internal import Onstage
internal import OnstageCore

/// `onstage play --info`
enum PlayInfo {
    /// Says what each file is; touches no device. Answers the exit status.
    static func run(_ options: PlayOptions) -> Int32 {
        var status: Int32 = 0
        for item in options.items {
            guard case .file(let path) = item else { continue }
            do throws(DeviceError) {
                let info = try MediaInfo(file: path)
                if !Output.out((options.isJSON ? json(info) : text(info, name: item.name)) + "\n") { status = 1 }
                if !options.isQuiet {
                    for oddity in info.oddities { Output.complain("onstage play: \(item.name): \(oddity)\n") }
                }
            } catch {
                Output.complain("onstage play: \(error)\n")
                status = 1
            }
        }
        return status
    }

    static func json(_ info: MediaInfo) -> String {
        let format = JSONValue.text(info.format).line
        return #"{"rate":\#(info.rate),"channels":\#(info.channels),"format":\#(format),"frames":\#(info.frames)}"#
    }

    static func text(_ info: MediaInfo, name: String) -> String {
        let channels = info.channels == 1 ? "mono" : info.channels == 2 ? "stereo" : "\(info.channels) channels"
        let what = "\(name): \(info.rate) Hz, \(channels), \(info.format)"
        guard info.hasLength else { return what }
        return what + ", \(info.frames) frames, \(MediaTime.text(info.frames, rate: info.rate))"
    }
}
