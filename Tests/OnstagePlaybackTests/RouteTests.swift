import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

/// What a route sets and puts back, on a card in memory.
@Suite("script: a mixer route") struct RouteTests {
    private let mixer = FakeMixer.usual()
    private let board = RouteBoard(folder: nil)

    private static let loud = MixerRoute(controls: [
        MixerRoute.Control("Master Volume", .number(80)), MixerRoute.Control("Speaker Switch", .flag(true)),
        MixerRoute.Control("Output", .text("Headphones")),
    ])
    private static let hifi = MixerRoute(useCase: MixerRoute.UseCase(verb: "HiFi", device: "Speaker"))

    private func set(_ route: MixerRoute, _ board: RouteBoard? = nil) throws(DeviceError) -> StandingRoute {
        try (board ?? self.board).set(route, on: FakeCard(mixer)).route
    }

    private var standing: [[Int64]] { mixer.entries.map(\.values) }

    @Test func whatStoodBeforeIsPutBack() throws {
        let before = standing
        let route = try set(Self.loud)
        #expect(standing == [[80, 80], [1], [1], [0]] && mixer.open == 1)
        #expect(board.putBack(route) == [])
        #expect(standing == before && mixer.open == 0)
        // What stands as it is wished is not written at all.
        mixer.log = []
        let same = try set(MixerRoute(controls: [MixerRoute.Control("Master Volume", .number(10))]))
        #expect(board.putBack(same) == [] && mixer.log == ["close"])
    }

    @Test func whatSomebodyElseHasChangedIsTheirs() throws {
        let route = try set(Self.loud)
        mixer["Master Volume"] = [80, 79]  // one channel of two
        #expect(board.putBack(route) == ["Master Volume of the card Fake stays as somebody else has set it"])
        #expect(standing == [[80, 79], [0], [0], [0]])
        // Somebody has put it back already: nothing to say.
        mixer["Master Volume"] = [10, 10]
        let again = try set(Self.loud)
        mixer["Master Volume"] = [10, 10]
        #expect(board.putBack(again) == [] && mixer["Master Volume"] == [10, 10])
    }

    @Test func allIsFoundWrongBeforeAnythingIsSet() throws {
        let before = standing
        var route = Self.loud
        route.controls.append(MixerRoute.Control("Mastr", .number(1)))
        let error = #expect(throws: DeviceError.self) { try set(route) }
        #expect(error?.kind == .configuration)
        #expect(
            error?.reason
                == "the card Fake has no control \"Mastr\"; it has \"Master Volume\", \"Output\", \"Speaker Switch\", \"Status\""
        )
        #expect(throws: DeviceError.self) { try set(MixerRoute(useCase: MixerRoute.UseCase(verb: "HiHi"))) }
        #expect(standing == before && mixer.open == 0 && mixer.log == ["close", "close"])
    }

    @Test(arguments: [true, false], [true, false]) func halfOfItIsPutBack(usesCase: Bool, isKept: Bool) throws {
        let scratch = Scratch()
        let board = RouteBoard(folder: isKept ? scratch.path : nil)
        let before = standing
        mixer.refusals["Output"] = Errno.EIO
        mixer.enters = ["Master Volume": [33, 33]]
        mixer.leaves = ["Master Volume": [0, 0], "Speaker Switch": [1]]
        var route = Self.loud
        if usesCase { route.useCase = Self.hifi.useCase }
        let error = #expect(throws: DeviceError.self) { try set(route, board) }
        #expect(error?.kind == .inputOutput && error?.operation == "snd_ctl_elem_write")
        #expect(standing == before && mixer.open == 0)
        #expect(mixer.log.count { $0 == "leave" } == (usesCase ? 1 : 0))
    }

    @Test func aUseCaseIsLeftAndAllIsAsBefore() throws {
        mixer["Speaker Switch"] = [1]
        let before = standing
        mixer.enters = ["Master Volume": [70, 70], "Output": [1]]
        // Its own way out leaves other things behind than were there, also where it has not been itself.
        mixer.leaves = ["Master Volume": [0, 0], "Output": [0], "Speaker Switch": [0]]
        let route = try set(Self.hifi)
        #expect(standing == [[70, 70], [1], [1], [0]])
        #expect(board.putBack(route) == [] && mixer.log.contains("leave"))
        #expect(standing == before)
        // And what somebody else has set meanwhile is left as it is, whatever the way out says.
        let again = try set(Self.hifi)
        mixer["Master Volume"] = [55, 55]
        #expect(board.putBack(again).count == 1)
        #expect(standing == [[55, 55], [1], [0], [0]])
    }

    /// Two players on one card that mixes: whoever ends first, the other is heard as before, and the last one cleans up.
    @Test(arguments: [(80, 80, true), (80, 80, false), (80, 60, true), (80, 60, false)])
    func twoOnOneCard(first: Int64, second: Int64, isInOrder: Bool) throws {
        let before = standing
        func route(_ volume: Int64) -> MixerRoute {
            MixerRoute(controls: [MixerRoute.Control("Master Volume", .number(volume))])
        }
        let one = try set(route(first))
        let two = try set(route(second))
        #expect(mixer["Master Volume"] == [second, second])
        #expect(board.putBack(isInOrder ? one : two) == [])
        let left = isInOrder ? second : first
        #expect(mixer["Master Volume"] == [left, left], "the other one plays still")
        #expect(board.putBack(isInOrder ? two : one) == [])
        #expect(standing == before && mixer.open == 0)
    }

    /// What is left is the verb, whichever of its devices was on.
    @Test(arguments: [true, false], ["Speaker", "Headphones"])
    func twoWithOneUseCase(isInOrder: Bool, device: String) throws {
        let before = standing
        mixer.enters = ["Speaker Switch": [1]]
        mixer.leaves = ["Speaker Switch": [0], "Master Volume": [0, 0]]
        let one = try set(Self.hifi)
        let two = try set(MixerRoute(useCase: MixerRoute.UseCase(verb: "HiFi", device: device)))
        #expect(board.putBack(isInOrder ? one : two) == [])
        #expect(mixer["Speaker Switch"] == [1] && !mixer.log.contains("leave"), "the other one plays still")
        #expect(board.putBack(isInOrder ? two : one) == [])
        #expect(standing == before && mixer.log.contains("leave"))
    }

    @Test func ofACardThatIsGoneNothingIsPutBack() throws {
        mixer.enters = ["Speaker Switch": [1]]
        let route = try set(MixerRoute(useCase: Self.hifi.useCase, controls: Self.loud.controls))
        mixer.isGone = true
        #expect(board.putBack(route) == [] && mixer.open == 0)
    }

    /// A killed process cannot put anything back; the next route on that card does, before it sets its own.
    @Test func theNextOneCleansUpBehindAKill() throws {
        let scratch = Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let folder = scratch.path
        let before = standing
        do {
            // As a killed process leaves it: without its locks.
            let killed = RouteBoard(folder: folder)
            _ = try set(Self.loud, killed)
            _ = try set(MixerRoute(controls: [MixerRoute.Control("Master Volume", .number(60))]), killed)
        }
        #expect(files(folder).count == 2)
        mixer["Output"] = [0]  // by somebody else, meanwhile
        let board = RouteBoard(folder: folder)
        let (route, notes) = try board.set(
            MixerRoute(controls: [MixerRoute.Control("Speaker Switch", .flag(false))]), on: FakeCard(mixer))
        #expect(
            notes == ["put back what a killed run had left set on the card Fake: Master Volume, Speaker Switch"])
        #expect(standing == before)
        _ = board.putBack(route)
        #expect(files(folder).isEmpty)
    }

    private func files(_ folder: String) -> [String] { Folder.names(in: folder).filter { !$0.hasSuffix(".lock") } }

    @Test func whatALivingProcessHasSetIsNoLeftover() throws {
        let scratch = Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let folder = scratch.path
        let before = standing
        let living = RouteBoard(folder: folder)
        let route = try set(Self.loud, living)
        _ = try set(
            MixerRoute(controls: [MixerRoute.Control("Speaker Switch", .flag(true))]), RouteBoard(folder: folder))
        #expect(standing == [[80, 80], [1], [1], [0]])
        #expect(living.putBack(route) == [] && standing == before, "the other one was killed")
        #expect(files(folder).isEmpty)
    }

    @Test(arguments: ["Master Volume", "a b%c", "é \u{7}", "PCM.1"]) func aLineIsReadAsItWasWritten(name: String) throws
    {
        let address = MixerElement.Address(interface: .pcm, name: name, index: 1, device: 2, subdevice: 3)
        let change = RouteChange(
            element: MixerElement(number: 7, address: address), before: [-3, 4], ours: [5, Int64.max])
        #expect(RouteChange(line: change.line[...]) == change)
        for end in change.line.indices.dropLast() { #expect(RouteChange(line: change.line[..<end]) == nil) }
    }

    @Test(
        arguments: [
            (.number(-50), [-50, -50]), (.text("50%"), [25, 25]), (.text("33.4 %"), [1, 1]),
            (.text("100%"), [100, 100]),
            (.text("-45dB"), [-50, -50]), (.text("-0.3 dB"), [99, 99]), (.number(101), nil), (.number(-51), nil),
            (.text("101%"), nil), (.text("0.01dB"), nil), (.text("-46dB"), nil), (.text("loud"), nil),
            (.text("%"), nil),
            (.text("nan%"), nil), (.flag(true), nil),
        ] as [(MixerRoute.Value, [Int64]?)]) func valuesOfAVolume(_ value: MixerRoute.Value, _ expected: [Int64]?)
    {
        let element = mixer.entries[0].element
        let found = try? element.values(MixerRoute.Control("Master Volume", value), FakeCard(mixer))
        #expect(found == expected)
    }

    /// What a driver says of its control is the world's, and ends nothing.
    @Test(
        arguments: [
            ("100%", Int64.max), ("0%", Int64.min), ("50%", 0), ("99.9999999999999999%", Int64.max),
        ]) func valuesOfAControlOf64Bits(_ text: String, _ expected: Int64) throws
    {
        mixer.add("Wide", .number(Int64.min...Int64.max), [0]) { $0.isWide = true }
        let element = try #require(mixer.entries.last).element
        #expect(try element.values(MixerRoute.Control("Wide", .text(text)), FakeCard(mixer)) == [expected])
    }

    @Test(
        arguments: [
            ("Master Volume", [.number(101)], "is -50 to 100 (-45.00 to 0.00 dB), not 101"),
            ("Master Volume", [.text("x")], "is -50 to 100 (-45.00 to 0.00 dB), not \"x\""),
            ("Master Volume", [.number(1), .number(2), .number(3)], "has 2 channels, and 3 values are given"),
            ("Speaker Switch", [.number(1)], "is on or off: true or false, not 1"),
            ("Output", [.text("Line")], "has no item \"Line\"; it has \"Speaker\", \"Headphones\""),
            ("Output", [.number(1)], "is one of \"Speaker\", \"Headphones\", not 1"),
        ] as [(String, [MixerRoute.Value], String)])
    func whatIsWrongIsSaid(name: String, values: [MixerRoute.Value], said: String) throws {
        let error = #expect(throws: DeviceError.self) {
            try set(MixerRoute(controls: [MixerRoute.Control(name: name, values: values)]))
        }
        #expect(error?.reason == "the control \"\(name)\" of the card Fake \(said)")
    }

    // MARK: The driver

    private func rig(_ route: MixerRoute, _ change: (inout OutputBackend) -> Void = { _ in }) -> RouteRig {
        RouteRig(route, mixer, change)
    }

    /// Set before the device is opened; put back when it is closed, and its receipt given.
    @Test func aDriverSetsItAroundItsDevice() throws {
        var rig = rig(Self.loud)
        for _ in 0..<3 {
            mixer.log = []
            let acquired = try rig.run.acquire()
            #expect(acquired.format.contains { $0.name == "route" && $0.value == .text("\(Self.loud)") })
            #expect(mixer.log == ["Master Volume=80,80", "Speaker Switch=1", "Output=1", "open"])
            try rig.run.play(for: .milliseconds(200))
            _ = rig.run.release()
            #expect(mixer.log.count == 5 && mixer.log.last == "closed", "nothing is put back before it is answered")
            rig.driver.settle()
            #expect(mixer.log.dropFirst(5) == ["Output=0", "Speaker Switch=0", "Master Volume=10,10", "close"])
            rig.driver.settle()
            #expect(mixer.open == 0 && mixer.log.count == 9)
        }
        #expect(rig.room.firstFault() == nil)
    }

    @Test func aCardThatIsBusyIsLeftAsItIs() throws {
        let before = standing
        let rig = rig(Self.loud) { backend in
            backend.isBusy = { _ in true }
            backend.open = { device, _, _ throws(DeviceError) in
                throw DeviceError(errno: Errno.EBUSY, operation: "snd_pcm_open", device: device.identity)
            }
        }
        #expect(throws: DeviceError.self) { try rig.driver.acquire(try rig.driver.resolve(), NoCancellation()) }
        rig.driver.settle()
        #expect(standing == before && mixer.log.isEmpty)
    }

    @Test func aDeviceThatCannotBeOpenedHasItPutBack() throws {
        let before = standing
        let rig = rig(Self.loud) { backend in
            backend.open = { device, _, _ throws(DeviceError) in
                throw DeviceError(errno: Errno.EIO, operation: "snd_pcm_open", device: device.identity)
            }
        }
        #expect(throws: DeviceError.self) { try rig.driver.acquire(try rig.driver.resolve(), NoCancellation()) }
        #expect(mixer.log.count == 3)
        rig.driver.settle()
        #expect(standing == before && mixer.open == 0)
    }

    @Test(arguments: [true, false]) func aRouteThatCannotBeSet(isRequired: Bool) throws {
        var route = MixerRoute(controls: [MixerRoute.Control("None", .number(1))])
        route.isRequired = isRequired
        let rig = rig(route)
        let device = try rig.driver.resolve()
        do throws(DeviceError) {
            let acquired = try rig.driver.acquire(device, NoCancellation())
            #expect(!isRequired && acquired.notes.first?.hasPrefix("played without its route: ") == true)
            var run = rig.run
            _ = run.release()
        } catch {
            #expect(isRequired && error.kind == .configuration)
            #expect(rig.room.openings == 0, "refused before the device is opened")
        }
        rig.driver.settle()
        #expect(mixer.open == 0)
    }
}

/// A player on a card in memory whose controls are in memory too.
private struct RouteRig {
    let room = FakeOutput.Room()
    let driver: PlaybackDriver
    var run: DriverRun

    init(_ route: MixerRoute, _ mixer: FakeMixer, _ change: (inout OutputBackend) -> Void) {
        let clock = StillClock()
        var configuration = PlaybackConfiguration()
        configuration.route = route
        let fake = FakeOutput.backend(FakeOutput.Make(), clock, room)
        nonisolated(unsafe) let (room, mixer) = (room, mixer)  // one thread runs a test
        var backend = fake
        backend.open = { device, request, cancellation throws(DeviceError) in
            mixer.log.append("open")
            room.onClose = { mixer.log.append("closed") }
            return try fake.open(device, request, cancellation)
        }
        backend.mixer = { _, _ throws(DeviceError) in FakeCard(mixer) }
        change(&backend)
        driver = PlaybackDriver(
            configuration: configuration, media: MediaFeed(RampSource(frames: 1_000_000)), clock: clock,
            backend: backend, report: { _ in })
        driver.routes = RouteBoard(folder: nil)
        run = DriverRun(driver, still: clock)
    }
}
