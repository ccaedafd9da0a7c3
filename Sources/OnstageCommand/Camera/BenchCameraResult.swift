internal import Onstage
internal import OnstageCore

/// What `onstage bench camera` has measured.
struct BenchCameraResult {
    var outcome: BenchOutcome<FrameMeter.Measured>
    var place: SinkPlace

    private var frames: [FrameMeter.Measured] { outcome.measured }
    private var count: Int { frames.reduce(0) { $0 + $1.count } }
    private var lost: Int { frames.reduce(0) { $0 + $1.lost } }
    private var missed: Int { frames.reduce(0) { $0 + $1.missed } }

    var text: String {
        var text = outcome.head("camera", CameraText.rate)
        text += "frames       \(count)"
        if let rate = frames.last?.rate { text += ", \(FixedPoint.text(rate, 2)) a second" }
        text += ", to a sink that is \(place.rawValue)\n"
        text += "lost         \(lost) by the camera, \(missed) by the sink; \(outcome.troubles)\n"
        if let interval = frames.last?.interval {
            text += "interval     mean \(outcome.ms(interval.mean)), jitter \(outcome.ms(interval.deviation)), "
            text += "longest \(outcome.ms(interval.max))\n"
        }
        return text + outcome.latency(frames.last?.latency) + outcome.times("frame")
    }

    var json: JSONValue {
        let members: [JSONValue.Member] = [
            .init("sink", .text(place.rawValue)), .init("frames", .integer(Int64(count))),
            .init("fps", .number(or: frames.last?.rate)), .init("seconds", .number(or: frames.last?.seconds)),
            .init("lost", .integer(Int64(lost))), .init("missed", .integer(Int64(missed))),
        ]
        let times: [JSONValue.Member] = [
            .init("intervalMilliseconds", frames.last?.interval?.json ?? .null),
            .init("latencyMilliseconds", frames.last?.latency?.json ?? .null),
        ]
        return outcome.json(members + outcome.losses + times, first: "firstFrameMilliseconds")
    }
}
