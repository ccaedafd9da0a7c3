"""The players that are measured: how each is started, paused and resumed from outside. Runs in the guest."""
import os

from peers import (
    MPD, VLC, Aplay, AplayKey, GStreamer, GStreamerLaunch, GStreamerNull, MPDKept, Mpv, MpvRelease, Sox)
from player import TOOLS, Player


class Onstage(Player):
    """Ours: `onstage play`."""

    def command(self):
        words = [os.environ["ONSTAGE"], "play", self.path, "--device", self.device, "--state", "state"]
        if "mode" in self.options:
            words += ["--pause-mode", self.options["mode"]]
        if "buffer" in self.options:
            words += ["--buffer", str(self.options["buffer"] // 48)]
        return words


class OnstageKept(Onstage):
    """Begins where it was left."""

    def command(self):
        return [*super().command(), "--resume"]


class Floor(Player):
    def command(self):
        return [f"{TOOLS}/floor", self.device, self.path] + [str(n) for n in self.sizes()]

    def sizes(self):
        return (self.options["period"], self.options["buffer"]) if "period" in self.options else ()


# name: (class, options, the program that has to be there)
PLAYERS = {
    "onstage": (Onstage, {}, None),
    "onstage-exact": (Onstage, {"mode": "exact"}, None),
    "onstage-fast": (Onstage, {"mode": "fast"}, None),
    "onstage-kept": (OnstageKept, {}, None),
    "floor": (Floor, {}, None),
    "aplay": (Aplay, {}, "aplay"),
    "aplay-key": (AplayKey, {}, "aplay"),
    "mpv": (Mpv, {}, "mpv"),
    "mpv-release": (MpvRelease, {}, "mpv"),
    "gst": (GStreamer, {}, "gst-launch-1.0"),
    "gst-release": (GStreamerNull, {}, "gst-launch-1.0"),
    "gst-launch": (GStreamerLaunch, {}, "gst-launch-1.0"),
    "mpd": (MPD, {}, "mpd"),
    "mpd-kept": (MPDKept, {}, "mpd"),
    "sox": (Sox, {}, "play"),
    "vlc": (VLC, {}, "vlc"),
}


def make(name, device, path, options=None):
    kind, settings, _ = PLAYERS[name]
    return kind(name, device, path, {**settings, **(options or {})})
