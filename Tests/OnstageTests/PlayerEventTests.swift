import Onstage
import OnstageCore
import OnstageTestSupport
import Synchronization
import Testing

/// What a player tells its observers, on a sink that the clock paces.
@Suite("real: player events", .timeLimit(.minutes(1))) struct PlayerEventTests {
    private let folder = Scratch(in: "/dev/shm")

    /// A player of so many frames, bound to a scene of its own broker.
    private struct Stage {
        let broker: Broker
        let scene: Scene
        let player: Player
        let events: PlayerRecorder

        func end() async {
            await broker.close()
        }
    }

    private func stage(
        frames: Int = 48_000 * 60, every interval: Duration? = nil, positions: Positions? = nil,
        _ change: (inout Player.Options) -> Void = { _ in }
    ) throws -> Stage {
        try NumberedSound.write(folder("ramp.wav"), frames: frames)
        var options = Player.Options()
        options.output = nil
        options.recording = folder("heard.wav")
        options.key = "ramp"
        change(&options)
        let broker = try Broker()
        let player = try Player(media: folder("ramp.wav"), options, positions: positions)
        let recorder = PlayerRecorder()
        player.onEvent(positionEvery: interval) { recorder.take($0) }
        return Stage(broker: broker, scene: broker.scene("main"), player: player, events: recorder)
    }

    @Test func theStatesOfALife() async throws {
        let frames = 48_000 * 60
        let stage = try stage(frames: frames)
        #expect(stage.player.playerState == .idle)
        try stage.scene.bind(stage.player)
        await stage.events.state(.paused([.init(.user), .init(.lifecycle)]))
        stage.scene.resume()
        await stage.events.state(.paused(.init(.user)))
        stage.player.play()
        await stage.events.state(.playing)
        #expect(stage.player.playerState == .playing)
        stage.player.pause()
        await stage.events.state(.paused(.init(.user)))
        guard case .released(let receipt) = await stage.events.next({ if case .released = $0 { true } else { false } })
        else { return }
        #expect(receipt.detail.off == 0)
        let position = try #require(receipt.detail.position)
        #expect(await stage.events.next { _ in true } == .position(position))
        stage.player.seek(to: Int64(frames - 4_800))
        stage.player.play()
        await stage.events.state(.playing)
        await stage.events.state(.ended)
        stage.player.play()
        await stage.events.state(.playing)
        stage.scene.unbind(stage.player)
        await stage.events.state(.idle)
        // Opening stands between, with nothing that is waited for; nothing is told twice.
        let states = stage.events.states
        #expect(states.contains(.opening(waitingFor: nil)))
        #expect(!zip(states, states.dropFirst()).contains { $0 == $1 }, "\(states)")
        await stage.end()
    }

    /// Media3's trap: a position that was kept at the end. It is 0 then, or it stays and says so, by policy.
    @Test(arguments: EndPolicy.allCases) func whatIsKeptAtTheEnd(policy: EndPolicy) async throws {
        let frames = 4_800
        for turn in 1...2 {
            let positions = Positions(directory: folder("state"))
            let stage = try stage(frames: frames, positions: positions) { $0.atEnd = policy }
            try stage.scene.bind(stage.player)
            stage.scene.resume()
            stage.player.play()
            if turn == 1 || policy == .rewind { await stage.events.state(.playing) }
            await stage.events.state(.ended)
            let kept = Int64(policy == .stay ? frames : 0)
            _ = await stage.events.next { $0 == .stored(position: kept) }
            #expect(stage.player.position == kept)
            if policy == .stay {
                // A play does nothing; a seek does.
                stage.player.play()
                await withCheckedContinuation { decided in stage.broker.afterWishes { decided.resume() } }
                #expect(stage.player.playerState == .ended)
                stage.player.seek(to: 2_400)
                await stage.events.state(.playing)
                await stage.events.state(.ended)
                _ = await stage.events.next { $0 == .stored(position: kept) }
                let states = stage.events.states
                #expect(states.count { $0 == .ended } == 2 && states.count { $0 == .playing } == (turn == 1 ? 2 : 1))
            }
            await stage.end()
            positions.close()
        }
    }

    /// `ended` is told when the last frame was heard: then the recording of what was heard holds it.
    @Test func theEndIsToldBehindTheLastFrame() async throws {
        let stage = try stage(frames: 9_600)
        stage.player.playWhenReady = true
        try stage.scene.bind(stage.player)
        stage.scene.resume()
        let begun = ContinuousClock.now
        _ = await stage.events.next { $0 == .ended }
        #expect(ContinuousClock.now - begun >= .milliseconds(200))
        await stage.events.state(.ended)
        #expect(stage.player.position == 0)
        await stage.end()
        #expect(stage.events.all.count { $0 == .ended } == 1)
    }

    @Test func positionsComeWhilePlayingOnly() async throws {
        let stage = try stage(every: .milliseconds(20))
        stage.player.playWhenReady = true
        try stage.scene.bind(stage.player)
        stage.scene.resume()
        var last: Int64 = -1
        for _ in 0..<10 {
            guard
                case .position(let frame) = await stage.events.next({ if case .position = $0 { true } else { false } })
            else { continue }
            #expect(frame > last)
            last = frame
        }
        stage.player.pause()
        _ = await stage.events.next { if case .released = $0 { true } else { false } }
        let count = stage.events.all.count
        // Ten intervals, by a player that plays: nothing but the end of the pause is told.
        let clock = try self.stage(every: .milliseconds(20)) { $0.recording = folder("clock.wav") }
        clock.player.playWhenReady = true
        try clock.scene.bind(clock.player)
        clock.scene.resume()
        await clock.events.state(.playing)
        for _ in 0..<10 { _ = await clock.events.next { if case .position = $0 { true } else { false } } }
        await clock.end()
        #expect(stage.events.all.count - count <= 1)
        await stage.end()
    }

    /// The paced sink plays on until the pause; what comes afterwards begins at 0, also in the store.
    @Test func stopIsPositionZeroAndTheDeviceIsFree() async throws {
        let positions = Positions(directory: folder("state"))
        let stage = try stage(positions: positions)
        stage.player.play()
        try stage.scene.bind(stage.player)
        stage.scene.resume()
        await stage.events.state(.playing)
        stage.player.stop()
        #expect(stage.player.position == 0 && !stage.player.playWhenReady)
        await stage.events.state(.idle)
        guard case .released(let receipt) = await stage.events.next({ if case .released = $0 { true } else { false } })
        else { return }
        #expect(receipt.detail.position == 0 && receipt.released != nil)
        _ = await stage.events.next { $0 == .stored(position: 0) }
        stage.player.play()
        await stage.events.state(.playing)
        stage.player.pause()
        _ = await stage.events.next { if case .released = $0 { true } else { false } }
        // Stopped while nothing is open.
        stage.player.stop()
        await stage.events.state(.idle)
        #expect(stage.player.position == 0)
        await stage.end()
        positions.close()
        let again = Positions(directory: folder("state"))
        let next = try self.stage(every: .milliseconds(10), positions: again) { $0.recording = folder("next.wav") }
        next.player.play()
        try next.scene.bind(next.player)
        next.scene.resume()
        await next.events.state(.playing)
        _ = await next.events.next { if case .position(let frame) = $0 { frame > 4_800 } else { false } }
        await next.end()
        again.close()
        #expect(try NumberedSound.heard(folder("next.wav")).first == 1)
        // Heard twice from 0, and never a frame of the second pass before the first one's last.
        let frames = try NumberedSound.heard(folder("heard.wav"))
        let restart = try #require(frames.dropFirst().firstIndex(of: 1))
        #expect(frames[..<restart].elementsEqual(1...UInt32(restart)))
        #expect(frames[restart...].elementsEqual(1...UInt32(frames.count - restart)))
    }

    @Test func aSeekIsToldAtOnceAndKept() async throws {
        let positions = Positions(directory: folder("state"))
        let stage = try stage(positions: positions)
        try stage.scene.bind(stage.player)
        stage.scene.resume()
        await stage.events.state(.paused(.init(.user)))
        stage.player.seek(to: 4711)
        #expect(await stage.events.next { if case .position(let at) = $0 { at > 0 } else { false } } == .position(4711))
        await stage.end()
        positions.close()
        let again = Positions(directory: folder("state"))
        let next = try self.stage(positions: again)
        try next.scene.bind(next.player)
        next.scene.resume()
        _ = await next.events.next { $0 == .position(4711) }
        #expect(next.player.position == 4711)
        await next.end()
        again.close()
    }

    @Test func aSequenceTellsTheSame() async throws {
        let stage = try stage(frames: 4_800)
        let events = stage.player.events()
        stage.player.playWhenReady = true
        try stage.scene.bind(stage.player)
        stage.scene.resume()
        var seen: [PlayerEvent] = []
        for await event in events {
            seen.append(event)
            if event == .state(.ended) { break }
        }
        #expect(seen.contains(.state(.playing)) && seen.contains(.ended))
        _ = await stage.events.next { $0 == .state(.ended) }
        #expect(stage.events.all.starts(with: seen))
        await stage.end()
    }

    @Test func aCancelledObserverHearsNothingMore() async throws {
        let stage = try stage()
        let heard = Atomic(0)
        let observation = stage.player.onEvent { _ in heard.add(1, ordering: .relaxed) }
        try stage.scene.bind(stage.player)
        await stage.events.state(.paused([.init(.user), .init(.lifecycle)]))
        observation.cancel()
        // One that comes late begins with the state.
        let late = PlayerRecorder()
        stage.player.onEvent { late.take($0) }
        await late.state(.paused([.init(.user), .init(.lifecycle)]))
        stage.player.play()
        stage.scene.resume()
        await late.state(.playing)
        // The state and the position of the binding.
        #expect(heard.load(ordering: .relaxed) <= 2)
        await stage.end()
    }

    @Test func whatIsWaitedForIsToldAndWhatFailsForGood() async throws {
        let stage = try stage { $0.output = "hw:CARD=NobodyHasThis" }
        stage.player.playWhenReady = true
        try stage.scene.bind(stage.player)
        stage.scene.resume()
        let event = await stage.events.next { if case .state(.opening(_?)) = $0 { true } else { false } }
        guard case .state(.opening(let error?)) = event else { return }
        #expect(error.kind == .absent)
        await stage.end()
    }
}
