internal import CV4L2
internal import OnstageCore

extension CameraControl {
    /// All controls of an open node, in the driver's order. *C: `VIDIOC_QUERY_EXT_CTRL`, `VIDIOC_QUERYMENU`.*
    static func all(_ kernel: any VideoKernel, _ descriptor: Int32) -> [CameraControl] {
        var controls: [CameraControl] = []
        let next = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND)
        var query = v4l2_query_ext_ctrl()
        query.id = next
        // A driver that hands the same one out for ever is no endless loop.
        while controls.count < 1024, kernel.call(descriptor, .queryControl, &query) >= 0 {
            let last = query.id
            if var control = CameraControl(query) {
                control.readItems(kernel, descriptor)
                control.readValue(kernel, descriptor)
                controls.append(control)
            }
            query = v4l2_query_ext_ctrl()
            query.id = last | next
        }
        for index in controls.indices {
            let automatic = ControlPairs.automatic(of: controls[index].id)
            controls[index].automatic = controls.first { $0.id == automatic }?.name
        }
        return controls
    }

    /// By how many degrees its pictures have to be turned clockwise, as the camera says; 0 where it does not say. *C: `V4L2_CID_CAMERA_SENSOR_ROTATION`.*
    static func rotation(_ kernel: any VideoKernel, _ descriptor: Int32) -> Int {
        var raw = cv4l2_value()
        raw.control = 0x009a_0923
        guard kernel.call(descriptor, .getControl, &raw) >= 0, [90, 180, 270].contains(raw.number) else { return 0 }
        // The kernel counts counter-clockwise.
        return 360 - Int(raw.number)
    }

    /// Nil for what is no control but a heading, or is switched off for good.
    private init?(_ query: v4l2_query_ext_ctrl) {
        func has(_ flag: some BinaryInteger) -> Bool { query.flags & UInt32(truncatingIfNeeded: flag) != 0 }
        guard query.type != V4L2_CTRL_TYPE_CTRL_CLASS.rawValue, !has(V4L2_CTRL_FLAG_DISABLED) else { return nil }
        let title = String(fixed: query.name)
        self.init(
            id: query.id, name: ControlName.normal(title), title: title, kind: Kind(query), minimum: query.minimum,
            maximum: query.maximum, step: Int64(clamping: query.step), defaultValue: query.default_value,
            isReadOnly: has(V4L2_CTRL_FLAG_READ_ONLY), isInactive: has(V4L2_CTRL_FLAG_INACTIVE),
            isGrabbed: has(V4L2_CTRL_FLAG_GRABBED), isVolatile: has(V4L2_CTRL_FLAG_VOLATILE),
            changesOthers: has(V4L2_CTRL_FLAG_UPDATE))
        isWide = query.type == V4L2_CTRL_TYPE_INTEGER64.rawValue
        isReadable = !has(V4L2_CTRL_FLAG_WRITE_ONLY)
    }

    /// What the driver says of it now ("inactive" comes and goes with its automatic).
    mutating func refresh(_ kernel: any VideoKernel, _ descriptor: Int32) {
        var query = v4l2_query_ext_ctrl()
        query.id = id
        guard kernel.call(descriptor, .queryControl, &query) >= 0 else { return }
        isInactive = query.flags & UInt32(V4L2_CTRL_FLAG_INACTIVE) != 0
        isGrabbed = query.flags & UInt32(V4L2_CTRL_FLAG_GRABBED) != 0
    }

    private mutating func readItems(_ kernel: any VideoKernel, _ descriptor: Int32) {
        guard kind == .menu || kind == .integerMenu, minimum >= 0, maximum - minimum < 1024 else { return }
        for index in minimum...max(minimum, maximum) {
            var item = cv4l2_item()
            item.control = id
            item.index = UInt32(index)
            item.is_number = kind == .integerMenu ? 1 : 0
            guard kernel.call(descriptor, .queryMenu, &item) >= 0 else { continue }  // a gap
            let name = kind == .integerMenu ? String(item.number) : String(fixed: item.text)
            items.append(Item(index: index, name: name))
        }
    }

    /// *C: `VIDIOC_G_EXT_CTRLS`.*
    mutating func readValue(_ kernel: any VideoKernel, _ descriptor: Int32) {
        value = nil
        guard isReadable, kind != .button, kind != .compound else { return }
        var raw = cv4l2_value()
        raw.control = id
        raw.is_wide = isWide ? 1 : 0
        raw.is_text = kind == .text ? 1 : 0
        guard kernel.call(descriptor, .getControl, &raw) >= 0 else { return }
        value =
            kind == .text
            ? .text(String(fixed: raw.text))
            : .number(kind == .bitmask ? Int64(UInt32(truncatingIfNeeded: raw.number)) : raw.number)
    }

    /// Sets it; 0 or minus errno. *C: `VIDIOC_S_EXT_CTRLS`.*
    func write(_ resolved: Resolved, _ kernel: any VideoKernel, _ descriptor: Int32) -> Int32 {
        var raw = cv4l2_value()
        raw.control = id
        raw.is_wide = isWide ? 1 : 0
        switch resolved {
        case .number(let number): raw.number = number
        case .text(let text):
            raw.is_text = 1
            withUnsafeMutableBytes(of: &raw.text) { bytes in
                for (index, byte) in text.utf8.enumerated() where index < bytes.count - 1 { bytes[index] = byte }
            }
        }
        return kernel.call(descriptor, .setControl, &raw)
    }
}

extension CameraControl.Kind {
    fileprivate init(_ query: v4l2_query_ext_ctrl) {
        let isCompound = query.flags & UInt32(V4L2_CTRL_FLAG_HAS_PAYLOAD) != 0
        self =
            switch query.type {
            case V4L2_CTRL_TYPE_STRING.rawValue: .text
            case _ where isCompound: .compound
            case V4L2_CTRL_TYPE_INTEGER.rawValue, V4L2_CTRL_TYPE_INTEGER64.rawValue: .integer
            case V4L2_CTRL_TYPE_BOOLEAN.rawValue: .flag
            case V4L2_CTRL_TYPE_MENU.rawValue: .menu
            case V4L2_CTRL_TYPE_INTEGER_MENU.rawValue: .integerMenu
            case V4L2_CTRL_TYPE_BUTTON.rawValue: .button
            case V4L2_CTRL_TYPE_BITMASK.rawValue: .bitmask
            default: .compound
            }
    }
}
