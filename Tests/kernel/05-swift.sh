#!/bin/bash
# The Swift suites that need real drivers: skipped on the host, run here against vivid, snd-aloop and uhid.
#
# timeout: 420
# soak-timeout: 3000
# quick
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$here/../.." && pwd)
bundle=$checkout/.build/debug/onstagePackageTests.xctest
[ "${ONSTAGE_SOAK:-0}" = 0 ] || export ONSTAGE_CYCLES=${ONSTAGE_CYCLES:-1000}

# Every type whose suite is enabled only where a device is: found, not listed, so that none is forgotten.
filters=()
while read -r type; do filters+=(--filter "$type"); done < <(
    # (An attribute may go over several lines: the file is read as one.)
    grep -rlzE 'enabled\(\s*if:[^\n]*(Bench\.|/dev/)' "$checkout/Tests" --include='*.swift' | sort | while read -r file; do
        module=${file#"$checkout/Tests/"}
        sed -nE "s/^(@Suite.* )?(final )?(struct|class|actor) ([A-Za-z0-9]+Tests)\b.*/^${module%%/*}.\4\//p" "$file"
    done
)
[ ${#filters[@]} -gt 0 ] || { echo "FAILED: no suite that needs a device"; exit 1; }

status=0
# Sound is judged where the guest never stands still: in 26-swift-steady.
filters+=(--skip '^OnstagePlaybackTests\.[A-Za-z]*HardwareTests/')
# One at a time: a child that one test starts has the descriptors of all others until its exec.
timeout -k 5 $((${ONSTAGE_SOAK:-0} ? 2900 : 390)) "$bundle" --testing-library swift-testing \
    --event-stream-output-path /run/events.jsonl --event-stream-version 0 --no-parallel "${filters[@]}" >/run/swift.log 2>&1 || status=$?
grep -E 'cycles, released|p99|median' /run/swift.log || true
# What is skipped here runs on the host: the caller, who knows both, counts it.
"$here/swift-results.py" /run/events.jsonl --status "$status" --log /run/swift.log --checks \
    --ran "$BENCH_SHARE/swift-ran" | sed 's/^skipped: /left to the host: /'
