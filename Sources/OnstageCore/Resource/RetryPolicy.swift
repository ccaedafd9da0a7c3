/// When a resource that could not be opened is tried again.
///
/// Every 500 ms until 2 min, every 2 s until 5 min, then every 4 s, up to 30 min; after that only an event (the device
/// appears, its holder lets go) tries again. CameraX's numbers for an app in the foreground.
package struct RetryPolicy: Hashable, Sendable {
    /// The delays, each up to the time since the first failure that it names, in ascending order.
    package var steps: [Step]

    package struct Step: Hashable, Sendable {
        package var until: Duration
        package var delay: Duration
        package init(until: Duration, delay: Duration) {
            self.until = until
            self.delay = delay
        }
    }

    package init(
        steps: [Step] = [
            Step(until: .seconds(120), delay: .milliseconds(500)),
            Step(until: .seconds(300), delay: .seconds(2)),
            Step(until: .seconds(1800), delay: .seconds(4)),
        ]
    ) {
        self.steps = steps
    }

    /// How long to wait when the first failure is `elapsed` ago; nil when the time is over.
    package func delay(after elapsed: Duration) -> Duration? {
        steps.first { elapsed < $0.until }?.delay
    }
}
