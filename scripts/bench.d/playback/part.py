"""What the parts of the playback bench have in common: what each runs in the guest, the table that it makes of it."""
PLAYERS = ("floor", "aplay", "aplay-key", "mpv", "mpv-release", "gst", "gst-release", "mpd", "sox", "vlc")
OURS = ("onstage-exact", "onstage-fast")
HW = "hw:Loopback,0,0"
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
    # A test of the kernel suite that does it, and what it asks of the bench VM.
    test, vm = None, []

    def runs(self, settings):
        raise NotImplementedError

    def table(self, results, share):
        raise NotImplementedError
