internal import OnstageCore

extension Broker.Configuration {
    /// As a profile says: deadlines, and how often a device is tried again.
    public init(profile: Profile) {
        self.init()
        backgroundDelay = profile.deadlines.debounce
        releaseWatchdog = profile.deadlines.release
        retry = RetryPolicy(steps: [
            .init(until: .seconds(120), delay: profile.retry.first),
            .init(until: .seconds(300), delay: profile.retry.second),
            .init(until: profile.retry.limit, delay: profile.retry.third),
        ])
    }
}
