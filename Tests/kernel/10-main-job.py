#!/usr/bin/env python3
# timeout: 240
# quick
"""The main job on real drivers: six activations, everything given back in between, and the sound whole."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403

# Six activations, two of them short; the pauses longer than the 5 s in which the sensors have to be off.
SCENARIO = """\
0    active
3    inactive
9.5  active
10   inactive
10.2 active
12.5 background
19   active
20   suspended
20.4 active
22   inactive
22.3 active
40   inactive
41   end
"""
FRAMES = 0
RESOURCES = ("camera", "accelerometer", "gyroscope", "playback")


def main_job():
    """Once more where the guest stood still for so long that no player could have gone on."""
    for attempt in range(3):
        if attempt_main_job(may_stall=attempt < 2):
            return


def attempt_main_job(may_stall):
    with open("scenario", "w", encoding="utf-8") as file:
        file.write(SCENARIO)
    frames = ramp("ramp.wav", 18)
    imu = IMU("--motion", "still")
    recorder = Recorder()
    process = Run("--media", "ramp.wav", "--scenario", "scenario", "--report", "report.json", "--fresh")
    watcher = Watcher(process.pid)

    # While it is active nobody else has the camera; in the pause after it, somebody else has.
    process.await_line(r"main camera first", 30)
    status, output, errors = run("v4l2-ctl", "-d", "/dev/video0", "--stream-mmap", "--stream-count=1")
    expect("busy" in (output + errors).lower(), "while active, v4l2-ctl is told that the camera is busy", output + errors)
    index = process.await_line(r"active -> inactive", 30)[0]
    process.await_line(r"main camera released", 5, since=index)
    status, output, errors = run("v4l2-ctl", "-d", "/dev/video0", "--stream-mmap", "--stream-count=3")
    expect(status == 0 and "busy" not in (output + errors).lower(), "paused: v4l2-ctl streams", output + errors)
    with open(LOOPBACK, encoding="utf-8") as file:
        equal("paused: the sound card is closed", "closed", file.read().strip())
    # A long last activation: how the sensors are read while they are.
    process.await_line(r"suspended|background -> inactive", 40, since=index)

    status = process.wait(90)
    looks = watcher.stop()
    recorder.stop()
    is_whole = judge_ramp(recorder.path, last=frames)[0]
    if recorder.has_stalled and may_stall and status == 0 and not is_whole:
        note(f"the guest stood still for {recorder.stood * 1000:.0f} ms: once more")
        imu.end()
        await_true(lambda: not iio_names(), 10)
        return False
    equal("onstage run ends with status 0", 0, status)
    note(process.text if status else f"{len(process.lines)} lines, {len(looks)} looks from outside")
    report = Report("report.json")
    keep("report.json")
    with open("lines", "w", encoding="utf-8") as file:
        file.writelines(f"{at:.4f} {text}\n" for at, text in process.lines)
    keep("lines")

    expect(len(report.activations()) >= 6, f"{len(report.activations())} activations", report.json["transitions"])
    recorder.check("every frame once and in order", last=frames)
    is_spoilt = recorder.has_stalled and not is_whole
    if not is_spoilt:
        equal("underruns", 0, report.json["playback"]["underruns"])
    for name in RESOURCES:
        resource = report.resource(name)
        expect(not resource["synthetic"], f"{name} is a real device: {resource['device']}")
        expect(resource["delivered"] > 0, f"{name} delivered {resource['delivered']}", resource)
        if name != "playback" or not is_spoilt:
            expect(not resource["errors"], f"{name}: no errors", resource["errors"])
        opened = [a for a in resource["acquisitions"] if a["open"] is not None]
        expect(len(opened) >= 5, f"{name} was acquired {len(opened)} times", resource["acquisitions"])
        receipts = resource["receipts"]
        expect(len(receipts) >= 6, f"{name} has {len(receipts)} receipts")
        expect(
            receipts and all(not r["forced"] and r["released"] is not None for r in receipts),
            f"{name}: every receipt is unforced", receipts)
    sound = report.resource("playback")
    expect(
        all(r["mode"] == "exact" and r["off"] == 0 for r in sound["receipts"] if r["position"] is not None),
        "every sound receipt is exact and off by 0", sound["receipts"])
    while_not_active(process, watcher, report)
    sensors_off(imu, process, report)
    return True


def while_not_active(process, watcher, report):
    """From the last receipt of a pause to the next wish: nothing held, no buffer enabled."""
    origin = process.origin()
    asked = sorted(a["asked"] for r in report.resources for a in r["acquisitions"])
    pauses = 0
    seen = 0
    faults = []
    steps = report.json["transitions"]
    for index, step in enumerate(steps):
        if step["from"] != "active":
            continue
        back = next((later["at"] for later in steps[index:] if later["to"] == "active"), None)
        end = back if back is not None else float("inf")
        # The step is told after the resources were: a little later than their receipts say that they were asked.
        released = [r["released"] for _, r in report.receipts() if step["at"] - 100 <= r["asked"] < end]
        if len(released) < len(RESOURCES) or None in released:
            faults.append(f"the pause at {step['at']} has the receipts {released}")
            continue
        released = max(released)
        end = min([end] + [at for at in asked if at > released])
        if end == float("inf"):
            continue
        # The origin is late by what the fastest line took on its way: looks are taken well inside.
        looks = watcher.within(origin + released / 1000 + 0.02, origin + end / 1000 - 0.05)
        pauses += 1
        seen += len(looks)
        faults += [(look[0] - origin, dict(look[2]), look[3]) for look in looks if look[2] or look[3]]
    expect(pauses >= 5 and seen > 50, f"{seen} looks in {pauses} pauses", steps)
    expect(not faults, "while not active: no descriptor, no mapping, no enabled buffer", faults[:10])
    during = [look for look in watcher.looks if len(look[2]) >= 4 and look[3]]
    expect(len(during) > 50, f"while active all were held ({len(during)} looks)", [dict(l[2]) for l in watcher.looks[:50:10]])


def sensors_off(imu, process, report):
    """Within 5 s of each long enough pause the virtual sensor was told to power off."""
    origin = process.origin()
    for kind in ("accelerometer", "gyroscope"):
        powers = imu.powers(kind)
        resource = report.resource(kind)
        long_pauses = []
        for receipt in resource["receipts"]:
            later = [a["asked"] for a in resource["acquisitions"] if a["asked"] > receipt["asked"]]
            end = min(later) if later else float("inf")
            if end - receipt["asked"] >= 5500:
                long_pauses.append((origin + receipt["asked"] / 1000, origin + end / 1000))
        off_after = []
        for start, end in long_pauses:
            off = [at for at, on in powers if not on and at >= start - 0.01]
            if end == float("inf") and not off:
                off = [x for x in [await_off(imu, kind, start)] if x]
            off_after.append(round(off[0] - start, 3) if off else None)
        expect(
            long_pauses and all(x is not None and x <= 5 for x in off_after),
            f"{kind}: powered off {off_after} s after the pause", imu.text)
        expect(any(on for _, on in powers), f"{kind}: was powered", imu.text)


def await_off(imu, kind, start):
    def off():
        return [at for at, on in imu.powers(kind) if not on and at >= start]
    found = await_true(off, max(0.1, start + 6 - now()))
    return found[0] if found else None


def readings(imu_options, wanted):
    """What a run reads, by its report: {kind: (axis values)}."""
    imu = IMU(*imu_options)
    process = Run("--duration", "3", "--report", "readings.json", stdin=True)
    process.await_line(r"main gyroscope first", 30)
    process.await_line(r"main accelerometer first", 30)
    status = process.wait(30)
    equal(f"{' '.join(imu_options)}: status", 0, status)
    report = Report("readings.json")
    for kind, axis, value in wanted:
        resource = report.resource(kind)
        values = resource.get("value")
        if values is None:
            fail(f"{kind} with {' '.join(imu_options)}: the report has no value", list(resource))
            continue
        tolerance = max(abs(value) * 0.001, 0.0005)
        expect(
            abs(values[axis] - value) <= tolerance and all(
                abs(v) <= 0.01 for i, v in enumerate(values) if i != axis and kind == "accelerometer"),
            f"{kind} with {' '.join(imu_options)} reads {values}, put in {value} on axis {axis}", values)
    imu.end()
    await_true(lambda: not iio_names(), 10)


def gravity_and_turning():
    g = 9.80665
    readings(("--motion", "still"), [("accelerometer", 2, g), ("gyroscope", 0, 0.0)])
    # "rotate" turns about the axis after the one that points up; gravity is seen to go round.
    readings(("--motion", "rotate", "--axis", "x", "--turn", "0.5"), [("gyroscope", 1, 0.5)])
    readings(("--motion", "still", "--axis=-y"), [("accelerometer", 1, -g)])


main(main_job, gravity_and_turning)
