#!/usr/bin/env python3
# vm: --deterministic
# needs: a sound server
# timeout: 240
# soak-timeout: 400
"""A card that another program of the session has reserved: PulseAudio itself, which lets go of it for `onstage play` and has it
back at each pause; and a holder of our own that refuses, or is worth more. What is heard is judged on the far side of the
loopback, who has the card in /proc."""
import os
import pathlib
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from play_program import Play, is_free, judged  # noqa: E402

PCM = "/dev/snd/pcm"
CARD = int(os.readlink("/proc/asound/Loopback").removeprefix("card"))
SERVER = CHECKOUT / ".build/sound-server"
CYCLES = 40 if SOAK else 6


class Session:
    """A bus of its own; what is started in it has its address."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="session-")
        self.address = f"unix:path={self.folder}/bus"
        self.env = {
            "DBUS_SESSION_BUS_ADDRESS": self.address, "XDG_RUNTIME_DIR": self.folder, "HOME": self.folder,
            "XDG_CONFIG_HOME": None, "PULSE_SERVER": None}
        self.bus = Program(
            "dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.address}", "--print-address=1")
        self.bus.await_line("^unix:")

    def play(self, *words, **options):
        return Play(*words, env=self.env, **options)

    def holder(self, *words):
        program = Program(
            str(KERNEL / "card_holder.py"), str(CARD), "--pcm", "hw:CARD=Loopback,DEV=0,SUBDEV=0", *words,
            stdin=True, env=self.env, name="card_holder.py")
        program.await_line("^(has locked|ready)")
        return program


class PulseAudio(Program):
    """The real one, with nothing but the loopback card; never idle for long enough to let go by itself."""

    def __init__(self, session):
        installed = shutil.which("pulseaudio")
        words, self.env = [installed or str(SERVER / "usr/bin/pulseaudio")], dict(session.env)
        self.pactl = shutil.which("pactl") or str(SERVER / "usr/bin/pactl")
        if not installed:
            libraries = sorted({str(path.parent) for path in (SERVER / "usr/lib").rglob("lib*.so*")})
            modules = next((SERVER / "usr/lib").rglob("module-alsa-sink.so")).parent
            self.env["LD_LIBRARY_PATH"] = ":".join([*libraries, str(modules)])
            words.append(f"--dl-search-path={modules}")
        super().__init__(
            *words, "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--log-target=stderr",
            "--log-level=info", "--disable-shm=yes",
            "-L", "module-native-protocol-unix auth-anonymous=1",
            "-L", "module-alsa-sink device=hw:Loopback sink_name=card rate=48000 channels=2 format=s16le",
            env=self.env, name="pulseaudio")
        if not await_true(lambda: self.state() != "", 30):
            raise Ended(f"pulseaudio has no sink:\n{self.tail()}")

    def state(self):
        """What it says of its sink: RUNNING, IDLE, SUSPENDED; "" for none."""
        status, output, _ = run(self.pactl, "list", "sinks", "short", env=self.env)
        return output.split()[-1] if status == 0 and "card" in output else ""

    def has_card(self):
        return any(name.startswith(PCM) for name in held(self.pid))


def owner():
    """Who has the far end's playback open, by the kernel."""
    text = pathlib.Path(LOOPBACK).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("owner_pid"):
            thread = int(line.split(":")[1])
            status = pathlib.Path(f"/proc/{thread}/status").read_text(encoding="utf-8")
            return int(next(line for line in status.splitlines() if line.startswith("Tgid:")).split()[1])
    return None


@judged
def pulseaudio_lets_go(is_last):
    ramp("ramp.wav", 60)
    session = Session()
    recorder = Recorder()
    server = PulseAudio(session)
    expect(server.has_card() and owner() == server.pid, f"pulseaudio has the card ({server.state()})", server.tail())
    begun = now()
    play = session.play("ramp.wav")
    play.event("state", state="playing")
    took = now() - begun
    asked = (await_true(lambda: play.events("note"), 10) or [{"text": "nothing is noted"}])[0]["text"]
    expect(
        asked.startswith(f"asked pulseaudio (pid {server.pid}) for Audio{CARD}: it let go in "), f"note: {asked}", asked)
    faults, pauses, resumes = [], [], []
    for turn in range(CYCLES):
        let_pass(0.4)
        if server.has_card() or owner() != play.pid or server.state() != "SUSPENDED":
            faults.append((turn, "playing", server.has_card(), owner(), server.state()))
        receipt = play.pause()
        pauses.append(receipt["released"] - receipt["asked"])
        if not await_true(lambda: server.has_card() and owner() == server.pid, 5):
            faults.append((turn, "paused", server.has_card(), owner(), server.state()))
        if server.state() not in ("IDLE", "RUNNING"):
            faults.append((turn, "paused", server.state()))
        if held(play.pid):
            faults.append((turn, "paused, and ours", dict(held(play.pid))))
        # Until it is heard: `go_on` waits for a state alone, and there may be some before that.
        begun = now()
        play.process.send_signal(signal.SIGUSR2)
        play.event("state", state="playing")
        resumes.append((now() - begun) * 1000)
    let_pass(0.3)
    last = play.pause()["position"]
    expect(await_true(server.has_card, 5), "pulseaudio has it when we are done", server.tail())
    status = play.end()
    recorder.stop()
    if recorder.check(f"pulseaudio's card, {CYCLES} times: every frame once, from the first", last=last, may_stall=not is_last) is None:
        return False
    equal("in every turn the one had it who should", [], faults)
    equal("it ends with status 0", 0, status)
    # Where a guest's clock runs on while its files are read, a single one tells nothing.
    middle = sorted(resumes)[CYCLES // 2]
    expect(middle < 1000, f"resumed to playing in {middle:.1f} ms, pulseaudio asked on the way", resumes)
    middle = sorted(pauses)[CYCLES // 2]
    expect(middle < 100, f"pause to released {middle:.1f} ms: nothing waits for D-Bus", pauses)
    note(f"started to playing in {took * 1000:.0f} ms")
    notes = [event["text"] for event in play.events("note")]
    note("; ".join(text.split(": ")[-1] for text in notes))
    server.end()
    session.bus.end()
    return True


def the_plain_path_knows_nothing_of_it():
    session = Session()
    ramp("ramp.wav", 5)
    play = session.play("ramp.wav")
    play.event("state", state="playing")
    maps = pathlib.Path(f"/proc/{play.pid}/maps").read_text(encoding="utf-8")
    threads = [pathlib.Path(f"/proc/{play.pid}/task/{task}/comm").read_text().strip()
               for task in os.listdir(f"/proc/{play.pid}/task")]
    expect("libsystemd" not in maps and "on-reserve" not in threads, "a free card: no library and no thread for D-Bus", threads)
    play.end()
    session.bus.end()


def refused():
    ramp("ramp.wav", 5)
    session = Session()
    recorder = Recorder()
    holder = session.holder("--answer", "no")
    play = session.play("ramp.wav", "--wait")
    error = play.event("state", state="opening", seconds=20)
    while "error" not in error:
        error = play.event("state", state="opening")
    wanted = f"asked card_holder.py (pid {holder.pid}) for Audio{CARD}: it refused"
    expect(wanted in error["error"], f"refused: {error['error']}", error)
    equal("asked once", 1, sum(text == "asked 10" for _, text in holder.lines))
    begun = now()
    holder.send("drop")
    play.event("state", state="playing")
    ok(f"played {(now() - begun) * 1000:.0f} ms after the holder has let go by itself")
    expect(play.wait(30) == 0, "it ends with status 0", play.tail())
    recorder.stop()
    recorder.check("every frame once", last=5 * RATE)
    holder.kill()
    session.bus.end()


@judged
def outranked(is_last):
    ramp("ramp.wav", 10)
    session = Session()
    recorder = Recorder()
    server = session.holder("--again")
    other = session.holder("--idle")
    play = session.play("ramp.wav")
    play.event("state", state="playing")
    let_pass(0.5)
    other.send("ask 10")
    other.await_line("^answer False")
    ok("who is worth as much as we are is refused")
    other.send("ask 20")
    answer = other.await_line("^answer True .*")[2][0]
    expect(answer.endswith(" locked"), f"who is worth more has it as soon as it is told: {answer}", answer)
    error = {}
    while "error" not in error:
        error = play.event("state", state="opening")
    wanted = f"is in use by card_holder.py (pid {other.pid}): it asked for Audio{CARD} with priority 20, and ours is 10"
    expect(wanted in error["error"], f"and is named: {error['error']}", error)
    let_pass(1.5)
    expect(not held(play.pid), "and is left alone with it", held(play.pid))
    begun = now()
    other.send("drop")
    play.event("state", state="playing")
    ok(f"back {(now() - begun) * 1000:.0f} ms after it has been given back")
    expect(play.wait(40) == 0, "it ends with status 0", play.tail())
    recorder.stop()
    if recorder.check("over all of that every frame once", last=10 * RATE, may_stall=not is_last) is None:
        return False
    for program in (server, other, session.bus):
        program.end()
    return True


main(pulseaudio_lets_go, the_plain_path_knows_nothing_of_it, refused, outranked)
