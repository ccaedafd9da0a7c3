"""From what was recorded and what the kernel said to figures. Runs on the host."""
import array
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Tests/kernel"))
import smooth  # noqa: E402

RATE = 48000


class Gap:
    """Silence between two pieces of sound: where it stands in the recording, the numbers before and behind it."""

    def __init__(self, begin, end, before, behind):
        self.begin, self.end, self.before, self.behind = begin, end, before, behind


class Recording:
    """Numbered frames (see Tests/kernel/ramp.py) in pieces, each a stretch in which every number follows the one before."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if data[:4] == b"RIFF":
            data = body(data)
        numbers = array.array("I")
        numbers.frombytes(data[:len(data) // 4 * 4])
        if sys.byteorder == "big":
            numbers.byteswap()
        self.length = len(numbers)
        self.pieces = pieces(numbers)  # (place of the first frame, its number, frames)
        # Between each two pieces; a jump without silence is one of no length.
        self.gaps = [
            Gap(at + length, behind_at, first + length - 1, behind)
            for (at, first, length), (behind_at, behind, _) in zip(self.pieces, self.pieces[1:])]

    def off(self, gap):
        """Frames lost (+) or repeated (−) over a silence: by the highest number heard before it."""
        before = max((first + length - 1 for at, first, length in self.pieces if at < gap.begin), default=0)
        return gap.behind - before - 1

    def faults(self):
        """(lost, repeated) over all of it, silence removed."""
        lost = repeated = 0
        expected = 1
        for _, first, length in self.pieces:
            if first > expected:
                lost += first - expected
            else:
                repeated += expected - first
            expected = first + length
        return lost, repeated


class SmoothRecording:
    """The same for sound that went through a rate converter (see Tests/kernel/smooth.py)."""

    def __init__(self, path, rate):
        self.step = rate / RATE
        samples = array.array("h")
        with open(path, "rb") as file:
            data = file.read()
        samples.frombytes(data[:len(data) // 4 * 4])
        if sys.byteorder == "big":
            samples.byteswap()
        self.pieces = smooth.pieces(samples, self.step)
        self.gaps = [
            Gap(one.end + 1, two.begin, one.last, two.first) for one, two in zip(self.pieces, self.pieces[1:])]

    def off(self, gap):
        return round(gap.behind - gap.before - self.step)

    def faults(self):
        """What no pause accounts for: pieces that follow each other without a silence."""
        bad = [self.off(gap) for gap in self.gaps if gap.end - gap.begin < 48]
        return sum(off for off in bad if off > 2), sum(-off for off in bad if off < -2)


def body(data):
    """What a WAV file holds; the header of one that was cut off says a wrong length."""
    at = 12
    while at + 8 <= len(data) and data[at:at + 4] != b"data":
        length = struct.unpack_from("<I", data, at + 4)[0]
        at += 8 + length + (length & 1)
    return data[at + 8:]


def pieces(numbers):
    found = []
    at, end = 0, len(numbers)
    block = 4096
    silence = bytes(4 * block)
    while at < end:
        if numbers[at] == 0:
            if numbers[at:at + block].tobytes() == silence:
                at += block
            else:
                at += 1
            continue
        begin, first = at, numbers[at]
        while at < end:
            # As a rule a whole block follows: compared in one go.
            wanted = array.array("I", range(first + at - begin, first + at - begin + block))
            if numbers[at:at + block] == wanted:
                at += block
                continue
            while at < end and numbers[at] == first + at - begin:
                at += 1
            break
        found.append((begin, first, at - begin))
    return found


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
