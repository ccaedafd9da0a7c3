import OnstageCore
import OnstageTestSupport
import Testing

@Suite struct LifecycleInterruptionsTests {
    static let all = Set(ResourceKind.allCases)

    static let kinds: [(ResourceKind?, Set<ResourceKind>)] = [
        (nil, [.camera, .motion, .audio]), (.camera, [.camera]), (.motion, [.motion]), (.audio, [.audio]),
    ]

    @Test(arguments: kinds)
    func oneNamesItsKindOrAll(_ row: (kind: ResourceKind?, interrupted: Set<ResourceKind>)) throws {
        var interruptions = Interruptions()
        #expect(interruptions.kinds == [])
        #expect(interruptions.began(reason: "call", kind: row.kind).interrupted == row.interrupted)
        #expect(interruptions.kinds == row.interrupted)
        let change = try interruptions.ended(shouldResume: true)
        #expect(change.freed == row.interrupted)
        #expect(change.interruption == Interruptions.Standing(reason: "call", kind: row.kind))
        #expect(!change.pausesPlayback)
        #expect(interruptions.kinds == [])
    }

    /// Only an end that should not resume, of one that interrupted sound, pauses playback as the user would.
    static let stays: [(ResourceKind?, Bool, Bool)] = [
        (nil, true, false), (nil, false, true), (.audio, true, false), (.audio, false, true),
        (.camera, true, false), (.camera, false, false), (.motion, true, false), (.motion, false, false),
    ]

    @Test(arguments: stays)
    func stayLeavesPlaybackPausedAndNothingElse(_ row: (kind: ResourceKind?, shouldResume: Bool, pauses: Bool)) throws {
        var interruptions = Interruptions()
        _ = interruptions.began(reason: "call", kind: row.kind)
        let change = try interruptions.ended(reason: "call", shouldResume: row.shouldResume)
        #expect(change.pausesPlayback == row.pauses)
        #expect(interruptions.kinds == [], "camera and sensors go on")
    }

    @Test func nested() throws {
        var interruptions = Interruptions()
        _ = interruptions.began(reason: "call", kind: nil)
        #expect(interruptions.began(reason: "alarm", kind: .audio).interrupted == [])
        #expect(try interruptions.ended(shouldResume: true).freed == [], "the newest ends; the call stands")
        #expect(interruptions.kinds == Self.all)
        #expect(try interruptions.ended(shouldResume: true).freed == Self.all)
    }

    @Test func crossing() throws {
        var interruptions = Interruptions()
        _ = interruptions.began(reason: "alarm", kind: .audio)
        #expect(interruptions.began(reason: "call", kind: nil).interrupted == [.camera, .motion])
        #expect(try interruptions.ended(reason: "alarm", shouldResume: true).freed == [])
        #expect(interruptions.kinds == Self.all)
        #expect(try interruptions.ended(reason: "call", shouldResume: true).freed == Self.all)
    }

    @Test func twoOfTheSameReasonNeedTwoEnds() throws {
        var interruptions = Interruptions()
        _ = interruptions.began(reason: "call", kind: .audio)
        _ = interruptions.began(reason: "call", kind: .audio)
        #expect(try interruptions.ended(reason: "call", shouldResume: true).freed == [])
        #expect(try interruptions.ended(reason: "call", shouldResume: true).freed == [.audio])
    }

    @Test func anInnerStayIsNotUndoneByAnOuterResume() throws {
        var interruptions = Interruptions()
        _ = interruptions.began(reason: "call", kind: nil)
        _ = interruptions.began(reason: "alarm", kind: .audio)
        #expect(try interruptions.ended(shouldResume: false).pausesPlayback)
        let outer = try interruptions.ended(shouldResume: true)
        #expect(!outer.pausesPlayback, "it neither pauses nor plays")
    }

    @Test func anEndWithoutABeginIsRefused() throws {
        var interruptions = Interruptions()
        #expect(throws: LifecycleError.notInterrupted(reason: nil)) { try interruptions.ended(shouldResume: true) }
        _ = interruptions.began(reason: "call", kind: nil)
        let before = interruptions
        #expect(throws: LifecycleError.notInterrupted(reason: "alarm")) {
            try interruptions.ended(reason: "alarm", shouldResume: false)
        }
        #expect(interruptions == before)
    }

    @Test(arguments: (1...50).map { UInt64($0) &* 0x1357_9BDF_0246_8ACE })
    func walk(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var interruptions = Interruptions()
        var model: [(reason: String, kind: ResourceKind?)] = []
        for step in 0..<100 {
            let at: Comment = "seed \(seed), step \(step)"
            let before = interruptions.kinds
            let reason = ["call", "alarm", "policy"].randomElement(using: &random) ?? ""
            if Bool.random(using: &random) {
                let kind = Self.kinds.randomElement(using: &random)?.0
                let change = interruptions.began(reason: reason, kind: kind)
                model.append((reason, kind))
                #expect(change.freed == [], at)
                #expect(before.union(change.interrupted) == interruptions.kinds, at)
            } else if let index = model.lastIndex(where: { $0.reason == reason }) {
                let shouldResume = Bool.random(using: &random)
                let change = try interruptions.ended(reason: reason, shouldResume: shouldResume)
                let ended = model.remove(at: index)
                #expect(change.interruption.kind == ended.kind, at)
                #expect(change.pausesPlayback == (!shouldResume && ended.kind != .camera && ended.kind != .motion), at)
                #expect(before.subtracting(change.freed) == interruptions.kinds, at)
            } else {
                #expect(throws: LifecycleError.self, at) { try interruptions.ended(reason: reason, shouldResume: true) }
            }
            for kind in ResourceKind.allCases {
                #expect(
                    interruptions.isInterrupted(kind) == model.contains { $0.kind == nil || $0.kind == kind }, at)
            }
        }
    }
}
