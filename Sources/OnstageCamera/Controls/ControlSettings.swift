internal import Synchronization

/// What an app has set on one camera: kept by the camera's owner, put back by its driver at each acquire.
package final class ControlSettings: Sendable {
    private let list: Mutex<[ControlSetting]>

    package init(_ settings: [ControlSetting] = []) {
        list = Mutex([])
        for setting in settings { set(setting) }
    }

    /// The newest wish for each control, in the order of the wishes. *Runs on:* any thread.
    package var all: [ControlSetting] { list.withLock { $0 } }

    package func set(_ setting: ControlSetting) {
        list.withLock { list in
            list.removeAll { $0.control == setting.control }
            list.append(setting)
        }
    }

    /// From the next acquire on the control is left as it is.
    package func forget(_ control: ControlName) {
        list.withLock { list in list.removeAll { $0.control == control } }
    }
}
