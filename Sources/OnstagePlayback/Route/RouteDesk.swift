internal import OnstageCore

/// Sets one card's controls and puts them back, while the card's lock is held (``RouteBoard``).
struct RouteDesk {
    let card: any MixerCard

    init(card: any MixerCard) {
        self.card = card
    }

    /// Whether the card can still be asked anything.
    var isThere: Bool { if case .success = card.list() { true } else { false } }

    // MARK: Setting

    /// Sets all of a route, or nothing.
    /// - Returns: what it has changed, and what there is to note.
    func set(_ route: MixerRoute) throws(DeviceError) -> (changes: [RouteChange], notes: [String]) {
        let all = try listed()
        // All that can be wrong with it is found before anything is set.
        var wishes: [(element: MixerElement, values: [Int64])] = []
        for control in route.controls {
            let element = try found(control, all)
            wishes.append((element, try element.values(control, card)))
        }
        if let useCase = route.useCase { try card.find(useCase) }
        // A use case sets what it likes.
        let watched = unique((route.useCase == nil ? [] : kept(all)) + wishes.map(\.element))
        let before = values(watched)
        var notes: [String] = []
        do throws(DeviceError) {
            if let useCase = route.useCase { try card.enter(useCase) }
            for wish in wishes { try set(wish.values, wish.element, &notes) }
        } catch {
            // What it has set so far is its own doing alone.
            if route.useCase != nil { _ = card.leave() }
            for element in watched.reversed() { restore(element, before[element.number]) }
            throw error
        }
        let ours = values(watched)
        let changes = watched.compactMap { element -> RouteChange? in
            guard let was = before[element.number], let now = ours[element.number], was != now else { return nil }
            return RouteChange(element: element, before: was, ours: now)
        }
        return (changes, notes)
    }

    private func listed() throws(DeviceError) -> [MixerElement] {
        switch card.list() {
        case .success(let all): return all
        case .failure(let fault): throw failure(fault.errno, "snd_ctl_elem_list")
        }
    }

    private func found(_ control: MixerRoute.Control, _ all: [MixerElement]) throws(DeviceError) -> MixerElement {
        let wanted = MixerElement.Address(
            interface: control.interface, name: control.name, index: control.index, device: control.device,
            subdevice: control.subdevice)
        guard let element = all.first(where: { $0.address == wanted }) else {
            // What it could have been comes first.
            let names = all.map(\.address.description).sorted()
            let like = names.filter { $0.lowercased().contains(control.name.lowercased()) }
            let rest = names.filter { !like.contains($0) }
            throw DeviceError(
                .configuration, operation: "snd_ctl_elem_list", device: card.shown,
                reason: "the card \(card.id) has no control \"\(wanted)\"; it has \(MixerElement.listed(like + rest))",
                advice: "see `amixer -c \(card.id) controls`")
        }
        switch card.look(element) {
        case .success(let known): return known
        case .failure(let fault): throw failure(fault.errno, "snd_ctl_elem_info", element)
        }
    }

    private func set(_ values: [Int64], _ element: MixerElement, _ notes: inout [String]) throws(DeviceError) {
        if case .success(values) = card.read(element) { return }
        let answer = card.write(values, element)
        if answer < 0 { throw failure(-answer, "snd_ctl_elem_write", element) }
        if case .success(let real) = card.read(element), real != values {
            notes.append("\(element.address) is \(Self.text(real)) of \(card.id), for \(Self.text(values))")
        }
    }

    private func failure(_ errno: Int32, _ call: String, _ element: MixerElement? = nil) -> DeviceError {
        DeviceError(
            errno: errno, operation: call, device: card.shown,
            reason: element.map { "the control \"\($0.address)\" of the card \(card.id) is not set" })
    }

    // MARK: Putting back

    /// Leaves the use case, if it is to be, and puts back what stood before; what somebody else has changed stays theirs, also
    /// where the use case's own sequences would change it.
    /// - Returns: what there is to note.
    func putBack(_ changes: [RouteChange], leaves: Bool) -> [String] {
        var wanted: [(element: MixerElement, values: [Int64])] = []
        var notes: [String] = []
        var watched = changes.map(\.element)
        if leaves, case .success(let all) = card.list() {
            let own = Set(watched.map(\.number))
            watched += kept(all).filter { !own.contains($0.number) }
        }
        let now = values(watched)
        let ours = Dictionary(changes.map { ($0.element.number, $0) }) { first, _ in first }
        for element in watched {
            guard let stands = now[element.number] else { continue }  // it has gone
            guard let change = ours[element.number] else {
                wanted.append((element, stands))
                continue
            }
            let isOurs = stands == change.ours
            if !isOurs, stands != change.before {
                notes.append("\(element.address) of the card \(card.id) stays as somebody else has set it")
            }
            wanted.append((element, isOurs ? change.before : stands))
        }
        if leaves {
            let answer = card.leave()
            if answer < 0, isThere {
                notes.append("the use case of the card \(card.id) cannot be left (\(Errno.name(-answer)))")
            }
        }
        for (element, values) in wanted.reversed() {
            guard let fault = restore(element, values), isThere else { continue }
            notes.append("\(element.address) of the card \(card.id) is not put back (\(Errno.name(fault)))")
        }
        return notes
    }

    /// The same of a process that is gone: by name, for its numbers may be another's by now.
    /// - Returns: the names of what has been put back.
    func putBackLeftover(_ changes: [RouteChange]) -> [String] {
        guard case .success(let all) = card.list() else { return [] }
        var names: [String] = []
        for change in changes.reversed() {
            guard let listed = all.first(where: { $0.address == change.element.address }),
                case .success(let element) = card.look(listed), element.isKept,
                case .success(change.ours) = card.read(element), restore(element, change.before) == nil
            else { continue }
            names.append(element.address.description)
        }
        return names
    }

    /// Leaves what a route has changed to one that was set after it, on top of it.
    func handOn(_ changes: [RouteChange], to later: inout [RouteChange]) {
        for change in changes {
            if let index = later.firstIndex(where: { $0.element.number == change.element.number }) {
                if later[index].before == change.ours { later[index].before = change.before }
            } else if case .success(change.ours) = card.read(change.element) {
                later.append(change)
            }
        }
    }

    /// Writes what does not stand there already: nil, or the errno (positive) of what failed.
    @discardableResult
    private func restore(_ element: MixerElement, _ values: [Int64]?) -> Int32? {
        guard let values else { return nil }
        if case .success(values) = card.read(element) { return nil }
        let answer = card.write(values, element)
        return answer < 0 ? -answer : nil
    }

    // MARK: Looking

    /// Those that can be kept and put back.
    private func kept(_ all: [MixerElement]) -> [MixerElement] {
        all.compactMap { element in
            guard case .success(let known) = card.look(element), known.isKept else { return nil }
            return known
        }
    }

    private func unique(_ elements: [MixerElement]) -> [MixerElement] {
        var numbers: Set<UInt32> = []
        return elements.filter { numbers.insert($0.number).inserted }
    }

    private func values(_ elements: [MixerElement]) -> [UInt32: [Int64]] {
        var found: [UInt32: [Int64]] = [:]
        for element in elements {
            if case .success(let values) = card.read(element) { found[element.number] = values }
        }
        return found
    }

    private static func text(_ values: [Int64]) -> String {
        values.map(String.init).joined(separator: ",")
    }
}
