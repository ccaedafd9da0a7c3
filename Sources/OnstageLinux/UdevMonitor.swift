internal import CUdev
internal import OnstageCore

/// A monitor of libudev's, of udev's own events or of the kernel's.
struct UdevMonitor: ~Copyable {
    private let monitor: OpaquePointer

    /// - Throws: `absent` when libudev is not installed.
    init(group: String, subsystems: [String], bufferBytes: Int32) throws(DeviceError) {
        if let fault = cudev_load() {
            throw DeviceError(.absent, operation: "dlopen", device: "libudev", reason: String(cString: fault))
        }
        var fault: Int32 = 0
        guard let monitor = cudev_monitor(group, &fault) else {
            throw DeviceError(errno: -fault, operation: "udev_monitor_new_from_netlink", device: group)
        }
        var answer: Int32 = 0
        for subsystem in subsystems where answer >= 0 { answer = cudev_monitor_match(monitor, subsystem) }
        if answer >= 0 { answer = cudev_monitor_begin(monitor, bufferBytes) }
        guard answer >= 0 else {
            cudev_monitor_close(monitor)
            throw DeviceError(errno: -answer, operation: "udev_monitor_enable_receiving", device: group)
        }
        self.monitor = monitor
    }

    var descriptor: Int32 { cudev_monitor_descriptor(monitor) }

    /// The next event; nil with 0 for one that means nothing to us, else with its errno.
    func next() -> (HotPlugDevice?, errno: Int32) {
        var fault: Int32 = 0
        guard let device = cudev_monitor_next(monitor, &fault) else { return (nil, -fault) }
        defer { cudev_device_release(device) }
        guard let action = Self.text(cudev_device_action(device)).flatMap(HotPlugDevice.Action.init),
            let subsystem = Self.text(cudev_device_subsystem(device)),
            let syspath = Self.text(cudev_device_syspath(device))
        else { return (nil, 0) }
        var found = HotPlugDevice(
            action: action, subsystem: subsystem, node: Self.text(cudev_device_node(device)), syspath: syspath)
        for key in HotPlugDevice.keys { found.properties[key] = Self.text(cudev_device_property(device, key)) }
        return (found, 0)
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String? {
        text.map { String(cString: $0) }
    }

    deinit {
        cudev_monitor_close(monitor)
    }
}
