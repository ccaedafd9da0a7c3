/// One timer of a scene. Never reused.
package struct SceneTimerID: Hashable, Sendable, Comparable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }

    package static func < (a: SceneTimerID, b: SceneTimerID) -> Bool { a.number < b.number }
}
