#!/usr/bin/env python3
# vm: --deterministic
# timeout: 400
# soak-timeout: 600
"""200 pauses where one guest instruction is one nanosecond: exact and fast on hw:, and every single time in bounds."""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import pauses  # noqa: E402


def exact():
    pauses.walk("hw", 200, random.Random(74), is_steady=True)


def fast():
    pauses.walk("hw", 200, random.Random(75), mode="fast", is_steady=True)


def fast_where_it_is_not_fit():
    """Asked for all the same: exact, or a bound that holds."""
    pauses.walk("dmix", 40, random.Random(76), mode="fast", is_steady=True)


def through_plug():
    pauses.walk("plug", 40, random.Random(77), is_steady=True)


main(exact, fast, fast_where_it_is_not_fit, through_plug)
