internal import OnstageCamera
package import OnstageCore
internal import OnstageMotion
internal import OnstageStore

extension Profile {
    /// What a scene of this profile holds; a kind that the profile leaves out is nil.
    package struct Resources: Sendable {
        package var camera: Onstage::Camera?
        package var accelerometer: Motion?
        package var gyroscope: Motion?
        package var player: Player?

        /// All of them, in the order of the report.
        package var all: [any Resource] {
            let all: [(any Resource)?] = [camera, accelerometer, gyroscope, player]
            return all.compactMap(\.self)
        }
    }

    /// What is to be played, and where what outlives the process is kept.
    package struct Media: Sendable {
        /// Nil for the built-in sound, whose position is never kept.
        package var path: String?
        package var positions: Positions?
        /// Where recordings with a relative path go.
        package var folder: String?

        package init(path: String? = nil, positions: Positions? = nil, folder: String? = nil) {
            self.path = path
            self.positions = positions
            self.folder = folder
        }
    }

    /// The resources of one scene, named "camera", "accelerometer", "gyroscope" and "playback". No device is touched.
    ///
    /// - Parameter isSynthetic: all devices are made up, whatever the profile says.
    /// - Throws: for media that cannot be played, and for a wish that makes no sense.
    package func resources(_ media: Media, isSynthetic: Bool) throws(DeviceError) -> Resources {
        var resources = Resources()
        if let camera {
            resources.camera = try Onstage::Camera(
                camera.configuration, name: "camera", isSynthetic: isSynthetic || camera.isSynthetic)
        }
        if let accelerometer {
            resources.accelerometer = Motion(
                accelerometer.configuration(.accelerometer), name: "accelerometer",
                isSynthetic: isSynthetic || accelerometer.isSynthetic)
        }
        if let gyroscope {
            resources.gyroscope = Motion(
                gyroscope.configuration(.gyroscope), name: "gyroscope",
                isSynthetic: isSynthetic || gyroscope.isSynthetic)
        }
        if let playback {
            if playback.recording(media) != nil, let folder = media.folder {
                try? StateDirectory.make(folder)  // what cannot be made is told by the recording itself
            }
            let options = playback.options(media, isSynthetic: isSynthetic || playback.isSynthetic)
            resources.player =
                if let path = media.path {
                    try Player(media: path, options, positions: media.positions, name: "playback")
                } else {
                    Player(builtIn: options, name: "playback")
                }
        }
        return resources
    }

    /// Whether the resource of this name is made up by this profile's own words.
    package func isSynthetic(_ resource: String) -> Bool {
        switch resource {
        case "camera": camera?.isSynthetic ?? false
        case "accelerometer": accelerometer?.isSynthetic ?? false
        case "gyroscope": gyroscope?.isSynthetic ?? false
        case "playback": playback?.isSynthetic ?? false
        default: false
        }
    }

    /// Where the synthetic sound is written to; nil where it is not.
    package func recording(_ media: Media) -> String? {
        playback?.recording(media)
    }
}

extension Profile.Camera {
    fileprivate var configuration: CameraConfiguration {
        CameraConfiguration(
            selector: isSynthetic ? .any : CameraSelector(device), width: width, height: height,
            pixelFormat: pixelFormat.flatMap { PixelFormat($0) }, rate: framesPerSecond.map { Hertz($0) },
            isExact: isExact, allowsConversion: allowsConversion, buffers: buffers, frameDeadline: frameDeadline,
            settleFrames: settleFrames, settleTime: settleTime, keptFramePolicy: copiesKeptFrames ? .copy : .blank,
            controls: controls, pipeline: pipeline)
    }
}

extension Profile.Sensor {
    fileprivate func configuration(_ kind: MotionKind) -> MotionConfiguration {
        MotionConfiguration(
            kind: kind, selector: selector, rate: MotionRate(rate) ?? .game, maxLatency: maxLatency,
            mountMatrix: matrix, powerDownDelay: powerDownDelay,
            trigger: trigger, stallLimit: stallLimit)
    }

    private var matrix: MountMatrix? {
        guard let rows = mountMatrix?.map({ SIMD3($0) }), rows.count == 3 else { return nil }
        return MountMatrix(x: rows[0], y: rows[1], z: rows[2])
    }

    private var selector: MotionSelector {
        let parts = device.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return .any }
        return switch parts[0] {
        case "name": .name(parts[1])
        case "label": .label(parts[1])
        case "location": .location(parts[1])
        case "path": .path(parts[1])
        default: .any
        }
    }
}

extension Profile.Playback {
    fileprivate func recording(_ media: Profile.Media) -> String? {
        guard isSynthetic, let recording else { return nil }
        if recording.hasPrefix("/") { return recording }
        return media.folder.map { "\($0)/\(recording)" }
    }

    fileprivate func options(_ media: Profile.Media, isSynthetic: Bool) -> Player.Options {
        var options = Player.Options()
        options.output = isSynthetic ? nil : device
        options.recording = recording(media)
        options.bufferTime = bufferTime
        options.nearLimit = nearLimit
        options.horizon = horizon
        options.guardTime = guardTime
        options.pauseMode = pauseMode
        options.volume = volume
        options.atEnd = atEnd
        options.fade = fade
        options.reservesDevice = reservesDevice
        options.reservePriority = reservePriority
        options.realtime = realtime
        options.readAhead = readAhead
        options.journalInterval = journal.interval
        options.pausesWhenNoisy = pausesWhenNoisy
        options.route = isSynthetic ? nil : route
        return options
    }
}
