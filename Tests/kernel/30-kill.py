#!/usr/bin/env python3
# timeout: 300
# soak-timeout: 2400
"""kill -9 in the middle: a new start acquires everything and plays on within 1 s of where the sound was."""
import os
import pathlib
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403

KILLS = 50 if SOAK else 5


def heard(path, first, last):
    """The numbers in a recording from sample `first` to `last`, silence removed."""
    import array
    with open(path, "rb") as file:
        file.seek(first * 4)
        data = file.read((last - first) * 4)
    numbers = array.array("I")
    numbers.frombytes(data[:len(data) // 4 * 4])
    return [number for number in numbers if number]


def device_flags(pid):
    """The flags of each open device node, by its path (fdinfo has close-on-exec among them)."""
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        node = os.readlink(f"/proc/{pid}/fd/{number}")
        if node.startswith(DEVICES):
            lines = pathlib.Path(f"/proc/{pid}/fdinfo/{number}").read_text(encoding="utf-8").splitlines()
            found[node] = int(next(line for line in lines if line.startswith("flags:")).split()[1], 8)
    return found


def leave_set_otherwise():
    """Leaves the buffers as another program that died might have: enabled, and without the x axis."""
    for path in pathlib.Path("/sys/bus/iio/devices").glob("iio:device*"):
        axes = list(path.glob("scan_elements/in_*_x_en"))
        if not axes:
            continue
        (path / "buffer/enable").write_text("0", encoding="utf-8")
        axes[0].write_text("0", encoding="utf-8")
        (path / "buffer/enable").write_text("1", encoding="utf-8")


def kills():
    chance = random.Random(30)
    IMU("--motion", "still")
    ramp("ramp.wav", 40 + 5 * KILLS)
    recorder = Recorder()
    end = 0  # samples of the recording that have been looked at
    before = None  # the last frame heard
    for number in range(KILLS + 1):
        process = Run("--media", "ramp.wav", "--report", "report.json", stdin=True)
        try:
            for resource in ("camera", "accelerometer", "gyroscope", "playback"):
                process.await_line(rf"main {resource} first", 20)
        except Ended as gone:
            fail(f"start {number + 1} acquires everything", str(gone))
            return
        if number == 0:
            flags = device_flags(process.pid)
            expect(len(flags) >= 4, f"looked at {', '.join(sorted(flags))}")
            for node, seen in flags.items():
                expect(seen & os.O_CLOEXEC, f"L-12: {node} would not go to a program that it starts", oct(seen))
        # At a random moment from here on: while it plays, pauses or comes back.
        wait = chance.uniform(0.3, 2.5)
        if number % 3 == 2:
            process.send("inactive")
            if number % 2:
                process.send("active")
            wait = chance.uniform(0, 0.2)
        let_pass(wait)
        if number == KILLS:
            status = process.end()
            equal("the last run ends with status 0", 0, status)
        else:
            process.kill()
            expect(not held(process.pid), f"kill {number + 1}: nothing held")
            if number % 2:
                leave_set_otherwise()
        # What was on its way is in the recording a buffer later.
        size = os.path.getsize("recording.raw")
        await_true(lambda: os.path.getsize("recording.raw") >= size + 4 * 4096 * 4, 5)
        size = os.path.getsize("recording.raw") // 4
        numbers = heard("recording.raw", end, size)
        end = size
        if not numbers:
            fail(f"start {number + 1}: nothing was heard", process.tail())
            return
        if before is not None:
            off = numbers[0] - (before + 1)
            expect(
                -RATE <= off <= RATE, f"start {number + 1} plays on {off / RATE:+.3f} s from where the sound was",
                f"heard until {before}, again from {numbers[0]}\n{process.tail()}")
        jumps = sum(1 for a, b in zip(numbers, numbers[1:]) if b != a + 1)
        # The killed sound's last period may come again and again in the card's ring: that is after the kill.
        if jumps and number == KILLS:
            fail(f"start {number + 1}: {jumps} jumps in the sound")
        before = max(numbers)
    recorder.stop()
    with open(LOOPBACK, encoding="utf-8") as file:
        equal("the sound card is closed at the end", "closed", file.read().strip())
    equal("no buffer is enabled at the end", [], enabled_buffers())


main(kills)
