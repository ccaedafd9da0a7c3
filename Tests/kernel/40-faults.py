#!/usr/bin/env python3
# timeout: 420
# soak-timeout: 1800
"""Missing, busy and forbidden devices, broken files, devices pulled and put back: a clear error or a wait, nothing lost."""
import json
import os
import pathlib
import struct
import sys
import wave

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
import cycles  # noqa: E402

ROUNDS = 20 if SOAK else 2
VIVID = pathlib.Path("/sys/bus/platform/drivers/vivid")


def broken_files():
    """Refused with the right status before anything is acquired, naming file and place."""
    ramp("good.wav", 2)
    pathlib.Path("good.scenario").write_text("0 active\n1 end\n", encoding="utf-8")
    pathlib.Path("bad.scenario").write_text("0 active\n1 wake-up\n2 end\n", encoding="utf-8")
    pathlib.Path("order.scenario").write_text("5 active\n1 end\n", encoding="utf-8")
    pathlib.Path("bad.json").write_text('{"name": "x", "camera": {"device": "any", "widht": 640}}', encoding="utf-8")
    pathlib.Path("torn.json").write_text('{"name": "x", ', encoding="utf-8")
    pathlib.Path("empty.wav").write_bytes(b"")
    pathlib.Path("noise.wav").write_bytes(bytes(range(256)) * 20)
    header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36, b"WAVE", b"fmt ", 16, 1, 0, 48000, 0, 0, 16, b"data", 0)
    pathlib.Path("channels.wav").write_bytes(header)
    cases = [
        ("a scenario with a bad line", ["--scenario", "bad.scenario"], 2, r"bad\.scenario:2.*wake-up"),
        ("a scenario out of order", ["--scenario", "order.scenario"], 2, r"order\.scenario:2"),
        ("a scenario that is not there", ["--scenario", "none.scenario"], 2, r"none\.scenario"),
        ("a profile with an unknown key", ["--profile", "bad.json"], 2, r"/camera.*widht|widht.*/camera|/camera/widht"),
        ("a profile that is no JSON", ["--profile", "torn.json"], 2, r"torn\.json"),
        ("a profile that is not there", ["--profile", "no-such-profile"], 2, r"no-such-profile"),
        ("an empty WAV", ["--media", "empty.wav"], 1, r"empty\.wav"),
        ("a WAV of noise", ["--media", "noise.wav"], 1, r"noise\.wav"),
        ("a WAV without channels", ["--media", "channels.wav"], 1, r"channels\.wav"),
        ("a WAV that is not there", ["--media", "none.wav"], 1, r"none\.wav"),
        ("an unknown option", ["--wat"], 2, r"--wat"),
    ]
    IMU()
    nodes = [f"/dev/{name}" for name in iio_names()] + ["/dev/video0", "/dev/snd/pcmC0D0p"]
    opens = Opens(nodes)
    run("v4l2-ctl", "-d", "/dev/video0", "--all")
    expect("/dev/video0" in opens.take(), f"what is opened is seen: {', '.join(nodes)}")
    for name, options, wanted, pattern in cases:
        words = [] if "--profile" in options else ["--profile", "bench-kernel"]
        words += options + ([] if "--scenario" in options else ["--scenario", "good.scenario"])
        status, output, errors = run(ONSTAGE, "run", "--state", "state", *words, seconds=30)
        expect(
            status == wanted and re.search(pattern, errors.replace("\n", " ")) and "Fatal error" not in errors,
            f"{name}: status {status}, {errors.strip()[:160]!r}", f"wanted {wanted} and /{pattern}/\n{output}\n{errors}")
        opened = opens.take()
        expect(not opened, f"{name}: no device has been opened", opened)
    status, _, errors = run(ONSTAGE, "profile", "check", "bad.json")
    expect(status != 0 and "widht" in errors + _, "profile check names the unknown key", f"{status} {_} {errors}")


def held_by_another(name, resource, occupy, *options, **surroundings_of_it):
    """A device that another program holds: the error names it, and what it lets go is taken at once.

    `occupy` starts that program and answers it when it holds the device; `options` are those of the run.
    """
    process = None
    took = []
    for number in range(3):
        other = occupy()
        if process is None:
            mark = 0
            process = Run("--report", "busy.json", *options, stdin=True, **surroundings_of_it)
        else:
            mark = len(process.lines)
            process.send("active")
        _, waits, match = process.await_line(rf"main {resource} waits: .*", 20, since=mark)
        expect(
            other.name in match[0] and f"pid {other.pid}" in match[0], f"{name} is busy: {match[0]}",
            process.tail())
        if resource != "playback" and number == 0:
            process.await_line(r"main playback first", 20)
            ok(f"{name} is busy: the sound plays all the same")
        # Right after a try by the timer (they are 500 ms apart): what has it sooner than the next one was told.
        let_pass(max(0, waits + 0.6 - now()))
        let_go = now()
        other.kill()
        taken = process.await_line(rf"main {resource} open", 20, since=mark)
        took.append(taken[1] - let_go)
        process.await_line(rf"main {resource} first", 10, since=mark)
        let_pass(0.5)
        mark = len(process.lines)
        process.send("inactive")
        process.await_line(rf"main {resource} released", 10, since=mark)
    shown = ", ".join(f"{seconds * 1000:.0f}" for seconds in took)
    # A guest on a busy host is late at one time or another; the timer alone never makes it.
    expect(
        min(took) <= 0.15 and max(took) < 1.5, f"{name}: taken {shown} ms after it was let go: at once",
        process.tail())
    equal(f"{name}: status", 0, process.end())
    errors = Report("busy.json").resource(resource)["errors"]
    expect(any(other.name in error for error in errors), f"{name}: the report names the holder", errors)


def busy_camera():
    """v4l2-ctl has the camera."""
    IMU()

    def occupy():
        other = Program(
            "v4l2-ctl", "-d", "/dev/video0", "--stream-mmap", "--stream-count=100000", "--stream-to=/dev/null")
        await_true(lambda: any("map" in node for node in holders("/dev/video0").get(other.pid, [])), 10)
        return other

    held_by_another("camera", "camera", occupy)


def busy_sound():
    """aplay has the sound card, whatever the card is named by."""
    ramp("ramp.wav", 10)
    plugged = cycles.changed_profile("plughw", device="plughw:CARD=Loopback,DEV=0")
    mixed, env = cycles.dmix_profile()

    def occupy():
        other = Program(
            "aplay", "-q", "-D", "hw:Loopback,0,0", "-t", "raw", "-f", "S16_LE", "-c", "2", "-r", "48000", "/dev/zero")
        await_true(lambda: holders("/dev/snd/pcm").get(other.pid), 10)
        return other

    for name, profile, surroundings_of_it in (
            ("hw", "bench-kernel", None), ("plughw", plugged, None), ("dmix", mixed, env)):
        recorder = Recorder()
        held_by_another(
            f"sound card ({name})", "playback", occupy, "--media", "ramp.wav", "--fresh", profile=profile,
            state=f"state-{name}", env=surroundings_of_it)
        recorder.stop()
        position = Report("busy.json").json["playback"]["position"]
        recorder.check(f"sound card ({name}): held back, not lost", last=position)


def missing_sensor():
    """No sensor is there: said and waited for, and it is taken when it comes; the others run."""
    process = Run("--report", "missing.json", stdin=True)
    process.await_line(r"accelerometer waits: .*accelerometer", 20)
    process.await_line(r"gyroscope waits: .*gyroscope", 20)
    process.await_line(r"camera first", 20)
    # By retries every half second: said once for as long as it lasts.
    let_pass(2)
    equal("a wait is said once", 1, sum(1 for _, text in process.lines if "accelerometer waits" in text))
    process.send("inactive")
    process.await_line(r"accelerometer released", 5)
    ok("a waiting resource has a receipt")
    process.send("active")
    imu = IMU()
    process.await_line(r"accelerometer first", 20)
    process.await_line(r"gyroscope first", 20)
    ok("they are taken when they come")
    imu.kill()
    for kind in ("accelerometer", "gyroscope"):
        process.await_line(rf"{kind} (waits|recovered)", 20, since=process.find(rf"{kind} first")[0])
    ok("pulled in the middle: it is awaited")
    mark = len(process.lines)
    asked = now()
    process.send("inactive")
    for kind in ("accelerometer", "gyroscope", "camera", "playback"):
        process.await_line(rf"{kind} released", 5, since=mark)
    expect(now() - asked < 1.5, f"pause with vanished sensors took {now() - asked:.3f} s")
    expect(not held(process.pid), "nothing is held", dict(held(process.pid)))
    mark = len(process.lines)
    process.send("active")
    IMU()
    process.await_line(r"accelerometer first", 20, since=mark)
    ok("put back: taken again")
    equal("status: what is absent is waited for", 0, process.end())
    errors = Report("missing.json").resource("accelerometer")["errors"]
    expect(errors, f"the report tells of it: {errors[:2]}")


def replugged_camera():
    """vivid is unbound and bound while it streams."""
    IMU()
    process = Run("--report", "replug.json", stdin=True)
    process.await_line(r"camera first", 20)
    for number in range(ROUNDS):
        mark = len(process.lines)
        pull = Program("sh", "-c", f"echo vivid.0 >{VIVID}/unbind")
        process.await_line(r"camera (waits|recovered)", 20, since=mark)
        if not expect(await_true(lambda: "/dev/video0" not in "".join(held(process.pid)), 5),
                      f"replug {number + 1}: the dead camera is let go", dict(held(process.pid))):
            break
        pull.wait(10)
        mark = len(process.lines)
        run("sh", "-c", f"echo vivid.0 >{VIVID}/bind")
        process.await_line(r"camera first", 20, since=mark)
        ok(f"replug {number + 1}: the camera streams again")
    equal("status", 0, process.end())
    receipts = Report("replug.json").resource("camera")["receipts"]
    expect(all(not r["forced"] and r["released"] is not None for r in receipts), "receipts are unforced", receipts)


def replugged_sound():
    """snd-aloop goes while nothing plays (a pause must let go of it for that) and comes back: the sound goes on."""
    ramp("ramp.wav", 30)
    IMU()
    process = Run("--media", "ramp.wav", "--fresh", "--report", "replug.json", stdin=True, state="state-replug")
    process.await_line(r"playback first", 20)
    for number in range(ROUNDS):
        let_pass(0.5)
        mark = len(process.lines)
        process.send("inactive")
        process.await_line(r"playback released", 10, since=mark)
        status, _, errors = run("modprobe", "-r", "snd-aloop")
        expect(status == 0, f"round {number + 1}: while paused the driver can be taken out", errors)
        mark = len(process.lines)
        process.send("active")
        process.await_line(r"playback waits", 20, since=mark)
        run("modprobe", "snd-aloop")
        process.await_line(r"playback first", 20, since=mark)
        ok(f"round {number + 1}: the card is back and plays")
    equal("status", 0, process.end())
    sound = Report("replug.json").resource("playback")
    positions = [r["position"] for r in sound["receipts"] if r["position"] is not None]
    expect(positions == sorted(positions) and positions[-1] > 0, f"the position never goes back: {positions}", sound)


def full_disk():
    """A recording ends with an error and a valid file; a position that cannot be stored costs one warning."""
    ramp("ramp.wav", 10)
    os.mkdir("small")
    status, _, errors = run("mount", "-t", "tmpfs", "-o", "size=512k", "none", "small")
    if not expect(status == 0, "a disk of 512 KB", errors):
        return
    process = Run("--profile", "bench", "--media", "ramp.wav", "--fresh", "--duration", "5", state="small", profile=None)
    equal("the recording's disk is full: status", 1, process.wait(60))
    told = [text for _, text in process.lines if "bench.wav" in text and "ENOSPC" in text]
    expect(told, f"the error names file and cause: {told[:1]}", process.tail())
    with wave.open("small/bench.wav") as recording:
        frames, place = recording.getnframes(), os.path.getsize("small/bench.wav")
    expect(
        RATE < frames == (place - 44) // 4, f"the recording is a valid WAV of {frames} frames in {place} bytes",
        process.tail())
    check_ramp("what is in it is the sound", "small/bench.wav", last=frames)
    run("sh", "-c", "dd if=/dev/zero of=small/rest bs=4k; rm small/positions*; dd if=/dev/zero of=small/more bs=1")
    process = Run("--media", "ramp.wav", "--duration", "3", state="small")
    process.await_line("playback first", 20)
    equal("the positions' disk is full: status", 0, process.wait(60))
    warnings = [text for _, text in process.lines if "warning" in text and "positions" in text]
    expect(
        len(warnings) == 1 and "positions.sqlite" in warnings[0], f"one warning says so: {warnings}", process.tail())
    run("umount", "small")


def forbidden():
    """An ordinary user without groups: a clear error each, status 1, nothing left open."""
    IMU()
    os.makedirs("eve", exist_ok=True)
    os.chown("eve", 65534, 65534)
    prefix = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    process = Run(
        "--duration", "3", "--report", "eve/report.json", state="eve/state", prefix=prefix,
        env={"XDG_RUNTIME_DIR": None, "HOME": "/nonexistent"})
    status = process.wait(60)
    equal("a user without rights: status", 1, status)
    for name, node in (("camera", r"/dev/video0"), ("playback", r"Loopback|/dev/snd"), ("accelerometer", "iio")):
        found = process.find(rf"{name} (failed|waits): .*")
        text = process.lines[found[0]][1] if found else ""
        expect(
            re.search(node, text) and re.search(r"EACCES|permission|not allowed", text, re.I),
            f"{name}: {text[:200]}", process.tail())
    report = Report("eve/report.json")
    equal("the report says so too", 1, report.json["exit"])
    equal("nobody holds anything", {}, holders("/dev/"))


main(broken_files, busy_camera, busy_sound, missing_sensor, replugged_camera, replugged_sound, full_disk, forbidden)
