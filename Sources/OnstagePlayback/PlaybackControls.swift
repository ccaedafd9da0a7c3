package import OnstageCore
internal import Synchronization

/// The front of a playback driver that any thread may use: wishes go in, the position comes out.
///
/// A wish is seen by the device's thread when it is next woken (``DriverReport``s and the broker's mailbox do that); while
/// nothing is open it waits for the next acquire, and no order of calls loses it (L-04).
package final class PlaybackControls: Sendable {
    private struct State {
        var seek: Int64?
        /// The wish to seek is for when the device has been given back.
        var isSeekHeld = false
        var volume: Double
        /// What others want of it besides: less while somebody speaks.
        var duck = 1.0
        var isLooped: Bool
        var ledger = PlaybackLedger()
        /// Frames per second while the sound runs; 0 while it stands.
        var rate: Int64 = 0
        var at = MonotonicTime(nanoseconds: 0)
        /// The furthest frame of content that has been told since the stream began.
        var told: Int64 = 0
        var info: MediaInfo

        var hasSeek: Bool { seek != nil && !isSeekHeld }
        var gain: Double { volume * duck }
    }

    private let state: Mutex<State>
    private let clock: any MonotonicClock

    /// - Parameters:
    ///   - position: where the first play begins, in source frames.
    package init(
        _ info: MediaInfo, configuration: PlaybackConfiguration = PlaybackConfiguration(), position: Int64 = 0,
        clock: any MonotonicClock
    ) {
        self.clock = clock
        let wishes = configuration.inRange
        var first = State(volume: wishes.volume, isLooped: wishes.isLooped && info.isSeekable, info: info)
        first.ledger = PlaybackLedger(base: Self.clamp(position, info), length: info.knownFrames)
        state = Mutex(first)
    }

    private static func clamp(_ frame: Int64, _ info: MediaInfo) -> Int64 {
        info.frames > 0 ? min(max(0, frame), info.frames) : max(0, frame)
    }

    package var info: MediaInfo { state.withLock { $0.info } }

    /// The next frame to be heard shall be `frame`, kept within the media. Of sound that cannot be sought it stays what it is.
    ///
    /// - Parameter onceReleased: what plays now plays on until its device is given back, and begins there the next time.
    package func seek(to frame: Int64, onceReleased: Bool = false) {
        state.withLock { state in
            guard state.info.isSeekable else { return }
            state.seek = Self.clamp(frame, state.info)
            state.isSeekHeld = onceReleased
        }
    }

    /// 0…1.
    package var volume: Double {
        get { state.withLock { $0.volume } }
        set { state.withLock { $0.volume = min(max(newValue, 0), 1) } }
    }

    /// How loud it is to be in all. 0…1.
    var gain: Double { state.withLock { $0.gain } }

    /// A factor besides the volume, 0…1: what is left of it while others are to be heard.
    package var duck: Double {
        get { state.withLock { $0.duck } }
        set { state.withLock { $0.duck = min(max(newValue, 0), 1) } }
    }

    package var isLooped: Bool {
        get { state.withLock { $0.isLooped } }
        set { state.withLock { $0.isLooped = newValue && $0.info.isSeekable } }
    }

    /// The source frame that is heard next. It does not move while nothing plays (L-01).
    package var position: Int64 {
        state.withLock { state in
            if let seek = state.seek { return seek }
            var heard = state.ledger.heard
            if state.rate > 0 {
                let elapsed = max(0, (clock.now - state.at).wholeNanoseconds)
                heard += min(elapsed, 10_000_000_000) * state.rate / 1_000_000_000
            }
            state.told = min(state.ledger.written, max(heard, state.told))
            return state.ledger.onward(state.ledger.source(state.told), looped: state.isLooped)
        }
    }

    /// Whether there is a wish to seek that a running stream is to fulfil.
    var hasSeek: Bool { state.withLock { $0.hasSeek } }

    /// The wish to seek, taken: from now on it is the driver's to fulfil.
    ///
    /// - Parameter isRunning: whether it is for a running stream; one that is for later stays.
    func takeSeek(isRunning: Bool = false) -> Int64? {
        state.withLock { state in
            guard !(isRunning && state.isSeekHeld) else { return nil }
            defer { (state.seek, state.isSeekHeld) = (nil, false) }
            return state.seek
        }
    }

    /// What is wished of a stream at a moment.
    struct Wishes {
        var gain: Double
        var isLooped: Bool
    }

    /// What the driver knows now, for what is wished. `rate` is 0 while nothing plays.
    @discardableResult
    func publish(_ ledger: PlaybackLedger, rate: Int, at time: MonotonicTime) -> Wishes {
        state.withLock { state in
            if rate == 0 || state.rate == 0 || ledger.base != state.ledger.base { state.told = ledger.heard }
            state.ledger = ledger
            state.rate = Int64(rate)
            state.at = time
            return Wishes(gain: state.gain, isLooped: state.isLooped)
        }
    }
}
