package import OnstageCore

/// One way to have an output: how it is found and how it is opened. The fakes of tests are of the same make.
package struct OutputBackend: Sendable {
    package var resolve: @Sendable (PlaybackConfiguration) throws(DeviceError) -> ResolvedDevice
    package var open:
        @Sendable (ResolvedDevice, OutputRequest, any CancellationSource) throws(DeviceError) -> any PCMOutput
    /// The number of the card that a device is of, or that stands in its way; nil where that is not known.
    package var card: @Sendable (ResolvedDevice) -> Int?

    /// The bus on which a card is reserved; nil for the session's, where there is one.
    package var busAddress: String?
    /// What tells of the plugs that an open output is heard by; nil where it has none.
    package var jacks: @Sendable (OutputFacts, _ shown: String) throws(DeviceError) -> (any JackWatch)?

    /// Whether somebody has the device at this moment, where that can be told before it is opened.
    package var isBusy: @Sendable (ResolvedDevice) -> Bool = { _ in false }
    /// The card whose controls are set for a device.
    package var mixer: @Sendable (ResolvedDevice, MixerRoute) throws(DeviceError) -> any MixerCard = {
        (device, _) throws(DeviceError) in
        throw DeviceError(
            .configuration, operation: "", device: device.identity, reason: "it has no controls to set a route by")
    }

    package init(
        resolve: @escaping @Sendable (PlaybackConfiguration) throws(DeviceError) -> ResolvedDevice,
        open:
            @escaping @Sendable (ResolvedDevice, OutputRequest, any CancellationSource) throws(DeviceError) ->
            any PCMOutput,
        card: @escaping @Sendable (ResolvedDevice) -> Int? = { _ in nil },
        jacks: @escaping @Sendable (OutputFacts, _ shown: String) throws(DeviceError) -> (any JackWatch)? = {
            (_, _) throws(DeviceError) in nil
        }
    ) {
        self.resolve = resolve
        self.open = open
        self.card = card
        self.jacks = jacks
    }

    /// The backend for what a configuration names.
    static func fitting(_ output: PlaybackConfiguration.Output, clock: any MonotonicClock) -> OutputBackend {
        switch output {
        case .pcm: .alsa()
        case .paced(let path): .paced(clock: clock, recorder: path.map { WAVRecorder(path: $0, clock: clock) })
        }
    }
}
