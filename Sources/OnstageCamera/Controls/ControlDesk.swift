internal import OnstageCore

/// Sets controls of an open node: automatics first, each read back.
struct ControlDesk {
    let kernel: any VideoKernel
    let descriptor: Int32
    let node: String
    /// All that the camera has, as it was when it was asked.
    private(set) var controls: [CameraControl]

    /// - Parameter known: what an earlier look at the same camera found.
    init(_ kernel: any VideoKernel, _ descriptor: Int32, node: String, known: [CameraControl]? = nil) {
        self.kernel = kernel
        self.descriptor = descriptor
        self.node = node
        controls = known ?? CameraControl.all(kernel, descriptor)
    }

    /// Sets what is wished, as far as it goes; what does not is said, one line each.
    /// - Throws: `absent` when the camera is gone.
    mutating func set(_ settings: [ControlSetting]) throws(DeviceError) -> [String] {
        var notes: [String] = []
        var wishes: [(index: Int, resolved: CameraControl.Resolved)] = []
        for setting in settings {
            guard let index = controls.firstIndex(where: { setting.control.names($0) }) else {
                notes.append("the camera has no control \(setting.control)")
                continue
            }
            do throws(CameraControl.Refusal) {
                wishes.append((index, try controls[index].resolve(setting.value)))
            } catch {
                notes.append("\(error.reason): it is left as it is")
            }
        }
        // While an automatic is on, what it decides about is refused or forgotten: automatics first, in any case.
        let first = wishes.filter { ControlPairs.isAutomatic(controls[$0.index]) }
        let second = wishes.filter { !ControlPairs.isAutomatic(controls[$0.index]) }
        for wish in first + second {
            if let note = try set(controls[wish.index], wish.resolved) { notes.append(note) }
        }
        for wish in first + second {
            if let note = readBack(wish.index, wish.resolved) { notes.append(note) }
        }
        return notes
    }

    private func set(
        _ control: CameraControl, _ resolved: CameraControl.Resolved
    ) throws(DeviceError) -> String? {
        let answer = control.write(resolved, kernel, descriptor)
        guard answer < 0 else { return nil }
        if answer == -Errno.ENODEV {
            throw CaptureFault.error(-answer, operation: VideoCall.setControl.rawValue, node: node)
        }
        return "\(control.name) is not set: \(Errno.name(-answer)) from \(VideoCall.setControl.rawValue)"
            + (answer == -Errno.EBUSY ? " (it cannot be set while the camera streams)" : "")
    }

    private mutating func readBack(_ index: Int, _ resolved: CameraControl.Resolved) -> String? {
        controls[index].refresh(kernel, descriptor)
        controls[index].readValue(kernel, descriptor)
        let control = controls[index]
        if control.isInactive {
            return "\(control.name) has no effect while \(control.automatic ?? "another control") is automatic"
        }
        guard !control.isVolatile, let value = control.value else { return nil }
        switch (resolved, value) {
        case (.number(let wished), .number(let found)) where wished != found:
            return "asked for \(control.name) \(wished), \(found) is set"
        case (.text(let wished), .text(let found)) where wished != found:
            return "asked for \(control.name) \"\(wished)\", \"\(found)\" is set"
        default: return nil
        }
    }
}
