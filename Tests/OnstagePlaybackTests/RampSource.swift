import OnstageCore
import OnstagePlayback
import Synchronization

/// Sound whose every frame tells its own number: frame n is `base` + n; by 1, so that silence is 0.
final class RampSource: MediaSource {
    let info: MediaInfo
    let format = SourceFormat.s32
    private let next = Atomic<Int64>(0)
    /// What is really there, where the header promised more.
    private let real: Int64
    private let base: Int64

    init(frames: Int64, real: Int64? = nil, rate: Int = 48_000, base: Int64 = 1) {
        info = MediaInfo(name: "ramp", rate: rate, channels: 1, format: "S32_LE", frames: frames)
        self.real = real ?? frames
        self.base = base
    }

    func seek(to frame: Int64) throws(DeviceError) { next.store(frame, ordering: .relaxed) }

    func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int {
        let first = next.load(ordering: .relaxed)
        let count = Int(max(0, min(Int64(frames), real - first)))
        let to = samples.assumingMemoryBound(to: Int32.self)
        for index in 0..<count { to[index] = Int32(truncatingIfNeeded: base + first + Int64(index)) }
        next.store(first + Int64(count), ordering: .relaxed)
        return count
    }
}
