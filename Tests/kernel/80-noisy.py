#!/usr/bin/env python3
# vm: --deterministic
# timeout: 240
"""Headphones that are pulled: the sound stops to the frame and does not go on by itself; the jack is watched while it plays."""
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import cycles  # noqa: E402
from jack import Jack  # noqa: E402
from play_program import DEVICE  # noqa: E402
from sound_player import SoundPlayer  # noqa: E402


def controls(pid):
    """The cards whose control a process has open."""
    found = []
    for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(path)
        except OSError:
            continue
        if target.startswith("/dev/snd/control"):
            found.append(target)
    return found


def threads(pid):
    return sorted(path.read_text().strip() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm"))


def pulled():
    ramp("ramp.wav", 60)
    jack = Jack("Loopback")
    # By the names that a card has: itself, through plug, and mixed.
    for name, device, env in (
            ("hw", DEVICE, None), ("plughw", "plughw:CARD=Loopback,DEV=0", None),
            ("dmix", "benchdmix", cycles.dmix_profile()[1])):
        recorder = Recorder(f"recording-{name}")
        player = SoundPlayer(device, "ramp.wav", state=f"state-{name}", env=env, stdin=True, pauseWhenNoisy=True)
        player.await_sound()
        stops = []
        for number in range(3):
            expect(
                await_true(lambda: controls(player.pid), 5), f"{name}, {number + 1}: its jack is watched while it plays")
            let_pass(0.5)
            mark = len(player.lines)
            at = now()
            jack.set(False)
            player.await_line(r"playback note: paused: its plug was pulled", 10, since=mark)
            stops.append(player.await_pause(mark))
            took = now() - at
            expect(took < 0.5, f"{name}, {number + 1}: paused {took * 1000:.0f} ms after it was pulled")
            equal(f"{name}, {number + 1}: nothing of the card is held", ([], {}), (controls(player.pid), held(player.pid)))
            # Put back, and the stage left and entered: neither is the person's wish to hear it.
            mark = len(player.lines)
            jack.set(True)
            player.send("inactive")
            player.send("active")
            player.await_line(r"-> active", 10, since=mark)
            let_pass(1)
            equal(f"{name}, {number + 1}: it does not go on by itself", {}, held(player.pid))
            player.send("play")
            player.await_sound(mark)
        # Off or on, what is not the sound's way out is nothing to it.
        let_pass(0.3)
        mark = len(player.lines)
        microphone = Jack("Loopback", "Mic Jack")
        microphone.set(False)
        microphone.remove()
        let_pass(0.5)
        expect(player.find(r"released", mark) is None, f"{name}: a microphone's plug is not ours", player.tail())
        last = player.pause_now()
        equal(f"{name}: status", 0, player.end())
        recorder.stop()
        recorder.check(f"{name}: pulled at {stops}: nothing lost, nothing again", last=last)
    jack.remove()


def a_jack_that_comes_and_goes():
    """A driver that makes its jack late, and one that takes it away."""
    ramp("ramp.wav", 30)
    first = Jack("Loopback", "Line Out Jack", is_in=False)
    recorder = Recorder("recording-late")
    player = SoundPlayer(DEVICE, "ramp.wav", state="state-late", stdin=True, pauseWhenNoisy=True)
    player.await_sound()
    await_true(lambda: controls(player.pid), 5)
    mark = len(player.lines)
    jack = Jack("Loopback", "Headset Jack")
    first.set(True)
    first.remove()
    let_pass(0.5)
    expect(player.find(r"released", mark) is None, "a jack that goes is no plug that is pulled", player.tail())
    jack.set(False)
    last = player.await_pause(mark)
    ok("one that came later is watched as well")
    jack.remove()
    equal("status", 0, player.end())
    recorder.stop()
    recorder.check("late jack", last=last)


def not_asked():
    """Without the option nothing is different: no control is held, no thread is more, and it plays on."""
    ramp("ramp.wav", 30)
    jack = Jack("Loopback")
    found = {}
    for is_asked in (False, True):
        recorder = Recorder(f"recording-{is_asked}")
        player = SoundPlayer(DEVICE, "ramp.wav", state=f"state-{is_asked}", stdin=True, pauseWhenNoisy=is_asked)
        player.await_sound()
        if is_asked:
            await_true(lambda: controls(player.pid), 5)
        let_pass(0.5)
        found[is_asked] = (len(controls(player.pid)), threads(player.pid))
        mark = len(player.lines)
        if not is_asked:
            jack.set(False)
            let_pass(1)
            expect(player.find(r"released", mark) is None, "not asked: it plays on", player.tail())
            jack.set(True)
        last = player.pause_now()
        player.end()
        recorder.stop()
        recorder.check(f"asked: {is_asked}", last=last)
    equal("one control more, and not a thread", (0, 1, found[False][1]), (found[False][0], found[True][0], found[True][1]))
    jack.remove()


main(pulled, a_jack_that_comes_and_goes, not_asked)
