import OnstageCore

/// The lines of a transcript: "→ active" for a transition, "1 didBecomeActive" for a callback of observer 1.
enum LifecycleTranscript {
    static func line(_ step: LifecycleStep) -> String {
        switch step {
        case .transition(_, let to): "→ \(to)"
        case .deliver(let observer, let callback): "\(observer.number) \(callback)"
        }
    }
}

extension SceneLifecycle {
    /// A scene with observers 1…count that stands at `states`, wished one after the other.
    init(observers count: UInt32, at states: LifecycleState...) throws {
        self.init()
        for number in 0..<count { try add(ObserverID(number + 1)) }
        for state in states {
            try wish(state)
            _ = try run()
        }
    }

    /// Takes all steps and writes them down. What `inside` does to the scene happens inside of the step it is shown.
    mutating func run(inside: (inout SceneLifecycle, String) throws -> Void = { _, _ in }) throws -> [String] {
        var lines: [String] = []
        while let step = next() {
            let line = LifecycleTranscript.line(step)
            lines.append(line)
            try inside(&self, line)
        }
        return lines
    }

    /// Wishes, takes all steps, and writes down the callbacks only.
    mutating func callbacks(to state: LifecycleState) throws -> [String] {
        try wish(state)
        return try run().filter { !$0.hasPrefix("→") }
    }
}
