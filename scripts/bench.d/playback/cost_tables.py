"""What a start takes, and what playing costs."""
import os

import judge
import table
from part import HW, OURS, Part


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
            ["× floor: of the floor with the same period and buffer; the others beside the first floor."])
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
