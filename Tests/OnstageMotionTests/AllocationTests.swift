import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import Synchronization
import Testing

@testable import OnstageMotion

/// Counts the calling thread's calls of malloc, in a process that is started with it.
private let counterSource = """
    #define _GNU_SOURCE
    #include <stddef.h>
    extern void *__libc_malloc(size_t); extern void *__libc_calloc(size_t, size_t);
    extern void *__libc_realloc(void *, size_t); extern void *__libc_memalign(size_t, size_t);
    static __thread long mine __attribute__((tls_model("initial-exec")));
    long motion_allocations(void) { return mine; }
    void *malloc(size_t n) { mine++; return __libc_malloc(n); }
    void *calloc(size_t n, size_t m) { mine++; return __libc_calloc(n, m); }
    void *realloc(void *p, size_t n) { mine++; return __libc_realloc(p, n); }
    void *memalign(size_t a, size_t n) { mine++; return __libc_memalign(a, n); }
    void *aligned_alloc(size_t a, size_t n) { mine++; return __libc_memalign(a, n); }
    int posix_memalign(void **p, size_t a, size_t n) { mine++; *p = __libc_memalign(a, n); return *p ? 0 : 12; }
    """

private typealias Counter = @convention(c) () -> Int

private func counter() -> Counter? {
    dlsym(nil, "motion_allocations").map { unsafeBitCast($0, to: Counter.self) }
}

@Suite("real C: nothing is allocated for a sample", .serialized)
struct AllocationTests {
    private static func shell(_ command: String) -> (status: Int32, output: String) {
        guard let pipe = popen("{ \(command)\n} 2>&1", "r") else { return (-1, "popen failed") }
        var output = ""
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, 4096, pipe) != nil {
            output += String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return ((pclose(pipe) >> 8) & 0xff, output)
    }

    @Test(
        "in a process of its own with a counting malloc",
        .enabled(if: getenv("ONSTAGE_SANITIZER") == nil, "the sanitizer has a malloc of its own"))
    func counted() throws {
        guard counter() == nil else { return }
        let library = "/tmp/onstage-motion-allocations-\(getpid())"
        defer { _ = Self.shell("rm -f '\(library).c' '\(library).so'") }
        let file = try #require(fopen("\(library).c", "w"))
        fputs(counterSource, file)
        fclose(file)
        let built = Self.shell("${CC:-clang} -O1 -fno-builtin -shared -fPIC -o '\(library).so' '\(library).c'")
        try #require(built.status == 0, "\(built.output)")
        let own = Self.shell("readlink /proc/\(getpid())/exe").output.split(separator: "\n").first ?? ""
        let bundle = ProcessFacts.mappings().first { $0.hasSuffix("PackageTests.xctest") } ?? String(own)
        // Where a helper of the toolchain runs the bundle, it is told of it.
        let command = own.hasSuffix("xctest") ? "'\(own)'" : "'\(own)' --test-bundle-path '\(bundle)'"
        let run = Self.shell(
            "LD_PRELOAD='\(library).so' \(command) --testing-library swift-testing "
                + "--filter OnstageMotionTests.AllocationTests.inner")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("at once 0, in batches 0 allocations"), "\(run.output)")
    }

    /// On the thread that drives the device: an inline listener, a decimated one, one with a thread, one for batches.
    @Test("1,000 samples at once and 1,000 in batches", .enabled(if: counter() != nil))
    func inner() throws {
        let count = try #require(counter())
        let once = try allocations(latency: .zero, together: 1, count)
        let batches = try allocations(latency: .milliseconds(50), together: 50, count)
        #expect(count() > 0)
        print("at once \(once), in batches \(batches) allocations")
    }

    private func allocations(latency: Duration, together: Int, _ count: Counter) throws -> Int {
        let fixture = try IIOFixture()
        let node = try fixture.accelerometer(0)
        let sinks = MotionSinks()
        let sum = Atomic<Int>(0)
        let add: @Sendable (MotionSample) -> Void = { sum.wrappingAdd(Int($0.raw.x), ordering: .relaxed) }
        try sinks.add(.inline, add)
        try sinks.add(.inline, rate: .hertz(100), add)
        try sinks.add(.queued, add)
        try sinks.addBatches { batch in
            batch.each { raw, _, _ in sum.wrappingAdd(Int(raw.x), ordering: .relaxed) }
        }
        let driver = MotionDriver(
            configuration: MotionConfiguration(
                kind: .accelerometer, rate: .hertz(1_000), maxLatency: latency, stallLimit: .seconds(60)),
            sinks: sinks, tree: fixture.tree, report: { _ in })
        _ = try driver.acquire(try driver.resolve(), FakeCancellation())
        defer { _ = driver.release(ReleaseRequest(asked: .now, hurried: false), now: .now) }
        var wait = WaitSet()
        var (sent, now) = (UInt64(0), MonotonicTime.now)
        func made(_ turns: Int) throws -> Int {
            var made = 0
            for _ in 0..<turns {
                for _ in 0..<together {
                    sent += 1
                    node.send(Int16(sent & 0x3FFF), 0, 981, at: Int64(sent) * 1_000_000)
                }
                // Only what is done for the samples, not the sending of them.
                now = now + latency
                let before = count()
                wait.removeAll()
                driver.prepare(&wait)
                for index in wait.entries.indices { wait.entries[index].answers = WaitSet.readable }
                try driver.service(wait, now: now)
                made += count() - before
            }
            return made
        }
        _ = try made(20)
        let allocations = try made(1_000 / together)
        #expect(driver.counts.delivered == sent)
        return allocations
    }
}
