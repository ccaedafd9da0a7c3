"""A program as a person has it: on a terminal of its own. Used by 77-play and 78-fades."""
import os
import pty
import select
import signal
import termios

from stage import PATIENCE, Ended, let_pass, now


class Terminal:
    """A terminal of its own with a program on it, of which the test holds the far side."""

    def __init__(self, *words):
        self.pid, self.far = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", PS1="$ ", HISTFILE="")
            os.execv(words[0], words)
        self.shown = ""

    def see(self, text, seconds=20):
        """Awaits that it is shown; what was shown before it."""
        limit = now() + seconds * PATIENCE
        while text not in self.shown:
            ready, _, _ = select.select([self.far], [], [], max(0, limit - now()))
            if not ready:
                raise Ended(f"the terminal does not show {text!r}:\n{self.shown[-2000:]}")
            try:
                self.shown += os.read(self.far, 4096).decode("utf-8", "replace")
            except OSError:
                raise Ended(f"the terminal is gone, without {text!r}:\n{self.shown[-2000:]}") from None
        before, self.shown = self.shown.split(text, 1)
        return before

    def type(self, text):
        os.write(self.far, text.encode())

    @property
    def settings(self):
        return termios.tcgetattr(self.far)

    @property
    def is_raw(self):
        return not self.settings[3] & termios.ICANON

    def hang_up(self):
        """Its window is closed."""
        os.close(self.far)
        self.far = None

    def wait(self):
        """Its exit status; what it still shows is read, or it could not end."""
        limit = now() + 20 * PATIENCE
        while now() < limit:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                if self.far is not None:
                    self.hang_up()
                return os.waitstatus_to_exitcode(status)
            if self.far is None:
                let_pass(0.02)
            elif select.select([self.far], [], [], 0.05)[0]:
                try:
                    os.read(self.far, 4096)
                except OSError:
                    pass
        os.kill(self.pid, signal.SIGKILL)
        return None
