"""What a recording holds: pieces of sound and the silences between them, to the frame.

For sound in which every frame is numbered (ramp.py), the same at a volume that nobody knows (levels.py), and sound that
went through a rate converter (smooth.py).
"""
import array
import struct
import sys

import levels
import smooth

RATE = 48000  # of every recording


class Gap:
    """Silence between two pieces of sound: where it stands in the recording, the numbers before and behind it."""

    def __init__(self, begin, end, before, behind):
        self.begin, self.end, self.before, self.behind = begin, end, before, behind


class Recording:
    """Numbered frames (see Tests/kernel/ramp.py) in pieces, each a stretch in which every number follows the one before."""

    def __init__(self, path):
        data = read(path)
        self.length = len(data) // 4
        self.pieces = self.found(data)  # (place of the first frame, its number from 1 on, frames)
        # Between each two pieces; a jump without silence is one of no length.
        self.gaps = [
            Gap(at + length, behind_at, first + length - 1, behind)
            for (at, first, length), (behind_at, behind, _) in zip(self.pieces, self.pieces[1:])]

    def found(self, data):
        numbers = array.array("I")
        numbers.frombytes(data)
        if sys.byteorder == "big":
            numbers.byteswap()
        return pieces(numbers)

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


class LevelRecording(Recording):
    """The same for sound whose frames are numbered by levels (see Tests/kernel/levels.py)."""

    def __init__(self, path, sound):
        self.sound, self.strange = sound, 0
        super().__init__(path)

    def found(self, data):
        found, self.strange = levels.pieces(data, self.sound)
        return found


class SmoothRecording:
    """The same for sound that went through a rate converter (see Tests/kernel/smooth.py)."""

    def __init__(self, path, rate):
        self.step = rate / RATE
        samples = array.array("h")
        samples.frombytes(read(path))
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


def read(path):
    """The whole frames of a recording, with a header or without."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == b"RIFF":
        data = body(data)
    return data[:len(data) // 4 * 4]


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
