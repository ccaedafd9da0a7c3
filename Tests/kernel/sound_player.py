"""A player of its own for the tests that put it to trouble: `onstage run` with a profile that has nothing but sound."""
import json
import pathlib
import signal

from stage import Ended, Report, Run


class SoundPlayer(Run):
    """Paused and told to go on by signals, from outside. Without a path it plays the built-in sound, which has no end."""

    def __init__(self, device, path, state="state", fresh=True, env=None, stdin=False, **playback):
        settings = {"device": device, "journal": "1s", **playback}
        pathlib.Path("sound.json").write_text(json.dumps({"name": "sound", "playback": settings}), encoding="utf-8")
        words = [*(["--media", path] if path else []), "--report", "report.json", *(["--fresh"] if fresh else [])]
        super().__init__(*words, profile="sound.json", state=state, env=env, stdin=stdin)

    def await_sound(self, since=0):
        return self.await_line(r"playback first", 60, since=since)

    def pause(self):
        self.process.send_signal(signal.SIGUSR1)

    def resume(self):
        self.process.send_signal(signal.SIGUSR2)

    def await_pause(self, since=0):
        """The position at which it paused, in frames."""
        return int(self.await_line(r"playback released .*position (\d+)", 20, since=since)[2][1])

    def pause_now(self):
        mark = len(self.lines)
        self.pause()
        return self.await_pause(mark)

    @property
    def cpu(self):
        """Seconds of CPU so far, of all its threads."""
        spent = 0
        for path in pathlib.Path(f"/proc/{self.pid}/task").glob("*/schedstat"):
            try:
                spent += int(path.read_text(encoding="utf-8").split()[0])
            except OSError:
                pass
        return spent / 1e9

    def report(self):
        """Of a player that has ended."""
        if self.process.poll() is None:
            raise Ended("it has not ended")
        return Report("report.json")

    @property
    def guard(self):
        """How many frames it takes to lie behind the device's pointer, by what it said at the last opening."""
        return self.setting("guardFrames")

    @property
    def period(self):
        """Its period in frames, by the same."""
        return self.setting("periodFrames")

    def setting(self, name):
        found = [text for _, text in self.lines if f"{name}=" in text]
        return int(found[-1].split(f"{name}=")[1].split()[0]) if found else 0
