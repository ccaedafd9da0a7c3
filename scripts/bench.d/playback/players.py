"""The players that are measured: how each is started, paused and resumed from outside. Runs in the guest."""
import json
import os
import pty
import signal
import socket
import subprocess
import threading
import time

TOOLS = os.environ.get("BENCH_TOOLS", ".")


class Player:
    """One run of a player. `start` returns when it has been told to play, `pause` and `resume` at once."""

    def __init__(self, name, device, path, options):
        self.name, self.device, self.path, self.options = name, device, path, options
        self.process = None
        self.log = None

    def command(self):
        raise NotImplementedError

    def launch(self, words, **streams):
        self.log = open("player.log", "wb")
        settings = {"stdin": subprocess.DEVNULL, "stdout": self.log, "stderr": self.log}
        settings.update(streams)
        self.process = subprocess.Popen(words, **settings)

    def start(self, mark):
        mark("start")
        self.launch(self.command())

    def pause(self):
        self.process.send_signal(signal.SIGUSR1)

    def resume(self):
        self.process.send_signal(signal.SIGUSR2)

    def end(self):
        self.process.terminate()

    def finish(self):
        """Ends it, politely first; its exit status."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.end()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        return self.process.returncode


class Onstage(Player):
    """Ours: `onstage play`."""

    def command(self):
        words = [os.environ["ONSTAGE"], "play", self.path, "--device", self.device, "--state", "state"]
        if "mode" in self.options:
            words += ["--pause-mode", self.options["mode"]]
        if "buffer" in self.options:
            words += ["--buffer", str(self.options["buffer"] // 48)]
        return words


class OnstageRun(Player):
    """Ours by `onstage run`, with a profile that has nothing but sound."""

    def command(self):
        playback = {"device": self.device, "pause": self.options.get("mode", "exact"), "journal": "1s"}
        if "buffer" in self.options:
            playback["bufferMilliseconds"] = self.options["buffer"] // 48
        with open("sound.json", "w", encoding="utf-8") as file:
            json.dump({"name": "sound", "playback": playback}, file)
        return [os.environ["ONSTAGE"], "run", "--profile", "sound.json", "--media", self.path, "--fresh", "--state",
                "state", "--report", "report.json"]


class Floor(Player):
    def command(self):
        return [f"{TOOLS}/floor", self.device, self.path] + [str(n) for n in self.sizes()]

    def sizes(self):
        return (self.options["period"], self.options["buffer"]) if "period" in self.options else ()


class Stopped(Player):
    """A player that knows no pause: held by SIGSTOP."""

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()


class Aplay(Stopped):
    def command(self):
        words = ["aplay", "-q", "-D", self.device]
        if "period" in self.options:
            words += [f"--period-size={self.options['period']}", f"--buffer-size={self.options['buffer']}"]
        return words + [self.path]


class Sox(Stopped):
    def command(self):
        return ["env", "AUDIODRIVER=alsa", f"AUDIODEV={self.device}", "play", "-q", "-V1", self.path]


class AplayKey(Player):
    """aplay with its space key, at a terminal."""

    def start(self, mark):
        self.terminal, other = pty.openpty()
        mark("start")
        self.launch(["aplay", "-i", "-q", "-D", self.device, self.path], stdin=other, stdout=other, stderr=other,
                    start_new_session=True)
        os.close(other)
        threading.Thread(target=self.swallow, daemon=True).start()

    def swallow(self):
        try:
            while os.read(self.terminal, 4096):
                pass
        except OSError:
            pass

    def pause(self):
        os.write(self.terminal, b" ")

    resume = pause


class Lines(Player):
    """Told by lines on its standard input."""

    pause_line = resume_line = quit_line = b""

    def start(self, mark):
        mark("start")
        self.launch(self.command(), stdin=subprocess.PIPE)

    def say(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def pause(self):
        self.say(self.pause_line)

    def resume(self):
        self.say(self.resume_line)

    def end(self):
        try:
            self.say(self.quit_line)
        except OSError:
            pass


class GStreamer(Lines):
    pause_line, resume_line, quit_line = b"pause\n", b"resume\n", b"quit\n"

    def command(self):
        return [f"{TOOLS}/gst", self.device, self.path]


class GStreamerNull(GStreamer):
    pause_line, resume_line = b"release\n", b"reacquire\n"


class GStreamerLaunch(Player):
    """For its start and its CPU: it cannot pause."""

    def command(self):
        return ["gst-launch-1.0", "-q", "filesrc", f"location={self.path}", "!", "wavparse", "!", "alsasink",
                f"device={self.device}"]


class VLC(Lines):
    pause_line, resume_line, quit_line = b"pause\n", b"pause\n", b"quit\n"

    def command(self):
        # It refuses to be root.
        return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "vlc", "-q", "-I", "rc", "--rc-fake-tty",
                "--no-video", "--aout", "alsa", "--alsa-audio-device", self.device, self.path]


class Socket(Player):
    """Told through a socket."""

    where = "player.sock"

    def connect(self):
        limit = time.monotonic() + 60
        while True:
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
            try:
                channel.connect(self.where)
                break
            except OSError:
                channel.close()
                if time.monotonic() > limit:
                    raise
                time.sleep(0.02)
        self.channel = channel
        threading.Thread(target=self.swallow, daemon=True).start()

    def swallow(self):
        try:
            while self.channel.recv(4096):
                pass
        except OSError:
            pass

    def say(self, text):
        self.channel.sendall(text.encode())


class Mpv(Socket):
    more = ()

    def command(self):
        return ["mpv", "--no-config", "--really-quiet", *self.more, "--no-video", "--ao=alsa",
                f"--audio-device=alsa/{self.device}", f"--input-ipc-server={self.where}", self.path]

    def start(self, mark):
        super().start(mark)
        self.connect()

    def set(self, *pairs):
        self.say("".join(json.dumps({"command": ["set_property", name, value]}) + "\n" for name, value in pairs))

    def pause(self):
        self.set(("pause", True))

    def resume(self):
        self.set(("pause", False))

    def end(self):
        try:
            self.say('{"command":["quit"]}\n')
        except OSError:
            self.process.terminate()


class MpvRelease(Mpv):
    """It has no release of its own: a pause, and the track taken off."""

    more = ("--idle=yes", "--keep-open=always")

    def pause(self):
        self.set(("pause", True), ("aid", "no"))

    def resume(self):
        self.set(("aid", "auto"), ("pause", False))


class MPD(Socket):
    """A daemon: it has started before it is told to play."""

    def start(self, mark):
        folder = os.getcwd()
        with open("mpd.conf", "w", encoding="utf-8") as file:
            # Without a music folder it takes any file of a client of this machine.
            file.write(f'bind_to_address "{folder}/{self.where}"\n'
                       f'audio_output {{\n type "alsa"\n name "a"\n device "{self.device}"\n mixer_type "none"\n}}\n')
        self.launch(["mpd", "--no-daemon", "mpd.conf"])
        self.connect()
        self.say(f'clear\nadd "{os.path.abspath(self.path)}"\n')
        time.sleep(0.5)
        mark("start")
        self.say("play 0\n")

    def pause(self):
        self.say("pause 1\n")

    def resume(self):
        self.say("pause 0\n")

    def end(self):
        self.process.terminate()


# name: (class, options, the program that has to be there)
PLAYERS = {
    "onstage": (Onstage, {}, None),
    "onstage-exact": (Onstage, {"mode": "exact"}, None),
    "onstage-fast": (Onstage, {"mode": "fast"}, None),
    "floor": (Floor, {}, None),
    "aplay": (Aplay, {}, "aplay"),
    "aplay-key": (AplayKey, {}, "aplay"),
    "mpv": (Mpv, {}, "mpv"),
    "mpv-release": (MpvRelease, {}, "mpv"),
    "gst": (GStreamer, {}, "gst-launch-1.0"),
    "gst-release": (GStreamerNull, {}, "gst-launch-1.0"),
    "gst-launch": (GStreamerLaunch, {}, "gst-launch-1.0"),
    "mpd": (MPD, {}, "mpd"),
    "sox": (Sox, {}, "play"),
    "vlc": (VLC, {}, "vlc"),
}


def make(name, device, path, options=None):
    kind, settings, _ = PLAYERS[name]
    if kind is Onstage and os.environ.get("ONSTAGE_BY") == "run":
        kind = OnstageRun
    return kind(name, device, path, {**settings, **(options or {})})
