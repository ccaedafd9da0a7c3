# shellcheck shell=bash
# What the guest's scripts share: the channels to the host and the modules to load.

setting() { cat "/run/bench/settings/$1"; }

# The device of the virtio serial port with this name, once it is there.
port() {
    local name device tries=0
    while :; do
        for name in /sys/class/virtio-ports/*/name; do
            if [ -e "$name" ] && [ "$(<"$name")" = "bench.$1" ]; then
                device=${name%/name}
                device=/dev/${device##*/}
                if [ -c "$device" ]; then
                    echo "$device"
                    return
                fi
            fi
        done
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || return 1
        sleep 0.02
    done
}

# mark NAME: tells the host the guest's uptime now (shown by --verbose).
mark() {
    local up
    read -r up _ </proc/uptime
    # shellcheck disable=SC2154  # opened by job
    echo "mark $1 $up" >&"$report"
}

mount_kernel_folders() {
    mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
    mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
}

load_modules() {
    local line
    # A line of the list is a module and its parameters.
    while read -r line; do
        # shellcheck disable=SC2086
        case $line in
            # Not one of the kernel's own: its file came with this run, what it needs is there.
            vimc) modprobe -a v4l2-tpg videobuf2-v4l2 videobuf2-vmalloc videobuf2-dma-contig && insmod /run/bench/vimc.ko ;;
            *) modprobe $line ;;
        esac || echo "bench-vm: modprobe $line failed" >&2
    done </run/bench/settings/load
    if [ "$(setting usb_audio)" = yes ]; then
        modprobe xhci-pci
        modprobe snd-usb-audio
        bench-usb wait || true
    fi
}

# The disk of --disk, wherever the kernel has put it.
mount_disk() {
    local block
    [ -n "$(setting disk)" ] || return 0
    for block in /sys/block/vd*; do
        if [ "$(cat "$block/serial")" = bench-disk ]; then
            mkdir -p /run/bench-disk
            mount -t ext4 "/dev/${block##*/}" /run/bench-disk || echo "bench-vm: the disk cannot be mounted" >&2
        fi
    done
}
