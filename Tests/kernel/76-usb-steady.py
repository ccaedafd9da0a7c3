#!/usr/bin/env python3
# vm: --deterministic --usb-audio
# timeout: 300
# soak-timeout: 600
"""A USB sound card where the machine never stands still: pauses at random times, and the card pulled and put back."""
import array
import math
import os
import pathlib
import random
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from listening import LevelRecording, Recording  # noqa: E402
from sound_player import SoundPlayer  # noqa: E402
import levels  # noqa: E402
import pauses  # noqa: E402
import usb_card  # noqa: E402

ROUNDS = 10 if SOAK else 3


def pauses_on_usb():
    pauses.walk("usb", 200 if SOAK else 60, random.Random(76), is_steady=True)


def judged():
    """The judge finds what was made for it: pieces, jumps of any length and silences, at any volume and change of it."""
    chance = random.Random(79)
    sound = levels.symbols(0, 30 * RATE)
    volumes = [(left, right) for left in (1.0, usb_card.SOFT) for right in (1.0, usb_card.SOFT)]
    faults = []
    for number in range(60):
        data, wanted, first = bytearray(), [], chance.randrange(20 * RATE)
        for _ in range(chance.randrange(1, 5)):
            # A jump may hardly show in the first frames behind it: those may seem to belong to what was before.
            length = round(math.exp(chance.uniform(math.log(levels.UNIQUE + 4), math.log(RATE))))
            samples = array.array("h", levels.samples(sound[2 * first:2 * (first + length)]))
            softer = sorted(chance.randrange(length + 1) for _ in range(3))
            for begin, end in zip([0, *softer], [*softer, length]):
                for side, volume in enumerate(chance.choice(volumes)):
                    samples[2 * begin + side:2 * end:2] = array.array(
                        "h", (int(sample * volume) for sample in samples[2 * begin + side:2 * end:2]))
            silence = chance.choice((0, 0, 1, 5000))
            wanted.append((len(data) // 4, first + 1, length))
            data += samples.tobytes() + bytes(4 * silence)
            first += length
            # A jump, forwards or back, by a number that hardly differs or by one in which all digits do.
            first = max(0, first + chance.choice((1, -1)) * chance.choice((1, 32, 1024, 24576, chance.randrange(1, 99999))))
        found = levels.pieces(bytes(data), sound)
        jumps = [two[1] - one[1] - one[2] for one, two in zip(wanted, wanted[1:])]
        if found[1] or [two[1] - one[1] - one[2] for one, two in zip(found[0], found[0][1:])] != jumps \
                or found[0][0][:2] != wanted[0][:2] or sum(found[0][-1][1:]) != sum(wanted[-1][1:]):
            faults.append(f"{number}: {wanted}, found {found}")
    expect(not faults, "the judge finds 60 made recordings to the frame", "\n".join(faults))


def heard(sound):
    """What QEMU has recorded since the card was put in, now that it has been pulled."""
    newest = max(pathlib.Path(os.environ["BENCH_SHARE"]).glob("usb-*.wav"), key=lambda path: int(path.stem[4:]))
    recording = LevelRecording(newest, sound)
    newest.unlink()
    return recording


def pulled_and_put_back():
    """It goes on at the right frame: not one is lost, and no more are heard again than lay behind the pointer."""
    chance = random.Random(77)
    # By levels: the player is as quick to take the card as anybody to set its volume.
    sound = levels.make("sound.wav", 10 + 3 * ROUNDS)
    usb_card.USBRecorder("before")
    player = SoundPlayer(usb_card.DEVICE, "sound.wav")
    player.await_sound()
    offs, last = [], 0
    spent, faults = 0.0, []

    def look():
        nonlocal last
        recording = heard(sound)
        if not recording.pieces:
            faults.append("nothing was heard")
            return
        offs.append(recording.pieces[0][1] - last - 1)
        inside = [recording.off(gap) for gap in recording.gaps]
        if any(inside) or recording.strange:
            faults.append(f"between two pulls there were jumps of {inside} frames, {recording.strange} that are none")
        last = sum(recording.pieces[-1][1:]) - 1

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
    equal("and is heard to its last position", position, last)
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


main(judged, pauses_on_usb, runs_dry, pulled_and_put_back)
