extension LifecycleState {
    /// The state of an app whose scenes stand at `scenes`: that of its foremost scene; `notRunning` without any.
    package init(appOf scenes: some Sequence<LifecycleState>) {
        let order: [LifecycleState] = [.active, .inactive, .background, .suspended]
        let present = Set(scenes)
        self = order.first { present.contains($0) } ?? .notRunning
    }
}
