import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Synchronization
import Testing

@testable import OnstageCamera

@Suite("real: pictures asked for in any order", .serialized)
struct PictureWalkTests {
    /// Every request of a walk, by its number, and how often it was answered.
    private final class Answers: Sendable {
        private let counts = Mutex<[Int]>([])
        let bell: Mailbox<Int>
        init() throws { bell = try Mailbox() }

        /// What is to be called for one more request.
        func next() -> @Sendable (Result<PictureFile, ImageCapture.Failure>) -> Void {
            let number = counts.withLock { counts in
                counts.append(0)
                return counts.count - 1
            }
            return { [self] _ in
                counts.withLock { $0[number] += 1 }
                bell.wake()
            }
        }

        var all: [Int] { counts.withLock { $0 } }

        /// Waits until all that was asked for has been answered; false when something was not within the time.
        func settle() -> Bool {
            let end = MonotonicTime.now + .seconds(20)
            while all.contains(0) {
                if MonotonicTime.now > end { return false }
                var wait = WaitSet()
                wait.add(bell.descriptor)
                wait.wake(at: end)
                _ = wait.waitForEvents(SystemClock(), waking: bell)
                _ = bell.take()
            }
            return true
        }
    }

    /// The camera comes and goes on a thread of its own all the while: its frames, its releases and the end of the capture
    /// fall upon each other in any order.
    @Test("each request is answered exactly once", arguments: [1, 4] as [UInt64])
    func walk(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let sinks = FrameSinks()
        // Large frames: a copy takes long enough for the end to come in the middle of it.
        let driver = SyntheticCameraDriver(
            configuration: CameraConfiguration(width: 1920, height: 1080), sinks: sinks, report: { _ in },
            pace: .asFastAsTheyCome)
        nonisolated(unsafe) let turner = try Turner(driver)  // touched by that thread alone until it has ended
        let isEnd = Atomic<Bool>(false)
        let ended = Hold()
        var turns = SplitMix64(seed: seed &+ 100)
        let lengths = (0..<64).map { _ in Int.random(in: 1...2000, using: &turns) }
        try PosixThread.start("test-camera") {
            var cycle = 0
            while !isEnd.load(ordering: .relaxed) {
                do {
                    _ = try turner.acquire()
                    for _ in 0..<lengths[cycle % lengths.count] { try turner.turn(limit: .milliseconds(5)) }
                } catch {
                    Issue.record("\(error)")
                }
                turner.release()
                cycle += 1
            }
            ended.open()
        }
        defer { isEnd.store(true, ordering: .relaxed) }
        let answers = try Answers()
        var capture: ImageCapture? = try ImageCapture(sinks)
        for _ in 0..<80 {
            switch Int.random(in: 0..<8, using: &chance) {
            case 0, 1, 2:
                if capture == nil { capture = try ImageCapture(sinks) }
                capture?.take(
                    as: .bgra(width: 32, height: 24), skip: Int.random(in: 0...1, using: &chance), answers.next())
            case 3:
                try #require(answers.settle(), "\(answers.all)")
            case 4, 5, 6:
                // Its thread is there and has nothing to do when the end comes.
                try #require(answers.settle(), "\(answers.all)")
                capture?.take(as: .bgra(width: 32, height: 24), answers.next())
                var pause = timespec(tv_sec: 0, tv_nsec: Int.random(in: 0...2_000_000, using: &chance))
                nanosleep(&pause, nil)  // where in the frame the end comes is what is tried here
                capture = nil
            default:
                capture = nil
            }
        }
        capture = nil
        try #require(answers.settle(), "\(answers.all)")
        isEnd.store(true, ordering: .relaxed)
        ended.pass()
        #expect(answers.all.allSatisfy { $0 == 1 }, "\(answers.all)")
        #expect(sinks.all.isEmpty)
    }
}
