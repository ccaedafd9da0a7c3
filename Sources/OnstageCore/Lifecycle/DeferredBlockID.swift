/// One block given to `performWhenActive`. Never reused.
package struct DeferredBlockID: Hashable, Sendable, Comparable {
    package let number: UInt32
    package init(_ number: UInt32) {
        self.number = number
    }
    package static func < (a: DeferredBlockID, b: DeferredBlockID) -> Bool {
        a.number < b.number
    }
}
