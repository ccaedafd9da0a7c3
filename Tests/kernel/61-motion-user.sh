#!/bin/bash
# vm: --init systemd
# timeout: 180
# Motion sensors as an ordinary user, with and without scripts/packaging/60-onstage.rules. Runs as root inside
# scripts/bench-vm --init systemd, which has the users ann (group input) and eve (no group).
set -uo pipefail
checkout=$(cd "$(dirname "$0")/../.." && pwd)
tests=$checkout/.build/debug/onstagePackageTests.xctest
failed=0
id ann >/dev/null 2>&1 || { echo "skipped: needs --init systemd"; exit 0; }

sensors() {
    for _ in $(seq 100); do
        [ -e /sys/bus/iio/devices/iio:device0 ] && [ -e /sys/bus/iio/devices/iio:device1 ] && break
        sleep 0.1
    done
    udevadm settle
}

see() { # USER allowed|refused WHAT
    if runuser -u "$1" -- env ONSTAGE_MOTION_USER="$2" "$tests" --testing-library swift-testing \
        --filter OrdinaryUserTests >/tmp/log 2>&1 && grep -q 'with 1 test in 1 suite passed' /tmp/log; then
        echo "ok: $3"
    else
        echo "FAILED: $3"
        cat /tmp/log
        failed=1
    fi
}

rm -f /run/udev/rules.d/60-onstage.rules
udevadm control --reload
"$checkout/.build/debug/onstage" bench imu --log /tmp/imu.log &
imu=$!
sensors
see ann refused "without the rule ann is refused, and told of it"
kill "$imu"; wait "$imu"

mkdir -p /run/udev/rules.d
cp "$checkout/scripts/packaging/60-onstage.rules" /run/udev/rules.d/
udevadm control --reload
"$checkout/.build/debug/onstage" bench imu --log /tmp/imu.log &
imu=$!
sensors
see ann allowed "with the rule ann, in the group input, reads both sensors"
see eve refused "with the rule eve, in no group, is refused"
ls -l /dev/iio:device* /sys/bus/iio/devices/iio:device0/{buffer/enable,scan_elements/in_accel_x_en}
kill "$imu"; wait "$imu"
exit "$failed"
