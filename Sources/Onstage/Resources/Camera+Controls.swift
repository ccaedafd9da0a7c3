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
        case .automatic:
            settings.forget(.exposureTime)
            set(.exposureAutomatic, to: .automatic)
        case .manual(let time):
            let steps = max(1, time.wholeNanoseconds / 100_000)
            set([ControlSetting(.exposureAutomatic, .manual), ControlSetting(.exposureTime, .number(steps))])
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
        case .automatic:
            settings.forget(.whiteBalanceTemperature)
            set(.whiteBalanceAutomatic, to: .automatic)
        case .manual(let kelvin):
            set([
                ControlSetting(.whiteBalanceAutomatic, .manual),
                ControlSetting(.whiteBalanceTemperature, .number(Int64(kelvin))),
            ])
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
        case .automatic:
            settings.forget(.focus)
            set(.focusAutomatic, to: .automatic)
        case .manual(let place):
            set([ControlSetting(.focusAutomatic, .manual), ControlSetting(.focus, .number(Int64(place)))])
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
