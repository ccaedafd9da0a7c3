#!/usr/bin/python3
"""A program that has a sound card reserved (org.freedesktop.ReserveDevice1), as a sound server does; written with libdbus, so
that it judges ours, which is written with sd-bus.

usage: card_holder.py CARD [--priority N] [--answer yes|no|never|die|closing] [--lock FILE] [--pcm NAME] [--again]

CARD: a number. The card itself is a lock on FILE, or a PCM that is played on; it is taken before the name and let go before a
yes is said ("closing": only after it). --again: has the card again whenever nobody has the name.
Says on standard output, one line each: "has locked", "asked N", "lost", "free", "answer True 12.3 locked", …
Told on standard input: "ask N" asks the owner for the card and takes it, "only-ask N" does not take it, "replace" takes the
name unasked, "get" says what its owner says of itself, "drop" gives it back.
"""
import argparse
import fcntl
import os
import signal
import subprocess
import sys
import time

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

INTERFACE = "org.freedesktop.ReserveDevice1"
ALLOW, REPLACE, DO_NOT_QUEUE = 1, 2, 4


def say(*words):
    print(*words, flush=True)


class Card:
    """What only one program can have."""

    def __init__(self, options):
        self.options = options
        self.file = None
        self.player = None

    def take(self):
        if self.options.lock:
            self.file = open(self.options.lock, "a", encoding="utf-8")
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.file.close()
                self.file = None
                return False
        if self.options.pcm:
            self.player = subprocess.Popen(
                ["aplay", "-q", "-D", self.options.pcm, "-f", "S16_LE", "-c", "2", "-r", "48000", "-t", "raw", "/dev/zero"],
                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            # It has the card, or has ended because it is busy.
            while self.player.poll() is None and not self.is_held(self.player.pid):
                time.sleep(0.005)
            if self.player.poll() is not None:
                self.player = None
                return False
        return True

    @staticmethod
    def is_held(pid):
        try:
            return any(
                os.readlink(f"/proc/{pid}/fd/{number}").startswith("/dev/snd/pcm")
                for number in os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            return False

    def leave(self):
        if self.file:
            self.file.close()
            self.file = None
        if self.player:
            self.player.kill()
            self.player.wait()
            self.player = None


class Holder(dbus.service.Object):
    def __init__(self, bus, options):
        self.bus, self.options = bus, options
        self.name = f"{INTERFACE}.Audio{options.card}"
        self.path = f"/org/freedesktop/ReserveDevice1/Audio{options.card}"
        self.card = Card(options)
        self.isOwner = False
        super().__init__(bus, self.path)
        bus.add_signal_receiver(
            self.owner_changed, "NameOwnerChanged", "org.freedesktop.DBus", arg0=self.name)
        GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, self.told)
        if options.start:
            self.acquire(0)

    def acquire(self, more):
        is_ours = self.card.take()
        answer = self.bus.request_name(self.name, ALLOW | DO_NOT_QUEUE | more)
        self.isOwner = answer in (1, 4)
        say("has" if self.isOwner else "has not", "locked" if is_ours else "busy")

    def owner_changed(self, name, old, new):
        own = self.bus.get_unique_name()
        if old == own and new and new != own:
            self.isOwner = False
            if self.options.answer != "closing":
                self.card.leave()
            say("lost")
        if not new and old != own:
            say("free")
            if self.options.again:
                self.acquire(0)

    def told(self, source, condition):
        line = sys.stdin.readline().split()
        if not line:
            os._exit(0)
        if line[0] == "ask":
            self.ask(int(line[1]))
        elif line[0] == "only-ask":
            owner = self.bus.get_object(self.name, self.path, introspect=False)
            say("answer", bool(owner.RequestRelease(dbus.Int32(int(line[1])), dbus_interface=INTERFACE, timeout=20)))
        elif line[0] == "get":
            properties = dbus.Interface(
                self.bus.get_object(self.name, self.path, introspect=False), "org.freedesktop.DBus.Properties")
            one = properties.Get(INTERFACE, "Priority")
            every = properties.GetAll(INTERFACE)
            say("properties", int(one), int(every["Priority"]), every["ApplicationName"], every["ApplicationDeviceName"])
        elif line[0] == "replace":
            self.acquire(REPLACE)
        elif line[0] == "drop":
            self.card.leave()
            self.isOwner = False
            self.bus.release_name(self.name)
            say("dropped")
        return True

    def ask(self, priority):
        begun = time.monotonic()
        owner = self.bus.get_object(self.name, self.path, introspect=False)
        try:
            answer = bool(owner.RequestRelease(dbus.Int32(priority), dbus_interface=INTERFACE, timeout=20))
        except dbus.DBusException as error:
            say("answer", error.get_dbus_name())
            return
        took = (time.monotonic() - begun) * 1000
        # What is said is true at the moment when it is said.
        state = "-"
        if answer:
            self.isOwner = self.bus.request_name(self.name, ALLOW | DO_NOT_QUEUE | REPLACE) in (1, 4)
            state = "locked" if self.card.take() else "busy"
        say("answer", answer, f"{took:.1f}", state)

    @dbus.service.method(INTERFACE, in_signature="i", out_signature="b", async_callbacks=("done", "failed"))
    def RequestRelease(self, priority, done, failed):
        say("asked", priority)
        if self.options.answer == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.options.answer == "no":
            done(False)
        elif self.options.answer == "yes":
            self.card.leave()
            done(True)
        elif self.options.answer == "closing":
            done(True)
            GLib.timeout_add(50, self.card.leave)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("card", type=int)
    parser.add_argument("--priority", type=int, default=0)
    parser.add_argument("--answer", choices=("yes", "no", "never", "die", "closing"), default="yes")
    parser.add_argument("--lock")
    parser.add_argument("--pcm")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--idle", dest="start", action="store_false", help="takes nothing by itself")
    options = parser.parse_args()
    DBusGMainLoop(set_as_default=True)
    address = os.environ.get("CARD_BUS") or os.environ["DBUS_SESSION_BUS_ADDRESS"]
    Holder(dbus.bus.BusConnection(address), options)
    if not options.start:
        say("ready")
    GLib.MainLoop().run()


main()
