internal import Glibc
internal import OnstageLinux

/// Counts calls of malloc, thread by thread, in a process that is started with a malloc of its own.
package enum AllocationCount {
    /// How often the calling thread has called it.
    package typealias Counter = @convention(c) () -> Int

    private static let source = """
        #define _GNU_SOURCE
        #include <stddef.h>
        extern void *__libc_malloc(size_t); extern void *__libc_calloc(size_t, size_t);
        extern void *__libc_realloc(void *, size_t); extern void *__libc_memalign(size_t, size_t);
        static __thread long mine __attribute__((tls_model("initial-exec")));
        long onstage_test_allocations(void) { return mine; }
        void *malloc(size_t n) { mine++; return __libc_malloc(n); }
        void *calloc(size_t n, size_t m) { mine++; return __libc_calloc(n, m); }
        void *realloc(void *p, size_t n) { mine++; return __libc_realloc(p, n); }
        void *memalign(size_t a, size_t n) { mine++; return __libc_memalign(a, n); }
        void *aligned_alloc(size_t a, size_t n) { mine++; return __libc_memalign(a, n); }
        int posix_memalign(void **p, size_t a, size_t n) { mine++; *p = __libc_memalign(a, n); return *p ? 0 : 12; }
        """

    /// The counter, in a process that has it.
    package static func counter() -> Counter? {
        // The C function above, of just this type.
        dlsym(nil, "onstage_test_allocations").map { unsafeBitCast($0, to: Counter.self) }
    }

    /// Runs a test, "Module.Suite.function", in a process of its own that counts.
    ///
    /// Answers the status and the output: of the compiler, if that failed.
    package static func run(_ test: String) -> (status: Int32, output: String) {
        let folder = Scratch(name: "onstage-allocations")
        let (library, code) = (folder("count.so"), folder.file("count.c", source))
        let built = Shell.run("${CC:-clang} -O1 -fno-builtin -shared -fPIC -o '\(library)' '\(code)'")
        guard built.status == 0 else { return built }
        let own = Shell.run("readlink /proc/\(getpid())/exe").output.split(separator: "\n").first ?? ""
        let bundle = ProcessFacts.mappings().first { $0.hasSuffix("PackageTests.xctest") } ?? String(own)
        // Where a helper of the toolchain runs the bundle, it is told of it.
        let command = own.hasSuffix("xctest") ? "'\(own)'" : "'\(own)' --test-bundle-path '\(bundle)'"
        return Shell.run("LD_PRELOAD='\(library)' \(command) --testing-library swift-testing --filter '\(test)'")
    }
}
