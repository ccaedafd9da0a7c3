#!/usr/bin/env python3
"""Measures readers of the virtual accelerometer in the bench VM: what a sample costs, and by the kernel's trace when things
happened. What was seen goes to the shared folder; it is judged on the host.

usage: guest.py PLAN.json
"""
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
from probes import Probes, measure, run, said  # noqa: E402

PROBES = [
    "p:motion/open iio_chrdev_open", "r:motion/closed iio_chrdev_release", "p:motion/change __iio_update_buffers",
    "r:motion/changed __iio_update_buffers", "r:motion/taken iio_buffer_read_wrapper answer=$retval:s64",
]


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
    probes = Probes(PROBES)
    few, many = plan["samples"]

    def cycles(entry):
        if "cycles" not in entry:
            return {}
        run(entry["cycles"], 3)
        return {"own": said(), "trace": probes.traced(entry["cycles"], 3)}
    measure(plan["commands"], plan["repeats"], 64, lambda entry: (few, many * entry["times"]), cycles)
    imu.terminate()


main()
