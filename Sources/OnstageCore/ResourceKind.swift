/// The family a resource belongs to; an interruption may name one.
public enum ResourceKind: String, Hashable, Sendable, CaseIterable {
    case camera
    case motion
    case audio
}

/// One resource in the broker. Never reused.
package struct ResourceID: Hashable, Sendable, Comparable {
    package let number: UInt32
    package init(_ number: UInt32) {
        self.number = number
    }
    package static func < (a: ResourceID, b: ResourceID) -> Bool {
        a.number < b.number
    }
}

/// One acquire of a resource. A callback that carries an old one is ignored.
package struct Generation: Hashable, Sendable, Comparable {
    package let number: UInt64
    package init(_ number: UInt64) {
        self.number = number
    }
    package var next: Generation { Generation(number + 1) }
    package static func < (a: Generation, b: Generation) -> Bool {
        a.number < b.number
    }
}
