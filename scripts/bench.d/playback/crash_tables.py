"""Where a player goes on that was killed, or whose machine was reset."""
import json
import os
import random

import judge
import table
from part import HW, Part

INTERVAL = 1000  # ms: how often ours keeps its position


class Kills(Part):
    """kill -9 while it plays, and half a second into a pause."""

    name, title = "kill", "kill -9 at random moments, then a new start, hw:, deterministic guest"
    files = {"long.wav": (120, None)}

    def runs(self, settings):
        chance = random.Random(self.name)
        count = 6 if settings.quick else 20
        at = [[chance.uniform(0.3, 2.5), 0.5 if number % 3 == 2 else 0] for number in range(count)]
        names = ["onstage-kept"] + (["mpd-kept"] if "mpd-kept" in settings.peers else [])
        return [
            {"kind": "kills", "player": name, "device": HW, "card": "Loopback", "file": "long.wav", "at": [[1.5, 0], *at, [1, 0]]}
            for name in names
        ]

    def table(self, results, share):
        made = table.Table(
            self.title, ("player", "kills", "killed in play: goes on off by, ms", "killed in a pause: off by, frames", "at 0"),
            ["Off: lost (+) or heard again (−), the first frame heard after the new start against the last one before the "
             "kill. Ours keeps its position every second and at each pause; MPD is told to, every second."])
        for run in results:
            at = run["at"]
            name = run["player"].removesuffix("-kept")
            bounds = table.Bounds() if name == "onstage" else None
            if "failed" in run:
                made.add([name, "", run["failed"][:60], "–", "–"], bounds)
                if bounds:
                    bounds.broken.append("it did not play")
                continue
            recording = judge.Recording(os.path.join(share, f"recording-{run['number']}"))
            lives = judge.lives(run, recording)
            playing, paused, zero = [], [], 0
            for (one, two), (_, pause) in zip(zip(lives, lives[1:]), at):
                if one is None or two is None:
                    continue
                off = two[0] - one[1] - 1
                zero += two[0] == 1
                (paused if pause else playing).append(off)
            times = [off / judge.RATE * 1000 for off in playing]
            if bounds:
                bounds.require(f"{zero} begin at 0", not zero)
                bounds.require("a life without sound", None not in lives)
                bounds.keep("heard again", -min(times), INTERVAL * 1.1)
                bounds.keep("lost", max(times), 0)
                bounds.require("off after a pause", paused and not any(paused))
            made.add([name, len(at) - 1, table.figure(times, 0), table.figure(paused, 0), zero], bounds)
        return made


class Resets(Part):
    """The kernel suite's test of it, at work: see Tests/kernel/74-power.py."""

    name, title = "reset", "Reset of the whole machine at random moments, and power cuts at any write, two-CPU kernel"
    test, vm = "Tests/kernel/74-power.py", ["--disk", "32", "--resets", "--cpus", "1", "--modules", "snd-aloop"]

    def table(self, results, share):
        made = table.Table(
            self.title, ("resets", "stored − heard, ms", "after a stored pause: off by, frames", "checks"),
            ["The store is on a disk of the guest's own; a power cut leaves of the writes that no flush has followed any "
             "part."])
        with open(os.path.join(share, "power.json"), encoding="utf-8") as file:
            lives = json.load(file)
        offs, paused, heard = [], [], 0
        for one, two in zip(lives, lives[1:]):
            heard = one["last"] or heard
            offs.append(((two["stored"] or 0) - heard) / judge.RATE * 1000)
            if one.get("paused") is not None:
                paused.append((two["stored"] or 0) - one["paused"])
        bounds = table.Bounds()
        for line in results:
            bounds.require(line, not line.startswith("FAILED"))
        good = sum(1 for line in results if line.startswith("ok"))
        made.add([len(lives) - 1, table.figure(offs, 0), table.figure(paused, 0), f"{good} of {len(results)}"], bounds)
        return made
