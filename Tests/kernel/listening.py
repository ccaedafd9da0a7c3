"""What a recording holds: pieces of sound and the silences between them, to the frame.

For sound in which every frame is numbered (ramp.py), and for sound that went through a rate converter (smooth.py).
"""
import array
import struct
import sys

import smooth

RATE = 48000  # of every recording


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

    def __init__(self, path, rate, volumes=((1.0, 1.0),)):
        self.step = rate / RATE
        samples = array.array("h")
        with open(path, "rb") as file:
            data = file.read()
        if data[:4] == b"RIFF":
            data = body(data)
        samples.frombytes(data[:len(data) // 4 * 4])
        if sys.byteorder == "big":
            samples.byteswap()
        self.pieces = smooth.pieces(samples, self.step, volumes=volumes)
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
            following = first + at - begin
            if following < 1 << 31 and numbers[at:at + block] == array.array("I", range(following, following + block)):
                at += block
                continue
            while at < end and numbers[at] == first + at - begin:
                at += 1
            break
        found.append((begin, first, at - begin))
    return found
