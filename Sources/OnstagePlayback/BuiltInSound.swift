package import OnstageCore
internal import Synchronization

/// A quiet minute of tones that loops without a seam, made up sample by sample: the sound of a run without media.
///
/// Every sample follows from its frame number alone, so that any frame can be gone on with. Its position is never
/// journalled.
package final class BuiltInSound: MediaSource {
    package let info = MediaInfo(
        name: "built-in sound", rate: 48_000, channels: 2, format: "S16_LE", frames: 60 * 48_000)
    package let format = SourceFormat.s16

    private let next = Atomic<Int64>(0)
    private let sine: [Int32]

    private static let noteFrames: Int64 = 24_000
    /// A pentatonic tune, in Hz; each note lasts half a second and is silent at both of its ends.
    private static let tune: [Int64] = [262, 330, 392, 440, 524, 440, 392, 330, 294, 392, 440, 588, 524, 392, 330, 294]

    package init() {
        // A turning point on the unit circle: a sine without the maths library.
        let step = (cosine: 0.999_998_823_451_702, sine: 0.001_533_980_186_284_766)  // of 2π/4096
        var (x, y) = (1.0, 0.0)
        var table: [Int32] = []
        table.reserveCapacity(4096)
        for _ in 0..<4096 {
            table.append(Int32((y * 32_767).rounded()))
            (x, y) = (x * step.cosine - y * step.sine, x * step.sine + y * step.cosine)
        }
        sine = table
    }

    package func seek(to frame: Int64) throws(DeviceError) {
        next.store(frame, ordering: .relaxed)
    }

    package func read(into samples: UnsafeMutableRawPointer, frames: Int) throws(DeviceError) -> Int {
        let next = next.load(ordering: .relaxed)
        let count = Int(max(0, min(Int64(frames), info.frames - next)))
        let to = samples.assumingMemoryBound(to: Int16.self)
        for index in 0..<count {
            let value = sample(next + Int64(index))
            to[2 * index] = value
            to[2 * index + 1] = value
        }
        self.next.store(next + Int64(count), ordering: .relaxed)
        return count
    }

    /// One sample, at most 1/16 of full scale.
    private func sample(_ frame: Int64) -> Int16 {
        let note = Int(frame / Self.noteFrames)
        let within = frame % Self.noteFrames
        let hertz = Self.tune[note % Self.tune.count]
        let phase = Int(within * hertz % 48_000 * 4096 / 48_000)
        // Up in 10 ms, then down to nothing at the note's end.
        let rest = Self.noteFrames - within
        let level = min(within * 4096 / 480, rest * 4096 / Self.noteFrames)
        return Int16(Int64(sine[phase & 4095]) * level / 4096 / 16)
    }
}
