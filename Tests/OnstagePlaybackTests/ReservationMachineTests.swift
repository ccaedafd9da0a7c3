import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstagePlayback

@Suite("Tables: who has a card of the session")
struct ReservationMachineTests {
    typealias Machine = ReservationMachine

    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var events: [Machine.Event]
        var phase: Machine.Phase
        /// What the last of the events does.
        var effects: [Machine.Effect]

        init(_ name: String, _ events: [Machine.Event], _ phase: Machine.Phase, _ effects: [Machine.Effect]) {
            testDescription = name
            (self.events, self.phase, self.effects) = (events, phase, effects)
        }
    }

    private static let asked: [Machine.Event] = [.ask(ticket: 1), .owner(":1.5")]
    private static let held = asked + [.answered(true), .named(true)]
    private static let waiting = asked + [.answered(false)]
    private static let yielding = held + [.requested(priority: 11)]
    private static let yielded = yielding + [.giveBack]

    @Test(arguments: [
        Row("asked", [.ask(ticket: 1)], .looking(ticket: 1), [.look]),
        Row("nobody has it", [.ask(ticket: 1), .owner(nil)], .free, [.tell(ticket: 1, .nobody)]),
        Row("its owner is asked", asked, .asking(ticket: 1, owner: ":1.5"), [.request(owner: ":1.5")]),
        Row(
            "it says yes", asked + [.answered(true)], .naming(ticket: 1, owner: ":1.5"),
            [.takeName(replacing: true)]),
        Row("it dies", asked + [.ended], .naming(ticket: 1, owner: ":1.5"), [.takeName(replacing: false)]),
        Row("it leaves the name first", asked + [.vacant], .asking(ticket: 1, owner: ":1.5"), []),
        Row(
            "and says so then", asked + [.vacant, .answered(true)], .naming(ticket: 1, owner: ":1.5"),
            [.takeName(replacing: true)]),
        Row(
            "or says nothing", asked + [.vacant, .unanswered("why")], .naming(ticket: 1, owner: ":1.5"),
            [.takeName(replacing: true)]),
        Row("or says no", asked + [.vacant, .answered(false)], .free, [.tell(ticket: 1, .nobody)]),
        Row("ours", held, .held, [.tell(ticket: 1, .granted(wasSaid: true))]),
        Row(
            "another was faster", asked + [.answered(true), .named(false)], .waiting(isOutranked: false),
            [.tell(ticket: 1, .refused("it let go, and the name was not to be had"))]),
        Row("it says no", waiting, .waiting(isOutranked: false), [.tell(ticket: 1, .refused("it refused"))]),
        Row(
            "it is not asked again at once", waiting + [.ask(ticket: 2), .owner(":1.5")], .waiting(isOutranked: false),
            [.tell(ticket: 2, .refused("it refused"))]),
        Row(
            "another owner is", waiting + [.ask(ticket: 2), .owner(":1.6")], .asking(ticket: 2, owner: ":1.6"),
            [.request(owner: ":1.6")]),
        Row("free again", waiting + [.vacant], .free, [.available]),
        Row("called off while looking", [.ask(ticket: 1), .giveBack], .free, [.callOff]),
        Row("called off while asking", asked + [.giveBack], .free, [.callOff]),
        Row("called off while naming", asked + [.answered(true), .giveBack], .free, [.callOff, .dropName]),
        Row("an answer that comes after that", asked + [.giveBack, .answered(true)], .free, []),
        Row("given back", held + [.giveBack], .free, [.dropName]),
        Row("given back twice", held + [.giveBack, .giveBack], .free, []),
        Row("asked with as much", held + [.requested(priority: 10)], .held, [.answerNow(false)]),
        Row("asked with more", yielding, .yielding, [.owe, .yield(isForced: false)]),
        Row("asked by two", yielding + [.requested(priority: 12)], .yielding, [.owe]),
        Row("asked by two, one with less", yielding + [.requested(priority: 3)], .yielding, [.answerNow(false)]),
        Row("closed for it", yielded, .yielded, [.pay, .startTimer]),
        Row("it comes", yielded + [.taken], .waiting(isOutranked: true), []),
        Row("it does not come", yielded + [.due], .free, [.dropName, .available]),
        Row("it is done", yielded + [.taken, .vacant], .free, [.available]),
        Row(
            "asked before that", yielded + [.taken, .ask(ticket: 2)], .waiting(isOutranked: true),
            [.tell(ticket: 2, .refused("it has a higher priority"))]),
        Row("taken unasked", held + [.taken], .yielding, [.yield(isForced: true)]),
        Row("taken unasked, closed", held + [.taken, .giveBack], .waiting(isOutranked: true), [.pay]),
        Row("asked while it is not ours", [.requested(priority: 99)], .free, [.answerNow(false)]),
        Row(
            "the bus ends while asking", asked + [.disconnected], .free,
            [.tell(ticket: 1, .refused("the session bus has ended"))]),
        Row("the bus ends while it is ours", held + [.disconnected], .held, []),
        Row("and it is given back", held + [.disconnected, .giveBack], .free, []),
        Row("the bus ends while we close for another", yielding + [.disconnected], .held, [.available]),
        Row("the bus ends while another has it", yielded + [.taken, .disconnected], .free, [.available]),
    ])
    func arrows(row: Row) {
        var machine = Machine(priority: 10)
        var effects: [Machine.Effect] = []
        for event in row.events { effects = machine.apply(event, now: MonotonicTime(nanoseconds: 0)) }
        #expect(machine.phase == row.phase)
        #expect(effects == row.effects)
    }

    @Test("one that refused is asked again after a while")
    func patience() {
        var machine = Machine(priority: 10)
        for event in Self.waiting + [.ask(ticket: 2)] { _ = machine.apply(event, now: MonotonicTime(nanoseconds: 0)) }
        let later = MonotonicTime(nanoseconds: 0) + Machine.patience
        #expect(machine.apply(.owner(":1.5"), now: later) == [.request(owner: ":1.5")])
    }

    /// Whatever comes in whatever order: every ask is answered once or called off, the name is asked for and dropped in
    /// turns, and nobody who is owed an answer goes without.
    @Test(arguments: 1...200)
    func walk(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        var machine = Machine(priority: 10)
        var now = MonotonicTime(nanoseconds: 0)
        var ticket: UInt64 = 0
        var open: UInt64?
        var (isOurs, isWanted, owed) = (false, false, 0)
        for _ in 0..<400 {
            now = now + .milliseconds(Int(chance.next() % 2000))
            let event: Machine.Event
            switch chance.next() % 12 {
            // As the device's thread does: it asks when it has nothing, and gives back what it has.
            case 0, 1:
                guard !isWanted, !machine.isBarred else { continue }
                ticket += 1
                (open, isWanted) = (ticket, true)
                event = .ask(ticket: ticket)
            case 2:
                guard isWanted else { continue }
                (open, isWanted) = (nil, false)
                event = .giveBack
            case 3: event = .owner(chance.next() % 3 == 0 ? nil : ":1.\(chance.next() % 3)")
            case 4: event = .answered(chance.next() % 2 == 0)
            case 5: event = .unanswered("why")
            case 6: event = .named(chance.next() % 2 == 0)
            case 7: event = .requested(priority: Int32(chance.next() % 20))
            case 8: event = .taken
            case 9: event = chance.next() % 3 == 0 ? .ended : .vacant
            case 10: event = .due
            default: event = .disconnected
            }
            if case .naming = machine.phase, event == .named(true) { isOurs = true }
            let effects = machine.apply(event, now: now)
            if event == .taken || event == .disconnected { isOurs = machine.hasName }
            if event == .disconnected { owed = 0 }
            for effect in effects {
                switch effect {
                case .tell(let answered, let outcome):
                    #expect(answered == open, "answered an ask that nobody waits for")
                    open = nil
                    if case .granted = outcome {} else { isWanted = false }
                case .owe: owed += 1
                case .pay:
                    #expect(!isWanted, "said yes while the device may be open")
                    owed = 0
                case .dropName: isOurs = false
                case .answerNow(true): #expect(!isWanted)
                default: break
                }
            }
            #expect(machine.hasName == isOurs)
            if !isWanted, !machine.isBarred { #expect(!machine.hasName, "reserved for nothing") }
            if !isWanted { #expect(owed == 0, "an answer is owed, and the device is closed") }
        }
    }
}
