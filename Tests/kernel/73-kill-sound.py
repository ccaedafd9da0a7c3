#!/usr/bin/env python3
# timeout: 240
# soak-timeout: 2400
"""kill -9 at random moments, playing, pausing, paused and starting: the store opens and the sound goes on where it says."""
import array
import json
import math
import os
import pathlib
import random
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import pauses  # noqa: E402
import store  # noqa: E402

KILLS = 200 if SOAK else 10
# "long": so long that it has to have been kept in between.
KINDS = ("playing", "pausing", "stored", "long", "starting")


class Ear:
    """What comes in on the far side."""

    def __init__(self):
        self.recorder = Recorder()
        self.place = 0

    def heard(self):
        """The numbers heard since the last call, silence removed: what was on its way is in the recording a buffer later."""
        path = self.recorder.path
        size = os.path.getsize(path)
        await_true(lambda: os.path.getsize(path) >= size + 4 * 4096 * 4, 10)
        with open(path, "rb") as file:
            file.seek(self.place * 4)
            data = file.read()
        numbers = array.array("I")
        numbers.frombytes(data[:len(data) // 4 * 4])
        self.place += len(numbers)
        return [number for number in numbers if number]


def kills():
    chance = random.Random(73)
    seconds = 30 + 3 * KILLS
    ramp("sound.wav", seconds)
    profile = {"name": "sound", "playback": {"device": "hw:CARD=Loopback,DEV=0", "journal": "1s"}}
    pathlib.Path("sound.json").write_text(json.dumps(profile), encoding="utf-8")
    ear, lives, jumps = Ear(), store.Lives(), []
    for number in range(KILLS + 1):
        kind = "last" if number == KILLS else KINDS[number % len(KINDS)]
        stored, broken = store.after_crash("state")
        stalls = pauses.Stalls()
        player = Run("--media", "sound.wav", profile="sound.json")
        paused = None
        if kind == "starting":
            time.sleep(math.exp(chance.uniform(math.log(0.001), math.log(0.3))))
        else:
            player.await_line(r"playback first", 30)
            time.sleep(chance.uniform(1.4, 3) if kind == "long" else math.exp(chance.uniform(math.log(0.01), math.log(3))))
        if kind == "pausing":
            player.process.send_signal(signal.SIGUSR1)
            time.sleep(chance.uniform(0, 0.06))
        elif kind == "stored":
            player.process.send_signal(signal.SIGUSR1)
            paused = int(player.await_line(r"playback released .*position (\d+)", 20)[2][1])
            if not await_true(lambda: store.live("state") == paused, 10):
                fail(f"kill {number + 1}: the position of a pause is stored", f"{store.live('state')} for {paused}")
        seen = store.live("state")
        if kind == "last":
            equal("the last run ends with status 0", 0, player.end())
        else:
            player.kill()
        if held(player.pid):
            fail(f"kill {number + 1}: nothing is held", dict(held(player.pid)))
        stalls.stop()
        numbers = ear.heard()
        found = [(number, a, b) for a, b in zip(numbers, numbers[1:]) if b != a + 1 and kind in ("stored", "last")]
        if found and stalls.worst > pauses.TARGETS["hw"].stall:
            print(f"skipped: life {number + 1}: every frame follows the one before: the guest stood still for"
                  f" {stalls.worst * 1000:.0f} ms, longer than a ring lasts: {found[:3]}", flush=True)
        else:
            jumps += found
        lives.add(
            stored=stored, broken=broken, first=numbers[0] if numbers else None, last=max(numbers, default=None), seen=seen,
            paused=paused, stood=stalls.worst,
            warned=next((text for _, text in player.lines if "positions" in text and "warning" in text), None))
    lives.judge(expect, f"kill -9 at {KILLS} random moments")
    expect(not jumps, "within a life that ended in a pause every frame follows the one before", jumps)
    ear.recorder.stop()
    equal("the sound card is closed at the end", "closed", pathlib.Path(LOOPBACK).read_text(encoding="utf-8").strip())


main(kills)
