#!/usr/bin/env python3
# vm: --init systemd --deterministic --usb-audio --copy Tests/kernel --copy .build/release/onstage
# timeout: 1000
"""The system sleeps (S3, through logind) while sound plays and while it is paused: it goes on at the right frame.

Judged by QEMU's recording of the USB card. Of the virtual cards aplay shows which survive a sleep by themselves.
"""
import os
import pathlib
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from listening import Recording  # noqa: E402
from sound_events import SoundEvents  # noqa: E402
from sound_player import SoundPlayer  # noqa: E402
import usb_card  # noqa: E402

DUMMY = "hw:CARD=Dummy,DEV=0"


class Sleep:
    """The system falls asleep, and wakes."""

    def __init__(self, player=None):
        self.before = self.slept_so_far()
        self.player = player
        self.cpu = player.cpu if player else 0
        self.lines = len(player.lines) if player else 0
        self.program = Program("bench-suspend", "12")

    @staticmethod
    def slept_so_far():
        return time.clock_gettime(time.CLOCK_BOOTTIME) - now()

    @property
    def seconds(self):
        return self.slept_so_far() - self.before

    @property
    def spent(self):
        """Seconds of CPU that the player took since it was begun."""
        return self.player.cpu - self.cpu

    def await_sound(self):
        """Until the player goes on. The system is not through with its waking then, and that may take it longer than a sound."""
        self.player.await_line(r"playback recovered: .* the system slept", 150, since=self.lines)

    def end(self):
        if self.program.wait(150) != 0:
            raise Ended(f"the system does not sleep:\n{self.program.tail()}")
        if self.seconds < 1:
            raise Ended(f"the system slept for {self.seconds:.3f} s")


def right_frame(text, recording, player, slack):
    """Nothing lost, and at most `slack` frames heard again where the sleep cut the sound off."""
    lost, repeated = recording.faults()
    expect(
        recording.pieces and lost == 0 and repeated <= slack,
        f"{text}: {lost} lost, {repeated} repeated (at most {slack}, which lay behind the card's pointer)",
        lambda: "\n".join([*(f"{g.before} -> {g.behind}, silence {g.end - g.begin}" for g in recording.gaps), player.tail()]))


def playing_on_usb():
    ramp("sound.wav", 60)
    recorder = usb_card.USBRecorder("recording")
    player = SoundPlayer(usb_card.DEVICE, "sound.wav")
    player.await_sound()
    let_pass(2)
    sleep = Sleep(player)
    sleep.await_sound()
    spent = sleep.spent
    let_pass(2)
    position = player.pause_now()
    sleep.end()
    equal("USB, asleep while playing: status", 0, player.end())
    recorder.stop()
    recording = Recording("recording")
    right_frame(f"USB, asleep for {sleep.seconds:.0f} s while playing: it goes on", recording, player, player.guard)
    equal("USB: and is heard to its last position", position, recording.pieces[-1][1] + recording.pieces[-1][2] - 1)
    expect(spent < 0.1, f"USB: {spent * 1000:.1f} ms of CPU over the sleep")


def paused_on_usb():
    ramp("sound.wav", 60)
    recorder = usb_card.USBRecorder("recording")
    player = SoundPlayer(usb_card.DEVICE, "sound.wav")
    player.await_sound()
    let_pass(1.5)
    position = player.pause_now()
    sleep = Sleep(player)
    sleep.end()
    spent = sleep.spent
    mark = len(player.lines)
    player.resume()
    player.await_sound(mark)
    let_pass(1.5)
    last = player.pause_now()
    equal("USB, asleep while paused: status", 0, player.end())
    recorder.stop()
    recording = Recording("recording")
    right_frame(f"USB, asleep while paused at {position}: it goes on", recording, player, 0)
    equal("USB: and is heard to its last position", last, recording.pieces[-1][1] + recording.pieces[-1][2] - 1)
    expect(spent < 0.01, f"USB: {spent * 1000:.1f} ms of CPU over the sleep in a pause")


def on_dummy():
    """Nobody hears this card: its position is held against the time for which it ran, by the kernel."""
    ramp("sound.wav", 60)
    events = SoundEvents()
    player = SoundPlayer(DUMMY, "sound.wav")
    player.await_sound()
    let_pass(2)
    sleep = Sleep(player)
    sleep.await_sound()
    spent = sleep.spent
    let_pass(2)
    position = player.pause_now()
    sleep.end()
    state = pathlib.Path("/proc/asound/Dummy/pcm0p/sub0/status").read_text(encoding="utf-8").strip()
    equal("snd-dummy: closed in the pause", "closed", state)
    equal("snd-dummy: status", 0, player.end())
    ran, since = 0.0, None
    seen = [event for event in events.stop() if event.stream == 0]
    for event in seen:
        if event.kind in ("start", "resume"):
            since = event.at
        elif event.kind in ("stop", "suspend") and since is not None:
            ran, since = ran + event.at - since, None
    expect(
        any(event.kind == "suspend" for event in seen), "snd-dummy: it was running when the system fell asleep", seen)
    off = position - round(ran * RATE)
    # A pause ends inside silence, and a ring is 100 ms.
    expect(
        -0.15 * RATE <= off <= 480,
        f"snd-dummy, asleep while playing: position {position}, {off:+} frames from what the card ran for",
        "\n".join([*map(repr, seen), player.tail()]))
    expect(spent < 0.1, f"snd-dummy: {spent * 1000:.1f} ms of CPU over the sleep")


def on_loopback():
    """Whether snd-aloop can judge this at all is shown with aplay; then ours has to do as well as it allows."""
    ramp("sound.wav", 60, silence=1.5)
    recorder = Recorder("aplay-recording")
    other = Program("aplay", "-q", "-D", "hw:Loopback,0,0", "sound.wav")
    await_true(lambda: "RUNNING" in pathlib.Path(LOOPBACK).read_text(encoding="utf-8"), 20)
    let_pass(2)
    Sleep().end()
    let_pass(2)
    other.kill()
    recorder.stop()
    lost, repeated = Recording("aplay-recording").faults()
    note(f"snd-aloop with aplay over a sleep: {lost} frames lost, {repeated} repeated; aplay says: {other.text!r}")
    recorder = Recorder("recording")
    player = SoundPlayer("hw:CARD=Loopback,DEV=0", "sound.wav")
    player.await_sound()
    let_pass(2)
    sleep = Sleep(player)
    sleep.await_sound()
    let_pass(2)
    player.pause_now()
    sleep.end()
    equal("snd-aloop, asleep while playing: status", 0, player.end())
    recorder.stop()
    if (lost, repeated) == (0, 0):
        # This card passes sound on at its timer's ticks and tells no pointer when it is stopped. By the clock it would have played
        # more than it did (133 to 451 frames were lost that way), so that only the last look is sure: up to a period ago.
        right_frame("snd-aloop, asleep while playing: it goes on", Recording("recording"), player, player.guard + player.period)
    else:
        print("skipped: snd-aloop, asleep while playing: the driver does not survive it by itself, see aplay above;"
              f" ours: {Recording('recording').faults()}", flush=True)


main(playing_on_usb, paused_on_usb, on_dummy, on_loopback)
