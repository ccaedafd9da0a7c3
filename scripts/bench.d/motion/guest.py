#!/usr/bin/env python3
"""Measures readers of the virtual accelerometer in the bench VM: what a sample costs, and by the kernel's trace when things
happened. What was seen goes to the shared folder; it is judged on the host.

usage: guest.py PLAN.json
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

SHARE = os.environ["BENCH_SHARE"]
TRACE = pathlib.Path("/sys/kernel/tracing")
PROBES = {
    "open": "p:motion/open iio_chrdev_open", "closed": "r:motion/closed iio_chrdev_release",
    "change": "p:motion/change __iio_update_buffers", "changed": "r:motion/changed __iio_update_buffers",
    "taken": "r:motion/taken iio_buffer_read_wrapper answer=$retval:s64",
}
LINE = re.compile(r"\s*(.+)-(\d+)\s+\[\d+\]\s+\S+\s+([\d.]+): (\w+): ?(.*)")


def run(command, count, seconds=600):
    """Runs it to its end; what it used and said."""
    words = [word.format(N=count) for word in command]
    with open("said", "w", encoding="utf-8") as said, open("errors", "w", encoding="utf-8") as errors:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        text = pathlib.Path("errors").read_text(encoding="utf-8", errors="replace")[-500:]
        raise OSError(f"{' '.join(words)} ended with {process.returncode}: {text}")
    return {"cpu": used.ru_utime + used.ru_stime, "switches": used.ru_nvcsw + used.ru_nivcsw, "kilobytes": used.ru_maxrss}


def said():
    return pathlib.Path("said").read_text(encoding="utf-8", errors="replace")


def syscalls(command, count):
    """System calls, by perf; None where it is not there."""
    if not shutil.which("perf"):
        return None
    words = ["perf", "stat", "-x,", "-o", "perf.out", "-e", "raw_syscalls:sys_enter"]
    words += [word.format(N=count) for word in command]
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    for line in pathlib.Path("perf.out").read_text(encoding="utf-8").splitlines():
        parts = line.split(",")
        if len(parts) > 2 and parts[2].startswith("raw_syscalls"):
            return float(parts[0])
    return None


def traced(command, count):
    """What the kernel saw: [seconds, event, detail]."""
    (TRACE / "trace").write_text("", encoding="utf-8")
    enables = [TRACE / f"events/motion/{name}/enable" for name in PROBES]
    for enable in enables:
        enable.write_text("1", encoding="utf-8")
    try:
        run(command, count)
    finally:
        for enable in enables:
            enable.write_text("0", encoding="utf-8")
    found = [LINE.match(line) for line in (TRACE / "trace").read_text(encoding="utf-8").splitlines()]
    return [[float(match[3]), match[4], match[5]] for match in found if match]


def sensors():
    """Starts the virtual sensor and waits for its devices."""
    imu = subprocess.Popen([os.environ["ONSTAGE"], "bench", "imu", "--counter", "--log", "/dev/null"])
    for _ in range(1000):
        names = [path.read_text(encoding="utf-8").strip() for path in pathlib.Path("/sys/bus/iio/devices").glob("*/name")]
        if "accel_3d" in names:
            return imu
        time.sleep(0.01)
    raise SystemExit("no accelerometer came")


def main():
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    os.chdir("/tmp")
    imu = sensors()
    file = os.open(TRACE / "kprobe_events", os.O_WRONLY | os.O_APPEND)
    for probe in PROBES.values():
        os.write(file, f"{probe}\n".encode())
    os.close(file)
    (TRACE / "trace_clock").write_text("mono", encoding="utf-8")
    found = []
    for entry in plan["commands"]:
        command, result = entry["command"], {"name": entry["name"], "times": entry["times"]}
        few, many = plan["samples"][0], plan["samples"][1] * entry["times"]
        try:
            run(command, 64)
            result["few"] = [run(command, few) for _ in range(plan["repeats"])]
            result["many"] = [run(command, many) for _ in range(plan["repeats"])]
            result["said"] = said()
            result["syscalls"] = [syscalls(command, few), syscalls(command, many)]
            if "cycles" in entry:
                run(entry["cycles"], 3)
                result["own"] = said()
                result["trace"] = traced(entry["cycles"], 3)
        except OSError as error:
            result["failed"] = str(error)
        found.append(result)
        print(f"{entry['name']}" + (f": {result['failed']}" if "failed" in result else ""), flush=True)
    imu.terminate()
    pathlib.Path(SHARE, "results").write_text(json.dumps(found), encoding="utf-8")


main()
