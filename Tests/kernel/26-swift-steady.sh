#!/bin/bash
# The Swift suite that judges sound, where no busy host can make any player run dry.
#
# vm: --deterministic
# timeout: 420
# soak-timeout: 3000
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bundle=$here/../../.build/debug/onstagePackageTests.xctest
[ "${ONSTAGE_SOAK:-0}" = 0 ] || export ONSTAGE_CYCLES=${ONSTAGE_CYCLES:-1000}
status=0
"$bundle" --testing-library swift-testing --event-stream-output-path /run/events.jsonl --event-stream-version 0 \
    --no-parallel --filter '^OnstagePlaybackTests\.[A-Za-z]*HardwareTests/' >/run/swift.log 2>&1 || status=$?
grep -E 'cycles, released' /run/swift.log || true
"$here/swift-results.py" /run/events.jsonl --status "$status" --log /run/swift.log --checks \
    --ran "$BENCH_SHARE/swift-ran"
