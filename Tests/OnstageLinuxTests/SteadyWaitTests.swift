import CLinux
import OnstageCore
import Testing

@testable import OnstageLinux

@Suite("real C: waiting for the same descriptors again and again")
struct SteadyWaitTests {
    private func event() throws -> Descriptor {
        let number = clinux_eventfd()
        try #require(number >= 0)
        return Descriptor(owning: number)
    }

    private func set(_ descriptors: [Int32], until limit: Duration? = nil) -> WaitSet {
        var set = WaitSet()
        for descriptor in descriptors { set.add(descriptor) }
        if let limit { set.wake(at: .now + limit) }
        return set
    }

    @Test func saysWhichIsReadableAndWhenTheTimeIsUp() throws {
        let steady = try #require(SteadyWait())
        let one = try event()
        let two = try event()
        for _ in 0..<3 {
            clinux_eventfd_add(two.number)
            var ready = set([one.number, two.number], until: .seconds(20))
            #expect(steady.tell(ready))
            #expect(steady.wait(&ready) == 1)
            #expect(ready.answers(0) == 0 && ready.answers(1) == WaitSet.readable)
            clinux_eventfd_clear(two.number)
            let begun = MonotonicTime.now
            var empty = set([one.number, two.number], until: .milliseconds(30))
            #expect(steady.tell(empty))
            #expect(steady.wait(&empty) == 0)
            #expect(empty.answers(0) == 0 && empty.answers(1) == 0)
            #expect(MonotonicTime.now - begun >= .milliseconds(30))
        }
    }

    @Test func whatWasToldIsWaitedForAgain() throws {
        let steady = try #require(SteadyWait())
        let one = try event()
        var kept = set([one.number], until: .milliseconds(500))
        #expect(steady.tell(kept))
        for _ in 0..<3 {
            clinux_eventfd_add(one.number)
            #expect(steady.wait(&kept) == 1 && kept.answers(0) == WaitSet.readable && !steady.isDue)
            clinux_eventfd_clear(one.number)
        }
        #expect(steady.wait(&kept) == 0 && kept.answers(0) == 0 && steady.isDue)
    }

    @Test("a timer that was set for an earlier deadline ends no later wait")
    func earlierDeadline() throws {
        let steady = try #require(SteadyWait())
        let one = try event()
        clinux_eventfd_add(one.number)
        var first = set([one.number], until: .milliseconds(20))
        #expect(steady.tell(first))
        #expect(steady.wait(&first) == 1)
        clinux_eventfd_clear(one.number)
        let begun = MonotonicTime.now
        var second = set([one.number], until: .milliseconds(80))
        #expect(steady.tell(second))
        #expect(steady.wait(&second) == 0)
        #expect(MonotonicTime.now - begun >= .milliseconds(80))
    }

    @Test("a descriptor that was closed and whose number is given out again is told anew")
    func reused() throws {
        let steady = try #require(SteadyWait())
        let number: Int32
        do {
            let one = try event()
            number = one.number
            clinux_eventfd_add(number)
            var ready = set([number], until: .seconds(20))
            #expect(steady.tell(ready))
            #expect(steady.wait(&ready) == 1)
            one.close()
        }
        let again = try event()
        clinux_eventfd_add(again.number)
        var ready = set([again.number], until: .seconds(20))
        #expect(steady.tell(ready))
        #expect(steady.wait(&ready) == 1)
        steady.forget()
        var once = set([again.number], until: .seconds(20))
        #expect(steady.tell(once))
        #expect(steady.wait(&once) == 1)
    }

    @Test("what the kernel cannot wait for so is left to poll")
    func refused() throws {
        let steady = try #require(SteadyWait())
        // Always readable: epoll takes no such file.
        let file = try Descriptor(opening: "/proc/self/exe", flags: O_RDONLY)
        var ready = set([file.number], until: .seconds(20))
        #expect(!steady.tell(ready))
        #expect(ready.waitForEvents(SystemClock(), waking: try Mailbox<Int>()) == 1)
    }
}
