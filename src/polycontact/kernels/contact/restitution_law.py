"""A penalty law that remembers the speed with which a contact began: normal forces of the elements (S2.13, eq. 1).

F = S u A (1 + (a / v_coll) v_n), never below zero: `press_power` with n = 1. The damping a is chosen so that a body
leaves with the wanted share of v_coll, whatever that speed is; so v_coll must be known while the contact lasts. It is
one number for the pair of bodies, from their first touch until they part (decision 0021).
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import ElementMemory, as_header, as_law
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.power_law import press_power
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.views import View, cast_to, number


class RestitutionParameters(View):
    """Parameters of the law with a restitution factor."""

    stiffness = number("S", "N/m³ per area, N/m for a point")
    damping = number("a: damping force over elastic force at the speed of the collision")
    rest_speed = number("smallest speed of a collision that counts", "m/s")


as_restitution_parameters = cast_to(RestitutionParameters)


@kernel
def _mean_approach(elements: ElementTable) -> float:
    """Speed of approach of all elements, weighted with their elastic forces, m/s; 0 where there are none."""
    total = 0.0
    moment = 0.0
    for k in range(elements.n):
        weight = elements.weight[k] * elements.area[k] * max(elements.depth[k], 0.0)
        total += weight
        moment += weight * elements.approach[k]
    return moment / total if total > 0.0 else 0.0


@kernel
def collision_speed(elements: ElementTable, memory: ElementMemory, rest_speed: float) -> float:
    """v_coll, m/s: as remembered since the contact began, or the speed of this moment where it begins just now.

    It is the same for all elements of a pair, whichever of them come and go; each remembers it. A contact that begins
    more slowly than ``rest_speed``, or while the bodies part, has that, so that nothing is divided by zero.
    """
    speed = memory.values[0, 0] if memory.n > 0 else max(_mean_approach(elements), rest_speed)
    for k in range(elements.n):
        memory.trial[k, 0] = speed
    return float(speed)


@entry_kernel((types.int64, types.int64))
def rebound_at(row: int, law: int) -> int:
    """Forces of the law with a restitution factor, by addresses."""
    elements, own = as_header(row).elements, as_law(law)
    parameters = as_restitution_parameters(own.parameters)
    speed = collision_speed(elements, own.memory, parameters.rest_speed)
    press_power(elements, parameters.stiffness, 1.0, parameters.damping / speed)
    return 0


REBOUND_AT = address_of(rebound_at)
