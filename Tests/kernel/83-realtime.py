#!/usr/bin/env python3
# timeout: 180
"""Who of `onstage play` is scheduled how, as the kernel tells it: SCHED_FIFO for the thread that feeds the card alone, where
RLIMIT_RTPRIO allows it to an ordinary user; never for root that has not asked for it."""
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from play_program import Play  # noqa: E402

ORDINARY, FIFO, RESET = 0, 1, 0x40000000
USER = 65534


def threads(pid):
    """Of each thread: its name, policy and priority (fields 41 and 40 of its stat)."""
    found = []
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        name, _, rest = path.read_text(encoding="utf-8").partition("(")[2].rpartition(")")
        fields = rest.split()
        found.append((name, int(fields[38]), int(fields[37])))
    return found


def user(*limits):
    """The words that make what follows an ordinary user's, with these limits."""
    return ("prlimit", *limits, "setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all")


def case(title, prefix, words, wanted, said, note_like=None):
    play = Play("ramp.wav", *words, state="user", prefix=prefix, env={"HOME": "/tmp", "XDG_RUNTIME_DIR": None})
    play.event("state", state="playing")
    play.await_line(r'^\{"event": "acquired"')
    opened = play.events("acquired")[0]
    equal(f"{title}: the report says so", said, opened["format"].get("scheduling"))
    now = threads(play.pid)
    fifo = [(name, priority) for name, policy, priority in now if policy == FIFO]
    equal(f"{title}: the kernel's word on each of {len(now)} threads", wanted, fifo)
    expect(all(policy in (ORDINARY, FIFO) for _, policy, _ in now), f"{title}: no other policy", now)
    expect(any(name == "onstage-media" for name, _, _ in now), f"{title}: the reading thread is there", now)
    if note_like:
        expect(re.search(note_like, play.text), f"{title}: a note says why", play.text)
    receipt = play.pause()
    expect(receipt["position"] > 0 and not receipt["forced"], f"{title}: it plays and pauses", receipt)
    play.go_on()
    equal(f"{title}: status", 0, play.end())


def scheduled():
    ramp("ramp.wav", 60)
    os.chmod("ramp.wav", 0o644)
    pathlib.Path("user").mkdir()
    os.chown("user", USER, USER)
    for node in pathlib.Path("/dev/snd").iterdir():
        os.chmod(node, 0o666)
    name = "on-playback"
    case("a user with RLIMIT_RTPRIO 20", user("--rtprio=20:20"), [], [(name, 10)], "fifo 10")
    case("a user with RLIMIT_RTPRIO 3", user("--rtprio=3:3"), [], [(name, 3)], "fifo 3")
    case("a user without it", user("--rtprio=0:0"), [], [], "other")
    case("a user who wants none", user("--rtprio=20:20"), ["--realtime", "never"], [], "other")
    case(
        "a user without it who asks", user("--rtprio=0:0"), ["--realtime", "always"], [], "other",
        "SCHED_FIFO is not had.*RLIMIT_RTPRIO is 0")
    case("root", ("prlimit", "--rtprio=20:20"), [], [], "other")
    case("root who asks", (), ["--realtime", "always"], [(name, 10)], "fifo 10")


main(scheduled)
