#!/usr/bin/env python3
"""Measures captures in the bench VM: CPU and waits per frame, and by the kernel's own trace when things happened.

usage: guest.py PLAN.json
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shared"))
from probes import Probes, measure  # noqa: E402

PROBES = [
    "p:camera/open v4l2_open", "p:camera/on vb2_core_streamon", "p:camera/off vb2_core_streamoff",
    "r:camera/taken vb2_core_dqbuf answer=$retval:s32", "r:camera/closed v4l2_release",
]


def main():
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    os.chdir("/tmp")
    probes = Probes(PROBES, "sched/sched_process_exec")

    def traces(entry):
        return {"traces": [probes.traced(entry.get("cycles", entry["command"]), 5) for _ in range(plan["repeats"])]}
    measure(plan["commands"], plan["repeats"], 3, lambda entry: plan["frames"], traces)


main()
