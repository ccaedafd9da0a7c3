#!/usr/bin/env python3
# vm: --usb-audio
# timeout: 300
# soak-timeout: 900
"""The same on a USB sound card, whose pointer moves in transfers; recorded by QEMU at full volume."""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import pauses  # noqa: E402


def on_usb():
    pauses.walk("usb", 200 if SOAK else 40, random.Random(73))


main(on_usb)
