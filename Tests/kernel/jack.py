"""A plug that can be pulled: a control element of a card, as a driver's own jacks are, added from outside."""
import ctypes
import os

from stage import Ended


class Jack:
    """An element of the card itself that is on or off (iface CARD); it stays until `remove`."""

    def __init__(self, card, name="Headphone Jack", is_in=True):
        self.library = ctypes.CDLL("libasound.so.2")
        self.control, self.id, self.value = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("snd_ctl_open", ctypes.byref(self.control), f"hw:{card}".encode(), 0)
        self.call("snd_ctl_elem_id_malloc", ctypes.byref(self.id))
        self.call("snd_ctl_elem_id_set_interface", self.id, 0)  # SND_CTL_ELEM_IFACE_CARD
        self.call("snd_ctl_elem_id_set_name", self.id, name.encode())
        self.call("snd_ctl_elem_add_boolean", self.control, self.id, 1)
        self.call("snd_ctl_elem_value_malloc", ctypes.byref(self.value))
        self.call("snd_ctl_elem_value_set_id", self.value, self.id)
        self.set(is_in)

    def call(self, name, *arguments):
        function = getattr(self.library, name)
        function.restype = None if "_set_" in name else ctypes.c_int
        answer = function(*arguments)
        if answer is not None and answer < 0:
            raise Ended(f"{name}: {os.strerror(-answer)}")

    def set(self, is_in):
        self.call("snd_ctl_elem_value_set_boolean", self.value, 0, int(is_in))
        self.call("snd_ctl_elem_write", self.control, self.value)

    def remove(self):
        self.call("snd_ctl_elem_remove", self.control, self.id)
        self.call("snd_ctl_close", self.control)
