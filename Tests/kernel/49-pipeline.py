#!/usr/bin/env python3
# vm: --modules vimc
# timeout: 90
"""A camera behind a media controller (vimc): listed as unsupported; a camera where a profile gives its links and formats.

media-ctl and v4l2-ctl, which know nothing of us, say what is set.
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403

DEVICE = "platform:vimc"
# Of the two sensors the second one feeds the scaler, which the first one does by default.
SWITCHED = ['"Debayer A":1 -> "Scaler":0 [0]', '"Debayer B":1 -> "Scaler":0 [1]']
FORMATS = ['"Sensor B":0 [fmt:SBGGR8_1X8/320x240]', '"Debayer B":0 [fmt:SBGGR8_1X8/320x240]',
           '"Debayer B":1 [fmt:RGB888_1X24/320x240]', '"Scaler":0 [fmt:RGB888_1X24/320x240 crop:(0,0)/320x240]',
           '"Scaler":1 [fmt:RGB888_1X24/320x240]']


def node(name="RGB/YUV Capture"):
    """One of vimc's nodes; by default the one at the end of its pipeline."""
    for path in pathlib.Path("/sys/class/video4linux").glob("video*"):
        if (path / "name").read_text(encoding="utf-8").strip() == name:
            return f"/dev/{path.name}"
    raise Ended(f"vimc has no node {name}")


def profile(name, links=(), formats=(), device=DEVICE, **more):
    media = {"links": list(links), "formats": list(formats)}
    if device:
        media["device"] = device
    camera = {"device": "RGB/YUV Capture", "width": 320, "height": 240, "pixelFormat": "RGB3",
              "media": {key: value for key, value in media.items() if value}, **more}
    pathlib.Path(f"{name}.json").write_text(json.dumps({"name": name, "camera": camera}), encoding="utf-8")
    return f"{name}.json"


def links():
    """Which links into the scaler are on, as media-ctl says."""
    _, text, _ = run("media-ctl", "-d", DEVICE, "-p")
    scaler = re.search(r"- entity \d+: Scaler .*?(?=\n- entity|\Z)", text, re.S)
    return dict(re.findall(r'<- "([^"]+)":\d+ \[([A-Z,]*)\]', scaler[0] if scaler else ""))


def format_of(pad):
    _, text, _ = run("media-ctl", "-d", DEVICE, "--get-v4l2", pad)
    found = re.search(r"fmt:(\S+?)[ \]]", text)
    return found[1] if found else text


def parts(pid):
    """What a process has open of the media device and of the parts behind it."""
    found = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{number}")
        except OSError:
            continue
        if target.startswith(("/dev/media", "/dev/v4l-subdev")):
            found.append(target)
    return found


def listed():
    """Without a profile: there, by names of their own, and not usable."""
    status, output, errors = run(ONSTAGE, "devices", "--json")
    cameras = json.loads(output)["cameras"]
    _, judge, _ = run("v4l2-ctl", "-d", node(), "-D")
    capabilities = re.search(r"Device Caps\s*: 0x([0-9a-f]+)", judge)
    expect(capabilities and int(capabilities[1], 16) & 0x20000000, "v4l2-ctl says that a media controller sets its inputs",
           judge)
    expect(len(cameras) == 3 and all(not camera["supported"] and camera["reason"] == "needs a media pipeline"
                                     for camera in cameras), "devices: three, unsupported, and why", output)
    expect(len({camera["identity"] for camera in cameras}) == 3, "each by a name of its own", output)
    status, output, errors = run(ONSTAGE, "camera")
    expect(status == 0 and output.count("not usable: needs a media pipeline") == 3, "camera: the same", output + errors)
    status, _, errors = run(ONSTAGE, "snapshot", "-D", "RGB/YUV Capture", "picture.png")
    expect(status == 1 and "needs a media pipeline" in errors and '"media"' in errors,
           "a snapshot is refused, and told what would help", errors)
    bad = profile("bad", ['"Debayer A":1 -> "Scaler" [1]'])
    status, output, errors = run(ONSTAGE, "profile", "check", bad)
    expect(status == 2 and "/camera/media/links/0: at character 27: : is expected" in errors,
           "profile check names the place in the notation", output + errors)


def streamed():
    """With a profile: links and formats as it says while it streams, links as before after it."""
    # The sensors feed these nodes too, always: all must agree before any streams.
    for name, size in (("Raw Capture 0", "width=640,height=480"), ("Raw Capture 1", "width=320,height=240")):
        run("v4l2-ctl", "-d", node(name), "-v", f"{size},pixelformat=BA81")
    before = links()
    expect(before == {"Debayer A": "ENABLED", "Debayer B": "", "RGB/YUV Input": ""}, "vimc's own links", before)
    for device in (DEVICE, None):
        said = device or "found by the camera's node"
        path = profile("switched", SWITCHED, FORMATS, device=device)
        equal(f"{said}: profile check", 0, run(ONSTAGE, "profile", "check", path)[0])
        process = Run("--report", "switched.json.report", profile=path, stdin=True)
        mark, cycles = 0, 2 if device else 1
        for cycle in range(cycles):
            found = process.await_line(r"main camera first", 20, since=mark)
            during = links()
            expect(during["Debayer A"] == "" and during["Debayer B"] == "ENABLED", f"{said}: its links are set", during)
            if device and cycle == 0:
                formats = [format_of(pad) for pad in ('"Sensor B":0', '"Debayer B":0', '"Scaler":0', '"Scaler":1')]
                equal(f"{said}: its formats are set",
                      ["SBGGR8_1X8/320x240", "SBGGR8_1X8/320x240", "RGB888_1X24/320x240", "RGB888_1X24/320x240"], formats)
                _, text, _ = run("v4l2-ctl", "-d", node(), "-V")
                expect("320/240" in text and "'RGB3'" in text, "v4l2-ctl: the node's own format", text)
            expect(node() in str(holders("/dev/video")) and not parts(process.pid),
                   f"{said}: the node is held, and none of the parts before it", parts(process.pid))
            mark = len(process.lines)
            process.send("inactive")
            process.await_line(r"camera released", 10, since=mark)
            equal(f"{said}: after the pause the links are as before", before, links())
            expect(not holders("/dev/video") and not parts(process.pid), f"{said}: nothing is held",
                   (holders("/dev/video"), parts(process.pid)))
            if cycle + 1 < cycles:
                mark = len(process.lines)
                process.send("active")
        equal(f"{said}: status", 0, process.end())
        report = Report("switched.json.report").resource("camera")
        expect(not report["errors"], f"{said}: no error", report["errors"])


def busy():
    """Another program streams, from the camera or from another one of the media device: it is named, nothing of the pipeline
    is touched, and what it lets go is taken."""
    # The other sensor's.
    pads = ('"Sensor A":0 [fmt:SBGGR8_1X8/640x480]', '"Debayer A":0 [fmt:SBGGR8_1X8/640x480]',
            '"Scaler":0 [fmt:RGB888_1X24/640x480]', '"Scaler":0 [crop:(0,0)/640x480]', '"Scaler":1 [fmt:RGB888_1X24/640x480]')
    settings = {node(): "width=640,height=480,pixelformat=RGB3", node("Raw Capture 0"): "width=640,height=480,pixelformat=BA81"}
    before = links()
    # The links as a profile asks for them, and as they are: then there is no link to be refused.
    unchanged = ['"Debayer A":1 -> "Scaler":0 [1]', '"Debayer B":1 -> "Scaler":0 [0]']
    for said, theirs, wanted, call in (("from the camera", node(), SWITCHED, "VIDIOC_REQBUFS"),
                                       ("its links as they are", node(), unchanged, "VIDIOC_REQBUFS"),
                                       ("from another camera", node("Raw Capture 0"), SWITCHED, "MEDIA_IOC_SETUP_LINK")):
        said = f"busy, {said}"
        run("media-ctl", "-d", DEVICE, "-V", ",".join(pads))
        for path, setting in settings.items():
            run("v4l2-ctl", "-d", path, "-v", setting)
        expect(all("640x480" in format_of(pad) for pad in ('"Scaler":0', '"Scaler":1')), f"{said}: the other's formats are set")
        # Can be set while the other streams: the second sensor is no part of what it has.
        run("media-ctl", "-d", DEVICE, "-V", '"Sensor B":0 [fmt:SBGGR8_1X8/160x120]')
        other = Program("v4l2-ctl", "-d", theirs, "--stream-mmap", "--stream-count=100000", "--stream-to=/dev/null")
        # It writes a mark for each frame, and ends the line about each second.
        other.await_line("<", 30)
        process = Run(profile=profile("switched", wanted, FORMATS), stdin=True)
        match = process.await_line(r"main camera waits: .*", 20)[2]
        expect(call in match[0] and "v4l2-ctl" in match[0] and str(other.pid) in match[0], f"{said}: {match[0]}", process.tail())
        equal(f"{said}: its links are left alone", before, links())
        expect("160x120" in format_of('"Sensor B":0'), f"{said}: and every format", format_of('"Sensor B":0'))
        if wanted is unchanged:
            # Formats that these links do not fit: it is not to have the camera.
            equal(f"{said}: status", 0, process.end())
            other.kill()
            continue
        other.kill()
        process.await_line(r"main camera first", 20)
        ok(f"{said}: taken when it is let go")
        process.send("inactive")
        process.await_line(r"camera released", 10)
        equal(f"{said}: links as before", before, links())
        equal(f"{said}: status", 0, process.end())


def wrong():
    """What the media device does not have, or what does not fit together, is said as such."""
    before = links()
    for name, wanted, media in (
            ("an entity", 'it has no entity "Lens"', dict(links=['"Lens":0 -> "Scaler":0 [1]'])),
            # The first link is changed before the fault, and put back after it.
            ("formats that do not fit", "the links or formats of its media pipeline are not set",
             dict(links=SWITCHED, formats=['"Debayer B":1 [fmt:RGB888_1X24/320x240]', '"Scaler":0 [fmt:RGB888_1X24/64x48]']))):
        process = Run(profile=profile("wrong", **media), stdin=True)
        process.await_line(re.escape(wanted), 20)
        ok(f"{name}: {wanted}")
        process.end()
        equal(f"{name}: the links are as before", before, links())


main(listed, streamed, busy, wrong)
