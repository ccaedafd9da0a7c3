internal import OnstageCore
internal import Synchronization

/// The routes that stand on the cards of this machine, by this process.
///
/// Two players may have one on the same card at the same time, where it mixes. Then the later one found the earlier one's
/// settings; who ends first leaves what it has set to the other, and the last one puts back what stood before both. Of other
/// processes nothing is known here: what they set is somebody else's.
///
/// A card's own lock is held while it is set or put back, by the two devices' threads alone.
final class RouteBoard: Sendable {
    /// This process's.
    static let shared = RouteBoard(folder: RouteFile.folder)

    /// A route that stands.
    private struct Standing: Sendable {
        var ticket: UInt64
        var useCase: MixerRoute.UseCase?
        var changes: [RouteChange]
        var file: RouteFile?
    }

    private final class Place: Sendable {
        let standing = Mutex<[Standing]>([])
    }

    private let places = Mutex<[String: Place]>([:])
    private let tickets = Atomic<UInt64>(0)
    private let folder: @Sendable () -> String?

    /// - Parameter folder: where it is kept what a killed process cannot put back; nil for nowhere. Not looked for before the
    ///   first route is set.
    init(folder: @autoclosure @escaping @Sendable () -> String?) {
        self.folder = folder
    }

    private func place(_ card: String) -> Place {
        places.withLock { places in
            if let place = places[card] { return place }
            let place = Place()
            places[card] = place
            return place
        }
    }

    /// Sets a route. Whatever is thrown, the card is as before then, and closed.
    /// - Returns: what stands, to be put back, and what there is to note.
    /// - Throws: `configuration` for what the card does not take, before anything is set; the call's own error after that.
    func set(_ route: MixerRoute, on card: any MixerCard) throws(DeviceError) -> (route: StandingRoute, notes: [String])
    {
        do throws(DeviceError) {
            let (ticket, notes) = try place(card.id).standing.withLock {
                standing throws(DeviceError) -> (UInt64, [String]) in
                let left = RouteFile.takeLeftovers(card: card.id, folder: folder())
                var notes = putBackLeftovers(left, card)
                let desk = RouteDesk(card: card)
                let (changes, more) = try desk.set(route)
                notes += more
                let ticket = tickets.wrappingAdd(1, ordering: .relaxed).newValue
                let file = changes.isEmpty ? nil : RouteFile(card: card.id, folder: folder())
                file?.write(changes)
                standing.append(Standing(ticket: ticket, useCase: route.useCase, changes: changes, file: file))
                return (ticket, notes)
            }
            return (StandingRoute(ticket: ticket, card: card, route: route), notes)
        } catch {
            card.close()
            throw error
        }
    }

    /// Puts back what stood before, and closes the card.
    /// - Returns: what there is to note: what somebody else has changed, or could not be put back.
    func putBack(_ standing: StandingRoute) -> [String] {
        defer { standing.card.close() }
        return place(standing.card.id).standing.withLock { all in
            guard let index = all.firstIndex(where: { $0.ticket == standing.ticket }) else { return [] }
            let own = all.remove(at: index)
            defer { own.file?.remove() }
            let desk = RouteDesk(card: standing.card)
            // A card that is gone has nothing to be put back; what comes in its place is set by its driver.
            guard desk.isThere else { return [] }
            guard index == all.count else {
                desk.handOn(own.changes, to: &all[index].changes)
                if all[index].file == nil { all[index].file = RouteFile(card: standing.card.id, folder: folder()) }
                all[index].file?.write(all[index].changes)
                return []
            }
            let isShared = own.useCase != nil && all.contains { $0.useCase == own.useCase }
            return desk.putBack(own.changes, leaves: own.useCase != nil && !isShared)
        }
    }

    private func putBackLeftovers(_ all: [[RouteChange]], _ card: any MixerCard) -> [String] {
        let desk = RouteDesk(card: card)
        var names: [String] = []
        for changes in all { names += desk.putBackLeftover(changes).filter { !names.contains($0) } }
        guard !names.isEmpty else { return [] }
        return ["put back what a killed run had left set on the card \(card.id): \(names.joined(separator: ", "))"]
    }
}

/// A route that stands, in the hands of whoever has set it; to be put back exactly once. *Runs on:* the device's thread.
struct StandingRoute {
    fileprivate let ticket: UInt64
    fileprivate let card: any MixerCard
    let route: MixerRoute
}
