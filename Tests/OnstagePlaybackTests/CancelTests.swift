import OnstageCore
import Synchronization
import Testing

@testable import OnstagePlayback

/// Cancelled once it has been asked so many times.
private final class CancellationAt: CancellationSource {
    private let left: Atomic<Int>
    var wakeDescriptor: Int32 { -1 }

    init(check: Int) { left = Atomic(check) }

    var isCancelled: Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue <= 0 }
}

@Suite("Scripts: an acquire that is called off")
struct CancelTests {
    @Test("at whichever step, the PCM is given back and the next acquire has it", arguments: 0..<4)
    func everyStep(check: Int) throws {
        let clock = StillClock()
        let room = FakeOutput.Room()
        let driver = PlaybackDriver(
            configuration: PlaybackConfiguration(), media: RampSource(frames: 48_000), clock: clock,
            backend: FakeOutput.backend(FakeOutput.Make(), clock, room), report: { _ in })
        let device = try driver.resolve()
        do throws(DeviceError) {
            _ = try driver.acquire(device, CancellationAt(check: check))
            #expect(check >= 2, "there are two steps at which it looks")
        } catch {
            #expect(error.kind == .cancelled)
            #expect(room.open == 0, "a PCM was left open")
            _ = try driver.acquire(device, NoCancellation())
        }
        #expect(room.open == 1)
        var run = DriverRun(driver, still: clock)
        _ = run.release()
        #expect(room.open == 0)
    }
}
