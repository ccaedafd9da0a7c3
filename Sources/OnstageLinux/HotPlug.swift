internal import CLinux
package import OnstageCore

/// Tells of devices that come, go and change.
///
/// By udev where udevd runs: its events come after its rules have set links, owner and mode. Else by the kernel's own
/// events, through libudev or, where that is not installed, from the socket itself. When udevd comes up later, its events
/// are used from then on.
/// *Runs on:* one thread; the descriptor may be polled by it beside others.
package final class HotPlug {
    /// Where the events come from.
    package enum Source: Hashable, Sendable {
        /// udevd, after its rules.
        case udev
        /// The kernel, through libudev.
        case kernel
        /// The kernel, without libudev.
        case socket
    }

    private enum Way: ~Copyable {
        case library(UdevMonitor)
        case socket(Descriptor)
    }

    package private(set) var source: Source
    private var way: Way
    private let subsystems: [String]
    private let control: String
    private static let bufferBytes: Int32 = 1 << 20

    /// - Parameters:
    ///   - only: This source and no other, for tests.
    ///   - control: What is there while udevd runs.
    /// - Throws: when the kernel gives no such socket (a sandbox): then nodes can still be watched by ``NodeWatch``.
    package init(
        subsystems: [String] = ["video4linux", "iio", "sound"], only: Source? = nil,
        control: String = "/run/udev/control"
    ) throws(DeviceError) {
        self.subsystems = subsystems
        self.control = control
        source = only ?? (Self.exists(control) ? .udev : .kernel)
        do {
            way = try Self.open(source, subsystems)
        } catch  where only == nil {
            way = try Self.open(.socket, subsystems)
            source = .socket
        }
    }

    /// Readable when ``drain()`` has something to tell. Ask anew after each drain: it changes when udevd comes up.
    package var descriptor: Int32 {
        switch way {
        case .library(let monitor): monitor.descriptor
        case .socket(let socket): socket.number
        }
    }

    /// What has come since the last call. Never blocks.
    package func drain() -> [HotPlugEvent] {
        var events: [HotPlugEvent] = []
        // A bound, so that a storm of events cannot hold the caller: the descriptor stays readable.
        for _ in 0..<256 {
            let (device, errno) = next()
            if errno == Errno.EAGAIN { break }
            if errno != 0 {
                events.append(.overflow)
                if errno != ENOBUFS { break }
            }
            if let device, subsystems.contains(device.subsystem) { events.append(.device(device)) }
        }
        if source == .kernel, Self.exists(control), let udev = try? Self.open(.udev, subsystems) {
            way = udev
            source = .udev
            events.append(.overflow)
        }
        return events
    }

    private func next() -> (HotPlugDevice?, errno: Int32) {
        switch way {
        case .library(let monitor): return monitor.next()
        case .socket(let socket):
            return withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 8) { bytes in
                var isFromKernel = false
                let count = clinux_uevents_next(socket.number, bytes.baseAddress, bytes.count, &isFromKernel)
                guard count >= 0 else { return (nil, Int32(-count)) }
                return (isFromKernel ? HotPlugDevice(uevent: bytes[..<count]) : nil, 0)
            }
        }
    }

    private static func open(_ source: Source, _ subsystems: [String]) throws(DeviceError) -> Way {
        switch source {
        case .udev: return .library(try UdevMonitor(group: "udev", subsystems: subsystems, bufferBytes: bufferBytes))
        case .kernel:
            return .library(try UdevMonitor(group: "kernel", subsystems: subsystems, bufferBytes: bufferBytes))
        case .socket:
            let answer = clinux_uevents(bufferBytes)
            guard answer >= 0 else { throw DeviceError(errno: -answer, operation: "socket", device: "uevents") }
            return .socket(Descriptor(owning: answer))
        }
    }

    private static func exists(_ path: String) -> Bool {
        var file = clinux_file()
        return clinux_look(AT_FDCWD, path, &file) == 0
    }
}
