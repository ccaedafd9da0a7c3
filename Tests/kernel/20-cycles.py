#!/usr/bin/env python3
# timeout: 420
# soak-timeout: 3000
"""200 resume/pause cycles in one process, some 1 ms apart: nothing leaks (L-13), the last wish stands, no frame is lost.

On hw: and through dmix. (The strict limit of pause to released is held in the deterministic guest: 25-cycles-steady.)
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import cycles  # noqa: E402

COUNT = 1000 if SOAK else 200


def on_hw():
    IMU("--motion", "shake")
    cycles.walk("hw", "bench-kernel", COUNT, 400, random.Random(20))


def through_dmix():
    IMU("--motion", "shake")
    profile, env = cycles.dmix_profile()
    cycles.walk("dmix", profile, COUNT, 400, random.Random(21), env=env, attempts=2)


main(on_hw, through_dmix)
