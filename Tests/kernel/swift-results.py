#!/usr/bin/env python3
"""Reads the event stream of a Swift Testing run: says what failed and counts.

usage: swift-results.py EVENTS --status STATUS [--log FILE] [--skipped FILE] [--ran FILE] [--checks]

  --status   the bundle's exit status: a run that died or hung has failed, whatever its events say
  --log      its output; the end is shown when a run died
  --skipped  write the identifiers of skipped tests there, one a line; --ran: of those that ran
  --checks   print a line "ok: …", "FAILED: …" or "skipped: …" for each test, as kernel tests do

Prints what failed and why; descriptor 3, if it is open, gets "PASSED FAILED SKIPPED". A test with arguments counts once.
Exit status: 0 none failed, 1 some did.
"""
import argparse
import json
import os
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("events")
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--log")
    parser.add_argument("--skipped")
    parser.add_argument("--ran")
    parser.add_argument("--checks", action="store_true")
    options = parser.parse_args()

    names, functions = {}, set()
    started, ended, skipped, issues = [], set(), {}, {}
    loose = []
    try:
        lines = open(options.events, encoding="utf-8")
    except OSError:
        lines = []
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue  # the last line of a run that died
        payload = record.get("payload", {})
        if record.get("kind") == "test":
            name = payload.get("displayName") or payload.get("name", "")
            names[payload["id"]] = name
            if payload.get("kind") == "function":
                functions.add(payload["id"])
            continue
        kind, test = payload.get("kind"), payload.get("testID")
        text = " ".join(m.get("text", "") for m in payload.get("messages", []))
        if kind == "testStarted":
            started.append(test)
        elif kind == "testEnded":
            ended.add(test)
        elif kind == "testSkipped":
            skipped[test] = text
        elif kind == "issueRecorded":
            issue = payload.get("issue", {})
            if issue.get("isKnown") or issue.get("isFailure") is False or issue.get("severity") == "warning":
                continue
            place = issue.get("sourceLocation") or {}
            where = f"{place.get('fileID', '')}:{place.get('line', '')}: " if place else ""
            if test is None:
                loose.append(where + text)
            else:
                issues.setdefault(test, []).append(where + text)

    def shown(test):
        return test.split("/")[0] + "/" + "/".join(test.split("/")[1:3])

    ran = [test for test in dict.fromkeys(started) if test in functions and test not in skipped]
    # A skipped suite skips each of its tests.
    left_out = {
        test for test in functions
        if test in skipped or any(test.startswith(suite + "/") for suite in skipped if suite not in functions)
    }
    broken = [test for test in ran if test in issues]
    unended = [test for test in ran if test not in ended]
    for test, found in issues.items():
        print(f"\nFAILED in {shown(test)} \"{names.get(test, '')}\":" if not options.checks else f"in {shown(test)}:")
        for text in found[:20]:
            print(f"    {text}")
        if len(found) > 20:
            print(f"    … and {len(found) - 20} more")
    for text in loose:
        print(f"FAILED outside of any test: {text}" if not options.checks else f"outside of any test: {text}")

    died = options.status not in (0, 1) or (options.status == 1 and not issues and not loose)
    suites = [test for test in issues if test not in functions]
    bad = set(broken) | set(suites)
    failed = len(bad) + len(loose)
    if died and not ran:
        failed = max(failed, 1)
    if died:
        how = "hung: ended at the time limit" if options.status in (124, 137) else f"ended with status {options.status}"
        print(f"the test run {how}")
        if unended:
            print("  not ended: " + ", ".join(shown(test) for test in unended))
        if options.log:
            print(f"  last lines of {options.log}:")
            with open(options.log, encoding="utf-8", errors="replace") as log:
                lines = log.read().splitlines()
            races = [at for at, line in enumerate(lines) if "ThreadSanitizer" in line]
            for line in lines[races[0]:races[0] + 80] if races else lines[-60:]:
                print(f"    {line}")
        bad |= set(unended)
        failed = max(len(bad) + len(loose), 1)
    elif not ran and not left_out:
        print("no test ran")
        failed = max(failed, 1)
    passed = len([test for test in ran if test not in bad])

    for path, tests in ((options.skipped, left_out), (options.ran, ran)):
        if path:
            with open(path, "w", encoding="utf-8") as out:
                out.writelines(f"{shown(test)}\n" for test in sorted(tests))
    if options.checks:
        for test in ran:
            print(("FAILED: " if test in bad else "ok: ") + f"{shown(test)} {names.get(test, '')}".rstrip())
        for test in sorted(left_out):
            print(f"skipped: {shown(test)}")
        for index in range(failed - len(bad)):
            print("FAILED: the test run itself")
    try:
        os.write(3, f"{passed} {failed} {len(left_out)}\n".encode())
    except OSError:
        pass
    return 1 if failed else 0


sys.exit(main())
