"""The other players: how each is started, paused and resumed from outside. Runs in the guest."""
import json
import os
import pty
import signal
import socket
import subprocess
import threading
import time

from player import TOOLS, Player


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

    more = ""

    def start(self, mark):
        folder = os.getcwd()
        with open("mpd.conf", "w", encoding="utf-8") as file:
            # Without a music folder it takes any file of a client of this machine.
            file.write(self.more.format(folder) + f'bind_to_address "{folder}/{self.where}"\n'
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


class MPDKept(MPD):
    """With its state kept every second (its default is every 120): it goes on by itself when it starts again."""

    more = 'state_file "{}/mpd.state"\nstate_file_interval "1"\n'

    def start(self, mark):
        if not os.path.exists("mpd.state"):
            super().start(mark)
            return
        mark("start")
        if os.path.exists(self.where):
            os.remove(self.where)
        self.launch(["mpd", "--no-daemon", "mpd.conf"])
        self.connect()
