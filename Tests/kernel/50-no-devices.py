#!/usr/bin/env python3
# vm: --no-modules
# timeout: 180
"""A machine without any device: that is an answer; what comes later is taken."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403


def devices():
    status, output, errors = run(ONSTAGE, "devices")
    expect(
        status == 0 and output.split().count("none") == 3, f"onstage devices: status {status}: {output.strip()[:160]!r}",
        output + errors)
    status, output, errors = run(ONSTAGE, "devices", "--json")
    found = json.loads(output)
    equal("devices --json", (0, 1, [], [], []),
          (status, found["version"], found["cameras"], found["sensors"], found["sound"]))


def synthetic():
    process = Run("--duration", "3", "--report", "report.json", profile=None)
    status = process.wait(60)
    equal("onstage run without any device: status", 0, status)
    expect(
        re.search(r"no camera, no motion sensor and no sound card: they are made up", process.text),
        "it says that the devices are made up, and why", process.text)
    for name in ("camera", "accelerometer", "gyroscope", "playback"):
        expect(process.find(rf"main {name} open .*\(synthetic\)"), f"its line for the {name} says so", process.text)
    report = Report("report.json")
    for name in ("camera", "accelerometer", "gyroscope", "playback"):
        resource = report.resource(name)
        expect(
            resource["synthetic"] and resource["delivered"] > 0, f"{name}: synthetic, delivered {resource['delivered']}",
            resource)


def later():
    """L-11: started before the devices exist; each is taken when it comes."""
    process = Run("--report", "later.json", profile="generic", stdin=True)
    for name in ("camera", "accelerometer", "gyroscope", "playback"):
        process.await_line(rf"main {name} waits", 20)
    ok("--profile generic: all four wait")
    status, output, _ = run(ONSTAGE, "ctl", "status")
    expect(status == 0 and "camera pendingOpen" in output, "onstage ctl status says so", output)
    for module in ("vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=0x0", "snd-aloop", "uhid", "hid-sensor-hub",
                   "hid-sensor-accel-3d", "hid-sensor-gyro-3d"):
        run("modprobe", *module.split())
    IMU()
    for name in ("camera", "accelerometer", "gyroscope", "playback"):
        process.await_line(rf"main {name} first", 30)
        ok(f"{name}: taken when it came")
    equal("status", 0, process.end())
    for resource in Report("later.json").resources:
        expect(not resource["synthetic"], f"{resource['id']}: real: {resource['device']}")


main(devices, synthetic, later)
