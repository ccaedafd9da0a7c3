/// What a machine has, as far as a profile cares.
struct DetectedDevices: Hashable, Sendable {
    struct Camera: Hashable, Sendable {
        /// Everything it may be named by: identity, links, bus info, card, serial, node.
        var names: [String]
        var driver: String
        /// Only a profile with its links and formats can use it.
        var needsPipeline = false
    }

    struct Sensor: Hashable, Sendable {
        /// The IIO name.
        var name: String
        var label: String?
        var location: String?
        /// Its real path below /sys.
        var path: String
    }

    var cameras: [Camera] = []
    var accelerometers: [Sensor] = []
    var gyroscopes: [Sensor] = []
    /// The IDs of the cards that can play ("Loopback").
    var soundCards: [String] = []

    /// Whether there is nothing that could be used without a profile's help.
    var isEmpty: Bool {
        cameras.allSatisfy(\.needsPipeline) && accelerometers.isEmpty && gyroscopes.isEmpty && soundCards.isEmpty
    }
}
