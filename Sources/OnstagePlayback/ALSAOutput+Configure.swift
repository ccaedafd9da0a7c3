internal import CALSA
internal import Glibc
internal import OnstageCore
internal import OnstageLinux

extension ALSAOutput {
    static func configure(
        _ pcm: OpaquePointer, _ name: String, _ shown: String, _ request: OutputRequest,
        _ known: UnsafeMutablePointer<calsa_known>
    ) throws(DeviceError) -> OutputFacts {
        let isPlain = snd_pcm_type(pcm) == SND_PCM_TYPE_HW
        var ask = calsa_request()
        withUnsafeMutableBytes(of: &ask.formats) { formats in
            let numbers = formats.bindMemory(to: Int32.self)
            for (index, format) in request.formats.prefix(numbers.count).enumerated() { numbers[index] = format.alsa }
        }
        ask.format_count = Int32(min(8, request.formats.count))
        ask.setChannels(channels(for: request.channels))
        ask.rate = UInt32(request.rate)
        let wishes = request.configuration
        // A plain device can be rewound, so its ring may be long. Through plug-ins the player keeps near the pointer, in
        // steps of a small period; the ring is longer than that for the silence behind a pause.
        let buffer = isPlain ? wishes.bufferTime : max(wishes.bufferTime, wishes.nearLimit * 3)
        let period = isPlain ? buffer / 4 : wishes.nearLimit / 4
        ask.buffer_us = UInt32(clamping: buffer.wholeNanoseconds / 1000)
        ask.period_us = UInt32(clamping: period.wholeNanoseconds / 1000)
        var set = calsa_settings()
        var call: UnsafePointer<CChar>?
        var answer = calsa_configure(pcm, &ask, &set, known, &call)
        // Through plug-ins whatever number is taken; then most of it may be left out, or come out of every speaker.
        var real = answer >= 0 && !isPlain ? kernelSettings(set) : [:]
        if let channels = real["channels"], channels != Int(set.channels), max(channels, Int(set.channels)) > 2 {
            ask.setChannels([channels])
            snd_pcm_hw_free(pcm)
            answer = calsa_configure(pcm, &ask, &set, known, &call)
            real = answer >= 0 ? kernelSettings(set) : [:]
        }
        if let deviceRate = real["rate"], let period = real["period_size"],
            let fitting = fittingPeriod(Int(set.period), Int(set.rate), device: period, deviceRate),
            calsa_mixer(pcm) == 0  // a mixer's period is what it is
        {
            ask.period_frames = UInt64(fitting)
            snd_pcm_hw_free(pcm)
            answer = calsa_configure(pcm, &ask, &set, known, &call)
        }
        let operation = call.map { String(cString: $0) } ?? "snd_pcm_hw_params"
        guard answer >= 0 else { throw refusal(-answer, operation, name, shown) }
        guard set.rate == ask.rate, set.channels > 0, let format = SampleFormat(alsa: set.format) else {
            throw DeviceError(
                .configuration, operation: operation, device: shown,
                reason: "it took \(set.rate) Hz and \(set.channels) channels for \(ask.rate) Hz and \(request.channels)"
            )
        }
        let card = Int(set.card)
        let isUSB = card >= 0 && SmallFile.line("/proc/asound/card\(card)/usbid") != nil
        let isBatch = set.is_batch != 0 || isUSB
        var facts = OutputFacts(
            name: name, format: format, rate: Int(set.rate), channels: Int(set.channels),
            periodFrames: Int(set.period), bufferFrames: Int(set.buffer), isPlain: isPlain, isBatch: isBatch,
            guardFrames: guardFrames(wishes, rate: Int(set.rate), period: Int(set.period), isUSB, set))
        facts.stepFrames = stepFrames(rate: Int(set.rate), period: Int(set.period), isUSB, set)
        facts.layout = layout(set)
        facts.isLent = isPlain
        facts.canHold = isPlain && set.can_pause != 0
        facts.isMixed = !isPlain && calsa_mixer(pcm) == 1
        // A mixer with two periods begins at the next one: all is heard up to a period later than its delay says.
        if !isPlain, set.buffer <= set.period * 2 { facts.guardFrames += facts.periodFrames }
        if wishes.guardTime != nil { facts.guardOrigin = .profile }
        if card >= 0 {
            (facts.card, facts.device) = (card, Int(set.device))
            if let real = real["rate"], real != facts.rate {
                facts.converterBound = facts.periodFrames
                facts.more.append(("deviceRate", .integer(Int64(real))))
                facts.notes.append("a rate converter stands between \(facts.rate) Hz and the device's \(real) Hz")
            }
            if let id = SmallFile.line("/proc/asound/card\(card)/id") {
                facts.more.append(("card", .text(id)))
                let driver = driver(card) ?? id
                facts.more.append(("driver", .text(driver)))
                facts.guardKey = GuardKey(driver: driver, card: id, rate: facts.rate)
            }
        }
        return facts
    }

    /// The numbers of channels to try, the best first: what is lost of the sound is the least.
    static func channels(for media: Int) -> [Int] {
        switch media {
        case 1: [1, 2, 4, 6, 8]
        case 2: [2, 4, 6, 8, 1]
        default: [media] + [6, 8, 4].filter { $0 > media } + [8, 6, 4].filter { $0 < media } + [2, 1]
        }
    }

    /// A rate converter of ALSA hands on whole periods, so many frames for so many: where the two do not fit the two rates, the
    /// sound is as much too long or too short (0.12 % where 554 frames of 55,466 Hz stand for 480 of 48,000). The period that
    /// fits best, not longer than that and not shorter than half of it; nil where it fits already, within 0.05 %.
    static func fittingPeriod(_ period: Int, _ rate: Int, device: Int, _ deviceRate: Int) -> Int? {
        func error(_ period: Int, _ device: Int) -> Double {
            abs(Double(period) * Double(deviceRate) / (Double(device) * Double(rate)) - 1)
        }
        guard device > 0, rate != deviceRate, error(period, device) > 0.0005 else { return nil }
        var best: (error: Double, frames: Int)?
        for device in (max(1, device / 2)...device).reversed() {
            // It goes from one to the other by whole microseconds, and rounds down.
            let frames = device * rate / deviceRate
            guard frames > 0, 1_000_000 * frames / rate == 1_000_000 * device / deviceRate else { continue }
            let error = error(frames, device)
            if error < best?.error ?? .infinity { best = (error, frames) }
        }
        return best.flatMap { $0.error < error(period, device) ? $0.frames : nil }
    }

    /// Which of its channels is which: what it says, else ALSA's order. What ends in a file has no speakers.
    private static func layout(_ set: calsa_settings) -> ChannelLayout? {
        let count = Int(set.channels)
        let numbers = withUnsafeBytes(of: set.map) { Array($0.bindMemory(to: UInt32.self)[..<Int(set.map_count)]) }
        if !numbers.isEmpty, let layout = ChannelLayout(alsa: numbers) { return layout }
        let type = UInt32(bitPattern: set.type)
        let isFile = type == SND_PCM_TYPE_FILE.rawValue || type == SND_PCM_TYPE_NULL.rawValue
        return isFile && set.card < 0 ? nil : .device(count)
    }

    /// The kernel's driver of a card.
    private static func driver(_ card: Int) -> String? {
        Path.target(ofLink: "/sys/class/sound/card\(card)/device/driver")?.split(separator: "/").last.map(String.init)
    }

    /// How many frames may lie behind the pointer, by what is known of drivers of its kind.
    private static func guardFrames(
        _ wishes: PlaybackConfiguration, rate: Int, period: Int, _ isUSB: Bool, _ set: calsa_settings
    ) -> Int {
        func frames(_ time: Duration) -> Int { Int(time.wholeNanoseconds * Int64(rate) / 1_000_000_000) }
        if let set = wishes.guardTime { return frames(set) }
        // USB: measured, 912 frames were lost without, none with 1,440 at 48 kHz.
        if isUSB { return frames(.milliseconds(30)) }
        if set.is_batch != 0 { return max(period, frames(.milliseconds(5))) }
        return max(Int(set.fifo), frames(.milliseconds(5)))
    }

    /// By how many frames the pointer may move at once.
    private static func stepFrames(rate: Int, period: Int, _ isUSB: Bool, _ set: calsa_settings) -> Int {
        // A transfer, which is of 6 ms at most; the pointer is where the last one that was handed over ends.
        if isUSB { return rate * 6 / 1000 }
        // Told period by period: the card may have fetched all of the next one.
        return set.is_batch != 0 ? period : 0
    }

    /// What the kernel's own side of the device is set to: "rate", "channels" and the like.
    private static func kernelSettings(_ set: calsa_settings) -> [Substring: Int] {
        guard set.card >= 0 else { return [:] }
        let path = "/proc/asound/card\(set.card)/pcm\(set.device)p/sub\(set.subdevice)/hw_params"
        var found: [Substring: Int] = [:]
        for line in (SmallFile.text(path) ?? "").split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 2, words[0].last == ":", let value = Int(words[1]) else { continue }
            found[words[0].dropLast()] = value
        }
        return found
    }

    /// The error for an errno of `call`, with who has the device and what libasound said about it.
    static func refusal(_ errno: Int32, _ call: String, _ name: String, _ shown: String) -> DeviceError {
        let said = String(cString: calsa_message())
        var error = DeviceError(errno: errno, operation: call, device: shown, reason: said.isEmpty ? nil : said)
        switch errno {
        case Errno.EBUSY:
            error.holders = holders(name)
            error.reason = nil
            error.advice = "stop it, or wait: it is tried again when it lets go"
        case Errno.ENOENT, Errno.ENODEV, Errno.ENXIO:
            if let barred = barredNode(name) {
                // alsa-lib takes a card whose control node it may not open for one that is not there.
                return DeviceError(
                    errno: Errno.EACCES, operation: call, device: shown, reason: "\(barred) may not be opened",
                    advice: "add the user to the group \"audio\"")
            }
            error.kind = .absent
            if SoundCard.all(withHolders: false).isEmpty {
                error.reason = "this machine has no sound card"
            } else if PCMName(name).isDirect == false {
                error.reason = "there is no such PCM\(said.isEmpty ? "" : ": " + said)"
            }
            error.advice = "it is waited for"
        case Errno.EACCES, Errno.EPERM:
            error.advice = "add the user to the group \"audio\""
        case Errno.EINVAL:
            error.reason = "it does not take this rate, format or number of channels"
        default: break
        }
        return error
    }

    /// The control node that bars the user from the card that is meant, or from every card where a name means any.
    static func barredNode(_ name: String, proc: String = "/proc", dev: String = "/dev") -> String? {
        let parts = PCMName(name)
        var cards = SoundCard.all(withHolders: false, proc: proc)
        if parts.isDirect { cards = cards.filter { $0.id == parts.card || String($0.number) == parts.card } }
        let nodes = cards.map { "\(dev)/snd/controlC\($0.number)" }
        let barred = nodes.filter { access($0, R_OK | W_OK) != 0 && errno == Errno.EACCES }
        return barred.count == nodes.count ? barred.first : nil
    }

    private static func holders(_ name: String) -> [DeviceHolder] {
        let parts = PCMName(name)
        let cards = SoundCard.all(withHolders: false)
        guard parts.isDirect, let card = cards.first(where: { $0.id == parts.card || String($0.number) == parts.card })
        else {
            // A name of the configuration: whoever plays on any card.
            var found: [DeviceHolder] = []
            for card in cards {
                for device in card.playback {
                    found += DeviceHolders.ofSound(card: card.number, device: device.number).filter {
                        !found.contains($0)
                    }
                }
            }
            return found.isEmpty ? [DeviceHolders.unknown] : found
        }
        return DeviceHolders.ofSound(
            card: card.number, device: parts.device, subdevice: parts.subdevice, knownBusy: true)
    }
}

extension calsa_request {
    /// - Parameter numbers: at most eight.
    fileprivate mutating func setChannels(_ numbers: [Int]) {
        withUnsafeMutableBytes(of: &channels) { room in
            for (index, number) in numbers.enumerated() {
                room.storeBytes(of: UInt32(number), toByteOffset: 4 * index, as: UInt32.self)
            }
        }
        channels_count = Int32(numbers.count)
    }
}
