"""What the evaluation of a pairing leaves in the pairing's own row, taken over into the system's memory.

The only place where the dynamics look into the memory of a pairing.
"""

from __future__ import annotations

from polycontact.kernels.addresses import row_at
from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.jit import inline_kernel
from polycontact.kernels.memory import (
    AREA,
    BAD_KINEMATICS,
    DAMPING_POWER,
    DEPTH,
    ENERGY,
    FRICTION_POWER,
    N_SLOTS,
    N_SUMMARY,
    OVERFLOW,
    PRESSURE,
    SUMMARY,
    doubles,
)

NEEDS_ATTENTION = OVERFLOW | BAD_KINEMATICS
"""Status bits with which a wrench is not valid."""


@inline_kernel
def read_report(pairing: int, contacts: PairContacts, pair: int) -> None:
    """Take over area, depth, pressure, energy and powers that the pairing at an address has found."""
    found = doubles(row_at(pairing, N_SLOTS), SUMMARY, N_SUMMARY)
    contacts.area[pair] = found[AREA]
    contacts.depth[pair] = found[DEPTH]
    contacts.pressure[pair] = found[PRESSURE]
    contacts.energy[pair] = found[ENERGY]
    contacts.damping_power[pair] = found[DAMPING_POWER]
    contacts.friction_power[pair] = found[FRICTION_POWER]
