"""`onstage play --json` as a program that is waited for by its events. Used by 77-play and 78-fades."""
import json
import signal

from stage import LOOPBACK, ONSTAGE, Program, held, note

DEVICE = "hw:CARD=Loopback,DEV=0"


class Play(Program):
    """Its events, with the time at which each came."""

    def __init__(self, *words, device=DEVICE, state="state", prefix=(), **options):
        super().__init__(
            *prefix, ONSTAGE, "play", "--device", device, "--state", state, "--json", "--tick", "0", *words,
            name="onstage play", **options)
        self.seen = 0

    def event(self, name, seconds=20, **wanted):
        """The next event of that name and those members, behind the one awaited before."""
        while True:
            index, _, _ = self.await_line(rf'^\{{"event": "{name}"', seconds, since=self.seen)
            self.seen = index + 1
            event = json.loads(self.lines[index][1])
            if all(event.get(key) == value for key, value in wanted.items()):
                return event

    def events(self, name):
        found = [json.loads(text) for _, text in self.lines if text.startswith("{")]
        return [event for event in found if event["event"] == name]

    def pause(self):
        self.process.send_signal(signal.SIGUSR1)
        return self.event("released")

    def go_on(self):
        """Returns when it has been heard: of two signals that stand there at once nobody can tell which came first."""
        self.process.send_signal(signal.SIGUSR2)
        self.event("state")


def is_free(pid):
    """Nothing of the process is open, and the kernel says the same."""
    with open(LOOPBACK, encoding="utf-8") as file:
        return not held(pid) and file.read().strip() == "closed"


def judged(step):
    """A step whose sound is judged; made again where the guest stood still meanwhile."""
    def repeated():
        for attempt in range(3):
            if step(attempt == 2):
                return
            note("the guest stood still: once more")
            for program in Program.everyone:
                program.kill()
    repeated.__name__ = step.__name__
    return repeated
