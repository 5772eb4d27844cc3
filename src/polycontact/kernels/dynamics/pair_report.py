"""What an evaluation of a contact finds and leaves in the header of its row: states in, results and rates out.

The only place where the dynamics look into the memory of a pairing; they know no method.
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_report import OVERFLOW, Status, as_report
from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.setup_views import Pairs
from polycontact.kernels.jit import inline_kernel, kernel

NEEDS_ATTENTION = int(OVERFLOW | Status.BAD_KINEMATICS | Status.SURFACE_NOT_FINITE)
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
    contacts.layer_power[pair] = found.layer_power


@kernel
def hand_over_states(pairs: Pairs, contacts: PairContacts, y: Array) -> None:
    """Give the near pairs their states, for the evaluation that follows."""
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        first = pairs.first_state[pair]
        if pairs.state_count[pair] > 0:
            values = as_report(contacts.pairing[pair]).states.values
            for k in range(pairs.state_count[pair]):
                values[k] = y[first + k]


@kernel
def hand_over_time(contacts: PairContacts, t: float) -> None:
    """Give the near pairs the time (s) and that of the last accepted step, for the evaluation that follows."""
    start = contacts.step_start if contacts.step_start <= t else t
    for i in range(contacts.n_near):
        report = as_report(contacts.pairing[contacts.near[i]])
        report.time = t
        report.step_start = start


@kernel
def take_over_rates(pairs: Pairs, contacts: PairContacts, out: Array) -> None:
    """dy/dt of the states of contacts: what near pairs have found, zero for the others."""
    for k in range(pairs.n_states):
        out[pairs.first_state[0] + k] = 0.0
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        first = pairs.first_state[pair]
        if pairs.state_count[pair] > 0:
            rates = as_report(contacts.pairing[pair]).states.rates
            for k in range(pairs.state_count[pair]):
                out[first + k] = rates[k]
