internal import CV4L2
internal import OnstageCore

extension CaptureStream {
    /// Sets size, format and rate as near to the wish as the camera can, and reads back what is set.
    ///
    /// - Parameter converting: libv4l2, asked for only when the camera lacks the wanted format.
    func configure(
        _ wish: CameraConfiguration, converting: () -> (any VideoKernel)?, armed: (Int32) -> Void
    ) throws(DeviceError) {
        try set(wish, wish.pixelFormat ?? .yuyv)
        if let wanted = wish.pixelFormat {
            if format.pixelFormat != wanted, wish.allowsConversion, !isMultiPlanar {
                try convert(wish, to: wanted, converting, armed)
            }
        } else if !isFit(wish), !format.pixelFormat.isJPEG {
            // A USB camera often has the size or the rate in JPEG only.
            let plain = format.pixelFormat
            try set(wish, .mjpeg)
            if format.pixelFormat != .mjpeg || !isFit(wish) { try set(wish, plain) }
        }
        let setting = Negotiation.Setting(
            width: format.width, height: format.height, pixelFormat: format.pixelFormat, rate: rate)
        let outcome = Negotiation(wish: wish, set: setting)
        if case .impossible(let reasons) = outcome {
            throw DeviceError(
                .configuration, operation: VideoCall.setFormat.rawValue, device: node,
                reason: reasons.joined(separator: "; "), advice: "ask for what it has, or let it be adjusted")
        }
        notes += outcome.reasons
    }

    private func isFit(_ wish: CameraConfiguration) -> Bool {
        let setting = Negotiation.Setting(
            width: format.width, height: format.height, pixelFormat: format.pixelFormat, rate: rate)
        return Negotiation(wish: wish, set: setting) == .exact
    }

    private func set(_ wish: CameraConfiguration, _ pixelFormat: PixelFormat) throws(DeviceError) {
        var errno: Int32 = 0
        guard
            let set = NodeFormat.set(
                kernel, descriptor, isMultiPlanar: isMultiPlanar, width: wish.width ?? 640, height: wish.height ?? 480,
                pixelFormat: pixelFormat, fault: &errno)
        else { throw fault(errno, .setFormat) }
        format = set
        rate = NodeFormat.rate(kernel, descriptor, isMultiPlanar: isMultiPlanar, wish: wish.rate)
    }

    /// Opens the node anew through libv4l2, and back again when that has not the format either.
    private func convert(
        _ wish: CameraConfiguration, to wanted: PixelFormat, _ converting: () -> (any VideoKernel)?,
        _ armed: (Int32) -> Void
    ) throws(DeviceError) {
        guard let library = converting() else {
            notes.append("\(wanted) would have to be converted, but \(String(cString: cv4l2_missing()))")
            return
        }
        let plain = kernel
        try reopen(library, armed)
        try set(wish, wanted)
        if format.pixelFormat == wanted { return }
        try reopen(plain, armed)
        try set(wish, wanted)
    }

    private func reopen(_ other: any VideoKernel, _ armed: (Int32) -> Void) throws(DeviceError) {
        armed(-1)
        kernel.close(descriptor)
        descriptor = -1
        kernel = other
        try open()
        armed(descriptor)
    }
}
