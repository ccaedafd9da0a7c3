#!/usr/bin/env bash
# Checks, on the host, that scripts/bench-vm hands everything over and back as it says.
# usage: bench-vm.sh [NAME…]   the checks by name; without one: all but the slow ones (systemd, sleep, image)
#
# shellcheck disable=SC2317,SC2016,SC2086  # called by name; expanded in the guest; plain numbers
set -euo pipefail
checkout=$(cd "$(dirname "$0")/../../.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

expect() { # expect NAME WANTED FOUND
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        printf 'FAILED: %s\n  wanted: %q\n  found:  %q\n' "$1" "$2" "$3"
        failed=1
    fi
}
bench() { "$checkout/scripts/bench-vm" "$@"; }
# run ARGUMENTS…: sets status, out and err
run() {
    status=0
    bench "$@" >out.txt 2>err.txt </dev/null || status=$?
    out=$(<out.txt)
    err=$(<err.txt)
}

check_status() {
    run --no-modules -- sh -c 'echo to out; echo to err >&2; exit 7'
    expect "exit status" 7 "$status"
    expect "standard output" "to out" "$out"
    expect "standard error" "to err" "$err"
    run --no-modules -- sh -c 'kill -KILL $$'
    expect "status of a killed command" 137 "$status"
    run --no-modules -- /no/such/program
    expect "status of a program that is not there" 127 "$status"
}
check_output() {
    run --no-modules -- sh -c 'seq 300000; seq 5 >/dev/stderr'
    expect "much output, nothing lost" "$(seq 300000 | cksum)" "$(cksum <out.txt)"
    expect "output through /dev/stderr" "$(seq 5)" "$err"
}
check_order() {
    status=0
    bench --no-modules -- sh -c 'for i in 1 2 3 4 5 6 7 8; do echo $i; echo $i >&2; done' >out.txt 2>&1 || status=$?
    expect "order of lines when both go to one file" "$(for i in 1 2 3 4 5 6 7 8; do printf '%s\n%s\n' $i $i; done)" "$(<out.txt)"
}
check_arguments() {
    local arguments=('a  b' '$HOME "q" `x` \n' $'new\nline' '' '--help' 'ü,ß' "it's")
    run --no-modules --env 'GIVEN=x  y' -- bash -c 'printf "<%s>" "$@" "$GIVEN"' name "${arguments[@]}"
    expect "arguments and environment" "$(printf '<%s>' "${arguments[@]}" 'x  y')" "$out"
}
check_timeout() {
    run --no-modules --timeout 30 -- sh -c 'echo begun; sleep 1000'
    expect "status at the time limit" 124 "$status"
    expect "output up to the time limit" begun "$out"
    case $err in *'time limit of 30 s'*) echo "ok: said so" ;; *) expect "said so" "time limit of 30 s" "$err" ;; esac
}
check_share() {
    mkdir 'a, share'
    run --no-modules --share 'a, share' -- bash -c 'echo "$PWD" >"$BENCH_SHARE/where"; touch "$BENCH_CHECKOUT/x" /usr/x && echo written'
    expect "the shared folder" "$checkout" "$(cat 'a, share/where')"
    expect "the checkout is read-only" 1 "$status"
    [ ! -e /usr/x ] || expect "the host's files are safe" no yes
}
check_place() {
    local copy="$work/a b/ü"
    mkdir -p "$copy/sub dir"
    cp -r "$checkout/scripts" "$copy/"
    status=0
    out=$(cd "$copy/sub dir" && "$copy/scripts/bench-vm" --no-modules -- pwd) || status=$?
    expect "a checkout with blanks in its path, called from a folder inside" "0 $copy/sub dir" "$status $out"
}
check_interrupt() {
    mkdir temporary
    TMPDIR=$work/temporary bash -c 'exec "$@"' sh "$checkout/scripts/bench-vm" --no-modules -- sleep 1000 >out.txt 2>&1 &
    local process=$! status=0
    sleep 5
    kill -TERM "$process"
    wait "$process" || status=$?
    expect "status after SIGTERM" 143 "$status"
    expect "nothing left behind" "" "$(ls temporary)"
}
check_two() {
    bench --no-modules -- echo one >one.txt 2>&1 &
    local process=$!
    run --no-modules -- echo two
    wait "$process" || true
    expect "two at a time" "one two" "$(<one.txt) $out"
}
check_bench() {
    status=0
    bench -- "$checkout/Tests/kernel/00-bench-vm.sh" >out.txt 2>&1 || status=$?
    cat out.txt
    expect "the bench's devices" 0 "$status"
}
check_usb() {
    mkdir usb
    run --usb-audio --share usb -- bash -c 'python3 Tests/kernel/ramp.py make /tmp/r.wav 3
        aplay -q -D hw:Audio /tmp/r.wav & sleep 1; bench-usb pull; ! wait $! && bench-usb put && grep -q Audio /proc/asound/cards'
    expect "USB sound card pulled and put back" 0 "$status"
    case $("$checkout/Tests/kernel/ramp.py" check usb/usb-1.wav) in
        *' lost=0 repeated=0 '*) echo "ok: its recording" ;;
        *) expect "its recording" "nothing lost" "$("$checkout/Tests/kernel/ramp.py" check usb/usb-1.wav)" ;;
    esac
}
check_systemd() {
    run --init systemd --user ann -- sh -c 'id -un; test -r /dev/video0 && test -L /dev/v4l/by-path/platform-vivid.0-video-index0 && busctl status org.freedesktop.login1 >/dev/null && exit 9'
    expect "systemd, as ann" "9 ann" "$status $out"
}
check_sleep() {
    run --init systemd --copy "$checkout/Tests/kernel" -- bench-suspend 15
    expect "sleep and wake-up" 0 "$status"
}
check_image() {
    run --root image --deterministic -- sh -c 'findmnt -no FSTYPE / && nproc'
    expect "ext4 image, deterministic" $'0 ext4\n1' "$status $out"
}

bench --no-modules true # makes the kernel's folder, if it is not there, and says so now
checks=("$@")
[ ${#checks[@]} -gt 0 ] || checks=(status output order arguments timeout share place interrupt two bench usb)
for check in "${checks[@]}"; do "check_$check"; done
exit $failed
