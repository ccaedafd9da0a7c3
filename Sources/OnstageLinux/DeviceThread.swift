package import OnstageCore
internal import Synchronization

/// What the broker tells a device's thread.
package enum DeviceOrder: Sendable {
    /// Find the device and say which it is (``DeviceAnswer/resolved(_:_:)``); then wait for `proceed` or `release`.
    case acquire(Generation)
    /// Nobody else has a claim: open it.
    case proceed(Generation)
    /// Give it back, or stop the acquire. Answered by exactly one `released`, also when nothing was held.
    case release(Generation, ReleaseRequest)
    /// Hand a wish to the driver while it may be open ("seek", "volume").
    case perform(@Sendable (any DeviceDriver) -> Void)
    /// Give everything back and end the thread. Answered by `ended`.
    case end
}

/// What a device's thread tells the broker.
package enum DeviceAnswer: Sendable {
    case resolved(Generation, ResolvedDevice)
    case opened(Generation, ResolvedDevice, Acquired, MonotonicTime)
    /// The acquire came to nothing; nothing is held.
    case failed(Generation, DeviceError, MonotonicTime)
    case report(Generation, DriverReport)
    /// The stream broke; everything has been given back.
    case lost(Generation, DeviceError, ReleaseDetail)
    case released(Generation, ReleaseDetail)
    case ended
}

/// The one thread that touches one resource's device.
///
/// It does as told and decides nothing. While a device is open it waits in ``WaitSet/waitForEvents(_:waking:)`` on the
/// driver's descriptors and its own mailbox, so that every wait can be ended.
package final class DeviceThread: Sendable {
    private let mailbox: Mailbox<DeviceOrder>
    /// Acquires up to this generation have been called off.
    private let calledOff = Atomic<UInt64>(0)

    /// Starts the thread; the driver is made on it.
    ///
    /// - Parameters:
    ///   - name: the thread's name, at most 15 bytes.
    ///   - clock: where deadlines come from.
    ///   - makeDriver: makes the driver, on the thread, handing it the way to report.
    ///   - answer: takes what the thread has to say; called on the thread, must not wait.
    /// - Throws: `tooMany` when the kernel gives no thread or descriptor.
    package init(
        name: String, clock: any MonotonicClock,
        makeDriver: @escaping @Sendable (@escaping DriverReporter) -> any DeviceDriver,
        answer: @escaping @Sendable (DeviceAnswer) -> Void
    ) throws(DeviceError) {
        mailbox = try Mailbox()
        try PosixThread.start(name) { [self] in
            var loop = Loop(thread: self, clock: clock, makeDriver: makeDriver, answer: answer)
            loop.run()
        }
    }

    /// Appends an order and wakes the thread; never waits. *Runs on:* any thread.
    package func send(_ order: DeviceOrder) {
        if case .release(let generation, _) = order { callOff(generation) }
        mailbox.send(order)
    }

    /// Calls the acquire of `generation` off between two of its steps, before its `release` is read.
    private func callOff(_ generation: Generation) {
        var seen = calledOff.load(ordering: .relaxed)
        while seen < generation.number {
            let (exchanged, original) = calledOff.compareExchange(
                expected: seen, desired: generation.number, ordering: .releasing)
            if exchanged { return }
            seen = original
        }
    }

    /// Whether an acquire has been called off; handed to the driver.
    private struct Cancellation: CancellationSource {
        let thread: DeviceThread
        let generation: Generation
        var isCancelled: Bool { thread.calledOff.load(ordering: .acquiring) >= generation.number }
        var wakeDescriptor: Int32 { thread.mailbox.descriptor }
    }

    /// Which acquire a report belongs to; written and read on the thread alone, but the driver's reporter is `Sendable`.
    private final class Current: Sendable {
        let generation = Atomic<UInt64>(0)
    }

    /// What the thread is doing.
    private enum Work {
        case idle
        case resolved(Generation, ResolvedDevice)
        case acquired(Generation)
        case releasing(Generation, ReleaseRequest)
    }

    /// The thread's own state: lives on its stack, touched by nothing else.
    private struct Loop: ~Copyable {
        let mailbox: Mailbox<DeviceOrder>
        let thread: DeviceThread
        let clock: any MonotonicClock
        let driver: any DeviceDriver
        let answer: @Sendable (DeviceAnswer) -> Void
        let current = Current()
        var work = Work.idle
        var wait = WaitSet()
        /// For waits that are kept; made at the first need.
        private var steady: SteadyWait?
        /// The kernel has been told of the present wait.
        private var isTold = false
        /// A clock that stands still in a test wakes in its own way.
        private let isReal: Bool
        var isEnding = false

        init(
            thread: DeviceThread, clock: any MonotonicClock,
            makeDriver: @Sendable (@escaping DriverReporter) -> any DeviceDriver,
            answer: @escaping @Sendable (DeviceAnswer) -> Void
        ) {
            self.thread = thread
            self.mailbox = thread.mailbox
            self.clock = clock
            isReal = clock is SystemClock
            self.answer = answer
            let current = current
            driver = makeDriver { report in
                answer(.report(Generation(current.generation.load(ordering: .relaxed)), report))
            }
        }

        mutating func run() {
            while true {
                if !keepsWait {
                    if isOver { return answer(.ended) }
                    prepare()
                }
                let count = waitForTurn()
                let hasMail = wait.answers(0) != 0
                if hasMail { for order in mailbox.take() { obey(order) } }
                // Nothing but mail: the driver has nothing to take, unless a release goes on below.
                if !(hasMail && count == 1) { service() }
                continueRelease()
                if hasMail { isTold = false }
            }
        }

        private var isOver: Bool {
            switch work {
            case .idle, .resolved: isEnding
            case .acquired, .releasing: false
            }
        }

        private mutating func prepare() {
            wait.removeAll()
            isTold = false
            wait.add(mailbox.descriptor)
            switch work {
            case .idle, .resolved: return
            case .releasing: return driver.prepare(&wait)
            case .acquired: driver.prepare(&wait)
            }
            guard driver.keepsWait, isReal else { return }
            if steady == nil { steady = SteadyWait() }  // without one each wait is told anew
            isTold = steady?.tell(wait, edges: driver.takesAll) ?? false
        }

        /// Whether the wait that ended is to be waited again.
        private var keepsWait: Bool {
            guard isTold, steady?.isDue == false, case .acquired = work else { return false }
            return driver.keepsWait
        }

        private mutating func waitForEvents() -> Int {
            if isTold, let count = steady?.wait(&wait) { return count }
            isTold = false
            return wait.waitForEvents(clock, waking: mailbox)
        }

        /// Waits, and takes the turns that are nothing but the driver's own, until there is more to it.
        private mutating func waitForTurn() -> Int {
            while true {
                let count = waitForEvents()
                guard isTold, let steady, !steady.isDue, wait.answers(0) == 0 else { return count }
                let now = MonotonicTime.now
                guard let deadline = driver.keptTurn(wait, now: now) else { return count }
                steady.putOff(&wait, to: deadline, now)
            }
        }

        private mutating func service() {
            let generation: Generation
            let isReleasing: Bool
            switch work {
            case .idle, .resolved: return
            case .acquired(let open): (generation, isReleasing) = (open, false)
            case .releasing(let open, _): (generation, isReleasing) = (open, true)
            }
            do throws(DeviceError) {
                try driver.service(wait, now: clock.now)
            } catch {
                // While releasing, the release itself finds out and gives back what is left.
                guard !isReleasing else { return }
                pendingLoss = error
                work = .releasing(generation, ReleaseRequest(asked: clock.now, hurried: true))
            }
        }

        /// The error to tell when a release that was begun because the stream broke is through.
        private var pendingLoss: DeviceError?
        /// Asked for by the broker while such a release was under way.
        private var isReleaseAsked = false

        private mutating func continueRelease() {
            guard case .releasing(let generation, let request) = work else { return }
            steady?.forget()  // before anything is closed: a duplicate would keep the kernel's note of it alive
            isTold = false
            guard case .released(let detail) = driver.release(request, now: clock.now) else { return }
            work = .idle
            if let loss = pendingLoss {
                pendingLoss = nil
                answer(.lost(generation, loss, detail))
                if isReleaseAsked { answer(.released(generation, detail)) }
                isReleaseAsked = false
            } else {
                answer(.released(generation, detail))
            }
            driver.settle()
        }

        private mutating func obey(_ order: DeviceOrder) {
            switch (order, work) {
            case (.acquire(let generation), .idle):
                resolve(generation)
            case (.acquire, .resolved), (.acquire, .acquired), (.acquire, .releasing):
                preconditionFailure("the broker acquires only what it has seen released")
            case (.proceed(let generation), .resolved(let waiting, let device)) where generation == waiting:
                acquire(generation, device)
            case (.proceed, _):
                break  // called off in between
            case (.release(let generation, let request), .acquired(let open)) where generation == open:
                work = .releasing(generation, request)
            case (.release(let generation, _), .releasing(let open, _)) where generation == open:
                isReleaseAsked = pendingLoss != nil
            case (.release(let generation, let request), .idle), (.release(let generation, let request), .resolved):
                work = .idle
                answer(.released(generation, ReleaseDetail(released: request.asked)))
            case (.release, .acquired), (.release, .releasing):
                preconditionFailure("the broker releases the generation that it has acquired")
            case (.perform(let action), _):
                action(driver)
            case (.end, .idle), (.end, .resolved):
                isEnding = true
                work = .idle
            case (.end, .acquired(let generation)):
                isEnding = true
                work = .releasing(generation, ReleaseRequest(asked: clock.now, hurried: false))
            case (.end, .releasing):
                isEnding = true
            }
        }

        private mutating func resolve(_ generation: Generation) {
            current.generation.store(generation.number, ordering: .relaxed)
            let cancellation = Cancellation(thread: thread, generation: generation)
            do throws(DeviceError) {
                try cancellation.check("resolve", device: "")
                let device = try driver.resolve()
                work = .resolved(generation, device)
                answer(.resolved(generation, device))
            } catch {
                answer(.failed(generation, error, clock.now))
            }
        }

        private mutating func acquire(_ generation: Generation, _ device: ResolvedDevice) {
            let cancellation = Cancellation(thread: thread, generation: generation)
            do throws(DeviceError) {
                try cancellation.check("acquire", device: device.identity)
                let acquired = try driver.acquire(device, cancellation)
                work = .acquired(generation)
                answer(.opened(generation, device, acquired, clock.now))
            } catch {
                work = .idle
                answer(.failed(generation, error, clock.now))
                driver.settle()
            }
        }
    }
}
