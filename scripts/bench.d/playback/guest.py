#!/usr/bin/env python3
"""Carries out a plan of measurements in the bench VM. What was seen goes to the shared folder; it is judged on the host.

usage: guest.py PLAN.json     a list of runs; see `pauses`, `steady` and what they take out of one
"""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../Tests/kernel"))
sys.path.insert(0, HERE)
import players  # noqa: E402
from sound_events import SoundEvents  # noqa: E402
import smooth  # noqa: E402
from stage import Ended, Recorder, await_true, now, ramp  # noqa: E402

SHARE = os.environ["BENCH_SHARE"]


def status(card):
    """The lines of the card's first playback substream: {} when it is closed."""
    try:
        text = pathlib.Path(f"/proc/asound/{card}/pcm0p/sub0/status").read_text(encoding="utf-8")
    except OSError:
        return {}
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def state(card):
    return status(card).get("state", "closed").strip()


def await_running(player, card):
    def done():
        return state(card) == "RUNNING" or player.process.poll() is not None
    if not await_true(done, 60, 0.005) or player.process.poll() is not None:
        raise Ended(f"{player.name} does not play: {tail(player)}")


def tail(player):
    player.log.flush()
    return pathlib.Path("player.log").read_text(encoding="utf-8", errors="replace")[-600:]


def pauses(run, events):
    """One process, a pause at each of `at`: [seconds of play before it, seconds of pause]."""
    card = run["card"]
    usb = card == "Audio"
    if usb:
        subprocess.run(["bench-usb", "pull"], check=True)
        subprocess.run(["bench-usb", "put"], check=True)
    events.clear()
    recorder = None if usb else Recorder(path="recording")
    player = players.make(run["player"], run["device"], run["file"], run.get("options"))
    states = []
    try:
        player.start(events.mark)
        await_running(player, card)
        for play, pause in run["at"]:
            time.sleep(play)
            events.mark("pause")
            player.pause()
            time.sleep(pause)
            states.append(state(card))
            if player.process.poll() is not None:
                raise Ended(f"{player.name} ended in a pause: {tail(player)}")
            events.mark("resume")
            player.resume()
        time.sleep(run["last"])
        events.mark("quit")
    finally:
        code = player.finish()
        if recorder:
            recorder.stop()
    seen = [event.__dict__ for event in events.read()]
    found = {"states": states, "pid": player.process.pid, "status": code, "events": seen, "says": tail_of("player.log")}
    if os.path.exists("report.json"):
        found["report"] = json.loads(pathlib.Path("report.json").read_text(encoding="utf-8"))
        os.remove("report.json")
    name = f"recording-{run['number']}"
    if recorder:
        shutil.copy("recording", os.path.join(SHARE, name))
        found["recorder"] = recorder.pid
        found["recorder-says"] = recorder.text
    else:
        # Pulled, QEMU's recording is finished: the newest.
        subprocess.run(["bench-usb", "pull"], check=True)
        newest = max(pathlib.Path(SHARE).glob("usb-*.wav"), key=lambda path: int(path.stem[4:]))
        newest.rename(os.path.join(SHARE, name))
        subprocess.run(["bench-usb", "put"], check=True)
    return found


def tail_of(path):
    return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")[-2000:]


def live(run, play, pause, events):
    player = players.make(run["player"], run["device"], run["file"], run.get("options"))
    try:
        player.start(events.mark)
        await_running(player, run["card"])
        time.sleep(play)
        if pause:
            events.mark("pause")
            player.pause()
            time.sleep(pause)
        events.mark("kill")
    finally:
        if player.process:
            player.process.kill()
            player.finish()
    await_true(lambda: state(run["card"]) == "closed", 10)
    time.sleep(0.2)


def kills(run, events):
    """Lives of a player, each ended by kill -9 after `at`: [seconds of play, seconds of pause before that or nothing]."""
    for name in ("mpd.state", "mpd.conf"):
        pathlib.Path(name).unlink(missing_ok=True)
    shutil.rmtree("state", ignore_errors=True)
    events.clear()
    recorder = Recorder(path="recording")
    try:
        for play, pause in run["at"]:
            live(run, play, pause, events)
    finally:
        recorder.stop()
    name = f"recording-{run['number']}"
    shutil.copy("recording", os.path.join(SHARE, name))
    return {"recorder": recorder.pid, "events": [event.__dict__ for event in events.read()], "recording": name}


def family(pid):
    """A process and all below it."""
    found = [pid]
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        for child in pathlib.Path(path).read_text(encoding="utf-8").split():
            found += family(int(child))
    return found


def cpu(pid):
    """Seconds of CPU so far."""
    spent = 0
    for process in family(pid):
        for path in glob.glob(f"/proc/{process}/task/*/schedstat"):
            spent += int(pathlib.Path(path).read_text(encoding="utf-8").split()[0])
    return spent / 1e9


def counted(pid, seconds):
    """System calls and context switches in a second, by perf; None where it is not there."""
    if not shutil.which("perf"):
        return {}
    names = {"raw_syscalls:sys_enter": "syscalls", "context-switches": "switches"}
    words = ["perf", "stat", "-x,", "-o", "perf.out"]
    for name in names:
        words += ["-e", name]
    subprocess.run(words + ["-p", str(pid), "--", "sleep", str(seconds)], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    found = {}
    for line in pathlib.Path("perf.out").read_text(encoding="utf-8").splitlines():
        parts = line.split(",")
        if len(parts) > 2 and parts[2] in names and parts[0].replace(".", "").isdigit():
            found[names[parts[2]]] = float(parts[0]) / seconds
    return found


def steady(run, events):
    """CPU while it plays."""
    card = run["card"]
    events.clear()
    player = players.make(run["player"], run["device"], run["file"], run.get("options"))
    try:
        player.start(events.mark)
        await_running(player, card)
        pid = player.process.pid
        starting = cpu(pid)
        time.sleep(1.5)
        before, since = cpu(pid), now()
        time.sleep(run["seconds"])
        after, until = cpu(pid), now()
        found = {"cpu": (after - before) / (until - since), "starting": starting, **counted(pid, 5)}
        sizes = pathlib.Path(f"/proc/asound/{card}/pcm0p/sub0/hw_params").read_text(encoding="utf-8")
        for line in sizes.splitlines():
            key, _, value = line.partition(": ")
            if key in ("period_size", "buffer_size"):
                found[key] = int(value)
        found["state"] = state(card)
        for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                found["kilobytes"] = int(line.split()[1])
        return found
    finally:
        player.process.kill()
        player.finish()


def configure(text):
    """The machine's own ALSA configuration, which every player reads."""
    path = pathlib.Path("/etc/asound.conf")
    path.unlink(missing_ok=True)
    if text:
        path.write_text(text, encoding="utf-8")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    folder = tempfile.mkdtemp(prefix="bench.")
    os.chmod(folder, 0o777)
    os.chmod("/tmp", 0o1777)
    os.chdir(folder)
    for node in glob.glob("/dev/snd/*"):
        if not os.path.isdir(node):
            os.chmod(node, 0o666)  # for what refuses to be root
    for name, (seconds, rate) in plan["files"].items():
        if rate:
            smooth.make(name, seconds, rate)
        else:
            ramp(name, seconds)
    events = SoundEvents()
    kinds = {"pauses": pauses, "kills": kills, "steady": steady}
    with open(os.path.join(SHARE, "results"), "w", encoding="utf-8") as results:
        results.write(json.dumps({"kernel": os.uname().release, "cpus": os.cpu_count()}) + "\n")
        for number, run in enumerate(plan["runs"]):
            run["number"] = number
            begun = now()
            configure(run.get("asound"))
            try:
                run["found"] = kinds[run["kind"]](run, events)
            except (Ended, OSError, ValueError) as end:
                run["failed"] = f"{type(end).__name__}: {end}"
            run["took"] = now() - begun
            results.write(json.dumps(run) + "\n")
            results.flush()
            print(f"{number + 1}/{len(plan['runs'])} {run['player']} on {run['device']}"
                  + (f": {run['failed']}" if "failed" in run else ""), flush=True)
    events.stop()


main()
