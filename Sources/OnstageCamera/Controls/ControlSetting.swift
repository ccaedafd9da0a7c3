/// A control and what it is to be set to.
public struct ControlSetting: Hashable, Sendable, CustomStringConvertible {
    public var control: ControlName
    public var value: ControlValue

    public init(_ control: ControlName, _ value: ControlValue) {
        self.control = control
        self.value = value
    }

    public var description: String { "\(control)=\(value)" }
}
