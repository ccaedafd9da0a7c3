/// How a card is set while its sound is heard, and put back afterwards: by a use case of its own (UCM), by single controls, or
/// by both, the use case first.
///
/// Set before the device is opened, and put back when it has been closed: what stood before, but for what somebody else has
/// changed meanwhile, which stays as they left it. Where several players of one user have a route on the same card, in one
/// process or in several, the latest one's stands, and the last one to end puts back what stood before all. All of it happens on
/// the device's own thread, and nothing waits for what is put back.
///
/// A process that is killed puts nothing back: its settings stay until the next route on that card, which puts them back first,
/// and its use case's own way out (disable sequences) is never run. Neither is that of a use case that ends while another
/// process's different route stands on the card; that is noted.
public struct MixerRoute: Hashable, Sendable {
    /// A verb of the card's UCM configuration, and a device of it.
    public struct UseCase: Hashable, Sendable {
        /// "HiFi", as `alsaucm -c CARD list _verbs` shows it.
        public var verb: String
        /// "Speaker", as `alsaucm -c CARD list _devices/VERB` shows it; nil for the verb alone.
        public var device: String?

        /// A use case by its names; whether the card has it is found out before anything is set.
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
        /// Which one of several of the same name, from 0.
        public var index = 0
        /// What it is of; nearly all that is heard is of the mixer.
        public var interface = Interface.mixer
        /// Of a control of a PCM: which device it belongs to.
        public var device = 0
        /// Of a control of a PCM: which subdevice of ``device`` it belongs to.
        public var subdevice = 0
        /// One for all channels, or one for each, 1 to 128 of them: another number is refused before anything is set, and so
        /// is a value of another kind than the control's, or beyond its range.
        public var values: [Value]

        /// A control of the mixer, the first of its name.
        ///
        /// - Parameter values: one for all channels, or one for each.
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
    /// Entered before ``controls`` are set, and left before what stood is put back; nil for none.
    public var useCase: UseCase?
    /// In the order in which they are set.
    public var controls: [Control] = []
    /// Whether there is no sound where it cannot be set; else it is played without, and that is noted.
    public var isRequired = true

    /// A route that is required. One without a use case and controls sets nothing.
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
