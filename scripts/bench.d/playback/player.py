"""What every player that is measured has in common. Runs in the guest."""
import os
import signal
import subprocess

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
