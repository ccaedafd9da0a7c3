import Glibc
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageStore

/// What must be tried in a process of its own: its death, its limits, its rights.
@Suite(.serialized) struct StoreInAChildTests {
    let scratch = Scratch()
    let heard = Heard()

    /// Dies at a place that is different each time, in the middle of 1,000 stores. What had been told to be on the disk is
    /// there, and nothing that was never recorded.
    @Test(arguments: 0..<12)
    func aKilledProcessLosesNothingThatWasStored(round: Int) async throws {
        let directory = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String, round = round as Int] in
            let told = open(directory + "/told", O_WRONLY | O_CREAT, 0o600)
            let store = PositionStore(directory: directory, log: { _ in })
            let last = Int64(20 + round * 37)
            for position in 1...1_000 as ClosedRange<Int64> {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    store.record(position, rate: 8_000, frames: 1_000, for: .ramp, scene: "main") { time in
                        if time != nil {
                            var value = position
                            pwrite(told, &value, 8, 0)
                        }
                        continuation.resume()
                    }
                    // The store's thread is somewhere between its mailbox and the disk now.
                    if position == last {
                        let end = MonotonicTime.now + .microseconds(round * 90)
                        while MonotonicTime.now < end {}
                        kill(getpid(), SIGKILL)
                    }
                }
            }
        }
        let told = bytes(scratch.path + "/told").withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
        let store = PositionStore(scratch, heard)
        let position = await store.read()
        #expect(position.map { $0 >= told && $0 <= told + 1 } == true, "\(position ?? -1) after \(told)")
        #expect(told >= Int64(19 + round * 37))
        #expect(await store.stored(1) != nil)
        await store.closed()
        #expect(heard.lines == [])
    }

    @Test func aFullDiskIsSaidOnceAndRecoveredFrom() async throws {
        let directory = scratch.path
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            signal(SIGXFSZ, SIG_DFL)
            let heard = Heard()
            let store = PositionStore(directory: directory, log: { heard.take($0) })
            #expect(await store.stored(1) != nil)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let whole = limit
            limit.rlim_cur = 20_000
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var failures = 0
            for position in 2...60 as ClosedRange<Int64> {
                if await store.stored(position) == nil { failures += 1 }
            }
            #expect(failures > 10)
            #expect(await store.read() == 60)
            #expect(heard.lines.count == 1, "\(heard.lines)")
            limit = whole
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(await store.stored(61) != nil)
            #expect(heard.lines.count == 2, "\(heard.lines)")
            #expect(await store.closed())
            if heard.lines.count != 2 || failures <= 10 { exit(1) }
        }
        #expect(await PositionStore(scratch, heard).read() == 61)
    }

    @Test(.enabled(if: getuid() == 0, "only root can become nobody"))
    func aReadOnlyStoreIsReadAndNotWritten() async throws {
        let store = PositionStore(scratch, heard)
        await store.stored(5)
        await store.closed()
        chmod(scratch.path, 0o555)
        chmod(scratch.file, 0o444)
        let directory = scratch.path
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(2) }
            let heard = Heard()
            let store = PositionStore(directory: directory, log: { heard.take($0) })
            guard await store.read() == 5 else { exit(3) }
            guard await store.stored(6) == nil else { exit(4) }
            guard await store.read() == 6 else { exit(5) }
            guard heard.lines.count == 1 else { exit(6) }
        }
        #expect(await PositionStore(scratch, heard).read() == 5)
    }

    @Test(.enabled(if: getuid() == 0, "only root can become nobody"))
    func aForbiddenDirectoryIsDoneWithout() async throws {
        let directory = scratch.path
        chmod(directory, 0o500)
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(2) }
            let heard = Heard()
            let store = PositionStore(directory: directory, log: { heard.take($0) })
            guard await store.read() == nil else { exit(3) }
            guard await store.stored(6) == nil else { exit(4) }
            guard heard.lines.count == 1 else { exit(6) }
        }
    }
}
