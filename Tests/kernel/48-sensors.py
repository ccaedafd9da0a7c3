#!/usr/bin/env python3
# vm: --deterministic
# timeout: 300
"""onstage sensors: what it writes is what the virtual sensor was moved by, and it plays again; --check finds what is the matter.

Judges: the motion that was put in, the sensor's own log, and the processes' descriptors.
"""
import json
import math
import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403


def sensors(*words, status=0, seconds=60):
    found, output, errors = run(ONSTAGE, "sensors", *words, seconds=seconds)
    if found != status:
        raise Ended(f"sensors {' '.join(words)}: status {found}\n{output[-2000:]}\n{errors}")
    return output


def rows(text):
    lines = text.splitlines()
    equal("the head of the table", "time,ax,ay,az,gx,gy,gz", lines[0])
    return [[float(field) for field in line.split(",")] for line in lines[1:]]


def round_trip():
    """A turning body is written down, played again by the virtual sensor, and written down once more."""
    imu = IMU("--motion", "rotate", "--turn", "1")
    text = sensors("--csv", "--rate", "100", "--duration", "3", "accel_3d", "gyro_3d")
    imu.end()
    first = rows(text)
    expect(len(first) > 250, f"{len(first)} rows in 3 s at 100 Hz")
    expect(all(abs(math.dist(row[1:4], (0, 0, 0)) / 9.80665 - 1) < 0.001 for row in first), "gravity goes round")
    # Turned by 1 rad/s about the axis after z: what is felt turns as fast.
    angles = [math.atan2(row[2], row[3]) for row in first]
    turned = (angles[-1] - angles[0]) % (2 * math.pi)
    wanted = (first[-1][0] - first[0][0]) % (2 * math.pi)
    expect(abs(turned - wanted) < 0.1, f"it turned by {turned:.3f} rad in {wanted:.3f} s")
    expect(all(abs(row[4] - 1) < 0.001 for row in first), "and the gyroscope says so")
    pathlib.Path("first.csv").write_text(text, encoding="utf-8")
    imu = IMU("--motion", "first.csv")
    second = rows(sensors("--csv", "--rate", "100", "--duration", "2", "accel_3d", "gyro_3d"))
    imu.end()
    # A step of the sensor's own numbers.
    near = [min(range(len(first)), key=lambda at: math.dist(first[at][1:4], row[1:4])) for row in second]
    worst = max(math.dist(first[at][1:4], row[1:4]) for at, row in zip(near, second))
    expect(len(second) > 150 and worst < 0.002, f"played again: {len(second)} rows, each within {worst:.5f} m/s² of one of them")
    back = sum(1 for one, later in zip(near, near[1:]) if later < one)
    expect(back <= 1, "in their order", near)
    equal("nothing is held", {}, holders("/dev/iio:"))
    equal("nothing is enabled", [], enabled_buffers())


def checked():
    imu = IMU("--axis", "-y")
    found = json.loads(sensors("--check", "--json", "--rate", "50", "--duration", "3"))["sensors"]
    equal("without a name: all of the machine", ["accelerometer", "gyroscope"], [entry["kind"] for entry in found])
    for entry in found:
        equal(f"{entry['kind']}: no fault, no gap", ([], 0), (entry["faults"], entry["gaps"]))
        expect(abs(entry["measured"] / 50 - 1) < 0.05, f"{entry['kind']}: {entry['measured']:.2f} Hz measured")
    equal("gravity on the axis it was put on", [0, -9.807, 0], [round(value, 3) for value in found[0]["mean"]])
    expect(abs(found[0]["gravityOff"]) < 0.001, f"gravity off by {found[0]['gravityOff']}")
    imu.end()
    imu = IMU("--fault", "silent@1.5+0.4")
    text = sensors("--check", "--rate", "50", "--duration", "4", "accel_3d", status=1)
    expect("FAULT" in text and "samples are missing" in text, "a sensor that fell silent for 0.4 s is found out", text)
    imu.end()


def ended():
    """A reader that leaves, and a signal, end it; the sensor is free each time."""
    imu = IMU()
    program = Program("/bin/sh", "-c", f"{ONSTAGE} sensors accel_3d | head -n 3")
    equal("head has had its lines: it ends", 0, program.wait(20))
    await_true(lambda: not holders("/dev/iio:"), 5)
    equal("nothing is held", {}, holders("/dev/iio:"))
    program = Program(ONSTAGE, "sensors", "--json", "accel_3d")
    program.await_line(r'"kind": "accelerometer"', 20)
    equal("SIGINT: status", 0, program.end(2))
    equal("nothing is held", {}, holders("/dev/iio:"))
    equal("nothing is enabled", [], enabled_buffers())
    imu.end()


main(round_trip, checked, ended)
