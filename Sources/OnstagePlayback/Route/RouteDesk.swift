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

    /// A route that can be set as a whole, and what stands before it is.
    struct Plan {
        let route: MixerRoute
        fileprivate let wishes: [(element: MixerElement, values: [Int64])]
        fileprivate let watched: [MixerElement]
        fileprivate let before: [UInt32: [Int64]]

        /// What it will have changed, as far as that is known: a use case sets what it likes.
        var changes: [RouteChange] {
            let values = Dictionary(wishes.map { ($0.element.number, $0.values) }) { _, last in last }
            return watched.compactMap { element in
                guard let was = before[element.number] else { return nil }
                let ours = route.useCase == nil ? values[element.number] : nil
                return was == ours ? nil : RouteChange(element: element, before: was, ours: ours)
            }
        }
    }

    /// Finds all that can be wrong with a route; nothing is set by that.
    func plan(_ route: MixerRoute) throws(DeviceError) -> Plan {
        let all = try listed()
        var wishes: [(element: MixerElement, values: [Int64])] = []
        for control in route.controls {
            let element = try found(control, all)
            wishes.append((element, try element.values(control, card)))
        }
        if let useCase = route.useCase { try card.find(useCase) }
        // A use case sets what it likes.
        let watched = unique((route.useCase == nil ? [] : kept(all)) + wishes.map(\.element))
        return Plan(route: route, wishes: wishes, watched: watched, before: values(watched))
    }

    /// Sets all of it, or nothing.
    /// - Parameter leaves: whether its use case is left again where it cannot be set as a whole.
    /// - Returns: what it has changed, and what there is to note.
    func set(_ plan: Plan, leaves: Bool) throws(DeviceError) -> (changes: [RouteChange], notes: [String]) {
        var notes: [String] = []
        do throws(DeviceError) {
            if let useCase = plan.route.useCase { try card.enter(useCase) }
            for wish in plan.wishes { try set(wish.values, wish.element, &notes) }
        } catch {
            // What it has set so far is its own doing alone.
            if leaves, plan.route.useCase != nil { _ = card.leave() }
            for element in plan.watched.reversed() { restore(element, plan.before[element.number]) }
            throw error
        }
        let ours = values(plan.watched)
        let changes = plan.watched.compactMap { element -> RouteChange? in
            guard let was = plan.before[element.number], let now = ours[element.number], was != now else { return nil }
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

    /// Leaves use cases, and puts back what stood before routes, the latest one first; what somebody else has changed stays
    /// theirs, also where a use case's own sequences would change it. By name: a number may be another's by now.
    /// - Parameter leaving: the openings of this card by which they were set, the latest one first.
    /// - Returns: what there is to note.
    func undo(_ records: [RouteRecord], leaving: [any MixerCard]) -> [String] {
        guard case .success(let all) = card.list() else { return [] }
        var watched = changed(records, all)
        if !leaving.isEmpty { watched = unique(watched + kept(all)) }
        let now = values(watched)
        var wanted = Dictionary(watched.map { ($0.address, now[$0.number]) }) { first, _ in first }
        var (foreign, killed): ([MixerElement.Address], [MixerElement.Address]) = ([], [])
        for record in records {
            for change in record.changes.reversed() {
                let address = change.element.address
                guard let stands = wanted[address] ?? nil, stands.count == change.before.count, stands != change.before,
                    !foreign.contains(address)
                else { continue }
                guard change.ours == nil || stands == change.ours else {
                    foreign.append(address)
                    continue
                }
                wanted[address] = change.before
                if !record.isEnded, !killed.contains(address) { killed.append(address) }
            }
        }
        var notes = foreign.map { "\($0) of the card \(card.id) stays as somebody else has set it" }
        for other in leaving {
            let answer = other.leave()
            if answer < 0, isThere {
                notes.append("the use case of the card \(card.id) cannot be left (\(Errno.name(-answer)))")
            }
        }
        for element in watched.reversed() {
            guard let fault = restore(element, wanted[element.address] ?? nil), isThere else { continue }
            notes.append("\(element.address) of the card \(card.id) is not put back (\(Errno.name(fault)))")
            killed.removeAll { $0 == element.address }
        }
        if !killed.isEmpty {
            let names = killed.map(\.description).joined(separator: ", ")
            notes.append("put back what a killed run had left set on the card \(card.id): \(names)")
        }
        return notes
    }

    /// What records have changed and can be put back, as it is there now: in the order in which it was set.
    private func changed(_ records: [RouteRecord], _ all: [MixerElement]) -> [MixerElement] {
        let numbers = Dictionary(all.map { ($0.address, $0) }) { first, _ in first }
        let changed = records.reversed().flatMap { $0.changes.compactMap { numbers[$0.element.address] } }
        return unique(changed).compactMap { element in
            guard case .success(let known) = card.look(element), known.isReadable, known.isWritable,
                known.kind != .other
            else { return nil }
            return known
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
