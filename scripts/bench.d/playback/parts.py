"""The parts of the playback bench, in the order in which they are run and printed."""
from cost_tables import CPU, Start
from crash_tables import Kills, Resets
from pause_tables import PauseOnDmix, PauseOnHW, PauseOnPlug, PauseOnUSB

PARTS = {
    part.name: part
    for part in (PauseOnHW(), PauseOnDmix(), PauseOnPlug(), PauseOnUSB(), Start(), CPU(), Kills(), Resets())
}
