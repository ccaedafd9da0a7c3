internal import CLinux
package import OnstageCore

extension DeviceHolders {
    /// Which way a PCM device goes.
    package enum SoundDirection: Character, Sendable {
        case playback = "p"
        case capture = "c"
    }

    /// The processes that hold a PCM device, as `/proc/asound` shows them to every user.
    ///
    /// - Parameters:
    ///   - subdevice: Nil asks for all of the device.
    ///   - knownBusy: See ``of(node:includingSelf:knownBusy:limit:proc:)``.
    package static func ofSound(
        card: Int, device: Int, subdevice: Int? = nil, direction: SoundDirection = .playback,
        includingSelf: Bool = true,
        knownBusy: Bool = false, proc: String = "/proc"
    ) -> [DeviceHolder] {
        let folder = "\(proc)/asound/card\(card)/pcm\(device)\(direction.rawValue)"
        let names = subdevice.map { ["sub\($0)"] } ?? Folder.names(in: folder).filter { $0.hasPrefix("sub") }
        var holders: [DeviceHolder] = []
        var isTold = !names.isEmpty  // a kernel without /proc/asound tells nothing
        for name in names {
            guard let status = SmallFile.text("\(folder)/\(name)/status") else {
                isTold = false
                continue
            }
            guard let owner = owner(in: status) else { continue }
            // The owner is the thread that opened it, and it may have ended while its process goes on; 0 is a process in
            // another PID namespace.
            let pid = owner > 0 ? process(of: owner, proc: proc) : nil
            let holder = pid.map { DeviceHolder(pid: $0, program: program(of: $0, proc: proc)) } ?? unknown
            if !holders.contains(holder) { holders.append(holder) }
        }
        if !isTold || holders.contains(unknown) {
            // The descriptor may have been inherited and its opener be gone. The node is that of all subdevices, so it is
            // only asked where the status does not tell.
            let node = "/dev/snd/pcmC\(card)D\(device)\(direction.rawValue)"
            let found = of(node: node, proc: proc)
            if !found.isEmpty { holders = holders.filter { $0 != unknown && !found.contains($0) } + found }
        }
        if !includingSelf { holders.removeAll { $0.pid == getpid() } }
        return holders.isEmpty && knownBusy ? [unknown] : holders
    }

    /// The thread in a line `owner_pid   : 812`; nil in the status of a closed PCM.
    private static func owner(in status: String) -> Int32? {
        for line in status.split(separator: "\n") where line.hasPrefix("owner_pid") {
            return line.split(separator: ":").last.flatMap { Int32($0.filter(\.isNumber)) }
        }
        return nil
    }

    /// The process that a thread belongs to (`/proc/TID` exists for threads too, though it is not listed).
    private static func process(of thread: Int32, proc: String) -> Int32? {
        guard let status = SmallFile.text("\(proc)/\(thread)/status") else { return nil }
        for line in status.split(separator: "\n") where line.hasPrefix("Tgid:") {
            return Int32(line.dropFirst(5).filter(\.isNumber))
        }
        return nil
    }
}
