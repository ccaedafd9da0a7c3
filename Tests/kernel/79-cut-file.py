#!/usr/bin/env python3
# vm: --deterministic
# timeout: 240
"""A file that changes under the sound: what is cut off is no signal and no gap, and another file is not heard."""
import os
import pathlib
import random
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from play_program import DEVICE  # noqa: E402
from sound_player import SoundPlayer  # noqa: E402


def maps(pid, path):
    """Whether the file is in the process's memory."""
    return os.path.realpath(path) in pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")


def cut():
    chance = random.Random(79)
    for number, buffer in enumerate((40, 100, 500)):
        name = f"cut-{buffer}.wav"
        frames = ramp(name, 30)
        left = 3 * RATE + chance.randrange(RATE)
        recorder = Recorder(f"recording-{number}")
        player = SoundPlayer(DEVICE, name, state=f"state-{number}", bufferMilliseconds=buffer)
        player.await_sound()
        let_pass(1.5)
        expect(maps(player.pid, name), f"{buffer} ms: it plays from the file's own pages")
        os.truncate(name, 44 + 4 * left)
        player.await_line(rf"playback .*ends at frame \d+, not at {frames}", 30)
        player.await_line(r"playback ended", 30)
        equal(f"{buffer} ms: cut at {left} of {frames} frames it ends with status 0", 0, player.end(signal.SIGTERM))
        recorder.stop()
        check_ramp(f"{buffer} ms: all that was left is heard, once", recorder.path, last=left)


def renamed():
    frames = ramp("sound.wav", 6)
    recorder = Recorder("recording-renamed")
    player = SoundPlayer(DEVICE, "sound.wav", state="state-renamed")
    player.await_sound()
    let_pass(1)
    pathlib.Path("other.wav").write_bytes(b"nothing of the kind")
    os.rename("other.wav", "sound.wav")
    player.await_line(r"playback ended", 30)
    player.end(signal.SIGTERM)
    recorder.stop()
    check_ramp("another file under its name is not heard", recorder.path, last=frames)


main(cut, renamed)
