#!/usr/bin/env python3
# vm: --deterministic --usb-audio
# timeout: 120
"""Which guard a player goes by, and from where it is: on snd-aloop, snd-dummy and a USB card, whose pointers are never ahead of
what can have been heard by more than is usual for their drivers."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from play_program import Play  # noqa: E402
from sound_player import SoundPlayer  # noqa: E402
import usb_card  # noqa: E402

CARDS = (  # device, driver, the usual guard in frames
    ("hw:CARD=Loopback,DEV=0", "snd_aloop", 240), ("hw:CARD=Dummy,DEV=0", "snd_dummy", 240),
    (usb_card.DEVICE, "snd-usb-audio", 1440))


def from_where():
    if not usb_card.is_there():
        usb_card.told("put")
    await_true(usb_card.is_there, 20)
    ramp("ramp.wav", 60)
    for device, driver, usual in CARDS:
        play = Play("--loop", "ramp.wav", device=device)
        first = play.event("acquired")["format"]
        play.event("state", state="playing")
        for _ in range(3):
            let_pass(0.2)
            play.pause()
            play.go_on()
        last = play.events("acquired")[-1]["format"]
        play.end()
        equal(
            f"{driver}: the usual guard", (driver, usual, "default"),
            tuple(first.get(key) for key in ("driver", "guardFrames", "guardFrom")))
        lead = last.get("pointerLeadFrames")
        expect(
            lead is not None and lead + RATE // 1000 <= usual and last["guardFrom"] == "default",
            f"{driver}: its pointer was looked at, {lead} frames ahead of the time at most", last)


def a_profiles_word():
    ramp("ramp.wav", 5)
    player = SoundPlayer(CARDS[0][0], "ramp.wav", guardMilliseconds=12.5)
    player.await_sound()
    player.end()
    found = player.report().resource("playback")["format"]
    equal("a profile's guard, in the report", (600, "profile"), (found.get("guardFrames"), found.get("guardFrom")))


main(from_where, a_profiles_word)
