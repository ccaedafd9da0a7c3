"""Looks at the store of positions from outside, with SQLite's own library; and what must hold of it after a crash."""
import os
import pathlib
import shutil
import sqlite3
import tempfile

NAME = "positions.sqlite"


def live(state):
    """The position that stands in the store of a running player, in frames; None for none.

    A row can be seen by others once its commit is on the disk, and not before (WAL, synchronous FULL).
    """
    path = os.path.join(state, NAME)
    if not os.path.exists(path):
        return None
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1)
        try:
            row = connection.execute("SELECT position FROM position").fetchone()
        finally:
            connection.close()
    except sqlite3.Error:
        return None
    return row[0] if row else None


def after_crash(state):
    """(position or None, what is wrong or None) of a store that nobody has open; looks at a copy."""
    path = pathlib.Path(state, NAME)
    if not path.exists():
        return None, None
    with tempfile.TemporaryDirectory() as folder:
        for end in ("", "-wal"):
            if os.path.exists(f"{path}{end}"):
                shutil.copy(f"{path}{end}", folder)
        try:
            connection = sqlite3.connect(os.path.join(folder, NAME))
            try:
                answer = connection.execute("PRAGMA integrity_check").fetchone()[0]
                if answer != "ok":
                    return None, answer
                tables = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name='position'").fetchone()[0]
                row = connection.execute("SELECT position FROM position").fetchone() if tables else None
            finally:
                connection.close()
        except sqlite3.Error as error:
            return None, str(error)
    return (row[0] if row else None), None


class Lives:
    """Lives of a player that ended without warning, one after the other, and what must hold from one to the next."""

    RATE, INTERVAL = 48000, 1.0

    def __init__(self, known=None):
        self.known = known or []  # one dictionary a life, as `add` makes it

    def add(self, **life):
        """stored: what stood in the store before it began; first, last: the frames heard in it, from 1, None for none;
        seen: what stood in the store, looked at from outside, just before its end; paused: the position of a pause that
        stood in the store at its end; stood: for how long the machine stood still in it (seconds); broken: what SQLite
        says of the store found; warned: what the player said of it."""
        self.known.append(life)

    def judge(self, expect, what, tail=0):
        """`tail`: frames that may have been heard and are not in the recording."""
        broken, early, late, behind, off, unlike = [], [], [], [], [], []
        heard, seen, paused, stood = 0, None, None, 0.0
        exact = 0
        for number, life in enumerate(self.known):
            stored = life["stored"] or 0
            if life.get("broken") or life.get("warned"):
                broken.append((number, life.get("broken"), life.get("warned")))
            if number:
                if stored > heard + tail:
                    early.append((number, stored, heard))
                if heard - stored > (self.INTERVAL + 0.1 + stood) * self.RATE:
                    late.append((number, stored, heard))
                if seen is not None and stored < seen:
                    behind.append((number, stored, seen))
                if paused is not None:
                    exact += 1
                    if stored != paused:
                        off.append((number, stored, paused))
            if life["first"] is not None and life["first"] != stored + 1:
                unlike.append((number, stored, life["first"]))
            heard = life["last"] if life["last"] is not None else heard
            seen, paused, stood = life.get("seen"), life.get("paused"), life.get("stood", 0.0)
        count = len(self.known) - 1
        started = sum(1 for life in self.known[1:] if life["first"] is not None)
        expect(not broken, f"{what}: after {count} of them the store opens each time, whole and without a warning", broken)
        expect(not late, f"{what}: what is stored is at most {self.INTERVAL:.0f} s behind what was heard", late)
        expect(not early, f"{what}: and never ahead of it", early)
        expect(not behind, f"{what}: what stood in the store before still stands there, never 0 unless it was 0", behind)
        expect(exact and not off, f"{what}: after {exact} stored pauses it is exactly the pause's position", off)
        expect(
            started and not unlike, f"{what}: {started} new starts begin at the very frame behind what is stored", unlike)
