"""What the kernel tests share: programs that are waited for by their lines, and looks at a process from outside.

Judges share nothing with the program under test: /proc, sysfs, arecord, v4l2-ctl, and the virtual sensor's own log.
A check says "ok: …" or "FAILED: …" on a line of its own; the runner counts these lines.
"""
import collections
import ctypes
import faulthandler
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

KERNEL = pathlib.Path(__file__).resolve().parent
CHECKOUT = KERNEL.parent.parent
ONSTAGE = os.environ.get("ONSTAGE") or str(CHECKOUT / ".build/release/onstage")
SOAK = os.environ.get("ONSTAGE_SOAK", "0") not in ("", "0")
# In the deterministic guest idle time is skipped, also while the guest waits for its host's disk: there a deadline of
# guest time means nothing, and the host's time limit alone ends what hangs.
PATIENCE = float(os.environ.get("ONSTAGE_PATIENCE", "1"))
RATE = 48000
SAMPLES = {"S16_LE": 2, "S32_LE": 4}  # bytes
DEVICES = ("/dev/video", "/dev/iio:", "/dev/snd/pcm")
LOOPBACK = "/proc/asound/Loopback/pcm0p/sub0/status"

_failed = 0


def ok(text):
    print(f"ok: {text}", flush=True)


def fail(text, detail=""):
    global _failed
    _failed += 1
    print(f"FAILED: {text}", flush=True)
    for line in str(detail).splitlines()[:60]:
        print(f"    {line}", flush=True)


def expect(condition, text, detail=""):
    """One check."""
    if condition:
        ok(text)
    else:
        fail(text, detail() if callable(detail) else detail)
    return bool(condition)


def equal(text, wanted, found):
    return expect(wanted == found, text, f"wanted: {wanted!r}\nfound:  {found!r}")


def keep(path):
    """Copies a file to the folder that the host keeps, for whoever has to find out why."""
    share = os.environ.get("BENCH_SHARE")
    if share and os.path.exists(path):
        shutil.copy(path, os.path.join(share, f"{os.path.basename(sys.argv[0])}-{os.path.basename(path)}"))


def note(text):
    print(f"    {text}", flush=True)


def now():
    """Seconds of CLOCK_MONOTONIC."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def await_true(condition, seconds, step=0.02):
    """Looks again and again until `condition` holds; its last answer, so that an error can show it."""
    limit = now() + seconds * PATIENCE
    while True:
        answer = condition()
        if answer or now() >= limit:
            return answer
        time.sleep(step)


def let_pass(seconds):
    """Time in which nothing is awaited: a sound is to be heard for so long, say."""
    time.sleep(seconds)


class Ended(Exception):
    pass


def surroundings(changes):
    """The environment with `changes`; None takes a name out."""
    environment = dict(os.environ)
    for key, value in (changes or {}).items():
        if value is None:
            environment.pop(key, None)
        else:
            environment[key] = value
    return environment


class Program:
    """A program that runs beside the test; its lines are kept with the time at which they came."""

    everyone = []

    def __init__(self, *command, stdin=False, env=None, name=None, binary=False, **options):
        self.name = name or os.path.basename(command[0])
        self.lines = []  # (seconds, text)
        self.condition = threading.Condition()
        self.started = now()
        self.open = 2
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=surroundings(env), **options)
        self.pid = self.process.pid
        for mark, stream in (("", self.process.stdout), ("", self.process.stderr)):
            threading.Thread(target=self._read, args=(mark, stream), daemon=True).start()
        Program.everyone.append(self)

    def _read(self, mark, stream):
        for line in iter(stream.readline, b""):
            text = line.decode("utf-8", "replace").rstrip("\n")
            with self.condition:
                self.lines.append((now(), mark + text))
                self.condition.notify_all()
        with self.condition:
            self.open -= 1
            self.condition.notify_all()

    def find(self, pattern, since=0):
        """The first line from number `since` on that `pattern` is found in, as (index, seconds, match)."""
        for index in range(since, len(self.lines)):
            match = re.search(pattern, self.lines[index][1])
            if match:
                return index, self.lines[index][0], match
        return None

    def await_line(self, pattern, seconds=20, since=0):
        limit = now() + seconds * PATIENCE
        with self.condition:
            while True:
                found = self.find(pattern, since)
                if found:
                    return found
                left = limit - now()
                if left <= 0 or self.open == 0:
                    why = "it ended" if self.open == 0 else f"not within {seconds:g} s"
                    raise Ended(f"{self.name}: no line like /{pattern}/: {why}; its lines:\n{self.tail()}")
                self.condition.wait(left)

    def await_lines(self, pattern, count, seconds=20):
        """Until `count` lines of it have come since its start."""
        limit = now() + seconds * PATIENCE
        since = 0
        for found in range(count):
            try:
                since = self.await_line(pattern, (limit - now()) / PATIENCE, since)[0] + 1
            except Ended as end:
                raise Ended(f"{found} of {count} lines: {end}") from end

    @property
    def text(self):
        return "\n".join(text for _, text in self.lines)

    def tail(self, count=40):
        return "\n".join(f"{at - self.started:8.3f} {text}" for at, text in self.lines[-count:])

    def send(self, text):
        self.process.stdin.write((text + "\n").encode())
        self.process.stdin.flush()

    def wait(self, seconds=20):
        """Its exit status; None if it did not end in time."""
        try:
            status = self.process.wait(seconds * PATIENCE)
        except subprocess.TimeoutExpired:
            return None
        with self.condition:
            self.condition.wait_for(lambda: self.open == 0, 2)
        return status

    def end(self, number=signal.SIGTERM, seconds=10):
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.wait(seconds)
        if status is None:
            self.kill()
        return status

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        return self.wait(5)


def run(*command, seconds=60, env=None, **options):
    """Runs a program to its end: (status, output, errors). Status None: not within the time."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=seconds * PATIENCE,
            env=surroundings(env), **options)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode("utf-8", "replace"), (late.stderr or b"").decode("utf-8", "replace")
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


# --- The bench's devices ---------------------------------------------------------------------------------------------


class IMU(Program):
    """The virtual accelerometer and gyroscope. Its lines are what the kernel asked of it."""

    def __init__(self, *options):
        super().__init__(ONSTAGE, "bench", "imu", *options, name="onstage bench imu")
        self.await_line(r" started$", 20)
        if not await_true(lambda: {"accel_3d", "gyro_3d"} <= set(iio_names().values()), 20):
            raise Ended(f"no IIO devices came: {iio_names()}")

    def powers(self, kind, since=0.0):
        """(seconds, whether powered) at each change, for "accelerometer" or "gyroscope"."""
        found = []
        for _, text in list(self.lines):
            match = re.match(rf"([0-9.]+) {kind} power=(\S+)", text)
            if match and float(match[1]) >= since:
                is_on = match[2] in ("full", "low")
                if not found or found[-1][1] != is_on:
                    found.append((float(match[1]), is_on))
        return found


def iio_names():
    names = {}
    for path in pathlib.Path("/sys/bus/iio/devices").glob("iio:device*"):
        try:
            names[path.name] = (path / "name").read_text().strip()
        except OSError:
            pass
    return names


def enabled_buffers():
    """The IIO devices whose buffer is enabled."""
    found = []
    for path in pathlib.Path("/sys/bus/iio/devices").glob("iio:device*/buffer/enable"):
        try:
            if path.read_text().strip() != "0":
                found.append(path.parts[-3])
        except OSError:
            pass
    return found


class Opens:
    """What is opened of some nodes, by anybody, as inotify tells it."""

    def __init__(self, paths):
        library = ctypes.CDLL(None, use_errno=True)
        self.names = {}
        self.descriptor = library.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        for path in paths:
            number = library.inotify_add_watch(self.descriptor, os.fsencode(path), 0x20)  # IN_OPEN
            if number < 0:
                raise Ended(f"inotify does not watch {path}: {os.strerror(ctypes.get_errno())}")
            self.names[number] = path

    def take(self):
        """The nodes that were opened since the last call, each as often as it was told."""
        found = []
        try:
            while data := os.read(self.descriptor, 65536):
                at = 0
                while at < len(data):
                    number, _, _, length = struct.unpack_from("iIII", data, at)
                    found.append(self.names[number])
                    at += 16 + length
        except BlockingIOError:
            pass
        return found


class StallWatch(threading.Thread):
    """How long this guest stood still at worst: an emulated one on a busy host does, and then any player runs dry.

    Where it stood for longer than the ring holds, the driver's pointer may even have gone round unseen by anybody.
    """

    def __init__(self, step=0.01):
        super().__init__(daemon=True)
        self.step, self.worst, self.stopped = step, 0.0, threading.Event()
        self.start()

    def run(self):
        while not self.stopped.is_set():
            before = now()
            time.sleep(self.step)
            self.worst = max(self.worst, now() - before - self.step)

    def stop(self):
        self.stopped.set()
        self.join(1)
        return self.worst


class Recorder(Program):
    """arecord on the far side of the loopback card: start it first, end it last."""

    def __init__(self, path="recording.raw", channels=2, rate=RATE, sample="S16_LE"):
        self.path, self.frame = path, channels * SAMPLES[sample]
        pathlib.Path(path).unlink(missing_ok=True)
        super().__init__(
            "arecord", "-q", "-D", "hw:Loopback,1,0", "-t", "raw", "-f", sample, "-c", str(channels), "-r", str(rate),
            "--buffer-size=65536", "--period-size=4096", path)
        if not await_true(lambda: os.path.exists(path) and os.path.getsize(path) > 0, 20):
            raise Ended(f"arecord records nothing:\n{self.text}")
        self.stall, self.stood = StallWatch(), 0.0

    def stop(self):
        """All that came through until now has been written a buffer later."""
        self.stood = self.stall.stop()
        size = os.path.getsize(self.path)
        await_true(lambda: os.path.getsize(self.path) >= size + 3 * 4096 * self.frame, 10)
        # It writes each period as it comes; told to end politely it sometimes hangs.
        self.process.kill()
        self.wait(5)
        if "overrun" in self.text:
            fail("the recorder kept up", self.text)

    def check(self, text, first=1, last=None, may_stall=False):
        """One check: all was heard, once and in order. Not judged where the guest stood still for half a ring or more.

        `may_stall`: then nothing is said, and None is the answer: it is to be made again.
        """
        is_whole, found = judge_ramp(self.path, first, last)
        if not is_whole and self.has_stalled:
            if may_stall:
                return None
            print(f"skipped: {text}: the guest stood still for {self.stood * 1000:.0f} ms: {found[:120]}", flush=True)
            return True
        return expect(is_whole, f"{text}: {found[:200]}", found)

    @property
    def has_stalled(self):
        return self.stood > 0.05


def ramp(path, seconds, silence=0.0):
    """A WAV file in which every frame carries its own number."""
    status, _, errors = run(sys.executable, str(KERNEL / "ramp.py"), "make", path, str(seconds), "--silence", str(silence))
    if status:
        raise Ended(errors)
    return round(seconds * RATE)


def judge_ramp(recording, first=1, last=None):
    """Whether a recording, silence removed, holds the frames `first` … `last`, once each and in order; and what it says."""
    words = [sys.executable, str(KERNEL / "ramp.py"), "check", recording, "--first", str(first)]
    if last is not None:
        words += ["--last", str(last)]
    status, output, errors = run(*words)
    return status == 0, output.strip() + errors


def check_ramp(text, recording, first=1, last=None):
    """One check: the recording is whole."""
    is_whole, found = judge_ramp(recording, first, last)
    return expect(is_whole, f"{text}: {found[:200]}", found)


# --- Looks from outside ----------------------------------------------------------------------------------------------


def held(pid):
    """What a process has of the devices: open descriptors and mappings."""
    found = collections.Counter()
    try:
        for number in os.listdir(f"/proc/{pid}/fd"):
            try:
                target = os.readlink(f"/proc/{pid}/fd/{number}")
            except OSError:
                continue
            if target.startswith(DEVICES):
                found[target] += 1
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                parts = line.split(None, 5)
                if len(parts) == 6 and parts[5].startswith(DEVICES):
                    found["map " + parts[5].strip()] += 1
    except OSError:
        pass
    return found


def holders(prefix):
    """Which processes hold a node whose path begins so."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            nodes = [name for name in held(entry) if name.removeprefix("map ").startswith(prefix)]
            if nodes:
                found[int(entry)] = nodes
    return found


def counts(pid):
    """(descriptors, mappings, threads) of a process."""
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
        mappings = sum(1 for _ in maps)
    return len(os.listdir(f"/proc/{pid}/fd")), mappings, len(os.listdir(f"/proc/{pid}/task"))


class Watcher(threading.Thread):
    """Looks every few milliseconds at what a process holds: a list of (seconds before, seconds after, held)."""

    def __init__(self, pid, step=0.03):
        super().__init__(daemon=True)
        self.pid, self.step, self.looks, self.stopped = pid, step, [], threading.Event()
        self.start()

    def run(self):
        while not self.stopped.wait(self.step):
            before = now()
            seen = held(self.pid)
            buffers = enabled_buffers()
            self.looks.append((before, now(), seen, buffers))

    def stop(self):
        self.stopped.set()
        self.join(5)
        return self.looks

    def within(self, start, end):
        return [look for look in self.looks if look[0] >= start and look[1] <= end]


# --- The command -----------------------------------------------------------------------------------------------------


class Run(Program):
    """`onstage run`."""

    def __init__(self, *options, profile="bench-kernel", stdin=False, state="state", prefix=(), **rest):
        words = [*prefix, ONSTAGE, "run"]
        if profile:
            words += ["--profile", str(profile)]
        if state:
            words += ["--state", state]
        super().__init__(*words, *options, stdin=stdin, name="onstage run", **rest)

    def origin(self):
        """The start of its clock in seconds of CLOCK_MONOTONIC: not before, and later by what the fastest line took.

        By the scenes' steps: a first frame has the time that the driver gave it, which may lie ahead.
        """
        stamps = [(at, re.match(r"([0-9]+\.[0-9]{3}) \S+ \w+ -> \w+$", text)) for at, text in self.lines]
        return min(at - float(match[1]) for at, match in stamps if match)


class Report:
    """The report of a run."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.json = json.load(file)

    def resource(self, name, scene="main"):
        for resource in self.json["resources"]:
            if resource["id"] == name and resource["scene"] == scene:
                return resource
        raise Ended(f"the report has no {name}")

    @property
    def resources(self):
        return self.json["resources"]

    def receipts(self):
        return [(resource["id"], receipt) for resource in self.resources for receipt in resource["receipts"]]

    def activations(self, scene="main"):
        return [step["at"] for step in self.json["transitions"] if step["to"] == "active" and step["scene"] == scene]


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else None


def main(*steps):
    """Runs the steps, each even if one before has failed, in a folder of their own; ends with 0 or 1."""
    # Ended at its time limit: where it was.
    faulthandler.register(signal.SIGTERM, all_threads=True, chain=True)
    folder = tempfile.mkdtemp(prefix="kernel-test.")
    os.chmod(folder, 0o755)
    os.chdir(folder)
    for step in steps:
        try:
            step()
        except Ended as end:
            fail(f"{step.__name__}: {str(end).splitlines()[0]}", "\n".join(str(end).splitlines()[1:]))
        except Exception:  # pylint: disable=broad-except
            import traceback
            fail(f"{step.__name__}: the test itself broke", traceback.format_exc())
        finally:
            for program in Program.everyone:
                program.kill()
            Program.everyone.clear()
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if _failed else 0)
