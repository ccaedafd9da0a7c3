package import OnstageCore

/// What a profile, or the app, says about how sound is played.
package struct PlaybackConfiguration: Hashable, Sendable {
    /// Where the sound goes.
    package enum Output: Hashable, Sendable {
        /// A PCM as ALSA names it ("default", "hw:CARD=Loopback,DEV=0", "plughw:…", a name from asound.conf).
        case pcm(String)
        /// No device: a sink paced by the clock, which writes what was heard to a WAV file if a path is given.
        case paced(recording: String?)
    }

    package var output = Output.pcm("default")
    /// How much sound a `hw:` device is given ahead, in four periods. 20 ms…2 s.
    package var bufferTime = Duration.milliseconds(100)
    /// How far ahead the player writes at most where nothing can be rewound: through plug-ins.
    package var nearLimit = Duration.milliseconds(40)
    /// How far ahead of the pointer a pause cuts the sound off on a `hw:` device.
    package var horizon = Duration.milliseconds(10)
    /// How much lies behind the device's pointer (FIFO, USB transfers); nil for what is known of its driver: 30 ms for USB,
    /// a period for other drivers that move their pointer in batches, 5 ms else; more where the card has shown more.
    package var guardTime: Duration?
    package var pauseMode = PauseMode.exact
    package var isLooped = false
    package var endPolicy = EndPolicy.rewind
    /// 0…1; at 1 the samples are handed on bit by bit.
    package var volume = 1.0
    /// How long a change of volume takes: long enough not to click, short enough to seem at once.
    package var gainRamp = Duration.milliseconds(20)
    /// How long the sound takes to fade away at an exact pause, and to come back where it goes on; zero for not at all.
    /// 0…50 ms. Each frame is heard once all the same: those of a fade count as heard, softly.
    package var fade = Duration.zero
    /// Whether a program of the same session that has the card is asked to let go of it (`org.freedesktop.ReserveDevice1`).
    package var reservesDevice = true
    /// What it is asked with: a sound server lets go for more than its own, which is 0 or less.
    package var reservationPriority: Int32 = 10

    /// How its card is set while its device is open; nil for not at all.
    package var route: MixerRoute?

    /// Whether it is told when a plug is pulled that the sound is heard by.
    package var pausesWhenNoisy = false

    /// Whether its thread goes before ordinary programs.
    package var realtime = RealtimePolicy.auto

    package init(output: Output = .pcm("default")) {
        self.output = output
    }

    /// This configuration with every number within what is allowed.
    var inRange: PlaybackConfiguration {
        var it = self
        it.bufferTime = min(max(bufferTime, .milliseconds(20)), .seconds(2))
        it.nearLimit = min(max(nearLimit, .milliseconds(10)), .milliseconds(500))
        it.horizon = min(max(horizon, .milliseconds(2)), .milliseconds(100))
        it.guardTime = guardTime.map { min(max($0, .zero), .milliseconds(200)) }
        it.volume = min(max(volume, 0), 1)
        it.fade = min(max(fade, .zero), .milliseconds(50))
        it.gainRamp = min(max(gainRamp, .milliseconds(1)), .seconds(1))
        return it
    }
}
