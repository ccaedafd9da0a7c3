#!/usr/bin/env python3
# vm: --deterministic
# timeout: 600
"""200 cycles where one guest instruction is one nanosecond: pause to released at p99 within 200 ms."""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import cycles  # noqa: E402


def on_hw():
    IMU("--motion", "still")
    # A ring of a second: what is in it is taken back at a pause, or the release would take as long.
    cycles.walk("hw", cycles.changed_profile("bench-ring", bufferMilliseconds=1000), 200, 200, random.Random(25))


def through_dmix():
    IMU("--motion", "still")
    profile, env = cycles.dmix_profile()
    cycles.walk("dmix", profile, 200, 200, random.Random(26), env=env)


main(on_hw, through_dmix)
