#!/usr/bin/env python3
# vm: --usb-audio
# timeout: 240
"""A USB card that is pulled, by a player that pauses when that makes it noisy: it does not go on when the card comes back."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from listening import Recording  # noqa: E402
from sound_player import SoundPlayer  # noqa: E402
from usb_card import DEVICE, USBRecorder, is_there, told  # noqa: E402


def pulled():
    ramp("ramp.wav", 60)
    before = USBRecorder("before.wav")
    player = SoundPlayer(DEVICE, "ramp.wav", stdin=True, pauseWhenNoisy=True)
    player.await_sound()
    let_pass(1)
    mark = len(player.lines)
    before.stop()  # pulls it, and puts it back
    player.await_line(r"playback note: paused: its device went away", 20, since=mark)
    equal("it is there again", True, await_true(is_there, 20))
    let_pass(2)
    expect(
        player.find(r"playback open", mark) is None and not held(player.pid), "it does not go on by itself",
        player.tail())
    after = USBRecorder("after.wav")
    let_pass(1)
    expect(player.find(r"playback open", mark) is None, "nor when it is put back once more", player.tail())
    told_at = len(player.lines)
    player.send("play")
    player.await_sound(told_at)
    let_pass(1)
    last = player.pause_now()
    let_pass(0.5)  # what QEMU has been handed it writes a moment later
    equal("status", 0, player.end())
    after.stop()
    one, two = Recording("before.wav"), Recording("after.wav")
    heard = max((first + length - 1 for _, first, length in one.pieces), default=0)
    begins = two.pieces[0][1] if two.pieces else 0
    # What was under way to the card when it was pulled may have been heard or not: none of it is left out.
    expect(
        heard > 0 and 0 < begins <= heard + 1 and heard + 1 - begins <= player.guard,
        f"heard up to {heard}, goes on at {begins}: nothing is lost, and what was under way comes again", player.tail())
    ends = max((first + length - 1 for _, first, length in two.pieces), default=0)
    expect(
        (len(two.pieces), ends) == (1, last), f"and plays to its pause at {last}, whole",
        f"{two.pieces}\n{player.tail()}")


main(pulled)
