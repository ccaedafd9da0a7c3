#!/usr/bin/env python3
# timeout: 420
# soak-timeout: 1200
"""`onstage play` on snd-aloop, recorded from the other side: pauses at random, the end of the process and --resume, a person
at a terminal, a pipe that stands, Ctrl-Z. Nothing is lost, nothing is heard twice, and nothing is held while it is paused."""
import os
import pathlib
import random
import signal
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from play_program import DEVICE, Play, is_free, judged  # noqa: E402
from terminal import Terminal  # noqa: E402

CYCLES = 400 if SOAK else 60


@judged
def pauses_at_random(is_last):
    chance = random.Random(70)
    gaps = [10 ** chance.uniform(-3, 0) for _ in range(CYCLES)]
    ramp("ramp.wav", sum(gaps) * 2 + 20)
    recorder = Recorder()
    play = Play("ramp.wav")
    play.event("state", state="playing")
    held_while_paused, worst, receipts = [], 0, []
    for gap in gaps:
        let_pass(gap)
        receipt = play.pause()
        if not is_free(play.pid):
            held_while_paused.append(receipt)
        receipts.append(receipt)
        worst = max(worst, receipt["released"] - receipt["asked"])
        let_pass(10 ** chance.uniform(-3, -1))
        play.go_on()
    let_pass(0.2)
    last = play.pause()["position"]
    status = play.end()
    recorder.stop()
    if recorder.check(f"every frame once over {CYCLES} pauses", last=last, may_stall=not is_last) is None:
        return False
    equal("it ends with status 0", 0, status)
    equal("the device was free in each pause", [], held_while_paused)
    heard = [receipt for receipt in receipts if receipt["position"] is not None]
    expect(
        all(receipt["mode"] == "exact" and not receipt["forced"] for receipt in receipts if receipt["mode"]),
        f"{len(heard)} exact, unforced receipts", receipts)
    if not recorder.has_stalled:
        expect(all(receipt["off"] == 0 for receipt in heard), "each off by 0", heard)
        expect(worst < 400, f"worst pause to released {worst:.1f} ms", worst)
    return True


@judged
def resumes_in_the_next_process(is_last):
    frames = ramp("ramp.wav", 8)
    recorder = Recorder()
    position = 0
    for turn in range(5):
        play = Play("--resume", "ramp.wav", "--key", "resumed")
        play.event("state", state="playing")
        let_pass(0.2 + turn * 0.07)
        receipt = play.pause()
        expect(receipt["position"] > position, f"turn {turn}: paused at frame {receipt['position']}", receipt)
        position = receipt["position"]
        play.event("stored", position=position)
        # Nothing is left to it that could put anything right.
        play.process.kill()
        play.wait()
    play = Play("--resume", "ramp.wav", "--key", "resumed")
    status = play.wait(60)
    recorder.stop()
    if recorder.check("six processes: every frame once", last=frames, may_stall=not is_last) is None:
        return False
    equal("the last ends with status 0", 0, status)
    equal("its end is told once", 1, len(play.events("ended")))
    equal("it begins where the one before was paused", position, play.event("media")["position"])
    return True


@judged
def a_pipe_that_stands(is_last):
    frames = ramp("ramp.wav", 6)
    data = pathlib.Path("ramp.wav").read_bytes()[44:]
    chance = random.Random(71)
    recorder = Recorder()
    play = Play("-", "--rate", str(RATE), "--channels", "2", "--format", "s16", stdin=True)

    def feed():
        """First too little; then pieces that are no frames, and now and then nothing for a while."""
        place = 4 * RATE // 10
        play.process.stdin.write(data[:place])
        play.process.stdin.flush()
        is_told.wait()
        while place < len(data):
            length = chance.randrange(1, 40_000)
            play.process.stdin.write(data[place:place + length])
            play.process.stdin.flush()
            place += length
            if chance.random() < 0.15:
                let_pass(chance.choice((0.05, 0.3, 1.4)))
        play.process.stdin.close()

    is_told = threading.Event()
    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    play.event("state", state="playing")
    play.event("state", state="buffering")
    ok("that nothing comes is told")
    is_told.set()
    held_while_paused, worst, pauses = [], 0, 0
    while play.process.poll() is None and pauses < 40:
        let_pass(10 ** chance.uniform(-2.5, -0.5))
        play.process.send_signal(signal.SIGUSR1)
        try:
            receipt = play.event("released", 10)
        except Ended:
            break
        pauses += 1
        if receipt["position"] is not None:
            worst = max(worst, receipt["released"] - receipt["asked"])
        if play.process.poll() is None and not is_free(play.pid):
            held_while_paused.append(receipt)
        let_pass(0.02)
        try:
            play.go_on()
        except Ended:
            break
    status = play.wait(60)
    feeder.join(5)
    recorder.stop()
    if recorder.check(f"a pipe in pieces, {pauses} pauses: every frame once", last=frames, may_stall=not is_last) is None:
        return False
    equal("it ends with status 0", 0, status)
    expect(pauses >= 8, f"{pauses} pauses", play.tail())
    equal("the device was free in each pause", [], held_while_paused)
    if not recorder.has_stalled:
        expect(worst < 400, f"worst pause to released {worst:.1f} ms, also while nothing came", worst)
    return True


def idle_while_the_pipe_stands():
    play = Play("-", "--rate", str(RATE), "--channels", "2", "--format", "s16", stdin=True)
    play.process.stdin.write(bytes(4 * 4800))
    play.process.stdin.flush()
    play.event("note")

    def spent():
        fields = pathlib.Path(f"/proc/{play.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = spent()
    let_pass(3)
    expect(spent() - before <= 0.03, f"3 s of nothing cost {spent() - before:.2f} s of CPU", play.tail())
    play.process.stdin.close()
    equal("its end is its end", 0, play.wait(20))


def child_of(pid, name):
    """The process of that name below another."""
    for entry in os.listdir("/proc"):
        try:
            text = pathlib.Path(f"/proc/{entry}/stat").read_text(encoding="utf-8") if entry.isdigit() else ""
        except OSError:
            continue
        if text and text.split("(", 1)[1].startswith(name + ")") and int(text.rsplit(")", 1)[1].split()[1]) == pid:
            return int(entry)
    return None


@judged
def a_person_at_a_terminal(is_last):
    ramp("ramp.wav", 60)
    recorder = Recorder()
    terminal = Terminal(ONSTAGE, "play", "--device", DEVICE, "--state", "state", "ramp.wav")
    terminal.see("playing ")
    expect(terminal.is_raw, "keys come one by one")
    free = []
    for _ in range(5):
        let_pass(0.15)
        terminal.type(" ")
        terminal.see("paused ")
        free.append(await_true(lambda: is_free(terminal.pid), 2))
        terminal.type(" ")
        terminal.see("playing ")
    let_pass(0.1)
    terminal.type("q")
    status = terminal.wait()
    recorder.stop()
    if recorder.check("space pauses and goes on: every frame once", may_stall=not is_last) is None:
        return False
    equal("q ends with status 0", 0, status)
    equal("the device was free in each pause", [True] * 5, free)
    return True


@judged
def ctrl_z_and_fg(is_last):
    ramp("ramp.wav", 60)
    recorder = Recorder()
    terminal = Terminal("/bin/bash", "--norc", "--noprofile", "-i")
    terminal.see("$ ")
    terminal.type(f"{ONSTAGE} play --device {DEVICE} --state state ramp.wav\n")
    terminal.see("playing ")
    play = child_of(terminal.pid, "onstage")
    checks = []
    for turn in range(3):
        let_pass(0.2)
        terminal.type("\x1a")
        terminal.see("Stopped")
        state = pathlib.Path(f"/proc/{play}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
        checks.append((f"turn {turn}: stopped, and its device is free", state == "T" and is_free(play)))
        if turn == 1:
            # In the background it plays on, and leaves the terminal alone.
            terminal.type("bg\n")
            checks.append(("bg: it has its device again", await_true(lambda: held(play), 10)))
            terminal.type("echo still-the-$((1 + 1))nd\n")
            terminal.see("still-the-2nd")
            checks.append(("bg: the shell's terminal is as before", await_true(lambda: terminal.is_raw, 5)))
        terminal.type("fg\n")
        terminal.see("playing ")
        checks.append((f"turn {turn}: fg: it plays on", bool(held(play))))
        # Its keys are its own again.
        terminal.type(" ")
        terminal.see("paused ")
        terminal.type(" ")
        terminal.see("playing ")
    let_pass(0.1)
    terminal.type("q")
    terminal.see("stopped at ")
    terminal.type("echo status-$?; exit\n")
    terminal.see("status-0")
    terminal.wait()
    recorder.stop()
    if recorder.check("over Ctrl-Z, bg and fg: every frame once", may_stall=not is_last) is None:
        return False
    for text, is_right in checks:
        expect(is_right, text, terminal.shown)
    return True

ENDS = {
    "q": lambda terminal, play: terminal.type("q"),
    "Ctrl-C": lambda terminal, play: terminal.type("\x03"),
    "SIGTERM": lambda terminal, play: os.kill(play, signal.SIGTERM),
    "SIGHUP": lambda terminal, play: os.kill(play, signal.SIGHUP),
    "Ctrl-\\": lambda terminal, play: terminal.type("\x1c"),
    "SIGSEGV": lambda terminal, play: os.kill(play, signal.SIGSEGV),
}
# Of what ends by a wish; of what is brought down, what a shell makes of it.
STATUS = {"Ctrl-\\": 128 + signal.SIGQUIT, "SIGSEGV": 128 + signal.SIGSEGV}
# A shell that is left alone by what is meant for the player, and puts no terminal back itself.
SHELL = "trap : INT QUIT HUP; ulimit -c 0; read line; {} play --device {} --state ends {}; echo status-$?-; read line"


def every_end_puts_the_terminal_back():
    ramp("ramp.wav", 60)
    for name, end in ENDS.items():
        for is_paused in (False, True):
            title = f"{name}, {'paused' if is_paused else 'playing'}"
            terminal = Terminal("/bin/sh", "-c", SHELL.format(ONSTAGE, DEVICE, "ramp.wav"))
            before = terminal.settings
            terminal.type("\n")
            terminal.see("playing ")
            if is_paused:
                terminal.type(" ")
                terminal.see("paused ")
            is_raw = terminal.is_raw
            end(terminal, child_of(terminal.pid, "onstage"))
            terminal.see("status-")
            equal(f"{title}: status", str(STATUS.get(name, 0)), terminal.see("-"))
            expect(is_raw and terminal.settings == before, f"{title}: the terminal is as before", terminal.settings)
            equal(f"{title}: the device is free", "closed", pathlib.Path(LOOPBACK).read_text(encoding="utf-8").strip())
            terminal.type("\n")
            terminal.wait()


@judged
def a_terminal_that_goes(is_last):
    """Its window is closed: the sound is left where it was heard, and that is kept. Under nohup it plays on."""
    frames = ramp("ramp.wav", 3)
    recorder = Recorder()
    words = (ONSTAGE, "play", "--device", DEVICE, "--state", "state", "--key", "window", "ramp.wav")
    terminal = Terminal(*words)
    terminal.see("playing ")
    let_pass(0.3)
    terminal.hang_up()
    hung_up = terminal.wait()
    status, output, errors = run(ONSTAGE, "positions", "show", "window", "--json", "--state", "state")
    terminal = Terminal("/bin/sh", "-c", "trap '' HUP; exec " + " ".join([*words, "--resume"]))
    terminal.see("playing ")
    terminal.hang_up()
    gone_on = terminal.wait()
    recorder.stop()
    text = "a window that is closed, and the rest without one: every frame once"
    if recorder.check(text, last=frames, may_stall=not is_last) is None:
        return False
    equal("closed: status 0", 0, hung_up)
    kept = json.loads(output)["positions"][0]["position"] if status == 0 else None
    expect(kept and kept < frames, f"where it was is kept: frame {kept}", output + errors)
    equal("under nohup: to the end, status 0", 0, gone_on)
    return True


def a_device_that_is_in_use():
    ramp("ramp.wav", 2)
    holder = Program("aplay", "-q", "-D", DEVICE, "-f", "S16_LE", "-r", "48000", "-c", "2", "/dev/zero")
    if not await_true(lambda: held(holder.pid), 10):
        raise Ended(f"aplay does not play:\n{holder.text}")
    status, _, errors = run(ONSTAGE, "play", "--device", DEVICE, "--state", "state", "ramp.wav")
    equal("in use: status 1", 1, status)
    expect(f"aplay (pid {holder.pid})" in errors, "and who has it", errors)
    play = Play("--wait", "ramp.wav")
    play.event("state", state="opening")
    holder.kill()
    play.event("state", state="playing")
    ok("with --wait it is played when it is let go")
    equal("to its end", 0, play.wait(20))


def info_touches_no_device():
    ramp("ramp.wav", 1)
    trace = "trace"
    status, output, errors = run(ONSTAGE, "play", "--info", "--json", "ramp.wav")
    equal("--info --json", '{"rate":48000,"channels":2,"format":"S16_LE","frames":48000}\n', output)
    equal("status 0", 0, status)
    if shutil.which("strace"):
        run("strace", "-f", "-o", trace, "-e", "trace=open,openat", ONSTAGE, "play", "--info", "ramp.wav")
        opened = pathlib.Path(trace).read_text(encoding="utf-8")
        expect("ramp.wav" in opened and "/dev/snd" not in opened, "nothing of /dev/snd is opened", opened)
    pathlib.Path("empty.wav").write_bytes(b"")
    status, output, errors = run(ONSTAGE, "play", "--info", "--json", "empty.wav")
    expect(status == 1 and not output and "the file is empty" in errors, "an empty file: status 1, and why", errors)


main(
    pauses_at_random, resumes_in_the_next_process, a_pipe_that_stands, idle_while_the_pipe_stands,
    a_person_at_a_terminal, ctrl_z_and_fg, every_end_puts_the_terminal_back, a_terminal_that_goes,
    a_device_that_is_in_use, info_touches_no_device)
