"""The parts of the playback bench: what each runs in the guest, and the table that it makes of what came back."""
import os
import random

import judge
import table

PLAYERS = ("floor", "aplay", "aplay-key", "mpv", "mpv-release", "gst", "gst-release", "mpd", "sox", "vlc")
OURS = ("onstage-exact", "onstage-fast")
HW = "hw:Loopback,0,0"
DMIX = """\
pcm.benchdmix {
    type dmix
    ipc_key 55473
    ipc_perm 0666
    slave { pcm "hw:Loopback,0,0" rate 48000 format S16_LE channels 2 period_size 1024 buffer_size 8192 }
}
"""
# name: seconds, and the rate of one whose place can be told behind a rate converter
FILE = {"c.wav": (60, None)}


class Settings:
    """What the command line asks for."""

    def __init__(self, quick, peers, cycles, repeats):
        self.quick, self.peers = quick, peers
        self.cycles = cycles or (3 if quick else 8)
        self.repeats = repeats or (1 if quick else 3)

    def players(self, names, ours=OURS):
        return [*ours, *(name for name in names if name == "floor" or name in self.peers)]


class Part:
    """One table."""

    name, title = "", ""
    deterministic, usb = True, False
    files = FILE

    def runs(self, settings):
        raise NotImplementedError

    def table(self, results, share):
        raise NotImplementedError


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


class Start(Part):
    """From the program's exec to the card's start."""

    name, title = "start", "Start of the player to the card's start, hw:, deterministic guest"
    bound = 10

    def runs(self, settings):
        names = settings.players(("floor", "aplay", "mpv", "gst-launch", "mpd", "sox", "vlc"), ("onstage",))
        return [
            {"kind": "pauses", "player": name, "device": HW, "card": "Loopback", "file": "c.wav", "at": [], "last": 0.5,
             "warm": number == 0}
            for number in range(settings.repeats + 1) for name in names
        ]

    def table(self, results, share):
        made = table.Table(
            self.title, ("player", "start → card's start, ms"),
            ["From the program's exec (MPD: from the wish to the running daemon), files in the page cache."])
        for name in dict.fromkeys(run["player"] for run in results):
            runs = [run for run in results if run["player"] == name and not run["warm"]]
            failed = next((run["failed"] for run in runs if "failed" in run), None)
            times = [judge.Pauses(run, judge.Recording(os.path.join(share, f"recording-{run['number']}"))).start
                     for run in runs if "failed" not in run]
            bounds = None
            if name == "onstage":
                bounds = table.Bounds()
                bounds.keep("start", None if failed else table.most(times), self.bound)
            made.add([name, failed[:60] if failed else table.figure(times)], bounds)
        return made


class CPU(Part):
    """CPU per second of audio, at equal periods and buffers, and of the others at their defaults."""

    name, title = "cpu", "CPU per second of audio in steady play, 48 kHz S16 stereo on hw:, deterministic guest"
    sizes = ((6000, 24000), (1200, 4800), (480, 1920))
    bound = 1.1

    def runs(self, settings):
        seconds = 10 if settings.quick else 20
        found = []

        def add(name, **options):
            found.append({"kind": "steady", "player": name, "device": HW, "card": "Loopback", "file": "c.wav",
                          "seconds": seconds, "options": options})
        for number in range(settings.repeats):
            for period, buffer in self.sizes:
                add("floor", period=period, buffer=buffer)
                add("onstage-exact", period=period, buffer=buffer)
                if "aplay" in settings.peers:
                    add("aplay", period=period, buffer=buffer)
            for name in ("mpv", "gst-launch", "mpd", "sox", "vlc"):
                if name in settings.peers:
                    add(name)
        return found

    def table(self, results, share):
        made = table.Table(
            self.title,
            ("player", "period/buffer", "CPU, µs per s", "× floor", "system calls/s", "wake-ups/s", "CPU to start, ms",
             "memory, MB"),
            ["µs: of the deterministic guest, in which an instruction takes a nanosecond. × floor: of the floor with the "
             "same period and buffer; the others beside the first floor."])
        groups = {}
        for run in results:
            groups.setdefault((run["player"], run["options"].get("period"), run["options"].get("buffer")), []).append(run)
        floors = {}
        for (name, _, buffer), runs in groups.items():
            spent = [run["found"]["cpu"] * 1e6 for run in runs if "failed" not in run]
            if name == "floor" and spent:
                floors[buffer] = sorted(spent)[len(spent) // 2]
        first = next(iter(floors.values()), None)
        for (name, _, buffer), runs in groups.items():
            good = [run["found"] for run in runs if "failed" not in run]
            bounds = table.Bounds() if name in OURS else None
            if not good:
                if bounds:
                    bounds.broken.append("it did not play")
                made.add([name, buffer or "", runs[0]["failed"][:60], *"–––––"], bounds)
                continue
            spent = [found["cpu"] * 1e6 for found in good]
            floor = floors.get(buffer, first)
            times = sorted(spent)[len(spent) // 2] / floor if floor else None
            if bounds:
                bounds.require(f"buffer {good[0].get('buffer_size')}", good[0].get("buffer_size") == buffer)
                bounds.keep("CPU", times, self.bound, "× the floor")
            made.add([
                name, f"{good[0].get('period_size')}/{good[0].get('buffer_size')}", table.figure(spent, 0),
                "–" if times is None else f"{times:.2f}", table.figure([found.get("syscalls") for found in good], 1),
                table.figure([found.get("switches") for found in good], 1),
                table.figure([found["starting"] * 1e3 for found in good], 1),
                table.figure([found["kilobytes"] / 1024 for found in good], 1)], bounds)
        return made


PARTS = {part.name: part for part in (PauseOnHW(), PauseOnDmix(), PauseOnPlug(), PauseOnUSB(), Start(), CPU())}
