import OnstageCore

@testable import OnstagePlayback

/// A card's controls in memory: what stands in them outlives those who have it open, as in the kernel.
final class FakeMixer {
    /// An element and what stands in it.
    struct Entry {
        var element: MixerElement
        var values: [Int64]
        var items: [String] = []
        var decibels: ClosedRange<Int64>?
    }

    var entries: [Entry] = []
    /// What its use case "HiFi/Speaker" sets, and what it sets when it is left.
    var enters: [String: [Int64]] = [:]
    var leaves: [String: [Int64]] = [:]
    /// Writes to these fail with an errno.
    var refusals: [String: Int32] = [:]
    /// Comes when a use case has been set in part, and before each write.
    var onSetting: () -> Void = {}
    var isGone = false
    /// How many have it open.
    var open = 0
    /// All that was written, and what happened besides.
    var log: [String] = []

    func add(
        _ name: String, _ kind: MixerElement.Kind, _ values: [Int64], index: Int = 0, items: [String] = [],
        decibels: ClosedRange<Int64>? = nil, _ change: (inout MixerElement) -> Void = { _ in }
    ) {
        var element = MixerElement(
            number: UInt32(entries.count + 1),
            address: MixerElement.Address(interface: .mixer, name: name, index: index), kind: kind, count: values.count)
        change(&element)
        entries.append(Entry(element: element, values: values, items: items, decibels: decibels))
    }

    subscript(_ name: String) -> [Int64] {
        get { entries.first { $0.element.address.name == name }?.values ?? [] }
        set {
            guard let index = entries.firstIndex(where: { $0.element.address.name == name }) else { return }
            entries[index].values = newValue
        }
    }

    /// With what every kind of sound card has.
    static func usual() -> FakeMixer {
        let mixer = FakeMixer()
        mixer.add("Master Volume", .number(-50...100), [10, 10], decibels: -4500...0)
        mixer.add("Speaker Switch", .flag, [0])
        mixer.add("Output", .item(2), [0], items: ["Speaker", "Headphones"])
        mixer.add("Status", .number(0...1), [0]) { $0.isVolatile = true }
        return mixer
    }
}

/// One opening of it.
final class FakeCard: MixerCard {
    let id: String
    let shown = "hw:CARD=Fake"
    let mixer: FakeMixer
    private var isEntered = false

    init(_ mixer: FakeMixer, id: String = "Fake") {
        (self.mixer, self.id) = (mixer, id)
        mixer.open += 1
    }

    private func entry(_ element: MixerElement) -> Result<Int, PCMFault> {
        if mixer.isGone { return .failure(PCMFault(errno: Errno.ENODEV)) }
        return mixer.entries.firstIndex { $0.element.number == element.number }
            .map { .success($0) } ?? .failure(PCMFault(errno: Errno.ENOENT))
    }

    func list() -> Result<[MixerElement], PCMFault> {
        if mixer.isGone { return .failure(PCMFault(errno: Errno.ENODEV)) }
        return .success(
            mixer.entries.map { MixerElement(number: $0.element.number, address: $0.element.address) })
    }

    func look(_ element: MixerElement) -> Result<MixerElement, PCMFault> {
        entry(element).map { mixer.entries[$0].element }
    }

    func items(_ element: MixerElement) -> [String] {
        (try? entry(element).get()).map { mixer.entries[$0].items } ?? []
    }

    func decibels(_ element: MixerElement) -> ClosedRange<Int64>? {
        (try? entry(element).get()).flatMap { mixer.entries[$0].decibels }
    }

    /// 0.3 dB a step, as snd-dummy has it.
    func value(decibels: Int64, _ element: MixerElement) -> Int64? { (decibels + 4500) / 30 - 50 }

    func read(_ element: MixerElement) -> Result<[Int64], PCMFault> { entry(element).map { mixer.entries[$0].values } }

    func write(_ values: [Int64], _ element: MixerElement) -> Int32 {
        switch entry(element) {
        case .failure(let fault): return -fault.errno
        case .success(let index):
            let name = mixer.entries[index].element.address.name
            mixer.onSetting()
            if let errno = mixer.refusals[name] { return -errno }
            mixer.entries[index].values = values
            mixer.log.append("\(name)=\(values.map(String.init).joined(separator: ","))")
            return 0
        }
    }

    func find(_ useCase: MixerRoute.UseCase) throws(DeviceError) {
        guard useCase.verb == "HiFi" else {
            throw DeviceError(.configuration, operation: "snd_use_case_get_list", device: shown)
        }
    }

    func enter(_ useCase: MixerRoute.UseCase) throws(DeviceError) {
        isEntered = true
        mixer.log.append("enter \(useCase)")
        for (name, values) in mixer.enters {
            guard mixer.refusals[name] == nil else {
                throw DeviceError(errno: Errno.EINVAL, operation: "snd_use_case_set", device: shown)
            }
            mixer[name] = values
            mixer.onSetting()
        }
    }

    func leave() -> Int32 {
        guard isEntered else { return 0 }
        isEntered = false
        if mixer.isGone { return -Errno.ENODEV }
        mixer.log.append("leave")
        for (name, values) in mixer.leaves { mixer[name] = values }
        return 0
    }

    func close() {
        mixer.open -= 1
        mixer.log.append("close")
    }
}
