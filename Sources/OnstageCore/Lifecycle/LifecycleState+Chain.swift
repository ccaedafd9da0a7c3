extension LifecycleState {
    /// The rung on which an observer stands that has been told of this state.
    package var rung: LifecycleRung {
        switch self {
        case .notRunning: .none
        case .suspended, .background: .created
        case .inactive: .started
        case .active: .resumed
        }
    }

    /// The next state on the way to `wish` along the drawn arrows; nil when it is reached.
    ///
    /// `suspended` has no arrow from `notRunning` of its own: it goes through `background`, as a start without a screen
    /// that is then put to sleep. The end goes through `inactive` and `background`, but not through `suspended`.
    package func hop(toward wish: LifecycleState) -> LifecycleState? {
        switch (self, wish) {
        case (.notRunning, .notRunning), (.inactive, .inactive), (.active, .active), (.background, .background),
            (.suspended, .suspended):
            nil
        case (.notRunning, .inactive), (.notRunning, .active): .inactive
        case (.notRunning, .background), (.notRunning, .suspended): .background
        case (.inactive, .active): .active
        case (.inactive, .background), (.inactive, .suspended), (.inactive, .notRunning): .background
        case (.active, .inactive), (.active, .background), (.active, .suspended), (.active, .notRunning): .inactive
        case (.background, .inactive), (.background, .active): .inactive
        case (.background, .suspended): .suspended
        case (.background, .notRunning): .notRunning
        case (.suspended, .background), (.suspended, .inactive), (.suspended, .active): .background
        case (.suspended, .notRunning): .notRunning
        }
    }

    /// Every state that a wish for `wish` visits, in order, without the present one.
    package func chain(to wish: LifecycleState) -> [LifecycleState] {
        var chain: [LifecycleState] = []
        var state = self
        while let hop = state.hop(toward: wish) {
            chain.append(hop)
            state = hop
        }
        return chain
    }
}
