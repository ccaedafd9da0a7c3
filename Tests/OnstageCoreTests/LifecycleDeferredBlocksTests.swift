import OnstageCore
import OnstageTestSupport
import Testing

@Suite struct LifecycleDeferredBlocksTests {
    static func ids(_ numbers: UInt32...) -> [DeferredBlockID] {
        numbers.map { DeferredBlockID($0) }
    }

    /// Runs what is to run now; gives up at ten.
    static func flush(_ blocks: inout DeferredBlocks, isActive: Bool = true) -> [DeferredBlockID] {
        var run: [DeferredBlockID] = []
        while run.count < 10, let id = blocks.next(isActive: isActive) { run.append(id) }
        return run
    }

    @Test func atOnceWhenActive() {
        var blocks = DeferredBlocks()
        blocks.add(DeferredBlockID(1))
        #expect(Self.flush(&blocks) == Self.ids(1))
        #expect(Self.flush(&blocks) == [], "exactly once")
    }

    @Test func elseAtTheNextActivationInOrder() {
        var blocks = DeferredBlocks()
        blocks.add(DeferredBlockID(1))
        #expect(Self.flush(&blocks, isActive: false) == [])
        blocks.add(DeferredBlockID(2))
        #expect(Self.flush(&blocks) == Self.ids(1, 2))
        #expect(Self.flush(&blocks) == [], "the activation after it runs nothing again")
    }

    @Test func calledOffItNeverRuns() {
        var blocks = DeferredBlocks()
        for id in Self.ids(1, 2, 3) { blocks.add(id) }
        let cancelled = [blocks.cancel(DeferredBlockID(2)), blocks.cancel(DeferredBlockID(2))]
        #expect(cancelled == [true, false])
        #expect(Self.flush(&blocks) == Self.ids(1, 3))
        let late = blocks.cancel(DeferredBlockID(1))
        #expect(!late, "it has run")
    }

    @Test func oneGivenInsideAnotherRunsAfterThoseThatWait() {
        var blocks = DeferredBlocks()
        for id in Self.ids(1, 2) { blocks.add(id) }
        let first = blocks.next(isActive: true)
        blocks.add(DeferredBlockID(3))
        #expect(first == DeferredBlockID(1))
        #expect(Self.flush(&blocks) == Self.ids(2, 3))
    }

    @Test func leavingActiveInsideOneKeepsTheRest() {
        var blocks = DeferredBlocks()
        for id in Self.ids(1, 2) { blocks.add(id) }
        let first = blocks.next(isActive: true)
        #expect(first == DeferredBlockID(1))
        #expect(Self.flush(&blocks, isActive: false) == [])
        #expect(Self.flush(&blocks) == Self.ids(2))
    }

    @Test func givenTwiceIsOnce() {
        var blocks = DeferredBlocks()
        let added = [blocks.add(DeferredBlockID(1)), blocks.add(DeferredBlockID(1))]
        #expect(added == [true, false])
        #expect(Self.flush(&blocks) == Self.ids(1))
    }

    @Test func theEndCallsAllOff() {
        var blocks = DeferredBlocks()
        for id in Self.ids(1, 2) { blocks.add(id) }
        let dropped = blocks.removeAll()
        #expect(dropped == Self.ids(1, 2))
        #expect(blocks.isEmpty)
        #expect(Self.flush(&blocks) == [])
    }

    @Test(arguments: (1...50).map { UInt64($0) &* 0xABCD_EF01_2345_6789 })
    func walk(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var blocks = DeferredBlocks()
        var waiting: [UInt32] = []
        var given: UInt32 = 0
        for step in 0..<100 {
            let at: Comment = "seed \(seed), step \(step)"
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                given += 1
                blocks.add(DeferredBlockID(given))
                waiting.append(given)
            case 1 where given > 0:
                let number = UInt32.random(in: 1...given, using: &random)
                let called = blocks.cancel(DeferredBlockID(number))
                #expect(called == waiting.contains(number), at)
                waiting.removeAll { $0 == number }
            default:
                let isActive = Bool.random(using: &random)
                let expected = isActive && !waiting.isEmpty ? DeferredBlockID(waiting.removeFirst()) : nil
                let next = blocks.next(isActive: isActive)
                #expect(next == expected, at)
            }
            #expect(blocks.isEmpty == waiting.isEmpty, at)
        }
    }
}
