import CSQLite
import Glibc
import OnstageCore
import Synchronization
import Testing

@testable import OnstageStore

/// A directory that goes when the test is over.
final class Scratch: Sendable {
    let path: String

    init() {
        // TMPDIR: so that the same tests run on other file systems (9p, a small tmpfs).
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/onstage-store-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, mkdtemp(start) != nil else { preconditionFailure("no /tmp") }
            return String(cString: start)
        }
    }

    deinit {
        Scratch.remove(path)
    }

    var file: String { path + "/" + StoreFile.name }

    /// What is there, without the empty journals of a file system that cannot share memory.
    var names: [String] { Scratch.names(path).filter { !$0.hasSuffix("-journal") } }

    static func names(_ path: String) -> [String] {
        guard let listing = opendir(path) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in names(path) { remove(path + "/" + name) }
        }
        _ = Glibc.remove(path)
    }
}

/// What a store has told its log.
final class Heard: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func take(_ line: String) {
        kept.withLock { $0.append(line) }
    }
}

/// How often something was asked for, and the waiting for it; one waits at a time.
final class Turns: Sendable {
    private let made = Mutex(0)
    private let arrivals = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    var count: Int { made.withLock { $0 } }

    /// The number of this one.
    @discardableResult
    func add() -> Int {
        defer { arrivals.continuation.yield() }
        return made.withLock { made in
            made += 1
            return made
        }
    }

    /// Until there have been so many.
    func reach(_ wanted: Int) async {
        if count >= wanted { return }
        for await _ in arrivals.stream where count >= wanted { return }
    }
}

extension PositionStore {
    convenience init(_ scratch: Scratch, _ heard: Heard, schema: StoreSchema = .current) {
        self.init(directory: scratch.path, schema: schema, log: { heard.take($0) })
    }

    /// Records and waits until it is on the disk; nil if it could not be put there.
    @discardableResult
    func stored(_ position: Int64, frames: Int64? = 1_000_000, _ media: MediaIdentity = .ramp) async -> MonotonicTime? {
        await withCheckedContinuation { continuation in
            record(position, rate: 48_000, frames: frames, for: media, scene: "main") {
                continuation.resume(returning: $0)
            }
        }
    }

    func read(_ media: MediaIdentity = .ramp, scene: String = "main", frames: Int64? = nil) async -> Int64? {
        await withCheckedContinuation { continuation in
            position(for: media, scene: scene, frames: frames) { continuation.resume(returning: $0?.position) }
        }
    }

    @discardableResult
    func closed() async -> Bool {
        let saved = await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
        return await Task.detached { self.close() }.value && saved
    }
}

extension MediaIdentity {
    static let ramp = MediaIdentity(name: "/media/ramp.wav", size: 384_044, changed: 1_700_000_000_123_456_789)
}

/// Writes a file of the test's own making.
func put(_ bytes: [UInt8], _ path: String) {
    let number = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    #expect(number >= 0)
    #expect(write(number, bytes, bytes.count) == bytes.count)
    close(number)
}

func bytes(_ path: String) -> [UInt8] {
    let number = open(path, O_RDONLY)
    guard number >= 0 else { return [] }
    defer { close(number) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(number, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
}

/// A connection past the store's own eyes.
func connection(_ path: String) throws -> SQLiteConnection {
    #expect(csqlite_load() == nil)
    return try SQLiteConnection(path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, busy: 5_000)
}
