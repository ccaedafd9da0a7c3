#!/usr/bin/env python3
# vm: --init systemd --copy .build/release/onstage --copy Tests/kernel
# timeout: 240
"""V-08: the machine sleeps while a camera streams: frames again when it wakes, a pause as fast as ever, nothing left."""
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403

FRAMES, RATE = 200, 25


def slept():
    """Seconds that the machine has slept so far."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def sleep():
    subprocess.run(["modprobe", "-r", "vivid"], check=True)
    subprocess.run(["modprobe", "vivid", "n_devs=2", "node_types=0x1,0x1", "num_inputs=1,1", "input_types=0x0,0x0"], check=True)
    await_true(lambda: os.path.exists("/dev/video1"), 10)
    pathlib.Path("camera.json").write_text(
        '{"name": "camera", "camera": {"device": "/dev/video1", "width": 320, "height": 180}}', encoding="utf-8")
    process = Run("--report", "sleep.json", profile="camera.json", stdin=True)
    first = process.await_line(r"main camera first", 30)
    frames = Program(ONSTAGE, "bench", "camera", "/dev/video0", "--size", "320x180", "--fps", str(RATE), "--frames", str(FRAMES),
                     "--json", name="onstage bench camera")
    await_true(lambda: frames.pid in holders("/dev/video0"), 20)
    let_pass(1.0)
    expect(frames.process.poll() is None, "frames come before the machine sleeps", frames.tail())
    before, begun = slept(), now()
    subprocess.run(["bench-suspend", "15"], check=True)
    asleep = slept() - before
    expect(asleep > 3, f"the machine slept for {asleep:.1f} s of the clock that goes on")
    status = frames.wait(60)
    result = json.loads(frames.text[frames.text.index("{"):]) if status == 0 else {}
    equal("a stream over the sleep ends well", 0, status)
    equal("with all its frames", FRAMES, result.get("frames"))
    # Awake all the time that its clock counts: longer only by what going to sleep and waking cost.
    worst = result.get("intervalMilliseconds", {}).get("max", 1e9) / 1000
    expect(worst < 5, f"{worst:.2f} s without a frame at most, {result.get('faults')} mended faults", frames.tail())
    woke = now()
    process.send("inactive")
    released = process.await_line(r"camera released", 10, since=first[0] + 1)
    expect(released[1] - woke < 0.2, f"a pause after it: released {(released[1] - woke) * 1000:.0f} ms after it was asked for",
           process.tail())
    expect(not holders("/dev/video"), "nobody has a camera", holders("/dev/video"))
    process.send("active")
    process.await_line(r"main camera first", 20, since=released[0] + 1)
    equal("status", 0, process.end())
    note(f"{now() - begun:.1f} s on the clock that stands still in a sleep")
    acquires = Report("sleep.json").resource("camera")
    note(f"acquired and released: {len(acquires['receipts'])} receipts")
    expect(not holders("/dev/video"), "nothing is left", holders("/dev/video"))


main(sleep)
