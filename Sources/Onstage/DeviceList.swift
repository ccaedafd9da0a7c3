internal import OnstageCamera
package import OnstageCore
internal import OnstageLinux
internal import OnstageMotion
internal import OnstagePlayback

/// What a machine has of the three kinds of device, and who has them now. Nothing stays open.
package struct DeviceList: Hashable, Sendable {
    package struct CameraEntry: Hashable, Sendable {
        package var info: CameraInfo
        package var holders: [DeviceHolder]
    }

    package var cameras: [CameraEntry]
    package var sensors: [MotionSensor]
    package var cards: [SoundCard]

    /// - Parameter includesOther: nodes that are no cameras (metadata, output, codecs) too.
    /// *Runs on:* a thread that may wait for a device.
    package init(includesOther: Bool = false) {
        cameras = Self.cameras(includesOther: includesOther)
        sensors = MotionSensor.all()
        cards = SoundCard.all()
    }

    /// The cameras alone.
    package static func cameras(includesOther: Bool) -> [CameraEntry] {
        let infos = CameraFinder().all(includingOther: includesOther)
        let holders = DeviceHolders.of(nodes: infos.map(\.node))
        return zip(infos, holders).map { CameraEntry(info: $0, holders: $1) }
    }

    /// Whether this machine has a device of any of the three kinds, now or about to come. Looks as little as it can.
    package static var isAny: Bool {
        if SoundCard.all(withHolders: false).contains(where: { !$0.playback.isEmpty }) { return true }
        if CameraFinder().all().contains(where: { $0.supported || $0.isWaiting }) { return true }
        return !MotionSensor.all().isEmpty
    }
}
