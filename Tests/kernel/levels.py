"""Sound in which every frame is numbered, and which tells its numbers at whatever volume it was played.

Each sample is one of 32 levels, so far apart that 93 to 100 % of one is no part of another. The left one counts the
frames from 0 to 31 and begins anew; the right one tells, a digit of five bits a frame, how often it has. So no eight
frames that follow each other come twice, and a sample's high byte alone says which level it is.

  levels.py make FILE.wav SECONDS [RATE]
"""
import array
import sys
import wave

RATE = 48000
SOFTEST = 0.93
UNIQUE = 8  # frames
NONE = 255  # no level: silence, or sound that is not ours
LONGEST = 1 << 25  # frames


def high(sample):
    return (sample >> 8) & 0xFF


def made_of_levels():
    """The levels, and which of them each high byte is."""
    levels, which = [], bytearray([NONE] * 256)
    magnitude = 512
    while len(levels) < 32:
        pair = (magnitude, -magnitude)
        ranges = [{high(sample) for sample in range(min(level, round(level * SOFTEST)), max(level, round(level * SOFTEST)) + 1)}
                  for level in pair]
        if all(which[byte] == NONE for bytes_of in ranges for byte in bytes_of):
            for level, bytes_of in zip(pair, ranges):
                for byte in bytes_of:
                    which[byte] = len(levels)
                levels.append(level)
        magnitude += 64
    assert magnitude <= 32767 and which[0] == which[255] == NONE
    return levels, bytes(which)


LEVELS, WHICH = made_of_levels()


def symbols(first, count):
    """Which levels the frames have, left and right in turn."""
    found = bytearray()
    for frame in range(first, first + count):
        found.append(frame % 32)
        found.append(frame >> (5 + 5 * (frame % 4)) & 31)
    return bytes(found)


def samples(of):
    made = array.array("h", (LEVELS[symbol] for symbol in of))
    if sys.byteorder == "big":
        made.byteswap()
    return made.tobytes()


def make(path, seconds, rate=RATE):
    """Writes it; answers its symbols."""
    frames = round(seconds * rate)
    if frames > LONGEST:
        sys.exit(f"levels.py: at most {LONGEST / rate:.0f} s at {rate} Hz")
    sound = symbols(0, frames)
    with wave.open(path, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(samples(sound))
    return sound


def same(one, at, two, place):
    """How many frames are the same from there on."""
    most = min(len(one) - at, len(two) - place) // 2
    count, leap = 0, 1 << 14
    while leap:
        while count + leap <= most and one[at + 2 * count:at + 2 * (count + leap)] == two[place + 2 * count:place + 2 * (count + leap)]:
            count += leap
        leap //= 2
    return count


def pieces(data, sound):
    """(place of the first frame, its number from 1 on, frames) of each stretch of it in a recording; and how many frames
    are sound but none of it."""
    heard = data[1::2].translate(WHICH)
    found, strange, at = [], 0, 0
    silence = bytes([NONE]) * 8192
    while at < len(heard) // 2:
        if heard[2 * at:2 * at + 8192] == silence:
            at += 4096
            continue
        if heard[2 * at:2 * at + 2] == silence[:2]:
            at += 1
            continue
        sought = heard[2 * at:2 * (at + UNIQUE)]
        place = sound.find(sought) if len(sought) == 2 * UNIQUE else -1
        while place % 2 == 1 and place >= 0:
            place = sound.find(sought, place + 1)
        if place < 0:
            strange, at = strange + 1, at + 1
            continue
        length = same(heard, 2 * at, sound, place)
        found.append((at, place // 2 + 1, length))
        at += length
    return found, strange


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[1] != "make":
        sys.exit(__doc__)
    make(sys.argv[2], float(sys.argv[3]), *map(int, sys.argv[4:]))
