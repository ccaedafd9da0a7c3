#!/usr/bin/env python3
# vm: --disk 48 --resets --cpus 1 --modules snd-aloop
# timeout: 400
# soak-timeout: 2400
"""The whole machine is reset at random moments; and power cuts at any write: the store opens, the sound goes on there.

Each reset restarts this test. What it knows is in the shared folder, the player's store on a disk of the guest's own.
"""
import array
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import disk_log  # noqa: E402
import pauses  # noqa: E402
import store  # noqa: E402

RESETS = 50 if SOAK else 10
CUTS = 100 if SOAK else 20
# "long": so long that it has to have been kept in between.
KINDS = ("playing", "pausing", "stored", "long", "starting")
SHARE = pathlib.Path(os.environ["BENCH_SHARE"])
KNOWN = SHARE / "power.json"
STATE = os.path.join(os.environ["BENCH_DISK"], "state")


class Recorder:
    """Straight to the shared folder, in small pieces: what came through before a reset is to be there after it."""

    def __init__(self, number):
        self.path = SHARE / f"heard-{number}"
        self.program = Program(
            "arecord", "-q", "-D", "hw:Loopback,1,0", "-t", "raw", "-f", "S16_LE", "-c", "2", "-r", str(RATE),
            "--buffer-size=65536", "--period-size=480", str(self.path))
        if not await_true(lambda: self.path.exists() and self.path.stat().st_size > 0, 20):
            raise Ended(f"arecord records nothing:\n{self.program.text}")


def heard(number):
    """The numbers that came through in a life, silence removed; the recording is not needed after it."""
    path = SHARE / f"heard-{number}"
    data = path.read_bytes()
    numbers = array.array("I")
    numbers.frombytes(data[:len(data) // 4 * 4])
    path.unlink()
    return [number for number in numbers if number]


def remember(lives):
    KNOWN.write_text(json.dumps(lives), encoding="utf-8")


def resets():
    lives = json.loads(KNOWN.read_text(encoding="utf-8")) if KNOWN.exists() else []
    number = len(lives)
    if lives:
        finish(lives[-1], number - 1)
    chance = random.Random(7400 + number)
    kind = "last" if number == RESETS else KINDS[number % len(KINDS)]
    stored, broken = store.after_crash(STATE)
    # The same sound in each life, by path, size and time: on the disk as well.
    sound = os.path.join(os.environ["BENCH_DISK"], "sound.wav")
    if not lives:
        ramp(sound, 60 if RESETS <= 10 else 140)
        subprocess.run(["sync", "-f", sound], check=True)
    profile = {"name": "sound", "playback": {"device": "hw:CARD=Loopback,DEV=0", "journal": "1s"}}
    pathlib.Path("sound.json").write_text(json.dumps(profile), encoding="utf-8")
    Recorder(number)
    stalls = pauses.Stalls()
    player = Run("--media", sound, profile="sound.json", state=STATE)
    life = {"stored": stored, "broken": broken, "first": None, "last": None, "kind": kind}
    if kind == "starting":
        time.sleep(math.exp(chance.uniform(math.log(0.001), math.log(0.3))))
    else:
        player.await_line(r"playback first", 60)
        time.sleep(chance.uniform(1.4, 3) if kind == "long" else math.exp(chance.uniform(math.log(0.01), math.log(3))))
    if kind == "pausing":
        player.process.send_signal(signal.SIGUSR1)
        time.sleep(chance.uniform(0, 0.06))
    elif kind == "stored":
        player.process.send_signal(signal.SIGUSR1)
        life["paused"] = int(player.await_line(r"playback released .*position (\d+)", 20)[2][1])
        if not await_true(lambda: store.live(STATE) == life["paused"], 10):
            life["broken"] = f"{life['paused']} is never stored: {store.live(STATE)}"
    life["seen"] = store.live(STATE)
    life["stood"] = stalls.worst
    life["warned"] = next((text for _, text in player.lines if "positions" in text and "warning" in text), None)
    remember([*lives, life])
    if kind != "last":
        note(f"reset {number + 1} of {RESETS}, {kind}: {life}")
        sys.stdout.flush()
        subprocess.run(["bench-monitor", "system_reset"], check=False, stdout=subprocess.DEVNULL)
        time.sleep(60)
        raise Ended("the machine was not reset")
    equal("the last run ends with status 0", 0, player.end())
    time.sleep(0.3)
    finish(life, number)
    known = store.Lives([*lives, life])
    tail = round((0.1 + max(life["stood"] for life in known.known)) * RATE)
    known.judge(expect, f"reset of the machine at {RESETS} random moments", tail)
    remember(known.known)


def finish(life, number):
    numbers = heard(number)
    if numbers:
        life["first"], life["last"] = numbers[0], max(numbers)


def power_cuts():
    """With the log of the disk's writes: cut at random ones, what no flush had followed is there in part."""
    if not KNOWN.exists() or len(json.loads(KNOWN.read_text(encoding="utf-8"))) <= RESETS:
        return
    subprocess.run(["modprobe", "loop"], check=True)
    chance = random.Random(74)
    replay = disk_log.Replay(SHARE / "disk.img", SHARE / "disk.log", "/tmp/disk.img")
    count = len(replay.writes)
    flushes = replay.flushes
    ends = sorted(chance.sample(range(flushes[0] + 1, count), min(CUTS, count - flushes[0] - 1)))
    broken, back, before, opened = [], [], 0, 0
    for end in ends:
        replay.advance(max(flush for flush in flushes if flush < end))
        found = []
        for part in (False, True):
            if part:
                replay.cut(end, chance, "/tmp/cut.img")
            else:
                replay.cut(replay.done, chance, "/tmp/cut.img")
            with disk_log.Mounted("/tmp/cut.img", "/tmp/cut") as folder:
                position, trouble = store.after_crash(os.path.join(folder, "state"))
            if trouble:
                broken.append((end, part, trouble))
            found.append(position or 0)
            opened += 1
        if found[0] < before or found[1] < found[0]:
            back.append((end, before, found))
        before = max(before, found[0])
    expect(not broken, f"a power cut at {len(ends)} of {count} writes: the store opens each of {opened} times", broken[:10])
    expect(not back and before > 0, f"and what stood in it still stands there (at last {before})", back[:10])


main(resets, power_cuts)
