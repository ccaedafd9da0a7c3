internal import CLinux
package import OnstageCore
internal import OnstageLinux

/// Samples without a header, little-endian and interleaved, as they come from a pipe.
///
/// Read by the thread that reads ahead, which may wait there for ever: neither the player nor a pause waits for it.
package enum RawPCM {
    /// How a sample is written.
    package enum Sample: String, Hashable, Sendable, CaseIterable {
        case s16
        /// Three bytes.
        case s24
        case s32
        case f32

        var bytes: Int {
            switch self {
            case .s16: 2
            case .s24: 3
            case .s32, .f32: 4
            }
        }

        /// ALSA's name of it.
        var name: String {
            switch self {
            case .s16: "S16_LE"
            case .s24: "S24_3LE"
            case .s32: "S32_LE"
            case .f32: "FLOAT_LE"
            }
        }

        var source: SourceFormat {
            switch self {
            case .s16: .s16
            case .s24: .s24
            case .s32: .s32
            case .f32: .float
            }
        }
    }

    /// The sound that comes from `descriptor`, which stays the caller's.
    ///
    /// - Throws: `configuration` for a rate or channels that cannot be.
    package static func source(
        _ descriptor: Int32, name: String, _ sample: Sample, rate: Int, channels: Int
    ) throws(DeviceError) -> PCMSource {
        let reader = Reader(descriptor, name: name, sample, channels: channels)
        return try PCMSource(
            name: name, stored: sample.name, format: sample.source, rate: rate, channels: channels,
            fill: { samples, frames throws(DeviceError) in try reader.fill(samples, frames) })
    }

    /// What has been read of a frame that is not whole yet.
    ///
    /// Unchecked: the one thread that reads uses it.
    private final class Reader: @unchecked Sendable {
        private let descriptor: Int32
        private let name: String
        private let sample: Sample
        private let channels: Int
        private var rest: [UInt8] = []

        init(_ descriptor: Int32, name: String, _ sample: Sample, channels: Int) {
            self.descriptor = descriptor
            self.name = name
            self.sample = sample
            self.channels = max(1, channels)
            rest.reserveCapacity(self.channels * sample.bytes)
        }

        func fill(_ samples: UnsafeMutableRawPointer, _ frames: Int) throws(DeviceError) -> Int? {
            let stored = sample.bytes * channels
            // What grows is read into the end of its room, and spread out from there.
            let place = samples + (sample.source.bytes - sample.bytes) * channels * frames
            var came = rest.count
            for (index, byte) in rest.enumerated() { place.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
            rest.removeAll(keepingCapacity: true)
            while came < stored {
                let answer = clinux_read(descriptor, place + came, stored * frames - came)
                if answer == -Int(Errno.EAGAIN) {
                    // Somebody has set it to non-blocking, for all who share it.
                    _ = clinux_poll_readable(descriptor)
                    continue
                }
                guard answer >= 0 else {
                    throw DeviceError(errno: Int32(-answer), operation: "read", device: name)
                }
                // A piece of a frame at the end is none.
                if answer == 0 { return nil }
                came += answer
            }
            let whole = came / stored
            for index in whole * stored..<came { rest.append(place.load(fromByteOffset: index, as: UInt8.self)) }
            spread(place, samples, count: whole * channels)
            return whole
        }

        private func spread(_ place: UnsafeMutableRawPointer, _ samples: UnsafeMutableRawPointer, count: Int) {
            switch sample {
            case .s16: swap(samples, count, as: UInt16.self)
            case .s32, .f32: swap(samples, count, as: UInt32.self)
            case .s24: PlainWAVHeader.Sample.s24.spread(place, to: samples, count: count)
            }
        }

        /// Into the machine's own byte order; nothing on a machine that is little-endian itself.
        private func swap<Word: FixedWidthInteger>(_ samples: UnsafeMutableRawPointer, _ count: Int, as: Word.Type) {
            guard Word(littleEndian: 1) != 1 else { return }
            let words = samples.assumingMemoryBound(to: Word.self)
            for index in 0..<count { words[index] = Word(littleEndian: words[index]) }
        }
    }
}
