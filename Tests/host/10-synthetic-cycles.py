#!/usr/bin/env python3
# timeout: 300
"""200 resume/pause cycles with synthetic devices: nothing leaks, no frame is lost, pause to released at p99 in 200 ms."""
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "kernel"))
from stage import *  # noqa: E402,F403
import cycles  # noqa: E402


def synthetic():
    os.mkdir("state-bench")
    cycles.walk("bench", "bench", 200, 200, random.Random(10), recording="state-bench/bench.wav")


def newcomer():
    """`scripts/run` without anything: on a machine without devices it makes them up, says so, and ends by itself."""
    if os.path.exists("/dev/video0") or os.path.isdir("/proc/asound/card0") or iio_names():
        print("skipped: scripts/run without arguments: this machine has devices")
        return
    status, output, errors = run(
        str(CHECKOUT / "scripts/run"), seconds=180, env={"XDG_STATE_HOME": os.getcwd(), "STATE_DIRECTORY": None})
    expect(status == 0, f"scripts/run: status {status}", output + errors)
    expect("3 activations" in output, "its summary tells of three activations", output + errors)
    for words in ("frames over 3", "samples over 3", "heard frames over", "receipts", "synthetic, made up by Onstage: all"):
        expect(words in output, f"… and of \"{words}\"", output + errors)


main(synthetic, newcomer)
