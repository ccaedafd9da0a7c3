#!/usr/bin/env python3
# timeout: 240
# soak-timeout: 1200
"""`onstage play` on snd-aloop, recorded from the other side: pauses at random, the end of the process and --resume, a person
at a terminal, a pipe that stands, Ctrl-Z. Nothing is lost, nothing is heard twice, and nothing is held while it is paused."""
import json
import os
import pathlib
import pty
import random
import select
import signal
import sys
import termios
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403

DEVICE = "hw:CARD=Loopback,DEV=0"
CYCLES = 400 if SOAK else 60


def is_free(pid):
    """Nothing of the process is open, and the kernel says the same."""
    with open(LOOPBACK, encoding="utf-8") as file:
        return not held(pid) and file.read().strip() == "closed"


class Play(Program):
    """`onstage play --json`: its events, with the time at which each came."""

    def __init__(self, *words, **options):
        super().__init__(
            ONSTAGE, "play", "--device", DEVICE, "--state", "state", "--json", "--tick", "0", *words,
            name="onstage play", **options)
        self.seen = 0

    def event(self, name, seconds=20, **wanted):
        """The next event of that name and those members, behind the one awaited before."""
        while True:
            index, _, _ = self.await_line(rf'^\{{"event": "{name}"', seconds, since=self.seen)
            self.seen = index + 1
            event = json.loads(self.lines[index][1])
            if all(event.get(key) == value for key, value in wanted.items()):
                return event

    def events(self, name):
        found = [json.loads(text) for _, text in self.lines if text.startswith("{")]
        return [event for event in found if event["event"] == name]

    def pause(self):
        self.process.send_signal(signal.SIGUSR1)
        return self.event("released")

    def go_on(self):
        self.process.send_signal(signal.SIGUSR2)


def judged(step):
    """A step whose sound is judged; made again where the guest stood still meanwhile."""
    def repeated():
        for attempt in range(3):
            if step(attempt == 2):
                return
            note("the guest stood still: once more")
            for program in Program.everyone:
                program.kill()
    repeated.__name__ = step.__name__
    return repeated


def verdict(recorder, text, is_last, last):
    """Whether the recording could be judged; then it has been."""
    is_whole, _ = judge_ramp(recorder.path, last=last)
    if not is_whole and recorder.has_stalled and not is_last:
        return False
    recorder.check(text, last=last)
    return True


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
    if not verdict(recorder, f"every frame once over {CYCLES} pauses", is_last, last):
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
    if not verdict(recorder, "six processes: every frame once", is_last, frames):
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
        """Pieces that are no frames; now and then nothing for a while."""
        place = 0
        while place < len(data):
            length = chance.randrange(1, 40_000)
            play.process.stdin.write(data[place:place + length])
            play.process.stdin.flush()
            place += length
            if chance.random() < 0.15:
                let_pass(chance.choice((0.05, 0.3, 1.4)))
        play.process.stdin.close()

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    play.event("state", state="playing")
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
        play.go_on()
    status = play.wait(60)
    feeder.join(5)
    recorder.stop()
    if not verdict(recorder, f"a pipe in pieces, {pauses} pauses: every frame once", is_last, frames):
        return False
    equal("it ends with status 0", 0, status)
    expect(pauses >= 8, f"{pauses} pauses", play.tail())
    equal("the device was free in each pause", [], held_while_paused)
    if not recorder.has_stalled:
        expect(worst < 400, f"worst pause to released {worst:.1f} ms, also while nothing came", worst)
    expect(
        any(event["state"] == "buffering" for event in play.events("state")), "that nothing came was told", play.tail())
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


class Terminal:
    """A terminal of its own with a program on it, of which the test holds the far side."""

    def __init__(self, *words):
        self.pid, self.far = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", PS1="$ ", HISTFILE="")
            os.execv(words[0], words)
        self.shown = ""

    def see(self, text, seconds=20):
        limit = now() + seconds * PATIENCE
        while text not in self.shown:
            ready, _, _ = select.select([self.far], [], [], max(0, limit - now()))
            if not ready:
                raise Ended(f"the terminal does not show {text!r}:\n{self.shown[-2000:]}")
            try:
                self.shown += os.read(self.far, 4096).decode("utf-8", "replace")
            except OSError:
                raise Ended(f"the terminal is gone, without {text!r}:\n{self.shown[-2000:]}") from None
        self.shown = self.shown.split(text, 1)[1]

    def type(self, text):
        os.write(self.far, text.encode())

    @property
    def is_raw(self):
        return not termios.tcgetattr(self.far)[3] & termios.ICANON

    def wait(self):
        """Its exit status; what it still shows is read, or it could not end."""
        limit = now() + 20 * PATIENCE
        while now() < limit:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                os.close(self.far)
                return os.waitstatus_to_exitcode(status)
            if select.select([self.far], [], [], 0.05)[0]:
                try:
                    os.read(self.far, 4096)
                except OSError:
                    pass
        os.kill(self.pid, signal.SIGKILL)
        return None


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
    if not verdict(recorder, "space pauses and goes on: every frame once", is_last, None):
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
    if not verdict(recorder, "over Ctrl-Z, bg and fg: every frame once", is_last, None):
        return False
    for text, is_right in checks:
        expect(is_right, text, terminal.shown)
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
    a_person_at_a_terminal, ctrl_z_and_fg, a_device_that_is_in_use, info_touches_no_device)
