#!/usr/bin/env python3
# timeout: 300
# soak-timeout: 1200
"""The camera's own commands on vivid: pictures in their colours, a full disk, and frames through every fault and any mix."""
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import threading
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403

NODE = "/dev/video0"
# 75 % colour bars, from left to right.
BARS = [(191, 191, 191), (191, 191, 0), (0, 191, 191), (0, 191, 0), (191, 0, 191), (191, 0, 0), (0, 0, 191), (0, 0, 0)]
MIX = 600 if SOAK else 60


def control(setting, node=NODE):
    return subprocess.run(["v4l2-ctl", "-d", node, "-c", setting], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def plain_bars():
    control("test_pattern=0,horizontal_movement=3,osd_text_mode=2")


def png(path):
    """(width, height, rows of R, G, B)."""
    data, at, packed = pathlib.Path(path).read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]:
            raise ValueError(f"{path}: a bad checksum in {kind}")
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            if (depth, color) != (8, 2):
                raise ValueError(f"{path}: depth {depth}, colour type {color}")
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, rows, stride = zlib.decompress(packed), [], width * 3
    above = bytes(stride)
    for row in range(height):
        how, line = raw[row * (stride + 1)], bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for index in range(stride):
            left = line[index - 3] if index >= 3 else 0
            corner = above[index - 3] if index >= 3 else 0
            near = min((left, above[index], corner), key=lambda value: abs(left + above[index] - corner - value))
            line[index] = (line[index] + [0, left, above[index], (left + above[index]) // 2, near][how]) & 255
        rows.append(bytes(line))
        above = rows[-1]
    return width, height, rows


def check_bars(text, path, mirrored=False):
    width, height, rows = png(path)
    found = []
    for index in range(8):
        at = (index * 2 + 1) * width // 16 * 3
        found.append(tuple(rows[height // 2][at:at + 3]))
    wanted = list(reversed(BARS)) if mirrored else BARS
    near = all(abs(a - b) <= 8 for one, other in zip(found, wanted) for a, b in zip(one, other))
    expect(near, text, f"{found}\n{wanted}")


def load(parameters=""):
    """Loads vivid anew, with nothing left of what was set before."""
    await_true(lambda: subprocess.run(["modprobe", "-r", "vivid"], stderr=subprocess.DEVNULL, check=False).returncode == 0, 20)
    words = f"node_types=0x1 num_inputs=1,1 input_types=0x0,0x0 {parameters}".split()
    subprocess.run(["modprobe", "vivid", *words], check=True)
    await_true(lambda: os.path.exists(NODE) or "vid_cap_nr" in parameters, 10)


def pictures():
    """Snapshots of the colour bars, single- and multi-planar (V-16)."""
    for parameters, formats in (
            ("", ("YUYV", "UYVY", "NV12", "NV16", "RGB3", "XR24", "RGBP", "GREY")),
            ("multiplanar=2", ("YUYV", "NV12", "NM12", "NM16", "RGB3"))):
        load(parameters)
        plain_bars()
        kind = "multi-planar " if parameters else ""
        for code in formats:
            status, output, errors = run(ONSTAGE, "snapshot", "-D", NODE, "--size", "640x360", "--format", code, "--json",
                                         f"{code}.png")
            if not expect(status == 0 and "is set" not in errors, f"{kind}{code}: a snapshot", f"{output}\n{errors}"):
                continue
            if code == "GREY":
                _, height, rows = png(f"{code}.png")
                greys = [rows[height // 2][(index * 2 + 1) * 40 * 3] for index in range(8)]
                # The light of each bar by BT.709, as vivid makes it.
                wanted = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in BARS]
                expect(all(abs(a - b) <= 4 for a, b in zip(greys, wanted)), "GREY: the light", f"{greys}\n{wanted}")
            else:
                check_bars(f"{kind}{code}: the colours", f"{code}.png")
    status, output, errors = run(ONSTAGE, "snapshot", "-D", NODE, "--size", "640x360", "--mirror", "mirror.png")
    if expect(status == 0, "mirrored: a snapshot", errors):
        check_bars("mirrored: the colours", "mirror.png", mirrored=True)
    status, _, errors = run(ONSTAGE, "snapshot", "-D", NODE, "--size", "640x360", "whole.jpg")
    data = pathlib.Path("whole.jpg").read_bytes()
    expect(status == 0 and data[:2] == b"\xff\xd8" and data[-2:] == b"\xff\xd9", "a JPEG", errors)
    expect(not holders(NODE), "nobody has the camera", holders(NODE))
    load()


def full_disk():
    """A recording that fills its disk ends with an error, and what is in it is whole."""
    os.makedirs("small", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3M", "small", "small"], check=True)
    try:
        status, _, errors = run(ONSTAGE, "record", "-D", NODE, "--size", "320x180", "small/a.y4m", seconds=60)
        expect(status == 1 and "disk is full" in errors, "a full disk is said", f"{status} {errors}")
        data = pathlib.Path("small/a.y4m").read_bytes()
        head = data.index(b"\n") + 1
        frame = 6 + 320 * 180 * 2
        expect(data.startswith(b"YUV4MPEG2 W320 H180 ") and (len(data) - head) % frame == 0 and len(data) > head + 10 * frame,
               f"{(len(data) - head) // frame} whole frames are in it", f"{len(data)} bytes, header {head}, frame {frame}")
        expect(all(data[at:at + 6] == b"FRAME\n" for at in range(head, len(data), frame)), "each where it belongs")
    finally:
        subprocess.run(["umount", "small"], check=True)


class Frames:
    """What `onstage record` writes into a FIFO, frame by frame, as it comes."""

    def __init__(self, *options):
        self.bad, self.times, self.last, self.broken = 0, [], None, None
        os.mkfifo("frames.y4m")
        self.program = Program(ONSTAGE, "record", "-D", "driver vivid", "--size", "320x180", "--fps", "25", "--wait", "600",
                               *options, "frames.y4m")
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        try:
            with open("frames.y4m", "rb") as file:
                file.readline()
                while True:
                    mark = file.read(6)
                    frame = file.read(320 * 180 * 2)
                    if len(frame) < 320 * 180 * 2:
                        return
                    if mark != b"FRAME\n":
                        self.broken = f"{mark!r} in place of a frame"
                        return
                    bars = [frame[90 * 320 + index * 40 + 20] for index in range(8)]
                    if self.last and any(abs(a - b) > 4 for a, b in zip(self.last, bars)):
                        self.bad += 1
                        self.example = bars
                    self.last = self.last or bars
                    self.times.append(now())
        except OSError as error:
            self.broken = str(error)

    def since(self, moment):
        """Frames that came after `moment`."""
        return sum(1 for at in self.times[-100:] if at > moment)

    def end(self):
        self.program.process.send_signal(signal.SIGINT)
        status = self.program.wait(20)
        self.thread.join(10)
        os.unlink("frames.y4m")
        return status


def replug():
    """V-05: the camera comes back under another number, beside its twin: it is the same one that is used."""
    load("n_devs=2 vid_cap_nr=7,3")
    second = "platform:vivid-001"
    status, output, errors = run(ONSTAGE, "snapshot", "-D", second, "--json", "twin.png")
    expect(status == 0 and second in output and os.path.exists("/dev/video3"), f"{second} by its place", errors)
    status, _, errors = run(ONSTAGE, "snapshot", "-D", "no such camera", "twin.png")
    expect(status == 1 and "platform:vivid-000" in errors and second in errors, "those that there are, are named", errors)
    program = Program(ONSTAGE, "record", "-D", second, "--size", "320x180", "--wait", "60", "twin.y4m")
    written = lambda: os.path.exists("twin.y4m") and os.path.getsize("twin.y4m")  # noqa: E731
    await_true(lambda: written() and holders("/dev/video3").get(program.pid), 20)
    expect(list(holders("/dev/video")) == [program.pid] and not holders("/dev/video7"), "its node alone is held",
           holders("/dev/video"))
    pathlib.Path("/sys/bus/platform/drivers/vivid/unbind").write_text("vivid.0", encoding="utf-8")
    await_true(lambda: not holders("/dev/video"), 10)
    expect(not holders("/dev/video"), "unplugged: everything is given back", holders("/dev/video"))
    size = written()
    pathlib.Path("/sys/bus/platform/drivers/vivid/bind").write_text("vivid.0", encoding="utf-8")
    back = now()
    await_true(lambda: written() > size + 320 * 180 * 4, 20)
    expect(written() > size + 320 * 180 * 4 and now() - back < 3, f"frames again {now() - back:.2f} s after it came back",
           program.tail())
    nodes = [name for name in holders("/dev/video").get(program.pid, []) if not name.startswith("map ")]
    name = pathlib.Path("/sys/class/video4linux", os.path.basename(nodes[0]) if nodes else "none", "name")
    expect(name.exists() and name.read_text(encoding="utf-8").startswith("vivid-001"), f"and it is the same: {nodes}",
           program.tail())
    program.process.send_signal(signal.SIGINT)
    equal("status", 0, program.wait(10))
    load()


def inject(name):
    """Makes a fault; answers when it was over."""
    lasts = {"drop": ("percentage_of_dropped_buffers=100", "percentage_of_dropped_buffers=0"),
             "some": ("percentage_of_dropped_buffers=50", "percentage_of_dropped_buffers=0"),
             "sequence": ("wrap_sequence_number=1", "wrap_sequence_number=0"),
             "time": ("wrap_timestamp=1", "wrap_timestamp=0")}
    once = {"flag": "inject_v4l2_buf_flag_error=1", "qbuf": "inject_vidioc_qbuf_error=1",
            "reqbufs": "inject_vidioc_reqbufs_error=1", "streamon": "inject_vidioc_streamon_error=1",
            "fatal": "inject_fatal_streaming_error=1", "disconnect": "disconnect=1"}
    if name in lasts:
        begin, end = lasts[name]
        control(begin)
        let_pass(random.choice((0.2, 0.8, 1.5, 2.5)))
        control(end)
    else:
        control(once[name])
    return now()


FAULTS = ("flag", "qbuf", "reqbufs", "streamon", "fatal", "disconnect", "drop", "some", "sequence", "time")


def faults():
    """Every fault alone, then a random mix: good frames again in time, and nothing left."""
    plain_bars()
    seed = int(os.environ.get("ONSTAGE_SEED") or int.from_bytes(os.urandom(4), "little"))
    random.seed(seed)
    note(f"seed {seed}")
    frames = Frames()
    await_true(lambda: len(frames.times) >= 5, 30)
    if not expect(len(frames.times) >= 5, "frames come", frames.program.tail()):
        return
    limit = 3.0
    plan = [[fault] for fault in FAULTS]
    until, slowest, rounds = None, 0.0, 0
    while True:
        if plan:
            chosen, alone = plan.pop(0), True
        else:
            until = until or now() + MIX
            if now() >= until:
                break
            chosen, alone = [random.choice(FAULTS) for _ in range(random.randint(1, 4))], False
        over = 0.0
        for fault in chosen:
            over = inject(fault)
        await_true(lambda: frames.since(over) >= 3, 30, 0.01)
        came = [at for at in frames.times if at > over][:3]
        took = came[2] - over if len(came) == 3 else 99.0
        slowest = max(slowest, took)
        rounds += 1
        if alone:
            expect(took < limit, f"{chosen[0]}: good frames {took:.2f} s after it", frames.program.tail())
        elif took >= limit:
            fail(f"{'+'.join(chosen)}: good frames {took:.2f} s after it", frames.program.tail())
        if took == 99.0:
            break
        held_now = [name for name in held(frames.program.pid) if NODE in name]
        opened = [name for name in held_now if not name.startswith("map ")]
        if len(opened) > 1 or len(held_now) > 6:
            fail(f"{'+'.join(chosen)}: {len(held_now)} of the node are held", held_now)
    expect(slowest < limit, f"{rounds} faults and mixes, at most {slowest:.2f} s until good frames")
    expect(frames.bad == 0 and not frames.broken, f"{len(frames.times)} frames, none of them bad",
           f"{frames.bad} bad, {frames.broken}")
    begun = now()
    equal("status at the end", 0, frames.end())
    expect(now() - begun < 2, f"ended {now() - begun:.2f} s after the signal")
    expect(not holders(NODE), "nobody has the camera", holders(NODE))
    load()


def pauses():
    """A pause is as fast in the middle of a fault as without one."""
    pathlib.Path("camera.json").write_text(
        '{"name": "camera", "camera": {"device": "driver vivid", "width": 320, "height": 180}}', encoding="utf-8")
    process = Run("--report", "pauses.json", profile="camera.json", stdin=True)
    since = process.await_line(r"main camera first", 30)[0]
    for fault in ("none", "flag", "fatal", "percentage", "disconnect"):
        if fault == "percentage":
            control("percentage_of_dropped_buffers=100")
            let_pass(0.3)
        elif fault != "none":
            inject(fault)
        asked = now()
        process.send("inactive")
        found = process.await_line(r"camera released", 10, since=since + 1)
        took = found[1] - asked
        expect(took < 0.2, f"a pause with {fault}: released {took * 1000:.0f} ms after it was asked for", process.tail())
        expect(not holders(NODE), f"{fault}: nobody has the camera", holders(NODE))
        control("percentage_of_dropped_buffers=0")
        process.send("active")
        found = process.await_line(r"main camera first", 20, since=found[0] + 1)
        since = found[0]
    equal("status", 0, process.end())


main(pictures, full_disk, pauses, replug, faults)
