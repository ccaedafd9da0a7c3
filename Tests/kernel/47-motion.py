#!/usr/bin/env python3
# timeout: 300
"""Motion sensors read at once and in batches: none of the samples that the sensor numbers is lost, what it was told, power.

Judges: the virtual sensor's own numbers and log, sysfs, and the processes' descriptors.
"""
import json
import os
import pathlib
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403

SENSOR = pathlib.Path("/sys/bus/iio/devices")


def folder(name="accel_3d"):
    for device, its in iio_names().items():
        if its == name:
            return SENSOR / device
    raise Ended(f"no {name}")


def bench(*words, seconds=60):
    status, output, errors = run(ONSTAGE, "bench", "motion", "accelerometer", "--json", *words, seconds=seconds)
    if status != 0:
        raise Ended(f"bench motion {' '.join(words)}: status {status}\n{errors}")
    return json.loads(output)


def left(name="accel_3d"):
    """What still stands enabled."""
    path = folder(name)
    names = ["buffer/enable", *(f"scan_elements/{entry.name}" for entry in (path / "scan_elements").glob("*_en"))]
    return [entry for entry in names if (path / entry).read_text(encoding="utf-8").strip() != "0"]


def none_lost():
    """At once and in batches, to each kind of listener; the sensor was told the rate, and nothing is left."""
    imu = IMU("--counter")
    for words, count in ((("--rate", "200"), 400), (("--rate", "500", "--batch", "100"), 1000),
                         (("--rate", "500", "--batch", "400", "--sink", "queued"), 1600),
                         (("--rate", "500", "--batch", "100", "--sink", "together"), 1000),
                         (("--rate", "200", "--cycles", "5"), 100)):
        found = bench("--samples", str(count), *words)
        text = " ".join(words)
        cycles = 5 if "--cycles" in words else 1
        equal(f"{text}: all samples came, none is missing", (count * cycles, 0, 0, 0),
              (found["samples"], found["lost"], found["missed"], found["dropped"]))
        rate = float(words[1])
        equal(f"{text}: what the device says it runs at", rate, found["format"]["rate"])
        told = [line for _, line in imu.lines if " accelerometer power=full" in line][-1:]
        expect(told and f"interval={round(1000 / rate)}ms" in told[0], f"{text}: the sensor was told so", imu.tail())
        equal(f"{text}: nothing is left enabled", [], left())
    imu.end()


def power():
    """It is off within 5 s of the last release, and no sooner asked for anything in between."""
    imu = IMU("--counter")
    bench("--rate", "100", "--samples", "50", "--cycles", "3")
    released = now()
    await_true(lambda: [on for _, on in imu.powers("accelerometer")][-1:] == [False], 8)
    powers = imu.powers("accelerometer")
    expect(powers and not powers[-1][1], "the sensor saw itself switched off", imu.tail())
    expect(powers and powers[-1][0] - released < 5, f"{powers[-1][0] - released:.2f} s after the release", imu.tail())
    equal("nothing is left enabled", [], left())
    imu.end()


def killed():
    """Killed at any moment; the next one reads as if nothing had been."""
    imu = IMU("--counter")
    chance = random.Random(46)
    for number in range(4):
        program = Program(ONSTAGE, "bench", "motion", "accelerometer", "--samples", "100000000", "--rate", "500", "--batch",
                          "50")
        await_true(lambda: program.pid in holders("/dev/iio:"), 20)
        let_pass(chance.uniform(0, 0.3))
        program.kill()
        found = bench("--samples", "100", "--rate", "200")
        equal(f"{number}: the next one has all of its samples", (100, 0), (found["samples"], found["lost"]))
        equal(f"{number}: nothing is left enabled", [], left())
    imu.end()


def replugged():
    """A sensor that was pulled out and plugged in again between two acquires is set up anew, with nothing kept of the old."""
    imu = IMU("--counter")
    pathlib.Path("motion.json").write_text(
        '{"name": "motion", "accelerometer": {"device": "name accel_3d", "rate": "game"}}', encoding="utf-8")
    process = Run("--report", "motion-report.json", profile="motion.json", stdin=True)
    since = process.await_line(r"main accelerometer first", 30)[0]
    for number in range(3):
        process.send("inactive")
        since = process.await_line(r"accelerometer released", 10, since=since + 1)[0]
        equal(f"{number}: paused, nothing is held", {}, holders("/dev/iio:"))
        equal(f"{number}: paused, nothing is enabled", [], left())
        imu.end()
        await_true(lambda: not iio_names(), 10)
        # Another one, which points another way: a scale, a node or a descriptor of the old one would show.
        imu = IMU("--axis", "-z" if number % 2 == 0 else "z")
        process.send("active")
        since = process.await_line(r"main accelerometer first", 20, since=since + 1)[0]
        expect(enabled_buffers() == [folder().name], f"{number}: back on stage its buffer is enabled", enabled_buffers())
    equal("status", 0, process.end())
    equal("nothing is left enabled", [], left())
    found = Report("motion-report.json").resource("accelerometer")
    expect(found["delivered"] > 0, f"{found['delivered']} samples came", found)
    imu.end()


main(none_lost, power, killed, replugged)
