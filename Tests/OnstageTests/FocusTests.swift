import Onstage
import OnstageCore
import OnstageTestKit
import OnstageTestSupport
import Testing

/// Players that share the sound, on sinks that the clock paces; judged by what was told and by the recordings.
@Suite("real: audio focus", .timeLimit(.minutes(1))) struct FocusTests {
    private let folder = Scratch(in: "/dev/shm")
    private let hub = FocusHub()

    private struct Voice {
        let broker: Broker
        let scene: Scene
        let player: Player
        let events: PlayerRecorder
    }

    private func broker() throws -> Broker {
        var configuration = Broker.Configuration()
        configuration.focus = hub
        configuration.releaseWatchdog = .seconds(30)  // a release that a busy machine forced would not be exact
        return try Broker(configuration)
    }

    private func options(_ name: String, _ focus: AudioFocus?) -> Player.Options {
        var options = Player.Options()
        options.output = nil
        options.recording = folder("\(name).wav")
        options.focus = focus
        return options
    }

    /// Bound to an active scene, of a broker of its own unless one is given, and told to play nothing yet.
    private func stage(_ player: Player, _ broker: Broker? = nil, scene name: String = "main") throws -> Voice {
        let broker = try broker ?? self.broker()
        let events = PlayerRecorder()
        player.onEvent(positionEvery: .milliseconds(10)) { events.take($0) }
        let scene = broker.scene(name)
        try scene.bind(player)
        scene.resume()
        return Voice(broker: broker, scene: scene, player: player, events: events)
    }

    /// A minute of numbered frames.
    private func music(_ focus: AudioFocus? = AudioFocus(), _ name: String = "music", _ broker: Broker? = nil) throws
        -> Voice
    {
        try words(focus, frames: 48_000 * 60, name, broker)
    }

    /// So many frames that say something.
    private func words(
        _ focus: AudioFocus?, frames: Int = 9_600, _ name: String = "words", _ broker: Broker? = nil
    ) throws -> Voice {
        let path = folder("\(name)-source.wav")
        try NumberedSound.write(path, frames: frames)
        return try stage(try Player(media: path, options(name, focus), name: name), broker)
    }

    /// Music that stands still for an alarm of half a minute.
    private func interrupted() async throws -> (music: Voice, alarm: Voice) {
        let music = try music()
        let alarm = try words(AudioFocus(.transient), frames: 48_000 * 30)
        music.player.play()
        await music.events.state(.playing)
        alarm.player.play()
        await music.events.state(.paused(PauseReasons(.focus)))
        return (music, alarm)
    }

    private func isWhole(_ name: String) throws -> Bool {
        let frames = try NumberedSound.heard(folder("\(name).wav"))
        return !frames.isEmpty && frames.elementsEqual(1...UInt32(frames.count))
    }

    /// As it was heard: softly while the announcement played, without a click, a gap or a pause.
    @Test func musicIsDuckedWhileAnAnnouncementPlays() async throws {
        let sound = LevelSound()
        let music = try stage(
            try Player(rate: 48_000, channels: 2, options("music", AudioFocus()), fill: sound.fill))
        let words = try words(AudioFocus(.transientMayDuck))
        music.player.play()
        await music.events.position(beyond: 4_800)
        words.player.play()
        await words.events.next(.ended)
        await music.events.next(.focus(.gained))
        await music.events.position(beyond: music.player.position + 9_600)
        music.player.pause()
        let receipt = try #require(await music.events.receipt())
        await words.broker.close()
        await music.broker.close()
        #expect(music.events.focus == [.gained, .ducked, .gained])
        #expect(words.events.focus == [.gained])
        #expect(!music.events.states.dropLast().contains(.paused(PauseReasons(.focus))))
        let frames = try LevelSound.heard(folder("music.wav"))
        #expect(LevelSound.fault(frames) == nil && receipt.detail.position == Int64(frames.count))
        #expect(try isWhole("words"))
        // Full, down in 20 ms, a fifth, up in 20 ms, full.
        let soft = frames.indices.filter { abs(frames[$0].level - 0.2) < 0.0001 }
        let down = try #require(frames.firstIndex { $0.level < 0.9999 })
        let up = try #require(frames.lastIndex { $0.level < 0.9999 })
        let (first, last) = (try #require(soft.first), try #require(soft.last))
        let count = soft.count
        #expect(count == last - first + 1)
        #expect(first - down <= 960 && up - last <= 960, "\(first - down) down, \(up - last) up")
        let levels = frames.map(\.level)
        let isFalling = zip(levels[down...first], levels[(down + 1)...first]).allSatisfy { $0 >= $1 }
        let isRising = zip(levels[last...up], levels[(last + 1)...up]).allSatisfy { $0 <= $1 }
        #expect(isFalling && isRising)
        let step = zip(levels, levels.dropFirst()).map { abs($0 - $1) }.max() ?? 1
        #expect(step < 0.005)
    }

    /// On one device, in one scene: the alarm has it as soon as the music has let go, and the other way.
    @Test(arguments: [true, false])
    func musicStandsStillForAnAlarm(_ isOneBroker: Bool) async throws {
        let music = try music()
        let alarm = try words(AudioFocus(.transient), frames: 4_800, "alarm", isOneBroker ? music.broker : nil)
        var standing: Int64 = 0
        for round in 1...3 {
            music.player.play()
            await music.events.position(beyond: standing + 4_800)
            alarm.player.play()
            let receipt = try #require(await music.events.receipt())
            #expect(receipt.reasons == PauseReasons(.focus) && receipt.detail.off == 0)
            #expect(receipt.detail.mode == .exact, "nothing hurried it")
            standing = try #require(receipt.detail.position)
            #expect(music.player.playWhenReady, "round \(round)")
            await alarm.events.next(.ended)
            await music.events.state(.playing)
            #expect(music.player.position >= standing)
        }
        await music.events.position(beyond: standing + 4_800)
        await alarm.broker.close()
        await music.broker.close()
        #expect(try isWhole("music"))
        #expect(
            music.events.focus == [.gained] + (1...3).flatMap { _ in [.lostTransiently, .gained] as [FocusChange] })
        #expect(!music.events.all.contains(.playWhenReady(false, .focusLoss)))
        #expect(music.events.states.filter { $0 == .paused(PauseReasons(.focus)) }.count == 3)
        #expect(try NumberedSound.heard(folder("alarm.wav")).count == 3 * 4_800)
    }

    @Test func aLossIsForGood() async throws {
        let first = try music()
        let second = try music(AudioFocus(), "second")
        first.player.play()
        await first.events.position(beyond: 2_400)
        second.player.play()
        await first.events.next(.focus(.lost))
        await first.events.next(.playWhenReady(false, .focusLoss))
        await first.events.state(.paused(PauseReasons(.user)))
        #expect(!first.player.playWhenReady)
        await second.events.state(.playing)
        second.player.stop()
        #expect(await second.events.receipt() != nil)
        second.scene.unbind(second.player)
        await second.broker.decided()
        await first.broker.decided()
        #expect(first.player.playerState == .paused(PauseReasons(.user)), "it went on by itself")
        #expect(first.events.focus == [.gained, .lost])
        first.player.play()
        await first.events.next(.playWhenReady(true, .user))
        await first.events.state(.playing)
        await first.events.position(beyond: first.player.position + 2_400)
        await first.broker.close()
        await second.broker.close()
        #expect(try isWhole("music"))
    }

    /// The stage comes before the stack: who has left it has nothing to lose.
    @Test func offStageNothingIsLost() async throws {
        let first = try music()
        let second = try music(AudioFocus(), "second")
        first.player.play()
        await first.events.position(beyond: 2_400)
        first.scene.pause()
        #expect(await first.events.receipt() != nil)
        second.player.play()
        await second.events.state(.playing)
        second.scene.pause()
        #expect(await second.events.receipt() != nil)
        first.scene.resume()
        await first.events.state(.playing)
        await first.events.position(beyond: first.player.position + 2_400)
        #expect(first.player.playWhenReady && second.player.playWhenReady)
        await first.broker.close()
        await second.broker.close()
        #expect(first.events.focus == [.gained, .gained] && second.events.focus == [.gained])
        #expect(try isWhole("music"))
    }

    @Test func aUsersPauseMeanwhileStands() async throws {
        let (music, alarm) = try await interrupted()
        music.player.pause()
        await music.events.state(.paused([PauseReasons(.focus), PauseReasons(.user)]))
        alarm.player.seek(to: 48_000 * 30 - 2_400)
        await alarm.events.next(.ended)
        await music.events.next(.focus(.gained))
        await music.broker.decided()
        #expect(music.player.playerState == .paused(PauseReasons(.user)))
        music.player.play()
        await music.events.state(.playing)
        await music.broker.close()
        await alarm.broker.close()
    }

    /// Paused and played again while an alarm has the sound: the person wants to hear it now.
    @Test func aUsersPlayTakesTheSoundBack() async throws {
        let (music, alarm) = try await interrupted()
        music.player.play()  // it is to play already: nothing new
        music.player.pause()
        music.player.play()
        await alarm.events.next(.playWhenReady(false, .focusLoss))
        await music.events.state(.playing)
        #expect(music.events.focus == [.gained, .lostTransiently, .gained])
        #expect(alarm.events.focus == [.gained, .lost])
        await music.broker.close()
        await alarm.broker.close()
    }

    /// The sound comes back on its own while the play that asks for it is on its way: neither is lost.
    @Test func aPlayThatCrossesTheGain() async throws {
        let (music, alarm) = try await interrupted()
        music.player.pause()
        await music.events.state(.paused([PauseReasons(.focus), PauseReasons(.user)]))
        let gate = FakeDevice.Gate()
        music.broker.afterWishes { gate.pass() }  // nothing is decided until both have come
        music.player.play()
        alarm.player.stop()
        await alarm.broker.decided()
        gate.open()
        await music.events.state(.playing)
        #expect(music.events.focus == [.gained, .lostTransiently, .gained])
        await music.broker.close()
        await alarm.broker.close()
    }

    @Test func speechPausesWhereMusicIsDucked() async throws {
        let book = try music(AudioFocus(.gain, isSpeech: true))
        let words = try words(AudioFocus(.transientMayDuck))
        book.player.play()
        await book.events.state(.playing)
        words.player.play()
        await book.events.state(.paused(PauseReasons(.focus)))
        await words.events.next(.ended)
        await book.events.state(.playing)
        await book.broker.close()
        await words.broker.close()
        #expect(book.events.focus == [.gained, .lostTransiently, .gained])
    }

    /// One that is paused has nothing to say meanwhile; music that is paused keeps its place.
    @Test func aTransientOneGivesTheSoundBackAtItsPause() async throws {
        let music = try music()
        let alarm = try words(AudioFocus(.transient), frames: 48_000 * 30)
        music.player.play()
        await music.events.state(.playing)
        for _ in 1...2 {
            alarm.player.play()
            await music.events.state(.paused(PauseReasons(.focus)))
            alarm.player.pause()
            await music.events.state(.playing)
        }
        music.player.pause()
        await music.events.state(.paused(PauseReasons(.user)))
        alarm.player.play()
        await music.events.next(.focus(.lostTransiently))
        alarm.player.stop()
        await music.events.next(.focus(.gained))
        await music.broker.close()
        await alarm.broker.close()
    }

    @Test func stoppedMusicIsOffTheStack() async throws {
        let first = try music()
        let alarm = try words(AudioFocus(.transient))
        first.player.play()
        await first.events.state(.playing)
        first.player.stop()
        await first.events.state(.idle)
        alarm.player.play()
        await alarm.events.next(.ended)
        await first.broker.decided()
        #expect(first.events.focus == [.gained])
        await first.broker.close()
        await alarm.broker.close()
    }

    /// What waits for its device disturbs nobody.
    @Test func anAbsentDeviceTakesNoSoundAway() async throws {
        let music = try music()
        var options = options("absent", AudioFocus())
        options.output = "hw:CARD=NobodyHasThis"
        let path = folder("absent-source.wav")
        try NumberedSound.write(path, frames: 4_800)
        let absent = try stage(try Player(media: path, options))
        music.player.play()
        await music.events.state(.playing)
        absent.player.play()
        _ = await absent.events.next { if case .state(.opening(_?)) = $0 { true } else { false } }
        await absent.broker.decided()
        await music.broker.decided()
        #expect(music.events.focus == [.gained] && absent.events.focus == [])
        #expect(music.player.playerState == .playing)
        await music.broker.close()
        await absent.broker.close()
    }

    /// Without a focus nothing is different from before.
    @Test func whoHasNoFocusTakesNoPart() async throws {
        let music = try music()
        let other = try self.music(nil, "other")
        music.player.play()
        other.player.play()
        await music.events.state(.playing)
        await other.events.state(.playing)
        await other.broker.decided()
        await music.broker.decided()
        #expect(music.events.focus == [.gained] && other.events.focus == [])
        await music.broker.close()
        await other.broker.close()
    }

    /// Wishes at random, none awaited: in the end whoever is left has the sound, at its full volume.
    @Test(arguments: [1, 2, 3] as [UInt64]) func aStormEndsInOrder(seed: UInt64) async throws {
        var chance = SplitMix64(seed: seed)
        let sound = LevelSound()
        // Of a broker of its own: where another scene evicts it, it is hurried and says by how much it may be off.
        let last = try stage(try Player(rate: 48_000, channels: 2, options("last", AudioFocus()), fill: sound.fill))
        let broker = try self.broker()
        let kinds: [AudioFocus.Gain] = [.gain, .transient, .transientMayDuck, .transientExclusive]
        var voices = [last]
        for (number, kind) in kinds.enumerated() {
            let isOneBroker = number % 2 == 0
            let voice = try words(
                AudioFocus(kind, isSpeech: number == 2), frames: 2_400, "other\(number)", isOneBroker ? broker : nil)
            voices.append(voice)
        }
        for _ in 0..<300 {
            let voice = voices[Int.random(in: 0..<voices.count, using: &chance)]
            switch Int.random(in: 0..<10, using: &chance) {
            case 0: voice.scene.pause()
            case 1, 2: voice.scene.resume()
            case 3: voice.player.pause()
            case 4: voice.player.stop()
            case 5: _ = await voice.scene.released
            default: voice.player.play()
            }
        }
        for voice in voices.dropFirst() {
            voice.player.stop()
            voice.scene.unbind(voice.player)
            await voice.broker.decided()
        }
        // What they have taken away from it is known, and so is what it says of that.
        for _ in 1...2 { await last.broker.decided() }
        last.scene.resume()
        last.player.play()
        await last.broker.decided()
        let events = PlayerRecorder()
        last.player.onEvent(positionEvery: .milliseconds(10)) { events.take($0) }
        await events.state(.playing)
        await events.position(beyond: last.player.position + 4_800)
        for voice in voices.reversed() { await voice.broker.close() }
        let frames = try LevelSound.heard(folder("last.wav"))
        #expect(
            LevelSound.fault(frames) == nil,
            "\(last.events.all.filter { if case .released = $0 { true } else { false } })")
        let level = frames.last?.level
        #expect(level == 1)
    }
}
