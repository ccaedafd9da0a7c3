import Glibc
import Testing

@Suite("exploration: two scenes, one device") struct ExplorationTests {
    static let depth = 8

    /// From each place that is reached all that is under way is let come to its end as well, which leads further than the
    /// depth; what has been found there is not entered.
    @Test(
        "every way through the lifecycle and the pause reasons, breadth first", .timeLimit(.minutes(10)),
        .enabled(if: getenv("ONSTAGE_SANITIZER") == nil, "one thread, for minutes: nothing for a sanitizer to see"))
    func everyWay() async {
        var seen: Set<ExplorationStage.Place> = [ExplorationStage().place]
        var fine: Set<ExplorationStage.Place> = []
        var ways: [(before: Int, event: ExplorationStage.Event)?] = [nil]
        var edge: [(stage: ExplorationStage, number: Int)] = [(ExplorationStage(), 0)]
        var sizes = [1]
        for _ in 0..<Self.depth where !edge.isEmpty {
            var next: [(stage: ExplorationStage, number: Int)] = []
            for (place, (stage, number)) in edge.enumerated() {
                // Others wait for the same threads.
                if place % 256 == 0 { await Task.yield() }
                for event in stage.events {
                    var after = stage
                    after.take(event)
                    guard after.fault != nil || seen.insert(after.place).inserted else { continue }
                    ways.append((number, event))
                    next.append((after, ways.count - 1))
                    after.settle(&fine)
                    if let fault = after.fault {
                        Issue.record("\(fault): \(way(ways.count - 1, ways))")
                        return
                    }
                }
            }
            sizes.append(next.count)
            edge = next
        }
        print("exploration: \(seen.count) places of two scenes (which of them is which not counted), by depth \(sizes)")
        // As many as there were when it was written: it is to be told where a change makes them fewer.
        #expect(seen.count >= 162_417)
    }

    private func way(_ number: Int, _ ways: [(before: Int, event: ExplorationStage.Event)?]) -> [ExplorationStage.Event]
    {
        var way: [ExplorationStage.Event] = []
        var number = number
        while let step = ways[number] {
            way.append(step.event)
            number = step.before
        }
        return way.reversed()
    }
}
