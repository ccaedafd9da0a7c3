#!/usr/bin/env python3
# vm: --init systemd
# timeout: 180
"""The main job as an ordinary user in video, audio and input, under systemd's udev; and on a read-only root."""
import os
import pathlib
import pwd
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403

RULES = pathlib.Path("/run/udev/rules.d/60-onstage.rules")
SCENARIO = "0 active\n2 inactive\n3 active\n5 background\n6 active\n8 inactive\n9 end\n"


def as_user(name, folder):
    """(the words before the command, its environment), for a user with a folder of their own below this one."""
    user = pwd.getpwnam(name)
    os.makedirs(folder, exist_ok=True)
    os.chown(folder, user.pw_uid, user.pw_gid)
    prefix = ("setpriv", f"--reuid={name}", f"--regid={user.pw_gid}", "--init-groups", "--inh-caps=-all")
    return prefix, {"HOME": user.pw_dir, "USER": name, "XDG_RUNTIME_DIR": None, "XDG_STATE_HOME": None}


def settled():
    run("udevadm", "settle")


def without_the_rule():
    RULES.unlink(missing_ok=True)
    run("udevadm", "control", "--reload")
    IMU()
    settled()
    prefix, env = as_user("ann", "ann")
    process = Run("--duration", "3", "--report", "ann/report.json", state="ann/state", prefix=prefix, env=env)
    process.await_line(r"accelerometer (failed|waits): .*60-onstage\.rules", 20)
    ok("without the rule the error names the file")
    process.await_line(r"camera first", 20)
    process.await_line(r"playback first", 20)
    ok("camera and sound run all the same")
    equal("status", 1, process.wait(30))


def with_the_rule():
    RULES.parent.mkdir(parents=True, exist_ok=True)
    RULES.write_text((CHECKOUT / "scripts/packaging/60-onstage.rules").read_text(encoding="utf-8"), encoding="utf-8")
    run("udevadm", "control", "--reload")
    IMU()
    settled()
    main_job("ann", "ann in video, audio and input")


def main_job(user, title, inside=(), media_seconds=7):
    prefix, env = as_user(user, user)
    pathlib.Path("scenario").write_text(SCENARIO, encoding="utf-8")
    ramp("ramp.wav", media_seconds)
    recorder = Recorder()
    process = Run(
        "--media", "ramp.wav", "--scenario", "scenario", "--report", f"{user}/report.json", "--fresh",
        state=f"{user}/state", prefix=(*inside, *prefix), env=env)
    for round_number in range(3):
        mark = len(process.lines)
        process.await_line(r"active -> inactive", 30, since=mark)
        for name in ("camera", "accelerometer", "gyroscope", "playback"):
            process.await_line(rf"main {name} released", 10, since=mark)
        seen = await_true(lambda: not held(process.pid), 1)
        expect(seen, f"{title}: pause {round_number + 1}: nothing held", dict(held(process.pid)))
    status = process.wait(30)
    recorder.stop()
    expect(status == 0, f"{title}: status {status}", process.tail())
    report = Report(f"{user}/report.json")
    for resource in report.resources:
        expect(
            resource["delivered"] > 0 and not resource["synthetic"]
            and (not resource["errors"] or (recorder.has_stalled and resource["id"] == "playback")),
            f"{title}: {resource['id']} delivered {resource['delivered']}", resource)
        expect(
            all(not r["forced"] and r["released"] is not None for r in resource["receipts"]),
            f"{title}: {resource['id']}: every receipt is unforced", resource["receipts"])
    recorder.check(f"{title}: the sound is whole", last=report.json["playback"]["position"])
    return process


def without_groups():
    IMU()
    settled()
    prefix, env = as_user("eve", "eve")
    process = Run("--duration", "2", "--report", "eve/report.json", state="eve/state", prefix=prefix, env=env)
    equal("eve, in no group: status", 1, process.wait(60))
    for name, group in (("camera", "video"), ("playback", "audio"), ("accelerometer", "input")):
        found = process.find(rf"{name} failed: .*")
        text = process.lines[found[0]][1] if found else ""
        expect("EACCES" in text and group in text, f"{name}: {text[:220]}", process.tail())


def read_only_root():
    """Nothing may be written but the state folder; then not even that."""
    IMU()
    settled()
    inside = ("unshare", "-m", "sh", "-c", 'mount -o bind,remount,ro / && exec "$@"', "sh")
    main_job("ann", "read-only root", inside)
    prefix, env = as_user("ann", "ann")
    process = Run(
        "--media", "ramp.wav", "--duration", "3", state="/home/ann/state", prefix=(*inside, *prefix), env=env)
    process.await_line(r"playback first", 20)
    equal("no place for the position: status", 0, process.wait(30))
    warnings = [text for _, text in process.lines if "warning" in text]
    expect(len([w for w in warnings if "state" in w or "position" in w]) == 1, "one warning says so", "\n".join(warnings))


def clean_up():
    RULES.unlink(missing_ok=True)
    run("udevadm", "control", "--reload")


main(without_the_rule, with_the_rule, without_groups, read_only_root, clean_up)
