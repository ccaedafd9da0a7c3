import CV4L2
import OnstageCore
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("scripts: a camera's pipeline against a played media device")
struct PipelineTests {
    private static let crossed = [
        #""sensor":0 -> "filter":0 [0]"#, #""sensor":0 -> "other":0 [1]"#, #""filter":1 -> "capture":0 [0]"#,
        #""other":1 -> 4:0 [1]"#,
    ]

    @Test("links, then formats, in their order; put back the last first; nothing stays open")
    func setAndUndone() throws {
        let media = PlayedMedia()
        var desk = media.desk(
            try MediaPipeline(
                device: "platform:played", links: Self.crossed,
                formats: [#""sensor":0 [fmt:SBGGR8_1X8/640x480 @1/30]"#, #""other":1 [fmt:RGB888_1X24/320x240]"#]))
        let notes = try desk.set(for: "/dev/video0")
        #expect(notes == [])
        #expect(
            media.writes == [
                "link 1:0 -> 2:0 [0]", "link 1:0 -> 3:0 [1]", "link 2:1 -> 4:0 [0]", "link 3:1 -> 4:0 [1]",
                "v4l-subdev0 pad 0 SBGGR8_1X8/640x480", "v4l-subdev0 pad 0 1/30",
                // Handed on to the part that the sensor feeds now, and not to the camera's own node.
                "v4l-subdev2 pad 0 SBGGR8_1X8/640x480", "v4l-subdev2 pad 1 RGB888_1X24/320x240",
            ])
        #expect(media.isClosed)
        var rest = desk.undo()
        #expect(rest == [])
        #expect(
            media.writes == [
                "link 3:1 -> 4:0 [0]", "link 2:1 -> 4:0 [1]", "link 1:0 -> 3:0 [0]", "link 1:0 -> 2:0 [1]",
            ])
        rest = desk.undo()
        #expect(rest == [] && media.writes == [] && media.isClosed)
    }

    @Test("what is set already is left alone, at both ends")
    func nothingToDo() throws {
        let media = PlayedMedia()
        var desk = media.desk(try MediaPipeline(links: [#""sensor":0 -> "filter":0 [1], "sensor":0 -> "other":0 [0]"#]))
        let notes = try desk.set(for: "/dev/video0")
        #expect(notes == [])
        let rest = desk.undo()
        #expect(rest == [] && media.writes == [] && media.isClosed)
    }

    @Test("what comes in is said before what of it is used, and what goes out last")
    func rectangles() throws {
        let media = PlayedMedia()
        var desk = media.desk(
            try MediaPipeline(
                links: [],
                formats: [
                    #""filter":0 [crop:(0,0)/400x150 fmt:Y8/640x480], "filter":1 [fmt:Y8/64x48 compose:(0,0)/64x48]"#
                ]))
        _ = try desk.set(for: "/dev/video0")
        #expect(
            media.writes == [
                "v4l-subdev1 pad 0 Y8_1X8/640x480", "v4l-subdev1 pad 0 crop 400x150", "v4l-subdev1 pad 1 compose 64x48",
                "v4l-subdev1 pad 1 Y8_1X8/64x48",
            ])
    }

    @Test("a part that makes something else of a format is noted")
    func adjusted() throws {
        let media = PlayedMedia()
        media.state.withLock { $0.width = 600 }
        var desk = media.desk(try MediaPipeline(links: [], formats: [#""filter":0 [fmt:Y8/640x480]"#]))
        let notes = try desk.set(for: "/dev/video0")
        #expect(notes == [#"asked for Y8_1X8/640x480 at "filter":0, Y8_1X8/600x480 is set"#])
    }

    @Test("a fault half way: what was changed until then is put back", arguments: 0..<4)
    func refused(after: Int) throws {
        let media = PlayedMedia()
        let before = media.state.withLock { $0.links.map(\.flags) }
        media.state.withLock { $0.fault = (.setLink, Errno.EBUSY, after) }
        var desk = media.desk(try MediaPipeline(links: Self.crossed))
        let error = #expect(throws: DeviceError.self) { try desk.set(for: "/dev/video0") }
        #expect(error?.kind == .inUse && error?.operation == "MEDIA_IOC_SETUP_LINK")
        #expect(media.isClosed)
        media.state.withLock { $0.fault = nil }
        let rest = desk.undo()
        #expect(rest == [])
        #expect(media.state.withLock { $0.links.map(\.flags) } == before)
        #expect(media.isClosed)
    }

    @Test("links that cannot be put back are told once, and put back when that is possible")
    func stuck() throws {
        let media = PlayedMedia()
        let before = media.state.withLock { $0.links.map(\.flags) }
        var desk = media.desk(try MediaPipeline(links: [#""sensor":0 -> "other":0 [1], "other":1 -> 4:0 [1]"#]))
        _ = try desk.set(for: "/dev/video0")
        media.state.withLock { $0.fault = (.setLink, Errno.EBUSY, 1) }
        var notes = desk.undo()
        #expect(notes.count == 1)
        #expect(notes.first?.contains(#"the link "sensor":0 -> "other":0 [1] stays: "#) == true)
        #expect(notes.first?.contains("EBUSY from MEDIA_IOC_SETUP_LINK") == true)
        notes = desk.undo()
        #expect(notes == [])
        // The next acquire finds it on, and knows all the same that it was off.
        media.state.withLock { $0.fault = nil }
        _ = try desk.set(for: "/dev/video0")
        notes = desk.undo()
        #expect(notes == [] && media.isClosed)
        #expect(media.state.withLock { $0.links.map(\.flags) } == before)
        _ = media.writes
        notes = desk.undo()
        #expect(notes == [] && media.writes == [])
    }

    @Test("a device that has gone, or whose node another has taken, is left alone", arguments: [false, true])
    func replaced(isGone: Bool) throws {
        let media = PlayedMedia()
        var desk = media.desk(try MediaPipeline(links: [#""sensor":0 -> "other":0 [1]"#]))
        _ = try desk.set(for: "/dev/video0")
        _ = media.writes
        media.state.withLock { state in
            if isGone { state.openFault = Errno.ENOENT } else { state.names[2] = "lens" }
        }
        var notes = desk.undo()
        #expect(notes == [])
        media.state.withLock { $0.openFault = nil }
        notes = desk.undo()
        #expect(notes == [] && media.writes == [] && media.isClosed)
    }

    @Test(
        "what a media device does not have is said, with what it has",
        arguments: [
            (#""lens":0 -> "filter":0 [1]"#, "", "it has no entity \"lens\""),
            (#""sensor":1 -> "filter":0 [1]"#, "", "it has no link \"sensor\":1 -> \"filter\":0"),
            ("", #""capture":0 [fmt:Y8/8x8]"#, "\"capture\" has no device node, and no format that could be set"),
        ])
    func missing(link: String, format: String, reason: String) throws {
        let media = PlayedMedia()
        var desk = media.desk(
            try MediaPipeline(links: link.isEmpty ? [] : [link], formats: format.isEmpty ? [] : [format]))
        let error = #expect(throws: DeviceError.self) { try desk.set(for: "/dev/video0") }
        #expect(error?.kind == .configuration && error?.reason == reason && error?.advice?.isEmpty != true)
        #expect(media.isClosed)
    }

    @Test("the media device: by node, by any of its names, by the camera's own node; else it is waited for")
    func which() throws {
        let media = PlayedMedia()
        for device in [nil, "platform:played", media.tree("dev/media0")] as [String?] {
            var desk = media.desk(try MediaPipeline(device: device, links: [#"1:0 -> 2:0 [1]"#]))
            let notes = try desk.set(for: "/dev/video0")
            #expect(notes == [])
        }
        for (device, camera) in [("platform:other", "/dev/video0"), (nil, "/dev/video7")] as [(String?, String)] {
            var desk = media.desk(try MediaPipeline(device: device, links: [#"1:0 -> 2:0 [1]"#]))
            let error = #expect(throws: DeviceError.self) { try desk.set(for: camera) }
            #expect(error?.kind == .absent && error?.reason?.contains("platform:played") == true)
        }
        #expect(media.isClosed)
    }

    @Test("of two media devices with the same names, the one that the camera is in", arguments: ["media0", "media1"])
    func twins(other: String) throws {
        let media = PlayedMedia()
        media.tree.file("dev/media1")
        media.state.withLock { $0.twin = other }
        for device in ["platform:played", nil] {
            var desk = media.desk(try MediaPipeline(device: device, links: [#"1:0 -> 3:0 [1]"#]))
            _ = try desk.set(for: "/dev/video0")
            #expect(media.state.withLock { $0.linked } == (other == "media0" ? "media1" : "media0"))
            #expect(desk.undo() == [] && media.isClosed)
        }
    }

    @Test("one that has the name, and not the camera, is waited for no less")
    func elsewhere() throws {
        let media = PlayedMedia()
        media.state.withLock { $0.twin = "media0" }
        var desk = media.desk(try MediaPipeline(device: "platform:played", links: [#"1:0 -> 3:0 [1]"#]))
        let error = #expect(throws: DeviceError.self) { try desk.set(for: "/dev/video0") }
        #expect(error?.kind == .absent && error?.reason?.contains("(platform:played, without this camera)") == true)
        #expect(media.writes == [] && media.isClosed)
    }

    @Test("a node that is no media device's is nothing to wait for")
    func noMedia() throws {
        let media = PlayedMedia()
        media.state.withLock { $0.fault = (.nextEntity, Errno.ENOTTY, 0) }
        var desk = media.desk(try MediaPipeline(device: media.tree("dev/media0"), links: [#"1:0 -> 3:0 [1]"#]))
        let error = #expect(throws: DeviceError.self) { try desk.set(for: "/dev/video0") }
        #expect(error?.kind == .configuration && error?.reason == "it is no media device")
        #expect(media.isClosed)
    }

    @Test(
        "a media device that cannot be opened is said to be that, and not absent",
        arguments: [Errno.EACCES, Errno.EMFILE])
    func closed(errno: Int32) throws {
        let media = PlayedMedia()
        media.state.withLock { $0.openFault = errno }
        var desk = media.desk(try MediaPipeline(links: [#"1:0 -> 3:0 [1]"#]))
        let error = #expect(throws: DeviceError.self) { try desk.set(for: "/dev/video0") }
        #expect(error?.kind == (errno == Errno.EACCES ? .permission : .tooMany) && error?.errno == errno)
    }
}
