"""The guest's side of benches: what a command costs, and by the kernel's own trace when things happened."""
import json
import os
import pathlib
import re
import shutil
import subprocess

SHARE = os.environ["BENCH_SHARE"]
TRACE = pathlib.Path("/sys/kernel/tracing")
LINE = re.compile(r"\s*(.+)-(\d+)\s+\[\d+\]\s+\S+\s+([\d.]+): (\w+): ?(.*)")


def run(command, count):
    """Runs it to its end; what it used. What it said is in ``said``."""
    words = [word.format(N=count) for word in command]
    with open("said", "w", encoding="utf-8") as out, open("errors", "w", encoding="utf-8") as errors:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        text = pathlib.Path("errors").read_text(encoding="utf-8", errors="replace")[-500:]
        raise OSError(f"{' '.join(words)} ended with {process.returncode}: {text}")
    return {"cpu": used.ru_utime + used.ru_stime, "switches": used.ru_nvcsw + used.ru_nivcsw, "kilobytes": used.ru_maxrss}


def said():
    return pathlib.Path("said").read_text(encoding="utf-8", errors="replace")


def syscalls(command, count):
    """System calls, by perf; None where it is not there."""
    if not shutil.which("perf"):
        return None
    words = ["perf", "stat", "-x,", "-o", "perf.out", "-e", "raw_syscalls:sys_enter"]
    words += [word.format(N=count) for word in command]
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    for line in pathlib.Path("perf.out").read_text(encoding="utf-8").splitlines():
        parts = line.split(",")
        if len(parts) > 2 and parts[2].startswith("raw_syscalls"):
            return float(parts[0])
    return None


class Probes:
    """Kernel probes ("p:GROUP/NAME FUNCTION …") and other events of the trace, by CLOCK_MONOTONIC."""

    def __init__(self, probes, *events):
        file = os.open(TRACE / "kprobe_events", os.O_WRONLY | os.O_APPEND)
        for probe in probes:
            os.write(file, f"{probe}\n".encode())
        os.close(file)
        (TRACE / "trace_clock").write_text("mono", encoding="utf-8")
        names = [probe.split()[0].split(":")[1] for probe in probes] + list(events)
        self.enables = [TRACE / f"events/{name}/enable" for name in names]

    def traced(self, command, count):
        """What the kernel saw of it: [seconds, event, detail]."""
        (TRACE / "trace").write_text("", encoding="utf-8")
        for enable in self.enables:
            enable.write_text("1", encoding="utf-8")
        try:
            run(command, count)
        finally:
            for enable in self.enables:
                enable.write_text("0", encoding="utf-8")
        found = [LINE.match(line) for line in (TRACE / "trace").read_text(encoding="utf-8").splitlines()]
        return [[float(match[3]), match[4], match[5]] for match in found if match]


def measure(entries, repeats, warm, lengths, more):
    """Measures each entry's command at two lengths, and by `more(entry)` what a bench has beside that; hands it to the host.

    warm: how many a first run has that is not measured; lengths(entry): (few, many).
    """
    found = []
    for entry in entries:
        command, (few, many), result = entry["command"], lengths(entry), {"name": entry["name"]}
        try:
            run(command, warm)
            result["few"] = [run(command, few) for _ in range(repeats)]
            result["many"] = [run(command, many) for _ in range(repeats)]
            result["said"] = said()
            result["syscalls"] = [syscalls(command, few), syscalls(command, many)]
            result |= more(entry)
        except OSError as error:
            result["failed"] = str(error)
        found.append(result)
        print(f"{entry['name']}" + (f": {result['failed']}" if "failed" in result else ""), flush=True)
    pathlib.Path(SHARE, "results").write_text(json.dumps(found), encoding="utf-8")
