/// Which devices a machine's scenes use, and how: what a file of hw-profiles/ says.
///
/// Every number has the range that `hw-profiles/schema.json` gives it. A kind that is nil is not used.
public struct Profile: Hashable, Sendable {
    public var name: String
    /// One line for people.
    public var summary: String?
    public var camera: Camera?
    public var accelerometer: Sensor?
    public var gyroscope: Sensor?
    public var playback: Playback?
    public var deadlines = Deadlines()
    public var retry = Retry()

    public init(name: String) {
        self.name = name
    }

    /// The word that stands for a device made up by Onstage, of any kind.
    public static let synthetic = "synthetic"

    /// How long things may take.
    public struct Deadlines: Hashable, Sendable {
        /// When the watchdog forces a release.
        public var release = Duration.seconds(1)
        /// How long the app's background event is held back.
        public var debounce = Duration.milliseconds(700)
        /// What observers get to save drafts when a scene becomes inactive.
        public var saving = Duration.seconds(2)

        public init() {}
    }

    /// How often a device that could not be had is tried again.
    public struct Retry: Hashable, Sendable {
        /// Between tries in the first 2 minutes.
        public var first = Duration.milliseconds(500)
        /// Between tries until 5 minutes.
        public var second = Duration.seconds(2)
        /// Between tries after that.
        public var third = Duration.seconds(4)
        /// After this only an event (the device appears, its holder lets go) tries again.
        public var limit = Duration.seconds(1800)

        public init() {}
    }
}
