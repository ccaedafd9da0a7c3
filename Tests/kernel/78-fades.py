#!/usr/bin/env python3
# vm: --deterministic
# timeout: 300
"""Fades, volume and loops of `onstage play`, recorded from the far side of snd-aloop and judged frame by frame.

In the sound of the fades each frame is known from its two samples at any level: the left one is always FULL, so that what is
heard of it is the level, and the right one tells the frame. No frame of it is silent, however softly it is played. What a
fade is to be is told here anew: over F frames the level goes along 1 − x²(3 − 2x), x = (i + 1) / (F + 1).
"""
import array
import os
import random
import re
import sys
import wave

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from listening import Recording  # noqa: E402
from play_program import DEVICE, Play, is_free  # noqa: E402
from terminal import Terminal  # noqa: E402

FULL = 1 << 30
ASOUND = """\
</usr/share/alsa/alsa.conf>
pcm.fadedmix {
    type dmix
    ipc_key 55474
    ipc_perm 0600
    slave { pcm "hw:CARD=Loopback,DEV=0,SUBDEV=0" rate 48000 format S32_LE channels 2 period_size 1024 buffer_size 8192 }
}
"""


def right(frame):
    """Of the right sample; frames nearby differ by more than any rounding, also at the end of a fade."""
    return (frame % 4000 + 64) << 18


def make(path, seconds):
    samples = array.array("i", (value for frame in range(4000) for value in (FULL, right(frame)))).tobytes()
    frames = round(seconds * RATE)
    with wave.open(path, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(4)
        out.setframerate(RATE)
        rounds, rest = divmod(frames, 4000)
        out.writeframesraw(samples * rounds + samples[:8 * rest])
    return frames


def level(index, count):
    """Of the frame number `index` of a fade away over `count`; of one back, the rest to 1."""
    x = (index + 1) / (count + 1)
    return 1 - x * x * (3 - 2 * x)


class Heard:
    """A recording without its silence: pairs of samples, and after how many of them each silence began."""

    def __init__(self, path):
        samples = array.array("i")
        with open(path, "rb") as file:
            data = file.read()
        samples.frombytes(data[:len(data) // 8 * 8])
        self.samples = array.array("i")
        self.silences = []
        at, count, quiet = 0, len(samples) // 2, bytes(8 * 1024)
        begin = None
        while at < count:
            if samples[2 * at] == 0 and samples[2 * at + 1] == 0:
                if begin is not None:
                    self.samples += samples[2 * begin:2 * at]
                    self.silences.append(len(self))
                    begin = None
                at += 1024 if samples[2 * at:2 * at + 2048].tobytes() == quiet else 1
            else:
                if begin is None:
                    begin = at
                at += 1
        if begin is not None:
            self.samples += samples[2 * begin:2 * count]
            self.silences.append(len(self))

    def __len__(self):
        return len(self.samples) // 2

    def pair(self, frame):
        return self.samples[2 * frame], self.samples[2 * frame + 1]

    def strange(self, first, last, wanted):
        """The first frame in that range that is not heard as loud as `wanted` says, nil for none."""
        for frame in range(first, last):
            loud = wanted(frame)
            if any(abs(found - value * loud) > 1 for found, value in zip(self.pair(frame), (FULL, right(frame)))):
                return f"frame {frame} is {self.pair(frame)}, a level of {self.pair(frame)[0] / FULL:.6f}, for {loud:.6f}"
        return None


def judge(heard, places, total, fade, text):
    """`places`: where it was paused, the end of a process among them."""
    expect(len(heard) == total, f"{text}: {len(heard)} frames heard of {total}")
    equal(f"{text}: each silence begins where a receipt says", [*places, total], heard.silences)
    wrong, before = [], 0
    for place in [*places, total]:
        def wanted(frame, before=before, place=place):
            # A sound that begins at its beginning begins as it was made, and its end is its end.
            loud = 1 - level(frame - before, fade) if before and frame < before + fade else 1.0
            return loud * level(frame - (place - fade), fade) if place != total and frame >= place - fade else loud

        end = min(place, len(heard))
        strange = heard.strange(before, end, wanted)
        if strange:
            wrong.append(f"between {before} and {place}: {strange}")
        before = place
    expect(not wrong, f"{text}: each frame once, in order and as loud as it is to be, {len(places)} fades of {fade}",
           "\n".join(wrong))


def fades(text, milliseconds, *options, device=DEVICE, env=None, pauses=8):
    chance = random.Random(f"{text} {milliseconds}")
    total, fade = make("fades.wav", 5), round(milliseconds * RATE / 1000)
    recorder = Recorder("fades.raw", sample="S32_LE")
    words = ("--fade", str(milliseconds), "--resume", "--key", text, *options, "fades.wav")
    play = Play(*words, device=device, env=env)
    play.event("state", state="playing")
    places, receipts, held_while_paused = [], [], []
    for turn in range(pauses):
        let_pass(chance.uniform(0.15, 0.4))
        if turn == pauses - 2:
            # The end of a process is a pause like any other; the next one comes back as softly.
            play.process.send_signal(signal.SIGTERM)
            receipts.append(play.event("released"))
            equal(f"{text}: SIGTERM: status 0", 0, play.wait())
            play = Play(*words, device=device, env=env)
        else:
            receipts.append(play.pause())
            if not is_free(play.pid):
                held_while_paused.append(turn)
            let_pass(chance.uniform(0.01, 0.1))
            play.go_on()
        places.append(receipts[-1]["position"])
        play.event("state", state="playing")
    equal(f"{text}: to its end: status 0", 0, play.wait(30))
    recorder.stop()
    equal(f"{text}: the device was free in each pause", [], held_while_paused)
    expect(all(receipt["mode"] == "exact" and receipt["off"] == 0 and not receipt["forced"] for receipt in receipts),
           f"{text}: exact receipts, off by 0", receipts)
    slowest = max(receipt["released"] - receipt["asked"] for receipt in receipts)
    expect(slowest <= 100 + milliseconds, f"{text}: given back after {slowest:.1f} ms at worst", receipts)
    judge(Heard(recorder.path), places, total, fade, f"{text}, {milliseconds} ms")


def on_hw():
    fades("hw", 20)


def on_a_short_ring():
    """Shorter than the fade, which is written in turns."""
    fades("short", 50, "--buffer", "20")


def on_a_long_ring():
    fades("long", 50, "--buffer", "2000")


def through_dmix():
    pathlib.Path("asound.conf").write_text(ASOUND, encoding="utf-8")
    fades("dmix", 20, device="fadedmix", env={"ALSA_CONFIG_PATH": os.path.abspath("asound.conf")})


def without_one():
    """The same without a fade: cut, and each frame as it was made."""
    fades("none", 0, pauses=4)


def at_the_end():
    """A pause in the last frames: what is left fades away as far as it goes, and then it has ended; or it goes on."""
    total = make("end.wav", 1)
    for before in (200, 120, 60, 30, 10):
        recorder = Recorder("end.raw", sample="S32_LE")
        play = Play("--fade", "50", "end.wav")
        play.event("state", state="playing")
        let_pass(1 - before / 1000)
        play.pause()
        # It may have ended instead.
        if play.process.poll() is None:
            play.process.send_signal(signal.SIGUSR2)
        equal(f"{before} ms before the end: status 0", 0, play.wait())
        recorder.stop()
        heard = Heard(recorder.path)
        expect(
            len(heard) == total and heard.strange(0, total, lambda frame: heard.pair(frame)[0] / FULL) is None,
            f"{before} ms before the end: {len(heard)} frames of {total} heard, each in its place", heard.silences)


def a_new_volume_on_a_long_ring():
    """A key at a terminal: heard soon, without a step, and without a frame more or less."""
    total = make("volume.wav", 30)
    recorder = Recorder("volume.raw", sample="S32_LE")
    terminal = Terminal(
        ONSTAGE, "play", "--device", DEVICE, "--state", "state", "--buffer", "2000", "volume.wav")
    terminal.see("playing ")
    levels = [1.0]
    for keys in ("\x1b[B" * 6, "\x1b[A" * 3, "\x1b[B" * 10, "\x1b[A" * 17):
        let_pass(0.7)
        terminal.type(keys)
        levels.append(round(min(1, levels[-1] + 0.05 * (keys.count("A") - keys.count("B"))), 2))
        let_pass(0.25)
        # All that is heard from here on is heard at it.
        terminal.type(" ")
        terminal.see("paused ")
        let_pass(0.05)
        terminal.type(" ")
        terminal.see("playing ")
    terminal.type("q")
    terminal.see("stopped at ")
    equal("q: status 0", 0, terminal.wait())
    recorder.stop()
    heard = Heard(recorder.path)
    loud = [heard.pair(frame)[0] / FULL for frame in range(len(heard))]
    equal("one silence for each pause and the end", 5, len(heard.silences))
    found = [round(loud[place - 1], 6) for place in heard.silences]
    equal("a quarter of a second after the key the new volume is heard", levels[1:] + levels[-1:], found)
    strange = heard.strange(0, len(heard), lambda frame: loud[frame])
    expect(strange is None and 0 < len(heard) < total, f"each of {len(heard)} frames once and in order", strange)
    # Over 20 ms it goes by 1.5 / 960 of the way at most with each frame.
    step = max(abs(one - next) for one, next in zip(loud, loud[1:]))
    expect(step < 0.86 * 1.5 / 960, f"without a step: {step:.6f} from one frame to the next at most", levels)


def loops_without_a_gap():
    chance = random.Random(78)
    for frames in (100, 12_345, 48_001):
        ramp("loop.wav", frames / RATE)
        recorder = Recorder()
        play = Play("--loop", "loop.wav")
        play.event("state", state="playing")
        places = []
        for _ in range(10):
            let_pass(chance.uniform(0.05, 0.6))
            places.append(play.pause()["position"])
            let_pass(0.03)
            play.go_on()
            play.event("state", state="playing")
        let_pass(0.1)
        places.append(play.pause()["position"])
        equal(f"a loop of {frames}: status 0", 0, play.end())
        recorder.stop()
        pieces = Recording(recorder.path).pieces
        broken, ends, rounds = [], [], 0
        for (at, first, length), (behind_at, behind, _) in zip(pieces, pieces[1:]):
            last = first + length - 1
            if behind_at == at + length:
                rounds += 1
                if (last, behind) != (frames, 1):
                    broken.append(f"{last} -> {behind} at {behind_at}")
            else:
                ends.append(last % frames)
                if behind != last % frames + 1:
                    broken.append(f"{last} -> {behind} over a silence of {behind_at - at - length} at {behind_at}")
        ends.append((pieces[-1][1] + pieces[-1][2] - 1) % frames)
        expect(not broken, f"a loop of {frames}: {rounds} rounds without a gap: 0 lost, 0 repeated", "\n".join(broken[:20]))
        # An underrun is a silence as well, and none of a pause: its silence is where it was told.
        told = [event for event in play.events("recovered") if "ran out of sound" in event["error"]]
        dry = [int(re.search(r"goes on at frame (\d+)", event["error"])[1]) % frames for event in told]
        silences = sorted([*places, *dry])
        equal(f"a loop of {frames}: each pause at the position heard, within its length", silences, sorted(ends))
        rest = iter(ends)
        expect(all(place in rest for place in places), f"a loop of {frames}: in their order", (places, ends))


main(on_hw, on_a_short_ring, on_a_long_ring, through_dmix, without_one, at_the_end, a_new_volume_on_a_long_ring,
     loops_without_a_gap)
