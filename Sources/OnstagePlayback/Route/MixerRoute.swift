/// How a card is set while its sound is heard, and put back afterwards: by a use case of its own (UCM), by single controls, or
/// by both, the use case first.
///
/// Set before the device is opened, and put back when it has been closed: what stood before, but for what somebody else has
/// changed meanwhile, which stays as they left it. All of it happens on the device's own thread, and nothing waits for what is
/// put back.
public struct MixerRoute: Hashable, Sendable {
    /// A verb of the card's UCM configuration, and a device of it.
    public struct UseCase: Hashable, Sendable {
        /// "HiFi", as `alsaucm -c CARD list _verbs` shows it.
        public var verb: String
        /// "Speaker", as `alsaucm -c CARD list _devices/VERB` shows it; nil for the verb alone.
        public var device: String?

        public init(verb: String, device: String? = nil) {
            self.verb = verb
            self.device = device
        }
    }

    /// What a control is of, in ALSA's words (`iface` of `amixer controls`).
    public enum Interface: String, Hashable, Sendable, CaseIterable {
        case card
        case hwdep
        case mixer
        case pcm
        case rawmidi
        case timer
        case sequencer
    }

    /// What one channel of a control is set to.
    public enum Value: Hashable, Sendable {
        /// For a control of whole numbers, within its range.
        case number(Int64)
        /// For a control that is on or off.
        case flag(Bool)
        /// The name of an item of an enumerated control; "50%" of the range, or "-12.5dB", of one of whole numbers.
        case text(String)
    }

    /// One control, and what it is set to.
    public struct Control: Hashable, Sendable {
        /// As `amixer controls` shows it ("Master Playback Volume").
        public var name: String
        /// Which one of several of the same name.
        public var index = 0
        public var interface = Interface.mixer
        /// Of a control of a PCM: which device and subdevice it belongs to.
        public var device = 0
        public var subdevice = 0
        /// One for all channels, or one for each.
        public var values: [Value]

        public init(_ name: String, _ values: Value...) {
            self.name = name
            self.values = values
        }

        package init(name: String, values: [Value]) {
            self.name = name
            self.values = values
        }
    }

    /// The ID or number of the card; nil for the one that the PCM's name says.
    public var card: String?
    public var useCase: UseCase?
    /// In the order in which they are set.
    public var controls: [Control] = []
    /// Whether there is no sound where it cannot be set; else it is played without, and that is noted.
    public var isRequired = true

    public init(card: String? = nil, useCase: UseCase? = nil, controls: [Control] = []) {
        self.card = card
        self.useCase = useCase
        self.controls = controls
    }
}

extension MixerRoute.Value: CustomStringConvertible {
    public var description: String {
        switch self {
        case .number(let number): String(number)
        case .flag(let isOn): isOn ? "on" : "off"
        case .text(let text): text
        }
    }
}

extension MixerRoute.UseCase: CustomStringConvertible {
    public var description: String { device.map { "\(verb)/\($0)" } ?? verb }
}

extension MixerRoute: CustomStringConvertible {
    /// One line: "HiFi/Speaker; Master Playback Volume=80%".
    public var description: String {
        let set = controls.map { control in
            "\(control.name)=\(control.values.map(\.description).joined(separator: ","))"
        }
        return ((useCase.map { [$0.description] } ?? []) + set).joined(separator: "; ")
    }
}
