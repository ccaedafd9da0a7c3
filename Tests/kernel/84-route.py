#!/usr/bin/env python3
# vm: --deterministic --usb-audio
# timeout: 240
"""What a card is set to while its sound is heard, and that it is put back: snd-dummy's controls, a use case (UCM) of a configuration
of our own, and a USB card that is pulled. The judge is amixer; who has the card open is seen in /proc."""
import os
import pathlib
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import *  # noqa: E402,F403
from sound_player import SoundPlayer  # noqa: E402
import usb_card  # noqa: E402

DUMMY = "hw:CARD=Dummy,DEV=0"
CONTROLS = [
    {"name": "Master Volume", "value": [80, "-12dB"]}, {"name": "CD Volume", "value": "50%"},
    {"name": "Master Capture Switch", "value": [True, False]}, {"name": "External I/O Box", "value": "CD Player"}]
# 0.3 dB a step from -45 dB at -50.
SET = {"Master Volume": "80,60", "CD Volume": "25,25", "Master Capture Switch": "on,off", "External I/O Box": "1", "CD Capture Switch": "off,off"}


def contents(card="Dummy"):
    """What stands in all controls of a card that are active, by name."""
    status, output, errors = run("amixer", "-c", card, "contents")
    if status:
        raise Ended(f"amixer -c {card}: {errors}")
    found, name = {}, None
    for line in output.splitlines():
        if line.startswith("numid="):
            name = line.split("name=", 1)[1].strip("'")
        elif line.startswith("  : values="):
            found[name] = line.split("=", 1)[1]
    return found


def put(name, values, card="Dummy"):
    status, _, errors = run("amixer", "-q", "-c", card, "cset", f"name={name}", values)
    if status:
        raise Ended(f"amixer cset {name}: {errors}")


def comes_to(text, wanted, card="Dummy"):
    """One check: soon everything stands as `wanted`."""
    def wrong():
        found = contents(card)
        return {name: (values, found.get(name)) for name, values in wanted.items() if found.get(name) != values}
    await_true(lambda: not wrong(), 5)
    return equal(text, {}, wrong())


def open_controls(pid):
    links = []
    for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(os.readlink(path))
        except OSError:
            pass
    return [link for link in links if link.startswith("/dev/snd/control")]


def plain_controls():
    # Without the box the volume of the CD is inactive: it is set before the box that makes it active.
    put("CD Volume", "9,9")
    put("External I/O Box", "None")
    before = contents()
    player = SoundPlayer(DUMMY, None, route={"controls": CONTROLS})
    player.await_sound()
    equal("set while it plays, and nothing else", {**before, **SET}, contents())
    player.await_line(r"route=.*Master Volume=80,-12dB", 10)
    ok("the report's format says so")
    player.pause_now()
    comes_to("as before at a pause", before)
    equal("paused: nothing of the card is held", ([], {}), (open_controls(player.pid), held(player.pid)))
    mark = len(player.lines)
    player.resume()
    player.await_sound(mark)
    equal("set again when it goes on", {**before, **SET}, contents())
    put("Master Volume", "7,8")
    player.pause_now()
    comes_to("what somebody else has set meanwhile stays", {**before, "Master Volume": "7,8"})
    player.await_line(r"Master Volume of the card Dummy stays as somebody else has set it", 10, since=mark)
    put("Master Volume", before["Master Volume"])
    mark = len(player.lines)
    player.resume()
    player.await_sound(mark)
    equal("status", 0, player.end())
    equal("as before when the program has ended", before, contents())
    put("External I/O Box", "CD Player")
    equal("what was inactive before too", "9,9", contents()["CD Volume"])


def refused():
    """Nothing is opened and nothing set where it cannot all be."""
    before = contents()
    opens = Opens([f"/dev/snd/pcmC{os.readlink('/proc/asound/Dummy').removeprefix('card')}D0p"])
    wrong = {"name": "External I/O Box", "value": "Tape"}
    player = SoundPlayer(DUMMY, None, route={"controls": [CONTROLS[1], wrong]})
    _, _, match = player.await_line(r"playback failed: (.*)", 20)
    said = 'the control "External I/O Box" of the card Dummy has no item "Tape"; it has "None", "CD Player"'
    expect(said in match[1], f"refused: {match[1][:150]}", player.tail())
    equal("no PCM was opened, nothing set", ([], before), (opens.take(), contents()))
    player.end()


def a_use_case():
    """Its own way out leaves more changed than its way in: all is as before in spite of it."""
    folder = pathlib.Path("ucm2/bench")
    folder.mkdir(parents=True)
    pathlib.Path("ucm2/ucm.conf").write_text(
        'Syntax 4\nUseCasePath.bench {\n\tDirectory "bench"\n\tFile "bench.conf"\n}\n', encoding="utf-8")
    (folder / "bench.conf").write_text(
        'Syntax 4\nSectionUseCase."HiFi" {\n\tFile "HiFi.conf"\n\tComment "music"\n}\n', encoding="utf-8")
    (folder / "HiFi.conf").write_text(
        """
SectionVerb {
	EnableSequence [ cset "name='Synth Volume' 70" ]
	DisableSequence [ cset "name='Synth Volume' 3" cset "name='Line Volume' 4" ]
	Value { TQ "HiFi" }
}
SectionDevice."Speaker" {
	Comment "loud"
	EnableSequence [ cset "name='CD Volume' 60" cset "name='External I/O Box' 'CD Player'" ]
	DisableSequence [ cset "name='CD Volume' 5" cset "name='External I/O Box' 'None'" ]
	Value { PlaybackPCM "hw:Dummy" }
}
""", encoding="utf-8")
    env = {"ALSA_CONFIG_UCM2": os.path.abspath("ucm2")}
    _, output, errors = run("alsaucm", "-c", "hw:Dummy", "list", "_devices/HiFi", env=env)
    expect("Speaker" in output, "alsaucm finds the same", output + errors)
    before = contents()
    wanted = {
        **before, "Synth Volume": "70,70", "CD Volume": "60,60", "External I/O Box": "1", "Master Volume": "11,11"}
    route = {"ucm": {"verb": "HiFi", "device": "Speaker"}, "controls": [{"name": "Master Volume", "value": 11}]}
    player = SoundPlayer(DUMMY, None, env=env, route=route)
    player.await_sound()
    equal("verb, device and control are set", wanted, contents())
    put("CD Volume", "42,43")
    player.pause_now()
    comes_to("left and as before, but for what somebody else has set", {**before, "CD Volume": "42,43"})
    player.end()
    put("CD Volume", before["CD Volume"])
    route["ucm"]["device"] = "Earpiece"
    player = SoundPlayer(DUMMY, None, env=env, route=route)
    _, _, match = player.await_line(r"playback failed: (.*)", 20)
    expect(
        'no device "Earpiece" in the verb HiFi; they have "Speaker"' in match[1], f"refused: {match[1][:150]}", player.tail())
    equal("and nothing is set", before, contents())
    player.end()


def killed_and_busy():
    before = contents()
    route = {"controls": CONTROLS}
    player = SoundPlayer(DUMMY, None, route=route)
    player.await_sound()
    player.end(signal.SIGKILL)
    equal("killed: it stays as it was set", {**before, **SET}, contents())
    player = SoundPlayer(DUMMY, None, route=route)
    player.await_sound()
    player.await_line(r"put back what a killed run had left set", 10)
    ok("the next run puts it back first")
    equal("and sets its own", {**before, **SET}, contents())
    player.pause_now()
    comes_to("as before both", before)
    # Whoever has the card is heard by what it is set to.
    holder = Program("aplay", "-q", "-D", "hw:CARD=Dummy,DEV=0,SUBDEV=0", "-f", "dat", "/dev/zero")
    await_true(lambda: held(holder.pid), 10)
    player.resume()
    player.await_line(r"playback .*in use by aplay", 20)
    equal("a busy card is left as it is", before, contents())
    holder.kill()
    player.end()
    # A name whose PCM is not there: the card is set already.
    player = SoundPlayer("nosuchpcm", None, route={"card": "Dummy", **route})
    player.await_line(r"playback .*no such PCM", 20)
    comes_to("put back where no PCM comes to it", before)
    player.end()


def two_processes():
    """Two programs on one card: who plays on is heard as before, whoever ends first, and the last one cleans up."""
    before = contents()

    def player(number, volume):
        player = SoundPlayer(
            f"hw:CARD=Dummy,DEV=0,SUBDEV={number}", None, state=f"state{number}",
            route={"controls": [{"name": "Master Volume", "value": volume}]})
        player.await_sound()
        return player

    def has_settled(player):
        """What it puts back it has put back by then: it closes the card behind that."""
        if not await_true(lambda: not open_controls(player.pid), 5):
            raise Ended(f"the card's controls stay open: {player.tail()}")

    one, two = player(0, 80), player(1, 80)
    one.pause_now()
    has_settled(one)
    equal("the first of two pauses: the other one is heard as before", {**before, "Master Volume": "80,80"}, contents())
    mark = len(one.lines)
    one.resume()
    one.await_sound(mark)
    two.pause_now()
    has_settled(two)
    equal("the second of two as well", {**before, "Master Volume": "80,80"}, contents())
    two.end()
    one.end()
    equal("as before both", before, contents())
    one, two = player(0, 80), player(1, 60)
    equal("the later one's own", {**before, "Master Volume": "60,60"}, contents())
    one.end()
    equal("the first has ended: the later one's stays", {**before, "Master Volume": "60,60"}, contents())
    two.end()
    equal("as before both, of two volumes", before, contents())
    one, two = player(0, 80), player(1, 60)
    one.end(signal.SIGKILL)
    mark = len(two.lines)
    two.pause_now()
    comes_to("as before both when one was killed below the other", before)
    two.await_line(r"put back what a killed run had left set", 10, since=mark)
    two.end()


def a_card_that_is_pulled():
    if not usb_card.is_there():
        usb_card.told("put")
    await_true(usb_card.is_there, 20)
    # Its switch: whoever puts the card in sets its volume.
    name, before = next((name, values) for name, values in contents("Audio").items() if values in ("on", "off"))
    player = SoundPlayer(usb_card.DEVICE, None, route={"controls": [{"name": name, "value": before == "off"}]})
    player.await_sound()
    set_to = contents("Audio")[name]
    expect(set_to != before, f"USB: {name} from {before} to {set_to}")
    mark = len(player.lines)
    usb_card.told("pull")
    player.await_line(r"playback .*(went away|waits)", 20, since=mark)
    usb_card.told("put")
    player.await_sound(mark)
    equal("set on the card that came back", set_to, contents("Audio")[name])
    player.pause_now()
    comes_to("and put back", {name: before}, "Audio")
    expect(player.find(r"not put back|stays as", mark) is None, "nothing is said of the card that is gone", player.tail())
    equal("status", 0, player.end())


main(plain_controls, refused, a_use_case, killed_and_busy, two_processes, a_card_that_is_pulled)
