"""A walk of resume/pause cycles in one process, and what must hold after it. Used by 20-, 25-cycles and others."""
import json
import os
import pathlib

from stage import *  # noqa: F403

ASOUND = """\
</usr/share/alsa/alsa.conf>
pcm.benchdmix {
    type dmix
    ipc_key 55473
    ipc_perm 0600
    slave { pcm "hw:CARD=Loopback,DEV=0,SUBDEV=0" rate 48000 format S16_LE channels 2 period_size 1024 buffer_size 8192 }
}
"""


def changed_profile(name, **playback):
    """bench-kernel with other settings of the playback: the profile's path."""
    profile = json.loads((CHECKOUT / "hw-profiles/bench-kernel.json").read_text(encoding="utf-8"))
    profile["playback"] |= playback
    profile["name"] = name
    profile.pop("$schema", None)
    pathlib.Path(f"{name}.json").write_text(json.dumps(profile), encoding="utf-8")
    return f"{name}.json"


def dmix_profile():
    """bench-kernel, but through dmix: (the profile's path, the environment in which its name means something)."""
    pathlib.Path("asound.conf").write_text(ASOUND, encoding="utf-8")
    return changed_profile("bench-dmix", device="benchdmix"), {"ALSA_CONFIG_PATH": os.path.abspath("asound.conf")}


def waits(count, chance):
    """Seconds between wishes: a third in bursts of 1 ms, the others long enough to acquire everything, or not quite."""
    found = []
    while len(found) < 2 * count:
        kind = chance.random()
        if kind < 0.33:
            found += [0.001] * chance.choice((2, 4, 6))
        elif kind < 0.66:
            found += [chance.uniform(0.005, 0.15), chance.uniform(0.001, 0.1)]
        else:
            found += [chance.uniform(0.15, 0.6), chance.uniform(0.02, 0.15)]
    return found[:2 * count]


STALL = 0.025  # seconds: less than a player through plug-ins is ahead (40 ms), with its period's wake-up


def walk(name, profile, count, limit, chance, env=None, attempts=3, recording=None):
    """One process, `count` cycles; `limit`: p99 of pause to released in ms; `recording`: where a synthetic sink records.

    Sound is judged by a walk in which the guest did not stand still; where it did, another one is made.
    """
    for attempt in range(attempts):
        if attempt_walk(name, profile, count, limit, chance, env, recording, may_stall=attempt < attempts - 1):
            return


def attempt_walk(name, profile, count, limit, chance, env, recording, may_stall):
    """One walk; whether it could be judged."""
    gaps = waits(count, chance)
    # A cycle of its own before and after, long enough for everything to be acquired: the first to compare with, the
    # last to end on.
    at, lines = 0.0, []
    lines += ["0 active", "2.5 inactive"]
    at = 6.0
    for index, gap in enumerate(gaps):
        lines.append(f"{at:.4f} {'inactive' if index % 2 else 'active'}")
        # The last return comes while everything is being given back.
        at += gap if index < len(gaps) - 1 else 0.001
    lines += [f"{at:.4f} active", f"{at + 2.5:.4f} inactive", f"{at + 5.5:.4f} end"]
    pathlib.Path("scenario").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ramp(f"{name}.wav", sum(gaps[::2]) + 60)
    recorder = None if recording else Recorder()
    stall = StallWatch()
    process = Run(
        "--media", f"{name}.wav", "--scenario", "scenario", "--report", "report.json", "--fresh", profile=profile,
        state=f"state-{name}", env=env)
    # After the first cycle, when everything has been given back.
    process.await_line(r"active -> inactive", 30)
    settle(process, 1)
    before = counts(process.pid)
    process.await_lines(r"main active -> inactive", count + 2, at + 120)
    held_after = settle(process, count + 2)
    after = counts(process.pid)
    is_running = process.process.poll() is None
    status = process.wait(60)
    if recorder:
        recorder.stop()
    recording = recording or recorder.path
    stood = stall.stop()
    report = Report("report.json")
    position = report.json["playback"]["position"]
    underruns = report.json["playback"]["underruns"]
    is_whole, _ = judge_ramp(recording, last=position)
    is_spoilt = stood > STALL and (underruns > 0 or not is_whole)
    if is_spoilt and may_stall:
        note(f"{name}: {underruns} underruns, and the guest stood still for {stood * 1000:.0f} ms: once more")
        return False
    equal(f"{name}: status", 0, status)
    expect(
        is_running and not held_after, f"{name}: nothing held after the last pause",
        dict(held_after) if is_running else "it has ended before it could be looked at")
    expect(
        after[0] == before[0] and after[2] == before[2] and after[1] <= before[1] + 4,
        f"{name}: descriptors, mappings, threads: {before} after the first cycle, {after} after the last", process.tail())
    steps = report.json["transitions"]
    equal(f"{name}: the last wish stands", "inactive", last_state(steps, at + 5.4))
    wished = count + 2
    expect(
        len(report.activations()) == wished, f"{name}: {len(report.activations())} activations of {wished} wished",
        steps[-6:])
    for resource in report.resources:
        back = [a for a in resource["acquisitions"] if a["open"] is not None and a["open"] >= at * 1000]
        expect(
            back and back[-1]["first"] is not None,
            f"{name}: {resource['id']}: open again after a return 1 ms behind its pause", resource["acquisitions"][-3:])
        times = [r["released"] - r["asked"] for r in resource["receipts"] if r["released"] is not None]
        p99 = percentile(times, 0.99)
        expect(
            times and p99 <= limit,
            f"{name}: {resource['id']}: {len(times)} receipts, pause to released: median {percentile(times, 0.5):.1f},"
            f" p99 {p99:.1f}, worst {max(times):.1f} ms", sorted(times)[-10:])
        expect(
            all(not r["forced"] and r["released"] is not None for r in resource["receipts"]),
            f"{name}: {resource['id']}: every receipt is unforced",
            [r for r in resource["receipts"] if r["forced"] or r["released"] is None])
        if resource["id"] != "playback" or not underruns:
            expect(not resource["errors"], f"{name}: {resource['id']}: no errors", "\n".join(resource["errors"][:10]))
        expect(len(resource["receipts"]) >= wished, f"{name}: {resource['id']}: a receipt for each pause",
               f"{len(resource['receipts'])} of {wished}")
    if is_spoilt:
        print(f"skipped: {name}: the sound: the guest stood still for {stood * 1000:.0f} ms at every attempt")
        return True
    check_ramp(f"{name}: 0 lost, 0 repeated over all cycles", recording, last=position)
    equal(f"{name}: underruns (the guest stood still for {stood * 1000:.0f} ms at worst)", 0, underruns)
    return True


def settle(process, pauses):
    """Until all four have been given back `pauses` times; answers what is held then.

    A line "released" behind the last activation may tell of the pause before it: each pause has one, and all are counted.
    """
    for resource in ("camera", "accelerometer", "gyroscope", "playback"):
        process.await_lines(rf"main {resource} released", pauses)
    # The lines come after the fact. A look of its own, not patient: the end of the run is 3 s away.
    limit = now() + 1
    while found := held(process.pid):
        if now() > limit:
            break
        let_pass(0.02)
    return found


def last_state(steps, before):
    """The state of the scene just before its end."""
    return [step["to"] for step in steps if step["at"] < before * 1000][-1]
