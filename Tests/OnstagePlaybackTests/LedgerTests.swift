import OnstageCore
import Testing

@testable import OnstagePlayback

@Suite("Tables: what was heard, in source frames")
struct LedgerTests {
    @Test("A-06: heard = written − ahead, never back, never beyond what was written")
    func heard() {
        var ledger = PlaybackLedger(base: 1000, length: 5000)
        ledger.wrote(480)
        ledger.observe(ahead: 400)
        #expect(ledger.position == 1080)
        ledger.observe(ahead: 470)
        #expect(ledger.position == 1080)
        ledger.observe(ahead: -3)
        #expect(ledger.position == 1480)
    }

    @Test("silence behind the content is never counted as content")
    func silence() {
        var ledger = PlaybackLedger(base: 0, length: 5000)
        ledger.wrote(480)
        ledger.wroteSilence(100)
        ledger.observe(ahead: 110)
        #expect(ledger.heard == 470)
        #expect(ledger.contentAhead(ahead: 110) == 10)
        ledger.observe(ahead: 50)
        #expect(ledger.heard == 480)
        ledger.rewound(150)
        #expect(ledger.silence == 0)
        #expect(ledger.written == 480, "what has been heard cannot be taken back")
    }

    @Test("a rewind takes silence back first, then content")
    func rewind() {
        var ledger = PlaybackLedger(base: 0, length: 5000)
        ledger.wrote(480)
        ledger.wroteSilence(100)
        ledger.rewound(150)
        #expect(ledger.silence == 0)
        #expect(ledger.written == 430)
    }

    @Test(
        "A-24: positions in a loop are frames modulo the length",
        arguments: [(0, 0), (1, 1), (1536, 1536), (1537, 1537), (1538, 1), (3074, 1537), (3075, 1), (76_850, 1537)])
    func loop(heard: Int64, position: Int64) {
        var ledger = PlaybackLedger(base: 0, length: 1537)
        ledger.wrote(heard)
        ledger.observeAll()
        #expect(ledger.position == position)
    }
}
