internal import Glibc
internal import Onstage
internal import OnstageCore
internal import OnstageLinux

/// `onstage bench camera`
enum BenchCamera {
    /// Answers the exit status: 0 measured, 1 the camera failed, 2 wrong usage.
    static func run(_ arguments: [String]) -> Int32 {
        Command.perform(arguments) { options in
            Command.attempt(BenchCameraOptions.table) { () throws(DeviceError) in try measure(options) }
        }
    }

    private static func measure(_ options: BenchCameraOptions) throws(DeviceError) -> Int32 {
        let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
        let camera = try Camera(options.configuration, isSynthetic: options.isSynthetic)
        let mailbox = try Mailbox<BenchMessage>()
        let meter = FrameMeter(limit: options.frames) { mailbox.send(.measured) }
        try camera.onFrame(options.place, as: options.pixels) { meter.take($0) }
        let session = try BenchSession("camera", camera, meter, cycles: options.cycles, mailbox, signals)
        let result = BenchCameraResult(outcome: try session.perform(), place: options.place)
        let text = options.isJSON ? result.json.text + "\n" : result.text
        return max(session.status, Output.out(text) ? 0 : 1)
    }
}
