"""The bench's USB sound card (bench-vm --usb-audio): what it plays is recorded by QEMU, outside of the guest."""
import os
import pathlib

from stage import Ended, run

CARD, DEVICE = "Audio", "hw:CARD=Audio,DEV=0"
# A card that has just been put in plays at this volume until somebody has set it, of one side after the other.
SOFT = 240 / 255


def told(word):
    status, output, errors = run("bench-usb", word, seconds=60)
    if status:
        raise Ended(f"bench-usb {word}: {output}{errors}")


def is_there():
    return os.path.exists(f"/proc/asound/{CARD}")


class USBRecorder:
    """What the card plays from now on: it is pulled and put back before and after, so that the recording is whole."""

    def __init__(self, path="recording.wav"):
        self.path = path
        if is_there():
            told("pull")
        told("put")

    def stop(self):
        if is_there():
            told("pull")
        share = pathlib.Path(os.environ["BENCH_SHARE"])
        newest = max(share.glob("usb-*.wav"), key=lambda path: int(path.stem[4:]))
        pathlib.Path(self.path).write_bytes(newest.read_bytes())
        newest.unlink()
        told("put")
