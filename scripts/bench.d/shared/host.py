"""The host's side of benches: what is built and given to the guest, and what the slope between two lengths says."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SHARED = pathlib.Path(__file__).resolve().parent
CHECKOUT = SHARED.parent.parent.parent
FOLDER = CHECKOUT / ".build/bench"


def fail(text):
    print(f"bench: {text}", file=sys.stderr)
    sys.exit(125)


def program(path):
    """The onstage to measure, at a place inside the checkout that the guest can be given a copy of; built first without one."""
    if path:
        FOLDER.mkdir(parents=True, exist_ok=True)
        target = FOLDER / "onstage"
        shutil.copy(path, target)
        return target
    subprocess.run([CHECKOUT / "scripts/build"], check=True, stdout=sys.stderr)
    return CHECKOUT / ".build/release/onstage"


def build_floor(here, name):
    """The C loop of a bench that lies in `here`."""
    (FOLDER / "tools").mkdir(parents=True, exist_ok=True)
    floor = FOLDER / f"tools/{name}-floor"
    done = subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", floor, here / "floor.c"], check=False)
    if done.returncode:
        fail("the floor could not be built")
    return floor


def in_guest(here, plan, onstage, modules, keep=None, env=()):
    """Runs a bench's guest.py with a plan in the deterministic guest, and answers what it has found.

    keep: where the traces are kept; else they are not.
    """
    share = pathlib.Path(keep or tempfile.mkdtemp(prefix="bench."))
    path = FOLDER / f"plan-{here.name}-{os.getpid()}.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    words = [CHECKOUT / "scripts/bench-vm", "--deterministic", "--root", "image", "--modules", modules, "--share", share,
             "--timeout", "1800"]
    for value in env:
        words += ["--env", value]
    for copied in (onstage, FOLDER / "tools", here, SHARED, path):
        words += ["--copy", copied]
    try:
        done = subprocess.run([*words, "--", "python3", here / "guest.py", path], cwd=CHECKOUT, stdout=sys.stderr,
                              check=False)
        if done.returncode:
            fail(f"the guest ended with {done.returncode}")
        return json.loads((share / "results").read_text(encoding="utf-8"))
    finally:
        path.unlink()
        if not keep:
            shutil.rmtree(share, ignore_errors=True)


def slopes(result, few, many):
    """What one more of what is counted costs, and what starting does."""
    per = [(b["cpu"] - a["cpu"]) / (many - few) * 1e6 for a, b in zip(result["few"], result["many"])]
    calls = None
    if all(result["syscalls"]):
        calls = (result["syscalls"][1] - result["syscalls"][0]) / (many - few)
    return {
        "cpu": per, "calls": [calls],
        "switches": [(b["switches"] - a["switches"]) / (many - few) for a, b in zip(result["few"], result["many"])],
        "start": [a["cpu"] * 1000 - few * cost / 1000 for a, cost in zip(result["few"], per)],
        "kilobytes": max(entry["kilobytes"] for entry in result["many"]),
    }
