#!/usr/bin/env python3
# vm: --deterministic --usb-audio
# timeout: 300
# soak-timeout: 600
"""A USB sound card where the machine never stands still: pauses at random times, and the card pulled and put back."""
import os
import pathlib
import random
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from listening import Recording, SmoothRecording  # noqa: E402
from sound_player import SoundPlayer  # noqa: E402
import pauses  # noqa: E402
import smooth  # noqa: E402
import usb_card  # noqa: E402

ROUNDS = 10 if SOAK else 3


def pauses_on_usb():
    pauses.walk("usb", 200 if SOAK else 60, random.Random(76), is_steady=True)


def heard():
    """What QEMU has recorded since the card was put in, now that it has been pulled."""
    newest = max(pathlib.Path(os.environ["BENCH_SHARE"]).glob("usb-*.wav"), key=lambda path: int(path.stem[4:]))
    recording = SmoothRecording(newest, RATE, usb_card.VOLUMES)
    newest.unlink()
    return recording


def pulled_and_put_back():
    """It goes on at the right frame: not one is lost, and no more are heard again than lay behind the pointer."""
    chance = random.Random(77)
    # Told by its value: the player is as quick to take the card as anybody to set its volume.
    smooth.make("sound.wav", 10 + 3 * ROUNDS, RATE)
    usb_card.USBRecorder("before")
    player = SoundPlayer(usb_card.DEVICE, "sound.wav")
    player.await_sound()
    offs, last = [], 0.0
    spent, faults = 0.0, []

    def look():
        nonlocal last
        recording = heard()
        if not recording.pieces:
            faults.append("nothing was heard")
            return
        offs.append(round(recording.pieces[0].first - last))
        inside = [recording.off(gap) for gap in recording.gaps if abs(recording.off(gap)) > 1]
        if inside:
            faults.append(f"between two pulls there were jumps of {inside} frames")
        last = recording.pieces[-1].last + 1

    for _ in range(ROUNDS):
        let_pass(chance.uniform(0.5, 1.5))
        mark = len(player.lines)
        usb_card.told("pull")
        player.await_line(r"playback waits", 20, since=mark)
        expect(not held(player.pid), "pulled: nothing of it is held", dict(held(player.pid)))
        look()
        before = player.cpu
        let_pass(2)
        spent = max(spent, (player.cpu - before) / 2)
        mark = len(player.lines)
        usb_card.told("put")
        player.await_sound(mark)
    let_pass(1)
    position = player.pause_now()
    equal("pulled and put back: status", 0, player.end())
    usb_card.told("pull")
    look()
    usb_card.told("put")
    slack = player.guard
    expect(
        not faults and len(offs) == ROUNDS + 1 and all(-slack <= off <= 0 for off in offs),
        f"pulled and put back {ROUNDS} times: it goes on off by {offs[1:]} frames (lost +, repeated −; at most {slack}"
        " heard again, which lay behind the pointer)", "\n".join([*faults, player.tail()]))
    equal("and is heard to its last position", position, round(last))
    expect(spent < 0.05, f"while it is away: {spent * 100:.2f} % of the CPU")


def runs_dry():
    """The player is stopped until the card has run dry: what was under way to it is played again, and nothing is left out."""
    chance = random.Random(78)
    ramp("sound.wav", 10 + 2 * ROUNDS)
    recorder = usb_card.USBRecorder("recording")
    player = SoundPlayer(usb_card.DEVICE, "sound.wav")
    player.await_sound()
    for _ in range(ROUNDS):
        let_pass(chance.uniform(0.3, 0.8))
        player.process.send_signal(signal.SIGSTOP)
        let_pass(0.4)
        mark = len(player.lines)
        player.process.send_signal(signal.SIGCONT)
        player.await_line(r"playback recovered", 20, since=mark)
    let_pass(0.5)
    last = player.pause_now()
    equal("run dry: status", 0, player.end())
    recorder.stop()
    recording = Recording("recording")
    backs = [-recording.off(gap) for gap in recording.gaps]
    slack = player.guard
    expect(
        len(backs) == ROUNDS and all(0 <= back <= slack for back in backs),
        f"run dry {ROUNDS} times: {backs} frames are heard again (none is lost, at most {slack}, which lay behind the card's"
        " pointer)", player.tail)
    equal("run dry: and is heard to its last position", last, recording.pieces[-1][1] + recording.pieces[-1][2] - 1)


main(pauses_on_usb, runs_dry, pulled_and_put_back)
