#!/usr/bin/env python3
# timeout: 400
# soak-timeout: 2400
"""Pauses of 1 ms to 1 s at random times, in the two-CPU guest: nothing lost, nothing repeated, the device free.

On hw:, through dmix, and through plug's rate converter (44.1 kHz at 48).
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import pauses  # noqa: E402


def on_hw():
    pauses.walk("hw", 1000 if SOAK else 60, random.Random(70))


def through_dmix():
    pauses.walk("dmix", 200 if SOAK else 40, random.Random(71))


def through_plug():
    pauses.walk("plug", 200 if SOAK else 40, random.Random(72))


main(on_hw, through_dmix, through_plug)
