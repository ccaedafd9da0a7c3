"""Sound whose place can be told from its value even after a rate conversion.

A converter makes new samples between the old ones, so that no frame carries a number through it. Here the left sample
goes up and down by 12 a frame, between turns 2,048 frames apart, and the right one rises by 1 in 128 frames and is never
0: from the right one follows between which turns a sample lies, and from the left one where, to a twelfth of a frame.
Near a turn (some frames in 2,048) the place is right to a frame.

  smooth.py make FILE.wav SECONDS RATE
"""
import array
import sys
import wave

SLOPE, TURN, STEP, BASE = 12, 2048, 128, 2048
LONGEST = (32767 - BASE) * STEP  # frames


def make(path, seconds, rate):
    frames = round(seconds * rate)
    if frames > LONGEST:
        sys.exit(f"smooth.py: at most {LONGEST / rate:.0f} s at {rate} Hz")
    with wave.open(path, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(rate)
        block = array.array("h")
        for frame in range(frames):
            turn, within = divmod(frame, TURN)
            up = SLOPE * within - SLOPE * TURN // 2
            block.append(up if turn % 2 == 0 else -up)
            block.append(BASE + frame // STEP)
        if sys.byteorder == "big":
            block.byteswap()
        out.writeframesraw(block.tobytes())
    return frames


def place(left, right, wanted=None):
    """The frame (a fraction) of a sample, or None for what is no sound of ours; `wanted`: about where it should be."""
    if right < BASE:
        return None
    near = (right - BASE) * STEP + STEP / 2
    best = None
    for turn in (int(near // TURN) - 1, int(near // TURN), int(near // TURN) + 1):
        if turn < 0:
            continue
        within = ((left if turn % 2 == 0 else -left) + SLOPE * TURN / 2) / SLOPE
        if -1 <= within <= TURN + 1:
            frame = turn * TURN + within
            aim = near if wanted is None else wanted
            if best is None or abs(frame - aim) < abs(best - aim):
                best = frame
    return best if best is not None and abs(best - near) <= 2 * STEP else None


def is_near_turn(frame):
    return min(frame % TURN, TURN - frame % TURN) < 2


class Piece:
    """Sound without a gap: places in the recording, and the frames of the media that stand at its two ends."""

    def __init__(self, begin, first):
        self.begin, self.first = begin, first
        self.end, self.last = begin, first  # of the last frame in it
        self.worst = 0.0  # how far any of its frames was from the line through it


def pieces(samples, step, stride=32):
    """The pieces of a recording of interleaved stereo samples; `step`: frames of the media in one of the recording.

    Looks at every `stride`th frame inside a piece, and at every one near its ends.
    """
    count = len(samples) // 2
    found, at = [], 0

    def here(index, wanted=None):
        return place(samples[2 * index], samples[2 * index + 1], wanted)

    silence = bytes(4 * 1024)
    while at < count:
        if samples[2 * at] == 0 and samples[2 * at + 1] == 0:
            at += 1024 if samples[2 * at:2 * at + 2048].tobytes() == silence else 1
            continue
        frame = here(at)
        # A converter blends the first and the last frame with the silence: they are left out.
        ahead = here(at + 1) if at + 1 < count else None
        if frame is None or ahead is None or abs(ahead - frame - step) > 0.3:
            at += 1
            continue
        piece, drift = Piece(at, frame), 0.0
        while True:
            leap = stride
            while leap:
                wanted = piece.first + (at + leap - piece.begin) * step + drift
                following = here(at + leap, wanted=wanted) if at + leap < count else None
                if following is not None and abs(following - wanted) <= (1.2 if is_near_turn(following) else 0.6):
                    break
                leap //= 2
            if not leap:
                break
            at += leap
            piece.end, piece.last = at, following
            piece.worst = max(piece.worst, abs(following - wanted))
            # A converter counts in whole parts of a frame, too: followed slowly.
            drift += (following - wanted) / 50
        found.append(piece)
        at += 1
    return found


def offs(found, step):
    """Of each two pieces that follow each other, how many frames are missing (+) or heard again (−) between them.

    Each end of a piece may be off by two frames, which the converter has blended with silence.
    """
    return [after.first - before.last - step for before, after in zip(found, found[1:])]


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] != "make":
        sys.exit(__doc__)
    make(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
