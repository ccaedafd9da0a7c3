public import Onstage
public import OnstageCore
internal import Synchronization

/// A device made of nothing, with a fault or a delay at any step.
///
/// It stands where a camera, a sensor or a sound card would: the broker, the device's thread and the waiting function are
/// the real ones. Everything it is told is in ``calls``, in order.
public final class FakeDevice: Resource {
    /// A step of a driver's life.
    public enum Step: String, Hashable, Sendable, CaseIterable {
        case resolve
        case acquire
        case service
        case release
    }

    /// What happens at a step.
    public enum Fault: Sendable {
        /// The step throws (at `release` it is as if nothing had happened: releases never fail).
        case error(DeviceError)
        /// The step stands until the test opens the gate, as a call that the kernel holds.
        case gate(Gate)
        /// The step stands at the gate, but ends early when the acquire is called off.
        case cancellableGate(Gate)
        /// `release` needs this many more turns.
        case turns(Int)
    }

    struct State: Sendable {
        var faults: [Step: [Fault]] = [:]
        var lasting: [Step: Fault] = [:]
        var calls: [String] = []
        var isOpen = false
        var opens = 0
        var closes = 0
        var forced = 0
        var isLost: DeviceError?
        var counts = DriverCounts()
        var wake: (any Waker)?
        var watchers: [@Sendable () -> Void] = []
    }

    public let handle: ResourceHandle
    private let state: FakeState

    /// - Parameters:
    ///   - name: the resource's name in receipts and events.
    ///   - key: what two resources on the same device have in common; nil for a device that can be shared.
    public init(_ name: String, kind: ResourceKind = .camera, key: String? = nil) {
        let state = FakeState()
        self.state = state
        handle = ResourceHandle(name: name, kind: kind) { report in
            FakeDriver(name: name, key: key, state: state, report: report)
        }
    }

    /// What the device was told, in order ("resolve", "acquire", "release", "force").
    public var calls: [String] { state.value.withLock { $0.calls } }
    /// Whether it is open now.
    public var isOpen: Bool { state.value.withLock { $0.isOpen } }
    public var opens: Int { state.value.withLock { $0.opens } }
    public var closes: Int { state.value.withLock { $0.closes } }

    /// At the next time this step is taken, `fault` happens; several wait for their turn.
    public func fail(_ step: Step, _ fault: Fault) {
        state.value.withLock { $0.faults[step, default: []].append(fault) }
    }

    /// At each time this step is taken, `fault` happens; nil for no more.
    public func always(_ step: Step, _ fault: Fault?) {
        state.value.withLock { $0.lasting[step] = fault }
    }

    /// The open stream breaks with `error` at the next turn of its thread.
    public func lose(_ error: DeviceError) {
        state.value.withLock { $0.isLost = error }
        handle.wakeDevice()
    }

    /// A gate that a call stands at until a test opens it.
    public final class Gate: Sendable {
        let opened = FakeGate()
        public init() {}
        /// Stands here until the gate is open: for a test's own callback. *Runs on:* a thread that may wait.
        public func pass() { opened.pass(nil) }
        /// Lets everybody through from now on.
        public func open() { opened.open() }
        /// Waits until somebody stands at it.
        public func reached() async { await opened.reached() }
    }

    /// State shared between the fake in the test and its driver on the device's thread.
    final class FakeState: Sendable {
        let value = Mutex(State())
    }

    final class FakeDriver: DeviceDriver {
        let name: String
        let key: String?
        let state: FakeState
        let report: DriverReporter
        var turns = 0

        init(name: String, key: String?, state: FakeState, report: @escaping DriverReporter) {
            self.name = name
            self.key = key
            self.state = state
            self.report = report
        }

        func step(_ step: Step, _ cancellation: (any CancellationSource)?) throws(DeviceError) {
            let fault = state.value.withLock { state -> Fault? in
                state.calls.append(step.rawValue)
                if let waiting = state.faults[step], !waiting.isEmpty { return state.faults[step]?.removeFirst() }
                return state.lasting[step]
            }
            switch fault {
            case .error(let error): throw error
            case .gate(let gate): gate.opened.pass(nil)
            case .cancellableGate(let gate):
                gate.opened.pass(cancellation)
                try cancellation?.check(step.rawValue, device: name)
            case .turns(let count): turns = count
            case nil: break
            }
        }

        func resolve() throws(DeviceError) -> ResolvedDevice {
            try step(.resolve, nil)
            return ResolvedDevice(key: key, identity: name, node: key ?? name, isSynthetic: true)
        }

        func acquire(
            _ device: ResolvedDevice, _ cancellation: any CancellationSource
        ) throws(DeviceError) -> Acquired {
            try step(.acquire, cancellation)
            state.value.withLock { state in
                state.isOpen = true
                state.opens += 1
                state.isLost = nil
            }
            report(.first(MonotonicTime(nanoseconds: 1)))
            return Acquired(format: [("name", .text(name))])
        }

        func prepare(_ wait: inout WaitSet) {
            // Turns and losses come at once.
            if turns > 0 || state.value.withLock({ $0.isLost != nil }) { wait.wake(at: MonotonicTime(nanoseconds: 0)) }
        }

        func service(_ wait: borrowing WaitSet, now: MonotonicTime) throws(DeviceError) {
            if let error = state.value.withLock({ $0.isLost }) { throw error }
            state.value.withLock { $0.counts.delivered += 1 }
        }

        func release(_ request: ReleaseRequest, now: MonotonicTime) -> ReleaseStep {
            if turns == 0 {
                do throws(DeviceError) { try step(.release, nil) } catch {}
                if turns > 0 { return .waiting }
            } else {
                turns -= 1
                if turns > 0 { return .waiting }
            }
            state.value.withLock { state in
                state.isOpen = false
                state.closes += 1
                state.isLost = nil
            }
            return .released(ReleaseDetail(released: now))
        }

        var counts: DriverCounts { state.value.withLock { $0.counts } }

        func force() {
            state.value.withLock { state in
                state.calls.append("force")
                state.forced += 1
                if case .gate(let gate)? = state.lasting[.release] { gate.opened.open() }
            }
        }
    }
}
