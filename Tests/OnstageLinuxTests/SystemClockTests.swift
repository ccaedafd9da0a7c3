import OnstageCore
import OnstageLinux
import Testing

@Suite("Tables: the system's clock") struct SystemClockTests {
    /// Nanoseconds that a wait may take; nil for ever.
    private func timeout(_ deadline: Int64?) throws -> Int64 {
        SystemClock().timeout(until: deadline.map { MonotonicTime(nanoseconds: $0) }, waking: try Mailbox<Int>())
    }

    @Test("what is due is not waited for, however long ago that was", arguments: [Int64.min, -1, 0, 1])
    func due(deadline: Int64) throws {
        #expect(try timeout(deadline) == 0)
    }

    @Test("the furthest deadline is waited for, and none for ever")
    func later() throws {
        #expect(try timeout(.max) > .max / 2)
        #expect(try timeout(nil) == -1)
    }
}
