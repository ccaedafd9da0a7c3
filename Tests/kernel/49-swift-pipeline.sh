#!/bin/bash
# The Swift suite that looks at the pictures of a camera behind a media controller.
#
# vm: --modules vimc
# timeout: 60
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bundle=$here/../../.build/debug/onstagePackageTests.xctest
status=0
"$bundle" --testing-library swift-testing --event-stream-output-path /run/events.jsonl --event-stream-version 0 \
    --no-parallel --filter '^OnstageCameraTests\.PipelineHardwareTests/' >/run/swift.log 2>&1 || status=$?
"$here/swift-results.py" /run/events.jsonl --status "$status" --log /run/swift.log --checks \
    --ran "$BENCH_SHARE/swift-ran"
