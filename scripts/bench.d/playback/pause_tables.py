"""Pauses on each kind of device."""
import os
import random

import judge
import table
from part import HW, OURS, PLAYERS, Part

DMIX = """\
pcm.benchdmix {
    type dmix
    ipc_key 55473
    ipc_perm 0666
    slave { pcm "hw:Loopback,0,0" rate 48000 format S16_LE channels 2 period_size 1024 buffer_size 8192 }
}
"""


class PauseTable(Part):
    """Pauses of a playing file: what is lost, when the sound stops, when the device is free, how soon it plays on."""

    device, card, asound, file, names = HW, "Loopback", "", "c.wav", PLAYERS
    bounds = {}
    most_off = 0
    notes = ()

    def runs(self, settings):
        chance = random.Random(self.name)
        # A pause of a second outlasts every default buffer but VLC's and MPD's, which stop by themselves.
        at = [[chance.uniform(0.8, 1.4), chance.uniform(1.0, 1.2)] for _ in range(settings.cycles)]
        return [
            {"kind": "pauses", "player": name, "device": self.device, "card": self.card, "file": self.file, "at": at,
             "last": 1.0, "asound": self.asound}
            for name in settings.players(self.names)
        ]

    def recording(self, path):
        rate = self.files[self.file][1]
        return judge.SmoothRecording(path, rate) if rate else judge.Recording(path)

    def table(self, results, share):
        made = table.Table(
            self.title,
            ("player", "sound stops, ms", "in the pause", "device free, ms", "resume → start, ms",
             "lost (+) repeated (−) frames", "dropouts"),
            ["Times from the wish: the last frame heard on the far side, the kernel's return from the last release, the "
             "card's start.", *self.notes])
        for run in results:
            recording = os.path.join(share, f"recording-{run['number']}")
            found = judge.Pauses(run, self.recording(recording) if "failed" not in run else None)
            bounds = self.judged(found) if run["player"] in OURS else None
            if found.failed:
                made.add([run["player"], found.failed.splitlines()[0][:60], *"–––––"], bounds)
                continue
            pauses = found.pauses
            offs = [pause.off for pause in pauses]
            made.add([
                run["player"],
                table.figure([pause.stop for pause in pauses]),
                "/".join(sorted({pause.state for pause in pauses})),
                table.figure([pause.free for pause in pauses]) if any(pause.free for pause in pauses) else "never",
                table.figure([pause.start for pause in pauses]),
                " ".join("?" if off is None else str(off) for off in offs) if any(offs) else "0",
                found.dropouts], bounds)
        return made

    def judged(self, found):
        """Ours against the bounds."""
        bounds = table.Bounds()
        if found.failed:
            bounds.broken.append("it did not play")
            return bounds
        pauses = found.pauses
        bounds.require(f"{found.faults[0]} lost, {found.faults[1]} repeated", found.faults == (0, 0))
        bounds.require(f"{found.dropouts} dropouts", not found.dropouts)
        bounds.require("not closed in a pause", all(pause.state == "closed" for pause in pauses))
        bounds.require("a pause without silence", all(pause.off is not None for pause in pauses))
        bounds.require("off", all(abs(pause.off or 0) <= self.most_off for pause in pauses))
        bounds.keep("sound stops", table.most([pause.stop for pause in pauses]), 50)
        bounds.keep("device free", table.most([pause.free for pause in pauses]), 100)
        limits = self.bounds.get(found.player, {})
        if "free" in limits:
            bounds.keep("device free", table.most([pause.free for pause in pauses]), limits["free"])
        if "start" in limits:
            bounds.keep("resume", table.most([pause.start for pause in pauses]), limits["start"])
        return bounds


class PauseOnHW(PauseTable):
    name, title = "hw", "Pause and resume on hw: (snd-aloop), deterministic guest"
    bounds = {"onstage-exact": {"free": 30, "start": 0.34}, "onstage-fast": {"free": 0.15, "start": 0.34}}


class PauseOnDmix(PauseTable):
    name, title = "dmix", "Pause and resume through dmix, deterministic guest"
    device, asound = "benchdmix", DMIX
    bounds = {"onstage-exact": {"free": 60}, "onstage-fast": {"free": 60}}


class PauseOnPlug(PauseTable):
    name, title = "plug", "Pause and resume of 44.1 kHz through plug's rate converter at 48 kHz, deterministic guest"
    device, file, files = "plughw:Loopback,0,0", "s.wav", {"s.wav": (40, 44100)}
    names = tuple(name for name in PLAYERS if name != "floor")
    most_off = 2
    notes = ("Frames of the media, measured to ±2: the converter blends the ends with silence.",)


class PauseOnUSB(PauseTable):
    name, title = "usb", "Pause and resume on a USB card, recorded by QEMU, deterministic guest"
    device, card, usb = "hw:CARD=Audio,DEV=0", "Audio", True
    bounds = {"onstage-exact": {"free": 80}, "onstage-fast": {"free": 80}}
    notes = ("Here the sound stops where the card stops, less the silence that QEMU recorded before that.",)
