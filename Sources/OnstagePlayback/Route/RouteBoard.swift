internal import OnstageCore
internal import Synchronization

/// The routes that stand on the cards of this machine.
///
/// Several players may have one on the same card at the same time: where it mixes, where it has several devices, and for a
/// moment where one takes over from another; in this process and in others of the same user. They lie on one another in the
/// order in which they were set (``RouteStack``). One that ends is put back when nothing stands above it; else it is left to
/// whoever ends last, so that who plays on is heard as before.
///
/// A card's own lock is held while it is set or put back, in this process and among all (``RouteLock``).
final class RouteBoard: Sendable {
    /// This process's.
    static let shared = RouteBoard(folder: RouteFile.folder)

    private final class Place: Sendable {
        let stack: Mutex<RouteStack>
        init(_ stack: sending RouteStack) { self.stack = Mutex(stack) }
    }

    private let places = Mutex<[String: Place]>([:])
    private let folder: @Sendable () -> String?
    /// For how long another process is waited for that sets the same card, or puts it back.
    private let patience: Duration

    /// - Parameter folder: where other processes find what is set, and what a killed process cannot put back; nil for nowhere.
    ///   Not looked for before the first route is set.
    init(folder: @autoclosure @escaping @Sendable () -> String?, patience: Duration = .seconds(3)) {
        self.folder = folder
        self.patience = patience
    }

    private func place(_ card: String) -> Place {
        places.withLock { places in
            if let place = places[card] { return place }
            let place = Place(RouteStack(card: card, folder: folder()))
            places[card] = place
            return place
        }
    }

    /// Sets a route. Whatever is thrown, the card is as before then, and closed.
    /// - Returns: what stands, to be put back, and what there is to note.
    /// - Throws: `configuration` for what the card does not take, before anything is set; the call's own error after that.
    func set(_ route: MixerRoute, on card: any MixerCard) throws(DeviceError) -> (route: StandingRoute, notes: [String])
    {
        nonisolated(unsafe) let card = card  // its device's thread is in here
        do throws(DeviceError) {
            let (name, notes) = try place(card.id).stack.withLock { stack throws(DeviceError) -> (String, [String]) in
                let lock = RouteLock(card: card.id, folder: folder(), patience: patience)
                defer { withExtendedLifetime(lock) {} }
                return try stack.set(route, card, isLocked: lock != nil)
            }
            return (StandingRoute(name: name, card: card, route: route), notes)
        } catch {
            card.close()
            throw error
        }
    }

    /// Puts back what stood before, or leaves that to whoever ends last; the card is closed then, or when that is done.
    /// - Returns: what there is to note: what somebody else has changed, or could not be put back.
    func putBack(_ standing: StandingRoute) -> [String] {
        nonisolated(unsafe) let card = standing.card  // its device's thread is in here
        let name = standing.name
        return place(card.id).stack.withLock { stack in
            let lock = RouteLock(card: card.id, folder: folder(), patience: patience)
            defer { withExtendedLifetime(lock) {} }
            return stack.end(name, card, isLocked: lock != nil)
        }
    }
}

/// A route that stands, in the hands of whoever has set it; to be put back exactly once. *Runs on:* the device's thread.
struct StandingRoute {
    fileprivate let name: String
    fileprivate let card: any MixerCard
    let route: MixerRoute
}
