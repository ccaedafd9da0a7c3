internal import Onstage
internal import OnstageCore

/// `onstage camera`
enum CameraCommand {
    /// Answers the exit status: 0 done, 1 not, 2 wrong usage.
    static func run(_ arguments: [String]) -> Int32 {
        Command.perform(arguments) { (options: CameraOptions) in
            guard let name = options.name else { return list(options) }
            return Command.attempt(CameraOptions.table) { () throws(DeviceError) in
                try show(CameraInfo.find(CameraSelector(name)), options)
            }
        }
    }

    private static func list(_ options: CameraOptions) -> Int32 {
        let entries = DeviceList.cameras(includesOther: options.includesOther)
        return print(options.isJSON ? CameraText.json(entries).text + "\n" : CameraText.table(entries))
    }

    private static func show(_ info: CameraInfo, _ options: CameraOptions) throws(DeviceError) -> Int32 {
        var status: Int32 = 0
        if !options.settings.isEmpty {
            for note in try info.set(options.settings) {
                Output.complain("onstage camera: \(note)\n")
                status = 1
            }
            if !options.wantsControls, !options.wantsFormats, !options.isJSON { return status }
        }
        let formats = options.wantsFormats ? try info.formats() : nil
        let controls = options.wantsControls ? try info.controls() : nil
        var text = ""
        if options.isJSON {
            text = CameraText.json(info, formats, controls).text + "\n"
        } else if formats == nil, controls == nil {
            text = CameraText.names(info)
        } else {
            if let formats { text += CameraText.table(formats) }
            if formats != nil, controls != nil { text += "\n" }
            if let controls { text += CameraText.table(controls) }
        }
        return max(status, print(text))
    }

    private static func print(_ text: String) -> Int32 { Output.out(text) ? 0 : 1 }
}
