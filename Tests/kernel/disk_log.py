"""What a power cut would have left on the bench's disk (bench-vm --disk), at any moment: from the log of its writes.

A disk with a cache of its own keeps for certain only what it was told to flush; of what came after the last flush before
the cut, any part may be on it, in whole sectors of 4 KiB. The log is in the format of dm-log-writes, as QEMU's blklogwrites writes it.
"""
import os
import pathlib
import shutil
import struct
import subprocess

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD = 1, 2, 4
SECTOR = 4096


class Write:
    def __init__(self, offset, data, flags):
        self.offset, self.data, self.flags = offset, data, flags


def read(path):
    """The writes and flushes in their order; those after the last flush are not counted in the log yet."""
    data = pathlib.Path(path).read_bytes()
    magic, _, count, sector = struct.unpack_from("<QQQI", data)
    if magic != MAGIC:
        raise ValueError(f"{path} is no log of writes")
    found, at = [], sector
    for _ in range(count):
        place, sectors, flags, _ = struct.unpack_from("<QQQQ", data, at)
        at += sector
        if flags & DISCARD:
            found.append(Write(place * sector, b"", flags))
            continue
        found.append(Write(place * sector, data[at:at + sectors * sector], flags))
        at += sectors * sector
    return found


class Replay:
    """The disk as it was at the start, with more and more of the log; never backwards."""

    def __init__(self, base, log, image):
        self.writes, self.image, self.done = read(log), image, 0
        shutil.copyfile(base, image)
        self.flushes = [number for number, write in enumerate(self.writes) if write.flags & FLUSH]

    def apply(self, path, writes):
        with open(path, "r+b", buffering=0) as file:
            for write in writes:
                if write.data:
                    os.pwrite(file.fileno(), write.data, write.offset)

    def advance(self, flush):
        """All up to a flush is on the disk."""
        self.apply(self.image, self.writes[self.done:flush + 1])
        self.done = flush + 1

    def cut(self, end, chance, path):
        """A copy of the disk with some of the writes up to `end` that no flush has followed, the last perhaps in part."""
        shutil.copyfile(self.image, path)
        some = [write for write in self.writes[self.done:end] if write.flags & FUA or chance.random() < 0.5]
        if some and not some[-1].flags & FUA and chance.random() < 0.5:
            last = some[-1]
            some[-1] = Write(last.offset, last.data[:chance.randrange(0, len(last.data) + 1, SECTOR)], last.flags)
        self.apply(path, some)


class Mounted:
    """An image's file system, mounted as after a power cut: its journal is replayed."""

    def __init__(self, image, folder):
        self.image, self.folder = image, folder

    def __enter__(self):
        os.makedirs(self.folder, exist_ok=True)
        subprocess.run(["mount", "-o", "loop", self.image, self.folder], check=True)
        return self.folder

    def __exit__(self, *_):
        subprocess.run(["umount", self.folder], check=True)
