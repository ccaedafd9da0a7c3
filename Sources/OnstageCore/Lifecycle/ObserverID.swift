/// One registration of an observer with a scene or the app. Give a new one to each registration.
package struct ObserverID: Hashable, Sendable, Comparable {
    package let number: UInt32
    package init(_ number: UInt32) {
        self.number = number
    }
    package static func < (a: ObserverID, b: ObserverID) -> Bool {
        a.number < b.number
    }
}
