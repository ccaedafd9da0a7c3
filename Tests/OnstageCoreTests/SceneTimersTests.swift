import OnstageCore
import OnstageTestSupport
import Testing

@Suite("a scene's clock and timers")
struct SceneTimersTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    /// Which timers are due now, in order.
    private func due(_ timers: inout SceneTimers, _ milliseconds: Int64) -> [UInt64] {
        var due: [UInt64] = []
        while let next = timers.next(at(milliseconds)) { due.append(next.id.number) }
        return due
    }

    @Test("time stands while the scene is not active, and with it what is left of a timer")
    func stands() {
        var timers = SceneTimers()
        timers.add(SceneTimerID(1), after: .milliseconds(100), every: nil, at(0))
        #expect(timers.deadline == nil)
        #expect(due(&timers, 1000) == [])
        timers.start(at(2000))
        #expect(timers.deadline == at(2100))
        timers.stop(at(2060))
        #expect(timers.deadline == nil && timers.time(at(9000)) == .milliseconds(60))
        timers.start(at(9000))
        #expect(timers.deadline == at(9040))
        #expect(due(&timers, 9039) == [])
        #expect(due(&timers, 9040) == [1])
        #expect(timers.isEmpty && timers.deadline == nil && timers.time(at(9050)) == .milliseconds(110))
    }

    @Test("ticks that were missed are left out, and the grid is kept")
    func noBurst() {
        var timers = SceneTimers()
        timers.start(at(0))
        timers.add(SceneTimerID(1), after: .milliseconds(16), every: .milliseconds(16), at(0))
        #expect(due(&timers, 16) == [1])
        #expect(due(&timers, 31) == [])
        #expect(due(&timers, 170) == [1], "ten were due")
        #expect(timers.deadline == at(176))
        timers.stop(at(171))
        timers.start(at(100_000))
        #expect(due(&timers, 100_004) == [])
        #expect(due(&timers, 100_005) == [1])
    }

    @Test("the one that has been due for longest comes first")
    func order() {
        var timers = SceneTimers()
        timers.start(at(0))
        timers.add(SceneTimerID(1), after: .milliseconds(30), every: nil, at(0))
        timers.add(SceneTimerID(2), after: .milliseconds(10), every: nil, at(0))
        timers.add(SceneTimerID(3), after: .milliseconds(30), every: nil, at(0))
        timers.add(SceneTimerID(4), after: .milliseconds(20), every: nil, at(0))
        let (isFirst, isSecond) = (timers.cancel(SceneTimerID(4)), timers.cancel(SceneTimerID(4)))
        #expect(isFirst && !isSecond)
        #expect(due(&timers, 50) == [2, 1, 3])
    }

    @Test("the ends of what a number can hold")
    func extremes() {
        var timers = SceneTimers()
        timers.start(at(5))
        timers.add(SceneTimerID(1), after: .seconds(Int64.max), every: .seconds(Int64.max), at(5))
        timers.add(SceneTimerID(2), after: .seconds(-5), every: .zero, at(5))
        #expect(due(&timers, 4) == [2], "a clock that went back counts as one that stands")
        #expect(timers.deadline.map { $0 > at(5) } == true)
        #expect(due(&timers, .max / 1_000_000) != [])
    }

    /// Against a model that knows each timer's due time and walks its grid tick by tick.
    @Test(arguments: (1...100).map { UInt64($0) &* 0x9E37_79B9_97F4_A7C1 })
    func walk(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var timers = SceneTimers()
        var model: [UInt64: (due: Int64, interval: Int64?)] = [:]
        var (now, scene, isRunning, number): (Int64, Int64, Bool, UInt64) = (0, 0, false, 0)
        for step in 0..<300 {
            let place: Comment = "seed \(seed), step \(step)"
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                isRunning.toggle()
                if isRunning { timers.start(at(now)) } else { timers.stop(at(now)) }
            case 1 where model.count < 6:
                number += 1
                let delay = Int64.random(in: 0...40, using: &random)
                let interval = Bool.random(using: &random) ? Int64.random(in: 1...30, using: &random) : nil
                timers.add(
                    SceneTimerID(number), after: .milliseconds(delay), every: interval.map { .milliseconds($0) },
                    at(now))
                model[number] = (scene + delay, interval)
            case 2:
                guard let victim = model.keys.sorted().randomElement(using: &random) else { continue }
                model[victim] = nil
                let isThere = timers.cancel(SceneTimerID(victim))
                #expect(isThere, place)
            default:
                let passed = Int64.random(in: 0...50, using: &random)
                now += passed
                if isRunning { scene += passed }
            }
            #expect(timers.time(at(now)) == .milliseconds(scene), place)
            let expected = isRunning ? model.values.map(\.due).min().map { at(now + $0 - scene) } : nil
            #expect(timers.deadline == expected, place)
            let ripe = isRunning ? model.filter { $0.value.due <= scene } : [:]
            let order = ripe.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.map(\.key)
            #expect(due(&timers, now) == order, place)
            for (id, timer) in ripe {
                guard let interval = timer.interval else {
                    model[id] = nil
                    continue
                }
                var due = timer.due
                while due <= scene { due += interval }
                model[id] = (due, interval)
            }
        }
    }
}
