internal import CV4L2

/// Controls that another one decides about while that one is automatic.
enum ControlPairs {
    /// The automatic of each, by the kernel's numbers.
    private static let automatic: [UInt32: UInt32] = {
        let user = UInt32(0x0098_0900)
        let camera = UInt32(0x009a_0900)
        return [
            user + 0: user + 32,  // brightness: auto_brightness
            user + 3: user + 25,  // hue: hue_auto
            user + 14: user + 12, user + 15: user + 12, user + 26: user + 12,  // red, blue, temperature: white balance
            user + 19: user + 18,  // gain: autogain
            user + 36: user + 29,  // chroma_gain: chroma_agc
            camera + 2: camera + 1, camera + 17: camera + 1,  // exposure time and iris: auto_exposure
            camera + 10: camera + 12,  // focus_absolute: focus_automatic_continuous
            camera + 23: camera + 24,  // iso_sensitivity: iso_sensitivity_auto
        ]
    }()

    /// The automatic that decides about a control, by the kernel's number.
    static func automatic(of control: UInt32) -> UInt32? { automatic[control] }

    /// Whether a control decides about others.
    static func isAutomatic(_ control: CameraControl) -> Bool {
        control.changesOthers || automatic.values.contains(control.id)
    }
}
