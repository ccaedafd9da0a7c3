internal import OnstageCore

/// A fault that the virtual sensor can be told to have.
package struct VirtualIMUFault: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// It stays on and sends nothing.
        case silent
        /// It answers each GET_REPORT and SET_REPORT only after this time.
        case late(Duration)
        /// The first reports after each power-up are all zero.
        case zeros(Int)
        /// It confirms its next power-ups and sends nothing until it is switched off and on again.
        case deaf(Int)
        /// It is pulled out; where the fault ends, it is plugged in again.
        case die
    }

    package var kind: Kind
    /// How long after the start it begins.
    package var start: Duration
    /// How long it lasts; nil for good.
    package var duration: Duration?

    package init(_ kind: Kind, start: Duration = .zero, duration: Duration? = nil) {
        self.kind = kind
        self.start = start
        self.duration = duration
    }
}

extension VirtualIMUFault: CustomStringConvertible {
    package var description: String {
        switch kind {
        case .silent: "silent"
        case .late(let delay): "late=\(delay.wholeNanoseconds / 1_000_000)"
        case .zeros(let count): "zeros=\(count)"
        case .deaf(let count): "deaf=\(count)"
        case .die: "die"
        }
    }
}
