public import OnstageCamera
public import OnstageCore
public import OnstagePlayback

extension Profile {
    /// The camera of a profile.
    public struct Camera: Hashable, Sendable {
        /// "any", "synthetic", "driver NAME", or an identity.
        public var device: String
        /// Pixels; nil together with ``height``.
        public var width: Int?
        /// Pixels.
        public var height: Int?
        /// A fourcc of one to four characters.
        public var pixelFormat: String?
        /// In Hz; nil for what the camera is set to.
        public var framesPerSecond: Double?
        /// Refuse what would have to be adjusted.
        public var isExact = false
        /// Let libv4l2 make formats that the camera lacks.
        public var allowsConversion = true
        /// Buffers of the device, 2…32; nil for as many as its sinks need.
        public var buffers: Int?
        /// Until the first frame, and for how long a stream may stand still.
        public var frameDeadline: Duration?
        /// Frames left out after each start.
        public var settleFrames = 0
        /// The same by time.
        public var settleTime = Duration.zero
        /// Frames that an app keeps over a release are copied, not blanked.
        public var copiesKeptFrames = false
        /// Set at each acquire, in the order of the profile.
        public var controls: [ControlSetting] = []
        /// For a camera behind a media controller: its links and formats.
        public var pipeline: MediaPipeline?

        public init(device: String) {
            self.device = device
        }

        /// Whether it is made up by Onstage.
        public var isSynthetic: Bool { device == Profile.synthetic }
    }

    /// A motion sensor of a profile.
    public struct Sensor: Hashable, Sendable {
        /// "any", "synthetic", or "name …", "label …", "location …", "path …".
        public var device: String
        /// "fastest", "game", "ui", "normal", or a number of Hz as text.
        public var rate = "game"
        /// How late samples may be handed on.
        public var maxLatency = Duration.zero
        /// Three rows of three, −1…1; nil for what the device says of itself.
        public var mountMatrix: [[Double]]?
        /// So long without a sample is a stall.
        public var stallLimit = Duration.seconds(1)
        /// How soon the kernel is to switch it off after a release.
        public var powerDownDelay: Duration?
        /// The IIO trigger that times a sensor without one of its own, by name.
        public var trigger: String?

        public init(device: String) {
            self.device = device
        }

        /// Whether it is made up by Onstage.
        public var isSynthetic: Bool { device == Profile.synthetic }
    }

    /// The sound of a profile.
    public struct Playback: Hashable, Sendable {
        /// How often a position is journalled, against the wear of flash.
        public enum Journal: String, Hashable, Sendable, CaseIterable {
            case eachSecond = "1s"
            case eachTenSeconds = "10s"
            /// Only at a pause.
            case pause

            /// Nil for ``pause``.
            public var interval: Duration? {
                switch self {
                case .eachSecond: .seconds(1)
                case .eachTenSeconds: .seconds(10)
                case .pause: nil
                }
            }
        }

        /// A PCM as ALSA names it, or "synthetic".
        public var device: String
        /// The WAV to write what is heard to; relative to the state directory. Only with "synthetic".
        public var recording: String?
        /// How much sound the device is given ahead.
        public var bufferTime = Duration.milliseconds(100)
        /// How far ahead it is written where nothing can be rewound.
        public var nearLimit = Duration.milliseconds(40)
        /// How far ahead of the pointer a pause cuts the sound off.
        public var horizon = Duration.milliseconds(10)
        /// How much lies behind the device's pointer; nil for what is known of its driver.
        public var guardTime: Duration?
        /// How a pause finds its last frame.
        public var pauseMode = PauseMode.exact
        /// 0…1; at 1 the samples are handed on bit by bit.
        public var volume = 1.0
        /// Where it stands when its last frame has been heard.
        public var atEnd = EndPolicy.rewind
        /// How long it fades away at a pause, and back after it.
        public var fade = Duration.zero
        /// Whether a program of the session that has the card is asked for it, and with what priority.
        public var reservesDevice = true
        public var reservePriority = 10
        /// Whether its thread goes before ordinary programs.
        public var realtime = RealtimePolicy.auto
        /// How much of a file is kept read and decoded ahead of the sound.
        public var readAhead = Duration.seconds(1)
        /// Whether it pauses, as by the user, when its plug is pulled or its card goes away.
        public var pausesWhenNoisy = false
        /// What its card is set to while it plays; nil for nothing. Not with "synthetic".
        public var route: MixerRoute?
        /// When the position is stored while it plays.
        public var journal = Journal.eachSecond

        public init(device: String) {
            self.device = device
        }

        /// Whether it is made up by Onstage.
        public var isSynthetic: Bool { device == Profile.synthetic }
    }
}
