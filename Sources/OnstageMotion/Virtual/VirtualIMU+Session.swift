internal import CLinux
internal import OnstageCore
internal import OnstageLinux

extension VirtualIMU {
    /// The device from its making to its end.
    struct Session: ~Copyable {
        struct TimedFault {
            var fault: VirtualIMUFault
            var from: MonotonicTime
            var until: MonotonicTime?
            /// Whether its beginning, and its end, have been logged.
            var told = 0
            /// Power-ups since it began, of each sensor.
            var powerUps = [0, 0]

            var kind: VirtualIMUFault.Kind { fault.kind }

            func isOn(_ now: MonotonicTime) -> Bool {
                from <= now && until.map { now < $0 } ?? true
            }
        }

        private struct Answer {
            var due: MonotonicTime
            var id: UInt32
            /// The report that was asked for; nil for the answer to a SET_REPORT.
            var report: [UInt8]?
            var error: UInt16
        }

        let created: MonotonicTime
        var faults: [TimedFault] = []
        private let file: Descriptor
        private let options: VirtualIMUOptions
        private let log: @Sendable (VirtualIMUEvent) -> Void
        private var sensors = [VirtualSensor(.accelerometer), VirtualSensor(.gyroscope)]
        private var answers: [Answer] = []

        var number: Int32 { file.number }

        init(_ options: VirtualIMUOptions, log: @escaping @Sendable (VirtualIMUEvent) -> Void) throws(DeviceError) {
            let path = "/dev/uhid"
            let file: Descriptor
            do {
                file = try Descriptor(opening: path, flags: O_RDWR | O_NONBLOCK)
            } catch {
                var error = error
                error.advice =
                    error.kind == .permission ? "run it as root" : "load the kernel's part of it: modprobe uhid"
                throw error
            }
            let descriptor = HIDDescriptor.sensorHub.bytes
            // Bus 3 is USB; the Linux Foundation's vendor number, as other made-up devices have it.
            let answer = clinux_uhid_create(
                file.number, options.name, 3, 0x1D6B, 0x0104, descriptor, descriptor.count)
            guard answer == 0 else { throw DeviceError(errno: -answer, operation: "UHID_CREATE2", device: path) }
            self.file = file
            self.options = options
            self.log = log
            created = .now
            tell(.created, created)
        }

        /// Takes the device away.
        consuming func end(_ reason: String) {
            _ = clinux_uhid_destroy(file.number)
            tell(.destroyed(reason), .now)
        }

        /// When there is something to do even if the kernel says nothing.
        var deadline: MonotonicTime? {
            var earliest: MonotonicTime?
            func consider(_ time: MonotonicTime?) {
                if let time { earliest = earliest.map { min($0, time) } ?? time }
            }
            for sensor in sensors where sensor.isOn && !sensor.isDeaf { consider(sensor.due) }
            for answer in answers { consider(answer.due) }
            for fault in faults {
                if fault.told == 0 { consider(fault.from) } else if fault.told == 1 { consider(fault.until) }
            }
            return earliest
        }

        /// Sends what is due: late answers and reports.
        mutating func answerAndSend(now: MonotonicTime) {
            for index in faults.indices {
                if faults[index].told == 0 && faults[index].from <= now {
                    faults[index].told = 1
                    tell(.fault("\(faults[index].fault) begins"), now)
                }
                if let until = faults[index].until, faults[index].told == 1, until <= now {
                    faults[index].told = 2
                    tell(.fault("\(faults[index].fault) ends"), now)
                }
            }
            for answer in answers where answer.due <= now { send(answer) }
            answers.removeAll { $0.due <= now }
            let silent = faults.contains { $0.kind == .silent && $0.isOn(now) }
            for index in sensors.indices where sensors[index].isOn && !sensors[index].isDeaf {
                while sensors[index].due <= now {
                    if silent {
                        sensors[index].skip(limit: options.rateLimit, now: now)
                        continue
                    }
                    let report = sensors[index].input(counts(sensors[index], at: sensors[index].due, now: now))
                    _ = clinux_uhid_input(number, report, report.count)
                    sensors[index].advance(limit: options.rateLimit, now: now)
                }
            }
        }

        /// Takes all that the kernel has to say; the reason when it will not speak again.
        mutating func listen(now: MonotonicTime) -> String? {
            var event = clinux_uhid_event()
            while true {
                let answer = clinux_uhid_next(number, &event)
                if answer == -EAGAIN { return nil }
                guard answer == 0 else { return Errno.name(-answer) }
                switch event.type {
                case UInt32(CLINUX_UHID_START.rawValue): tell(.started, now)
                case UInt32(CLINUX_UHID_STOP.rawValue): tell(.stopped, now)
                case UInt32(CLINUX_UHID_OPEN.rawValue): tell(.opened, now)
                case UInt32(CLINUX_UHID_CLOSE.rawValue): tell(.closed, now)
                case UInt32(CLINUX_UHID_GET_REPORT.rawValue): get(event, now: now)
                case UInt32(CLINUX_UHID_SET_REPORT.rawValue): set(event, now: now)
                default: break
                }
            }
        }

        private mutating func get(_ event: clinux_uhid_event, now: MonotonicTime) {
            var answer = Answer(due: now + delay(now), id: event.id, report: [], error: UInt16(EIO))
            if let sensor = sensors.first(where: { $0.report == event.report }) {
                if event.report_type == UInt8(CLINUX_UHID_FEATURE.rawValue) {
                    answer.report = sensor.feature
                    answer.error = 0
                } else if event.report_type == UInt8(CLINUX_UHID_INPUT.rawValue) {
                    answer.report = sensor.input(counts(sensor, at: now, now: now))
                    answer.error = 0
                }
            }
            queue(answer, now: now)
        }

        private mutating func set(_ event: clinux_uhid_event, now: MonotonicTime) {
            var answer = Answer(due: now + delay(now), id: event.id, report: nil, error: UInt16(EIO))
            if event.report_type == UInt8(CLINUX_UHID_FEATURE.rawValue),
                let index = sensors.firstIndex(where: { $0.report == event.report })
            {
                let bytes = withUnsafeBytes(of: event.data) { Array($0.prefix(Int(event.size))) }
                if sensors[index].set(bytes, now: now) { powerUp(index, now: now) }
                answer.error = 0
                let sensor = sensors[index]
                tell(
                    .set(
                        sensor.kind, power: "\(sensor.power)", report: "\(sensor.reporting)",
                        interval: sensor.interval), now)
            }
            queue(answer, now: now)
        }

        private mutating func powerUp(_ index: Int, now: MonotonicTime) {
            sensors[index].isDeaf = false
            for fault in faults.indices where faults[fault].isOn(now) {
                guard case .deaf(let count) = faults[fault].kind, faults[fault].powerUps[index] < count else {
                    continue
                }
                faults[fault].powerUps[index] += 1
                sensors[index].isDeaf = true
            }
        }

        private func counts(_ sensor: VirtualSensor, at time: MonotonicTime, now: MonotonicTime) -> SIMD3<Int32> {
            for fault in faults where fault.isOn(now) {
                if case .zeros(let count) = fault.kind, sensor.sent < Int64(count) { return .zero }
            }
            let seconds = Double((time - sensor.poweredAt).wholeNanoseconds) / 1e9
            var counts = sensor.counts(options.motion.moment(at: max(0, seconds), up: options.up))
            if options.countsSamples { counts.x = Int32(truncatingIfNeeded: sensor.sent) }
            return counts
        }

        private func delay(_ now: MonotonicTime) -> Duration {
            for fault in faults where fault.isOn(now) {
                if case .late(let delay) = fault.kind { return delay }
            }
            return .zero
        }

        private mutating func queue(_ answer: Answer, now: MonotonicTime) {
            if answer.due <= now { send(answer) } else { answers.append(answer) }
        }

        private func send(_ answer: Answer) {
            if let report = answer.report {
                _ = clinux_uhid_answer_get(number, answer.id, answer.error, report, report.count)
            } else {
                _ = clinux_uhid_answer_set(number, answer.id, answer.error)
            }
        }

        private func tell(_ what: VirtualIMUEvent.What, _ time: MonotonicTime) {
            log(VirtualIMUEvent(time: time, what: what))
        }
    }
}
