import Glibc
import OnstageCore
import Synchronization
import Testing

@testable import OnstageCamera

/// What counts calls of malloc in a process that is started with it: the whole process's, and the calling thread's.
private let counterSource = """
    #define _GNU_SOURCE
    #include <stddef.h>
    extern void *__libc_malloc(size_t); extern void *__libc_calloc(size_t, size_t);
    extern void *__libc_realloc(void *, size_t); extern void *__libc_memalign(size_t, size_t);
    static __thread long mine __attribute__((tls_model("initial-exec")));
    long allocations_mine(void) { return mine; }
    void *malloc(size_t n) { mine++; return __libc_malloc(n); }
    void *calloc(size_t n, size_t m) { mine++; return __libc_calloc(n, m); }
    void *realloc(void *p, size_t n) { mine++; return __libc_realloc(p, n); }
    void *memalign(size_t a, size_t n) { mine++; return __libc_memalign(a, n); }
    void *aligned_alloc(size_t a, size_t n) { mine++; return __libc_memalign(a, n); }
    int posix_memalign(void **p, size_t a, size_t n) { mine++; *p = __libc_memalign(a, n); return *p ? 0 : 12; }
    """

private typealias Counter = @convention(c) () -> Int

/// The counter, in a process that has it.
private func counter() -> Counter? {
    dlsym(nil, "allocations_mine").map { unsafeBitCast($0, to: Counter.self) }
}

@Suite("real C: nothing is allocated for a frame", .serialized)
struct AllocationTests {
    @Test(
        "1,000 frames, counted in a process of its own with a counting malloc",
        .enabled(if: getenv("ONSTAGE_SANITIZER") == nil, "the sanitizer has a malloc of its own"))
    func counted() throws {
        guard counter() == nil else { return }
        let library = "/tmp/onstage-allocations-\(getpid())"
        defer { Bench.shell("rm -f '\(library).c' '\(library).so'") }
        let file = try #require(fopen("\(library).c", "w"))
        fputs(counterSource, file)
        fclose(file)
        let built = Bench.shell("${CC:-clang} -O1 -fno-builtin -shared -fPIC -o '\(library).so' '\(library).c'")
        #expect(built.status == 0, "\(built.output)")
        let own = Bench.shell("readlink /proc/\(getpid())/exe").output.split(separator: "\n").first ?? ""
        let run = Bench.shell(
            "LD_PRELOAD='\(library).so' '\(own)' --testing-library swift-testing --filter AllocationTests.inner")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("1000 frames: 0 allocations"), "\(run.output)")
    }

    @Test("1,000 frames to an inline, a preview and a queued sink", .enabled(if: counter() != nil))
    func inner() throws {
        let count = try #require(counter())
        let sinks = FrameSinks()
        let driver = SyntheticCameraDriver(
            configuration: CameraConfiguration(width: 128, height: 32), sinks: sinks, report: { _ in },
            pace: .asFastAsTheyCome)
        let turner = try Turner(driver)
        let sum = Atomic<UInt64>(0)
        let queuedCalls = Atomic<Int>(0)
        let queuedAllocations = Atomic<Int>(0)
        try sinks.add(.inline) { sum.wrappingAdd($0.sequence, ordering: .relaxed) }
        try sinks.add(.inline, as: .bgra) { sum.wrappingAdd(UInt64($0.stride), ordering: .relaxed) }
        try sinks.add(.queued) { frame in
            sum.wrappingAdd(frame.sequence, ordering: .relaxed)
            queuedCalls.wrappingAdd(1, ordering: .relaxed)
            queuedAllocations.store(count(), ordering: .relaxed)
        }
        _ = try turner.acquire()
        while queuedCalls.load(ordering: .relaxed) < 20 { try turner.turn() }
        // A room that is made when a thread is first held up in a certain place is made once; what is made for a frame is made
        // in each of these thousands.
        var made = -1
        for _ in 0..<5 where made != 0 {
            let (before, queuedBefore) = (count(), queuedAllocations.load(ordering: .relaxed))
            for _ in 0..<1000 { try turner.turn() }
            made = count() - before + queuedAllocations.load(ordering: .relaxed) - queuedBefore
        }
        turner.release()
        #expect(made == 0)
        #expect(count() > 0)
        print("1000 frames: \(made) allocations")
    }
}
