internal import OnstageCamera
internal import OnstageCore

extension Camera {
    /// Sets a control: now if the camera is open, and again at each acquire, also after a replug. The last wish for a control
    /// counts. What the camera cannot do is an event (`BrokerEvent.note`), no error.
    ///
    /// *Runs on:* any thread; never waits.
    public func set(_ control: ControlName, to value: ControlValue) {
        set([ControlSetting(control, value)])
    }

    /// Sets several controls at once, automatics first.
    ///
    /// *Runs on:* any thread; never waits.
    public func set(_ settings: [ControlSetting]) {
        for setting in settings { self.settings.set(setting) }
        handle.perform { driver in (driver as? CameraDriver)?.set(settings) }
    }

    /// Sets a control by hand, with its automatic off; nil for the automatic itself.
    private func set(_ control: ControlName, deciding automatic: ControlName, to value: Int64?) {
        guard let value else {
            settings.forget(control)
            return set(automatic, to: .automatic)
        }
        set([ControlSetting(automatic, .manual), ControlSetting(control, .number(value))])
    }

    /// Leaves a control as it is from the next acquire on.
    public func forget(_ control: ControlName) {
        settings.forget(control)
    }

    /// What has been set and is put back at each acquire.
    public var controlSettings: [ControlSetting] { settings.all }

    /// How long a frame is exposed.
    public enum Exposure: Hashable, Sendable {
        case automatic
        /// To 100 µs.
        case manual(Duration)
    }

    /// *Runs on:* any thread; never waits.
    public func setExposure(_ exposure: Exposure) {
        switch exposure {
        case .automatic: set(.exposureTime, deciding: .exposureAutomatic, to: nil)
        case .manual(let time):
            set(.exposureTime, deciding: .exposureAutomatic, to: max(1, time.wholeNanoseconds / 100_000))
        }
    }

    /// How white is found.
    public enum WhiteBalance: Hashable, Sendable {
        case automatic
        case manual(kelvin: Int)
    }

    /// *Runs on:* any thread; never waits.
    public func setWhiteBalance(_ balance: WhiteBalance) {
        switch balance {
        case .automatic: set(.whiteBalanceTemperature, deciding: .whiteBalanceAutomatic, to: nil)
        case .manual(let kelvin):
            set(.whiteBalanceTemperature, deciding: .whiteBalanceAutomatic, to: Int64(kelvin))
        }
    }

    /// How the lens is focused.
    public enum Focus: Hashable, Sendable {
        /// All the time.
        case automatic
        /// In the camera's own units.
        case manual(Int)
    }

    /// *Runs on:* any thread; never waits.
    public func setFocus(_ focus: Focus) {
        switch focus {
        case .automatic: set(.focus, deciding: .focusAutomatic, to: nil)
        case .manual(let place): set(.focus, deciding: .focusAutomatic, to: Int64(place))
        }
    }

    /// What artificial light flickers with.
    public enum PowerLineFrequency: Int64, Hashable, Sendable {
        case disabled, hertz50, hertz60, automatic
    }

    /// *Runs on:* any thread; never waits.
    public func setPowerLineFrequency(_ frequency: PowerLineFrequency) {
        set(.powerLineFrequency, to: .number(frequency.rawValue))
    }
}
