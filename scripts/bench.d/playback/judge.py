"""From what was recorded and what the kernel said to figures. Runs on the host."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Tests/kernel"))
from listening import RATE, Recording, SmoothRecording  # noqa: E402,F401  # pylint: disable=unused-import


class Pause:
    """One pause of a player. Times in ms after the wish; None for what never came."""

    def __init__(self):
        self.stop = self.free = self.start = self.off = None
        self.state = "?"


class Pauses:
    """A run of guest.py's `pauses`, judged."""

    def __init__(self, run, recording):
        self.player, self.failed = run["player"], run.get("failed")
        self.pauses, self.dropouts, self.start, self.faults = [], 0, None, None
        if self.failed:
            return
        found = run["found"]
        self.report = found.get("report")
        events = [event for event in found["events"] if event["stream"] in (0, None)]
        marks = [(event["text"], event["at"]) for event in events if event["kind"] == "mark"]
        self.start = start_of(found, events, marks)
        origin = next(
            (e["at"] for e in found["events"] if e["kind"] == "start" and e["pid"] == found.get("recorder")), None)
        if origin is None and found.get("recorder"):
            self.failed = "the recorder did not start"
            return
        self.faults = recording.faults()
        wishes = [at for text, at in marks if text == "pause"], [at for text, at in marks if text == "resume"]
        taken = []
        for asked, resumed, state in zip(*wishes, found["states"]):
            pause = Pause()
            pause.state = state
            self.by_kernel(pause, asked, resumed, events)
            gap = self.by_ear(pause, asked, resumed, origin, recording, events)
            if gap:
                taken.append(gap)
            self.pauses.append(pause)
        quit_at = next((at for text, at in marks if text == "quit"), None)
        for gap in recording.gaps:
            # What follows the end is none of the player's business any more.
            if gap not in taken and (origin is None or origin + gap.begin / RATE < quit_at):
                self.dropouts += 1

    @staticmethod
    def by_kernel(pause, asked, resumed, events):
        within = [e for e in events if asked <= e["at"] < resumed]
        stops = [e["at"] for e in within if e["kind"] in ("stop", "pause")]
        if stops:
            pause.stop = (stops[0] - asked) * 1000
        for number, event in enumerate(within):
            if event["kind"] == "detached":
                back = [e["at"] for e in within[number:] if e["kind"] == "released" and e["pid"] == event["pid"]]
                if back:
                    pause.free = (back[0] - asked) * 1000
        starts = [e["at"] for e in events if e["at"] >= resumed and e["kind"] in ("start", "unpause", "resume")]
        if starts:
            pause.start = (starts[0] - resumed) * 1000

    @staticmethod
    def by_ear(pause, asked, resumed, origin, recording, events):
        if origin is None:
            # QEMU records while the card runs: so much of it until this pause.
            wanted = running(events, resumed) * RATE
            gap = min(recording.gaps, key=lambda gap: abs(gap.end - wanted), default=None)
            if gap is None or abs(gap.end - wanted) > RATE * 0.2:
                return None
            if pause.stop is not None:
                pause.stop = max(0.0, pause.stop - (gap.end - gap.begin) / RATE * 1000)
        else:
            begin, end = (asked - origin) * RATE, (resumed - origin) * RATE
            shared = [(min(gap.end, end + 480) - max(gap.begin, begin - 480), gap) for gap in recording.gaps]
            length, gap = max(shared, key=lambda pair: pair[0], default=(0, None))
            if length < 480:
                pause.stop = None
                return None
            # Nothing is heard of what the card has stopped before; and the card's tick may put it before the wish.
            ear = max(0.0, (origin + gap.begin / RATE - asked) * 1000)
            pause.stop = ear if pause.stop is None else min(ear, pause.stop)
        pause.off = recording.off(gap)
        return gap


def running(events, until):
    """For how many seconds the card has run until then."""
    total, since = 0.0, None
    for event in events:
        if event["at"] >= until:
            break
        if event["kind"] in ("start", "unpause") and since is None:
            since = event["at"]
        elif event["kind"] in ("stop", "pause") and since is not None:
            total, since = total + event["at"] - since, None
    return total + (until - since if since is not None else 0)


def start_of(found, events, marks):
    """From the program's first instruction, or the wish to one that runs already, to the card's start, in ms."""
    wished = next((at for text, at in marks if text == "start"), None)
    if wished is None:
        return None
    begun = next((e["at"] for e in events if e["kind"] == "exec" and e["pid"] == found["pid"] and e["at"] >= wished), wished)
    started = next((e["at"] for e in events if e["kind"] == "start" and e["at"] >= begun), None)
    return None if started is None else (started - begun) * 1000


def lives(run, recording):
    """(first, last) number heard in each life of a run of guest.py's `kills`; None for one without sound."""
    events = run["found"]["events"]
    origin = next(e["at"] for e in events if e["kind"] == "start" and e["pid"] == run["found"]["recorder"])
    starts = [(e["at"] - origin) * RATE for e in events if e["kind"] == "mark" and e["text"] == "start"]
    found = []
    for begin, end in zip(starts, [*starts[1:], float("inf")]):
        heard = [(first, first + length - 1) for at, first, length in recording.pieces if begin <= at < end]
        found.append((heard[0][0], max(last for _, last in heard)) if heard else None)
    return found
