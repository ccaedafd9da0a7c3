import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

/// Routes of several processes on one card: a board stands for a process, for locks are of each opening of a file.
@Suite("script: mixer routes of several processes") struct RouteProcessTests {
    private let mixer = FakeMixer.usual()
    private let scratch = Scratch()

    private var folder: String { scratch.path }
    private var standing: [[Int64]] { mixer.entries.map(\.values) }
    private var files: [String] { Folder.names(in: folder).filter { !$0.hasSuffix(".lock") } }

    private func process(patience: Duration = .seconds(30)) -> RouteBoard {
        let folder = folder
        return RouteBoard(folder: folder, patience: patience)
    }

    private static func volume(_ volume: Int64) -> MixerRoute {
        MixerRoute(controls: [MixerRoute.Control("Master Volume", .number(volume))])
    }

    private static let hifi = MixerRoute(useCase: MixerRoute.UseCase(verb: "HiFi", device: "Speaker"))

    private func set(_ route: MixerRoute, _ board: RouteBoard) throws(DeviceError) -> StandingRoute {
        try board.set(route, on: FakeCard(mixer)).route
    }

    /// Who plays on is heard as before, whoever ends first; and the last one cleans up.
    @Test(arguments: [(80, 80, true), (80, 80, false), (80, 60, true), (80, 60, false)])
    func whoPlaysOnIsHeard(first: Int64, second: Int64, isInOrder: Bool) throws {
        let before = standing
        let (one, two) = (process(), process())
        let (earlier, later) = (try set(Self.volume(first), one), try set(Self.volume(second), two))
        #expect(mixer["Master Volume"] == [second, second])
        #expect((isInOrder ? one.putBack(earlier) : two.putBack(later)) == [])
        let left = isInOrder ? second : first
        #expect(mixer["Master Volume"] == [left, left], "the other one plays still")
        #expect((isInOrder ? two.putBack(later) : one.putBack(earlier)) == [])
        #expect(standing == before && mixer.open == 0 && files.isEmpty)
    }

    /// One gives the card back, the other one that waits for it comes before what was set is put back.
    @Test func handedOverFromOneToTheOther() throws {
        let before = standing
        let boards = [process(), process()]
        var route = try set(Self.volume(80), boards[0])
        for turn in 1...20 {
            let next = try set(Self.volume(turn.isMultiple(of: 2) ? 80 : 60), boards[turn % 2])
            #expect(boards[(turn + 1) % 2].putBack(route) == [])
            route = next
            #expect(files.count <= 2, "what has ended is made one")
        }
        #expect(boards[0].putBack(route) == [])
        #expect(standing == before && mixer.open == 0 && files.isEmpty)
    }

    @Test(arguments: [true, false]) func twoWithOneUseCase(isInOrder: Bool) throws {
        let before = standing
        mixer.enters = ["Speaker Switch": [1]]
        mixer.leaves = ["Speaker Switch": [0], "Master Volume": [0, 0]]
        let (one, two) = (process(), process())
        let (earlier, later) = (try set(Self.hifi, one), try set(Self.hifi, two))
        #expect((isInOrder ? one.putBack(earlier) : two.putBack(later)) == [])
        #expect(mixer["Speaker Switch"] == [1] && !mixer.log.contains("leave"), "the other one plays still")
        #expect(mixer.open == 1, "a process without a player holds nothing of the card")
        #expect((isInOrder ? two.putBack(later) : one.putBack(earlier)) == [])
        #expect(standing == before && mixer.log.count { $0 == "leave" } == 1 && mixer.open == 0)
    }

    /// Of another process nobody can leave a use case; that is said.
    @Test func aUseCaseBelowAnotherProcessIsNotLeft() throws {
        let before = standing
        mixer.enters = ["Speaker Switch": [1]]
        let (one, two) = (process(), process())
        let (earlier, later) = (try set(Self.hifi, one), try set(Self.volume(80), two))
        #expect(
            one.putBack(earlier) == [
                "the use case HiFi/Speaker of the card Fake is not left: another route stands on it"
            ])
        #expect(mixer["Speaker Switch"] == [1] && mixer.open == 1)
        #expect(two.putBack(later) == [])
        #expect(standing == before && !mixer.log.contains("leave") && mixer.open == 0)
    }

    /// In one process it is left when the last one ends, though it has ended before.
    @Test func aUseCaseThatEndedFirstIsLeft() throws {
        let before = standing
        mixer.enters = ["Speaker Switch": [1]]
        mixer.leaves = ["Speaker Switch": [0], "Output": [1]]
        for folder in [nil, folder] {
            mixer.log = []
            let board = RouteBoard(folder: folder)
            let (one, two) = (try set(Self.hifi, board), try set(Self.volume(80), board))
            #expect(board.putBack(one) == [])
            #expect(mixer["Speaker Switch"] == [1] && !mixer.log.contains("leave"), "the other one plays still")
            #expect(board.putBack(two) == [])
            #expect(standing == before && mixer.log.count { $0 == "leave" } == 1 && mixer.open == 0)
        }
    }

    /// What a process is killed in the middle of is put back as well: it is kept before anything is set.
    @Test(arguments: [true, false]) func killedWhileItSets(usesCase: Bool) throws {
        mixer.enters = ["Speaker Switch": [1]]
        var route = Self.volume(80)
        route.controls.append(MixerRoute.Control("Output", .text("Headphones")))
        if usesCase { route.useCase = Self.hifi.useCase }
        let before = standing
        var killed: [(files: [String: String], values: [[Int64]])] = []
        mixer.onSetting = {
            let texts = files.map { ($0, SmallFile.text("\(folder)/\($0)", limit: 1 << 20) ?? "") }
            killed.append((Dictionary(texts) { first, _ in first }, standing))
        }
        _ = try set(route, process())
        mixer.onSetting = {}
        #expect(killed.count == (usesCase ? 3 : 2))
        for moment in killed {
            let other = Scratch()
            let folder = other.path
            for (name, text) in moment.files { other.file(name, text) }
            for index in mixer.entries.indices { mixer.entries[index].values = moment.values[index] }
            let board = RouteBoard(folder: folder)
            let (next, notes) = try board.set(Self.volume(10), on: FakeCard(mixer))
            #expect(standing == before, "\(moment)")
            #expect(notes.isEmpty == (moment.values == before))
            #expect(board.putBack(next) == [])
        }
    }

    /// A process that is stopped in the middle of setting a card must not stop us, nor do we touch what it has left.
    @Test func anotherThatHangsIsNotWaitedForLong() throws {
        let before = standing
        let board = process(patience: .milliseconds(20))
        do {
            let held = try #require(RouteLock(card: "Fake", folder: folder, patience: .zero))
            defer { withExtendedLifetime(held) {} }
            let (route, notes) = try board.set(Self.volume(80), on: FakeCard(mixer))
            #expect(notes.count == 1 && notes[0].hasPrefix("another process does not come to an end"))
            #expect(mixer["Master Volume"] == [80, 80])
            #expect(board.putBack(route).count == 1 && mixer["Master Volume"] == [80, 80] && mixer.open == 0)
        }
        let (route, notes) = try board.set(Self.volume(60), on: FakeCard(mixer))
        #expect(notes == [] && board.putBack(route) == [] && standing == before && files.isEmpty)
    }

    @Test func cardsWhoseNamesBeginAlike() throws {
        let before = standing
        let killed = process()
        _ = try killed.set(Self.volume(80), on: FakeCard(mixer, id: "Fake-1"))
        let board = process()
        let route = try set(Self.volume(60), board)
        #expect(board.putBack(route) == [])
        #expect(mixer["Master Volume"] == [80, 80] && files.count == 1, "the other card's is its own")
        withExtendedLifetime(killed) {}
        #expect(standing != before)
    }

    @Test func whatCannotBeKeptIsSaid() throws {
        let before = standing
        let none = scratch("none")
        let board = RouteBoard(folder: none)
        let (route, notes) = try board.set(Self.volume(80), on: FakeCard(mixer))
        #expect(Set(notes) == ["what the card Fake is set to cannot be kept in \(none) (ENOENT)"])
        #expect(board.putBack(route) == [] && standing == before)
    }

    @Test(
        arguments: [
            RouteRecord(changes: []), RouteRecord(useCase: MixerRoute.UseCase(verb: "a b"), changes: [], isEnded: true),
            RouteRecord(useCase: MixerRoute.UseCase(verb: "%", device: "é ."), changes: []),
        ]) func aRecordIsReadAsItWasWritten(_ record: RouteRecord)
    {
        var record = record
        let address = MixerElement.Address(interface: .mixer, name: "A B")
        record.changes = [[1, 2], nil].map {
            RouteChange(element: MixerElement(number: 7, address: address), before: [3, 4], ours: $0)
        }
        let text = record.text(boot: "x")
        #expect(RouteRecord(text: text, boot: "x") == record)
        #expect(RouteRecord(text: text, boot: "y") == nil)
        for end in text.indices {
            let part = RouteRecord(text: String(text[..<end]), boot: "x")
            #expect(part == nil || record.changes.starts(with: part?.changes ?? []))
        }
    }

    /// Whatever comes in whatever order, who has set last is heard as it has set, and at the end all is as before.
    @Test(arguments: 1...20) func aWalk(seed: UInt64) throws {
        struct Route {
            var board: Int
            var standing: StandingRoute
            var volume: Int64?
        }
        let before = standing
        mixer.enters = ["Speaker Switch": [1], "Master Volume": [33, 33]]
        mixer.leaves = ["Speaker Switch": [0], "Master Volume": [0, 0], "Output": [1]]
        var chance = SplitMix64(seed: seed)
        var boards = (0..<3).map { _ in process() }
        var routes: [Route] = []
        for _ in 0..<60 {
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<4:
                let board = Int.random(in: 0..<3, using: &chance)
                var route = Self.volume(Int64.random(in: 0...3, using: &chance) * 10 + 5)
                let volume: Int64?
                switch Int.random(in: 0..<4, using: &chance) {
                case 0: route.useCase = Self.hifi.useCase
                case 1: route = Self.hifi
                default: break
                }
                if case .number(let number)? = route.controls.first?.values.first {
                    volume = number
                } else {
                    volume = 33
                }
                routes.append(Route(board: board, standing: try set(route, boards[board]), volume: volume))
            case 4..<9:
                guard let index = routes.indices.randomElement(using: &chance) else { continue }
                let route = routes.remove(at: index)
                let notes = boards[route.board].putBack(route.standing)
                #expect(notes.allSatisfy { !$0.contains("stays") && !$0.contains("not put back") }, "\(notes)")
            default:
                // Killed: nothing happens before another one comes.
                let board = Int.random(in: 0..<3, using: &chance)
                boards[board] = process()
                routes.removeAll { $0.board == board }
                continue
            }
            guard let top = routes.last else {
                #expect(standing == before)
                continue
            }
            if let volume = top.volume { #expect(mixer["Master Volume"] == [volume, volume]) }
        }
        for route in routes { _ = boards[route.board].putBack(route.standing) }
        let last = process()
        _ = last.putBack(try set(MixerRoute(controls: []), last))
        #expect(standing == before && files.isEmpty)
    }
}
