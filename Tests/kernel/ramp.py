#!/usr/bin/env python3
"""Makes sound in which every frame is numbered, and checks a recording of it.

Frame i (from 0) of the sound carries the 32-bit number i + 1: the left sample is its low 16 bits,
the right sample its high 16 bits. The number 0 never occurs, so that a frame of zeros is silence.
What was played to one side of snd-aloop and recorded from the other can then be judged frame by
frame, by a program that shares nothing with the player.

  ramp.py make FILE.wav SECONDS [RATE] [--silence SECONDS]
  ramp.py check RECORDING.raw [--first N] [--last N] [--loop-length N]

`check` takes raw signed 16-bit little-endian stereo (arecord -t raw -f S16_LE -c 2) or a .wav file.
It removes silence and expects the numbers FIRST … LAST once each and in order (the default for FIRST
is 1, for LAST the last number heard). With --loop-length N the sound of N frames is expected again
and again: after number N comes number 1; LAST may then exceed N and counts on through the rounds.
Exit status: 0 all there, once, in order; 1 not; 2 wrong use or nothing heard.

Start the recorder before the player, with a large buffer, and stop it late.

A player that ends with a drain needs --silence, longer than the recorder's buffer and two periods:
at the end of a drain snd-aloop (Linux 6.1) zeroes the wrong end of the last piece that it copies, and
leaves in the recorder's buffer what was there a round before. A player that ends inside silence by
dropping the rest is heard exactly as it is.
"""
import argparse
import array
import struct
import sys
import wave

RATE = 48000
MOST_GAPS = 20


def make(path, seconds, rate, silence):
    frames = round(seconds * rate)
    with wave.open(path, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(rate)
        # A 32-bit little-endian number is its low half first: left, then right.
        for start in range(0, frames, 1 << 16):
            block = array.array("I", range(start + 1, min(start + (1 << 16), frames) + 1))
            if sys.byteorder == "big":
                block.byteswap()
            out.writeframesraw(block.tobytes())
        out.writeframesraw(bytes(round(silence * rate) * 4))


def heard(path):
    """The numbers heard: silence removed."""
    if path.endswith(".wav"):
        with open(path, "rb") as file:
            data = file.read()
        # By hand: the header of a recording that was cut off says a wrong length.
        if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
            sys.exit(f"ramp.py: {path} is no WAV file")
        at = 12
        while at + 8 <= len(data):
            name, length = data[at:at + 4], struct.unpack_from("<I", data, at + 4)[0]
            if name == b"data":
                break
            at += 8 + length + (length & 1)
        data = data[at + 8:]
    else:
        with open(path, "rb") as file:
            data = file.read()
    numbers = array.array("I")
    numbers.frombytes(data[:len(data) // 4 * 4])
    if sys.byteorder == "big":
        numbers.byteswap()
    return [number for number in numbers if number]


def check(path, first, last, loop_length):
    numbers = heard(path)
    if not numbers:
        print("frames=0 lost=0 repeated=0 gaps=[]")
        print("ramp.py: nothing but silence", file=sys.stderr)
        return 2
    lost = repeated = foreign = 0
    gaps = []

    def gap(index, expected, found):
        if len(gaps) < MOST_GAPS:
            gaps.append(f"{expected}->{found}@{index}")

    # Positions count on through the rounds of a loop: the position of a number is the one that is
    # nearest to the expected position.
    expected = first
    for index, number in enumerate(numbers):
        if loop_length:
            if number > loop_length:
                foreign += 1
                gap(index, expected, number)
                continue
            position = number + round((expected - number) / loop_length) * loop_length
        else:
            position = number
        if position > expected:
            lost += position - expected
            gap(index, expected, position)
        elif position < expected:
            # Everything from here on to where it was is heard again.
            repeated += expected - position
            gap(index, expected, position)
        expected = position + 1
    end = expected - 1
    if last is not None and end != last:
        if end < last:
            lost += last - end
        else:
            repeated += end - last
        gap(len(numbers), last, f"end:{end}")
    shown = ", ".join(gaps) + (", …" if len(gaps) >= MOST_GAPS else "")
    print(f"frames={len(numbers)} lost={lost} repeated={repeated} gaps=[{shown}]"
          f" first={numbers[0]} end={end}" + (f" foreign={foreign}" if foreign else ""))
    return 0 if not gaps else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("file")
    maker.add_argument("seconds", type=float)
    maker.add_argument("rate", type=int, nargs="?", default=RATE)
    maker.add_argument("--silence", type=float, default=0, help="seconds of silence at the end")
    checker = commands.add_parser("check")
    checker.add_argument("recording")
    checker.add_argument("--first", type=int, default=1)
    checker.add_argument("--last", type=int)
    checker.add_argument("--loop-length", type=int)
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.file, arguments.seconds, arguments.rate, arguments.silence)
        return 0
    return check(arguments.recording, arguments.first, arguments.last, arguments.loop_length)


if __name__ == "__main__":
    sys.exit(main())
