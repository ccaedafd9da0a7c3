internal import Onstage

extension DetectedDevices {
    /// What of a machine's devices can be used.
    init(_ list: DeviceList) {
        cameras = list.cameras.filter { $0.info.supported || $0.info.needsPipeline }.map { entry in
            Camera(
                names: [entry.info.identity] + entry.info.identities, driver: entry.info.driver,
                needsPipeline: entry.info.needsPipeline)
        }
        let sensor = { (sensor: MotionSensor) in
            Sensor(name: sensor.name ?? "", label: sensor.label, location: sensor.location, path: sensor.path)
        }
        accelerometers = list.sensors.filter { $0.kind == .accelerometer }.map(sensor)
        gyroscopes = list.sensors.filter { $0.kind == .gyroscope }.map(sensor)
        soundCards = list.cards.filter { !$0.playback.isEmpty }.map(\.id)
    }
}
