"""What an evaluation of a contact leaves in the header of its row, taken over into the system's memory.

The only place where the dynamics look into the memory of a pairing; they know no method.
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_report import OVERFLOW, Status, as_report
from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.jit import inline_kernel

NEEDS_ATTENTION = int(OVERFLOW | Status.BAD_KINEMATICS)
"""Status bits with which a wrench is not valid."""


@inline_kernel
def read_report(pairing: int, contacts: PairContacts, pair: int) -> None:
    """Take over area, depth, pressure, energy and powers that the pairing at an address has found."""
    found = as_report(pairing)
    contacts.area[pair] = found.area
    contacts.depth[pair] = found.depth
    contacts.pressure[pair] = found.pressure
    contacts.energy[pair] = found.energy
    contacts.damping_power[pair] = found.damping_power
    contacts.friction_power[pair] = found.friction_power
