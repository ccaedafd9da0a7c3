#!/usr/bin/env python3
"""Measures captures in the bench VM: CPU and waits per frame, and by the kernel's own trace when things happened.

usage: guest.py PLAN.json
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SHARE = os.environ["BENCH_SHARE"]
TRACE = pathlib.Path("/sys/kernel/tracing")
PROBES = {
    "open": "p:camera/open v4l2_open", "on": "p:camera/on vb2_core_streamon", "off": "p:camera/off vb2_core_streamoff",
    "taken": "r:camera/taken vb2_core_dqbuf answer=$retval:s32", "closed": "r:camera/closed v4l2_release",
}
# A driver that is cleaned up after a process that did not close it is no release.
LINE = re.compile(r"\s*(.+)-(\d+)\s+\[\d+\]\s+\S+\s+([\d.]+): (\w+): ?(.*)")


def run(command, frames, seconds=600):
    """Runs it to its end; what it used."""
    words = [word.format(N=frames) for word in command]
    with open("said", "w", encoding="utf-8") as said:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        tail = pathlib.Path("said").read_text(encoding="utf-8", errors="replace")[-500:]
        raise OSError(f"{words[0]} ended with {process.returncode}: {tail}")
    return {"cpu": used.ru_utime + used.ru_stime, "switches": used.ru_nvcsw + used.ru_nivcsw, "kilobytes": used.ru_maxrss}


def syscalls(command, frames):
    """System calls, by perf; None where it is not there."""
    if not shutil.which("perf"):
        return None
    words = ["perf", "stat", "-x,", "-o", "perf.out", "-e", "raw_syscalls:sys_enter"]
    words += [word.format(N=frames) for word in command]
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    for line in pathlib.Path("perf.out").read_text(encoding="utf-8").splitlines():
        parts = line.split(",")
        if len(parts) > 2 and parts[2].startswith("raw_syscalls"):
            return float(parts[0])
    return None


def traced(command, frames):
    """What the kernel saw: [seconds, event, detail]."""
    (TRACE / "trace").write_text("", encoding="utf-8")
    enables = [TRACE / f"events/camera/{name}/enable" for name in PROBES]
    enables.append(TRACE / "events/sched/sched_process_exec/enable")
    for enable in enables:
        enable.write_text("1", encoding="utf-8")
    try:
        run(command, frames)
    finally:
        for enable in enables:
            enable.write_text("0", encoding="utf-8")
    events = []
    for line in (TRACE / "trace").read_text(encoding="utf-8").splitlines():
        match = LINE.match(line)
        if match:
            events.append([float(match[3]), match[4], match[5]])
    return events


def main():
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    os.chdir("/tmp")
    file = os.open(TRACE / "kprobe_events", os.O_WRONLY | os.O_APPEND)
    for probe in PROBES.values():
        os.write(file, f"{probe}\n".encode())
    os.close(file)
    (TRACE / "trace_clock").write_text("mono", encoding="utf-8")
    few, many = plan["frames"]
    found = []
    for entry in plan["commands"]:
        command, result = entry["command"], {"name": entry["name"]}
        try:
            run(command, 3)
            result["few"] = [run(command, few) for _ in range(plan["repeats"])]
            result["many"] = [run(command, many) for _ in range(plan["repeats"])]
            result["syscalls"] = [syscalls(command, few), syscalls(command, many)]
            result["traces"] = [traced(entry.get("cycles", command), 5) for _ in range(plan["repeats"])]
        except OSError as error:
            result["failed"] = str(error)
        found.append(result)
        print(f"{entry['name']}" + (f": {result['failed']}" if "failed" in result else ""), flush=True)
    pathlib.Path(SHARE, "results").write_text(json.dumps(found), encoding="utf-8")


main()
