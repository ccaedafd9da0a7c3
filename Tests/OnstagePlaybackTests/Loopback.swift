import CLinux
import Glibc
import OnstageCore
import OnstageLinux
import Synchronization

@testable import OnstagePlayback

/// Whether the bench's loopback card is here.
enum Bench {
    static let hasLoopback = SoundCard.all(withHolders: false).contains { $0.id == "Loopback" }

    /// Starts a program; what it says on stderr goes to the file `errors`, if one is named.
    static func spawn(_ words: [String], errors: String? = nil) throws -> pid_t {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        // Our own thread may have signals blocked, and a child takes that over.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var child: pid_t = 0
        guard posix_spawnp(&child, words[0], &actions, &attributes, &arguments, environ) == 0 else {
            throw DeviceError(.absent, operation: "posix_spawnp", device: words[0])
        }
        return child
    }

    /// A configuration with a dmix whose ring outlasts most stops of a whole emulated guest (what a card plays twice because
    /// nobody was there to stop it is not the player's doing), and a rate converter over the loopback, beside the system's own.
    static func useConfiguration() {
        let path = "/tmp/onstage-bench-asound.conf"
        let text = """
            </usr/share/alsa/alsa.conf>
            pcm.benchdmix {
                type dmix
                ipc_key 55471
                ipc_perm 0600
                slave { pcm "hw:CARD=Loopback,DEV=0,SUBDEV=0" rate 48000 format S16_LE channels 2 \
            period_size 1024 buffer_size 131072 }
            }
            pcm.benchmix {
                type plug
                slave.pcm benchdmix
            }
            pcm.benchsurround {
                type hw
                card Loopback
                chmap [ "FL,FR,FC,LFE,RL,RR" ]
            }
            pcm.benchrate {
                type plug
                slave { pcm "hw:CARD=Loopback,DEV=0,SUBDEV=0" rate 44100 }
            }

            """
        guard let file = fopen(path, "w") else { return }
        fputs(text, file)
        fclose(file)
        setenv("ALSA_CONFIG_PATH", path, 1)
    }
}

/// Sound whose every frame tells its own number in 32 bits over two channels: frame n is n + 1.
final class CounterSource: MediaSource {
    let info: MediaInfo
    let format = SourceFormat.s16
    private let next = Atomic<Int64>(0)

    init(frames: Int64, rate: Int = 48_000) {
        info = MediaInfo(name: "counter", rate: rate, channels: 2, format: "S16_LE", frames: frames)
    }

    func seek(to frame: Int64) throws(DeviceError) { next.store(frame, ordering: .relaxed) }

    func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int {
        let first = next.load(ordering: .relaxed)
        let count = Int(max(0, min(Int64(frames), info.frames - first)))
        let to = samples.assumingMemoryBound(to: UInt32.self)
        var index = 0
        var value = UInt32(truncatingIfNeeded: first + 1)
        while index < count {
            to[index] = value
            value &+= 1
            index += 1
        }
        next.store(first + Int64(count), ordering: .relaxed)
        return count
    }
}

/// Records the far side of the loopback with arecord, started first and stopped last.
struct FarSide {
    private let pid: pid_t
    let path: String

    /// - Parameter format: and channels: what the recorder fixes the card to, for the player too.
    init(_ name: String, rate: Int = 48_000, format: String = "S16_LE", channels: Int = 2) throws {
        path = "/tmp/onstage-\(name).raw"
        unlink(path)
        // A ring of more than 5 s: a stopped machine is no reason for the judge to lose frames.
        pid = try Bench.spawn(
            [
                "arecord", "-q", "-D", "hw:CARD=Loopback,DEV=1,SUBDEV=0", "-f", format, "-c", "\(channels)", "-r",
                "\(rate)",
                "-t", "raw", "--buffer-size=262144", "--period-size=4096", path,
            ], errors: path + ".errors")
        // It records when its file has begun to grow.
        let limit = MonotonicTime.now + .seconds(10)
        var about = stat()
        while MonotonicTime.now < limit, stat(path, &about) != 0 || about.st_size == 0 { pause(.milliseconds(20)) }
    }

    /// What the recorder complains of, an overrun above all: then its recording proves nothing.
    var complaints: String { SmallFile.text(path + ".errors") ?? "" }

    private func pause(_ time: Duration) {
        _ = clinux_poll(nil, 0, time.wholeNanoseconds)
    }

    /// Stops recording when all that was played has come through; answers all that was recorded.
    func stopped() -> [UInt8] {
        pause(.milliseconds(500))
        // arecord writes each period as it comes: nothing of what was played is left in it, and its end needs no grace.
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        let bytes = Fixture.bytes(path) ?? []
        unlink(path)
        return bytes
    }

    /// As ``stopped()``: the 32-bit frames that are not silence.
    func stop() -> [UInt32] {
        let bytes = stopped()
        // Plain loops: this runs unoptimised in a guest that is emulated.
        return bytes.withUnsafeBytes { raw in
            let frames = raw.bindMemory(to: UInt32.self)
            return [UInt32](unsafeUninitializedCapacity: frames.count) { heard, count in
                guard let from = frames.baseAddress, let to = heard.baseAddress else { return }
                var index = 0
                while index < frames.count {
                    let frame = from[index]
                    if frame != 0 {
                        to[count] = frame
                        count += 1
                    }
                    index += 1
                }
            }
        }
    }
}

/// What a listener's frames say: how many are missing and how many come again.
struct Judgement: Hashable, CustomStringConvertible {
    var lost = 0
    var repeated = 0
    /// The largest single step that was wrong.
    var worst = 0
    var firstPlaces: [String] = []

    init(_ frames: [UInt32], first: UInt32 = 1) {
        var expected = first
        frames.withUnsafeBufferPointer { frames in
            var index = 0
            while index < frames.count {
                let frame = frames[index]
                index += 1
                if frame == expected {
                    expected &+= 1
                    continue
                }
                if firstPlaces.count < 8 { firstPlaces.append("\(frame) for \(expected)") }
                worst = max(worst, abs(Int(frame) - Int(expected)))
                if frame > expected { lost += Int(frame - expected) } else { repeated += Int(expected - frame) }
                expected = frame &+ 1
            }
        }
    }

    var description: String { "\(lost) lost, \(repeated) repeated \(firstPlaces)" }
}
