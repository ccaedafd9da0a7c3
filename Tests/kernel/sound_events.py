"""What the kernel did with the sound cards, and when: starts, stops and releases, by probes in the drivers (ftrace).

Times are seconds of CLOCK_MONOTONIC, as the rest of the judges have them. No program under test has a part in it.
"""
import os
import re

TRACING = "/sys/kernel/tracing"
# struct snd_pcm_substream begins with its PCM (which begins with its card, which begins with its number); `stream` (0 is
# playback) stands behind three pointers, a number and a name of 32 bytes.
SUBSTREAM = "card=+0(+0(+0(%di))):s32 stream=+60(%di):s32"
TRIGGERS = ("loopback_trigger", "dummy_pcm_trigger", "snd_usb_substream_playback_trigger")
COMMANDS = {0: "stop", 1: "start", 3: "pause", 4: "unpause", 5: "suspend", 6: "resume"}
LINE = re.compile(r"^\s*(.+)-(\d+)\s+\[\d+\]\s+\S+\s+([0-9.]+): (\w+): (.*)$")


class SoundEvent:
    """One: `kind` is start, stop, pause, unpause, suspend, resume, detached, released, exec or mark."""

    def __init__(self, at, kind, pid, program, card=None, stream=None, text=""):
        self.at, self.kind, self.pid, self.program = at, kind, pid, program
        self.card, self.stream, self.text = card, stream, text

    def __repr__(self):
        return f"{self.at:.6f} {self.kind} {self.program}-{self.pid} card={self.card} stream={self.stream} {self.text}"


def write(name, text, how=os.O_TRUNC):
    # Not by `open`: it looks for the end of what it appends to, and these files have none.
    file = os.open(os.path.join(TRACING, name), os.O_WRONLY | os.O_CLOEXEC | how)
    try:
        if text:
            os.write(file, text.encode())
    finally:
        os.close(file)


class SoundEvents:
    """Records from its making until `stop`. The drivers have to be loaded already."""

    def __init__(self, megabytes=4):
        with open("/proc/kallsyms", encoding="utf-8") as symbols:
            known = {line.split()[2] for line in symbols if " t " in line or " T " in line}
        write("tracing_on", "0")
        for group in ("sound", "sched/sched_process_exec"):
            if os.path.exists(f"{TRACING}/events/{group}/enable"):
                write(f"events/{group}/enable", "0")
        write("kprobe_events", "")
        write("trace_clock", "mono")
        write("buffer_size_kb", str(megabytes * 1024))
        write("kprobe_events", f"p:sound/detached snd_pcm_detach_substream {SUBSTREAM}\n", os.O_APPEND)
        write("kprobe_events", "r:sound/released snd_pcm_release\n", os.O_APPEND)
        for function in TRIGGERS:
            if function in known:
                write("kprobe_events", f"p:sound/{function} {function} cmd=%si:s32 {SUBSTREAM}\n", os.O_APPEND)
        write("events/sound/enable", "1")
        write("events/sched/sched_process_exec/enable", "1")
        self.marker = os.open(f"{TRACING}/trace_marker", os.O_WRONLY | os.O_CLOEXEC)
        self.clear()
        write("tracing_on", "1")

    def clear(self):
        write("trace", "")

    def mark(self, text):
        """Puts a line of ours between the kernel's."""
        os.write(self.marker, text.encode())

    def read(self):
        found = []
        with open(f"{TRACING}/trace", encoding="utf-8", errors="replace") as trace:
            for line in trace:
                match = LINE.match(line)
                if match:
                    event = parse(*match.groups())
                    if event:
                        found.append(event)
        return found

    def stop(self):
        write("tracing_on", "0")
        os.close(self.marker)
        return self.read()


def parse(program, pid, at, name, rest):
    at, pid = float(at), int(pid)
    numbers = {key: int(value) for key, value in re.findall(r"(\w+)=(-?\d+)", rest)}
    card, stream = numbers.get("card"), numbers.get("stream")
    if name == "tracing_mark_write":
        return SoundEvent(at, "mark", pid, program, text=rest)
    if name == "sched_process_exec":
        return SoundEvent(at, "exec", pid, program, text=rest)
    if name in ("detached", "released"):
        return SoundEvent(at, name, pid, program, card, stream)
    if name in TRIGGERS:
        return SoundEvent(at, COMMANDS.get(numbers["cmd"], "other"), pid, program, card, stream)
    return None
