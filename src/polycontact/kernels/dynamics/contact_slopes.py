"""Contacts of the system beside a state at which their slopes are known: no contact is evaluated there.

Accelerations depend on contacts through their wrenches alone. So a column of the system's Jacobian takes no more than
the dynamics, with each wrench moved along its slope, as the pair has moved.

    find_slopes    wrench, powers and slope of each near pair, once at a state; `slopes_here` by address
    rates_beside   dy/dt at a state close to it: kinematics, wrenches along their slopes, accelerations
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import doubles_at, longs_at
from polycontact.kernels.contact.contact_report import as_report
from polycontact.kernels.contact.contact_slope import N_FOUND, N_MOTIONS, NOT_VALID, find_slope
from polycontact.kernels.dynamics.body_kinematics import place_bodies, take_state
from polycontact.kernels.dynamics.broad_phase import place_shapes
from polycontact.kernels.dynamics.evaluation_views import PairContacts, PlacedShapes
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.pair_contacts import relate
from polycontact.kernels.dynamics.pair_report import read_report
from polycontact.kernels.dynamics.right_hand_side import accelerate
from polycontact.kernels.dynamics.setup_views import Pairs, Shapes
from polycontact.kernels.dynamics.system_row import system_at
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, count, doubles, inline


class ContactSlopes(View):
    """Wrenches of the near pairs at a state, and how they change."""

    system = count("address of the `SystemView`")
    n_pairs = count("pairs of the system")
    kinematics = doubles("n_pairs", 18, doc="by place in the list of near pairs: motion of F in E")
    found = doubles("n_pairs", 8, doc="wrench on E at marker F, powers lost in damping and friction", unit="N, N m, W")
    slope = doubles("n_pairs", 96, doc="change of these with the motion, see `contact_slope`")
    calls = count("evaluations of contacts that the slopes at the state have taken: of the pair that took most")
    work = inline(26, doc="a motion beside that of a pair, and what is found there")
    motion = inline(12, doc="by how much a pair has moved")


slopes_at = cast_to(ContactSlopes)
"""``slopes_at(place)``: the `ContactSlopes` at an address."""


@kernel
def _size_of(shapes: Shapes, pairs: Pairs, pair: int) -> float:
    """Size of the smaller body of a pair, m."""
    size = 0.0
    for shape in (pairs.shape_e[pair], pairs.shape_f[pair]):
        own = 0.0
        for k in range(3):
            own = max(own, 2.0 * shapes.box_half[shape, k])
        size = own if size == 0.0 else min(size, own)
    return size


@kernel
def find_slopes(shapes: Shapes, pairs: Pairs, contacts: PairContacts, slopes: ContactSlopes) -> int:
    """Wrenches and slopes of all near pairs, after `move`; -1, or a pair that needs attention."""
    slopes.calls = 1
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        kinematics, found = slopes.kinematics[i], slopes.found[i]
        kinematics[:] = contacts.kinematics[pair]
        size = _size_of(shapes, pairs, pair)
        pairing = contacts.pairing[pair]
        before = as_report(pairing).evaluations
        # Of other methods the slope takes evaluations of its own.
        status = find_slope(contacts.method[pair], pairing, size, kinematics, found, slopes.work, slopes.slope[i])
        contacts.status[pair] = status
        slopes.calls = max(slopes.calls, as_report(pairing).evaluations - before)
        if status & NOT_VALID:
            return int(pair)
        read_report(pairing, contacts, pair)
        contacts.wrench[pair] = found[:6]
    return -1


@entry_kernel((types.int64,))
def slopes_here(place: int) -> int:
    """`find_slopes` of the `ContactSlopes` at an address, after `move`; -1, or a pair that needs attention."""
    slopes = slopes_at(place)
    s = system_at(slopes.system)
    return int(find_slopes(s.shapes, s.pairs, s.contacts, slopes))


@inline_kernel
def power_of(wrench: Array, kinematics: Array) -> float:
    """Power (W) of a wrench on both bodies, which move with relative kinematics (18); as that of `apply_contacts`."""
    power = 0.0
    for k in range(6):
        power -= wrench[k] * kinematics[12 + k]
    return power


@kernel
def _find_motion(now: Array, before: Array, motion: Array) -> None:
    """By how much a pair has moved between two kinematics (18) that differ little: position, rotation, velocities."""
    for k in range(3):
        motion[k] = now[9 + k] - before[9 + k]
        motion[6 + k] = now[12 + k] - before[12 + k]
        motion[9 + k] = now[15 + k] - before[15 + k]
        # The rotation vector of R R₀ᵀ is half of its part that is not symmetric, to second order.
        i, j = (k + 1) % 3, (k + 2) % 3
        turned = 0.0
        for c in range(3):
            turned += now[3 * j + c] * before[3 * i + c] - now[3 * i + c] * before[3 * j + c]
        motion[3 + k] = 0.5 * turned


@kernel
def _follow_slopes(pairs: Pairs, placed: PlacedShapes, contacts: PairContacts, slopes: ContactSlopes) -> None:
    """Wrenches and powers of the near pairs as the bodies are placed now."""
    motion = slopes.motion
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        if contacts.area[pair] == 0.0:
            continue
        relate(pairs, placed, contacts, pair)
        _find_motion(contacts.kinematics[pair], slopes.kinematics[i], motion)
        slope, found = slopes.slope[i], slopes.found[i]
        for j in range(N_FOUND):
            value = found[j]
            for k in range(N_MOTIONS):
                value += slope[N_MOTIONS * j + k] * motion[k]
            if j < 6:
                contacts.wrench[pair, j] = value
            elif j == 6:
                contacts.damping_power[pair] = value
            else:
                contacts.friction_power[pair] = value


@entry_kernel((types.int64, types.float64, types.int64))
def place_beside(place: int, t: float, y: int) -> None:
    """Poses and velocities at a state beside that of the `ContactSlopes` at an address, and wrenches there."""
    slopes = slopes_at(place)
    s = system_at(slopes.system)
    take_state(s.tree, s.motions, s.joints, t, doubles_at(y, s.tree.n_states))
    place_bodies(s.tree, s.joints, s.bodies)
    place_shapes(s.shapes, s.bodies, s.placed)
    _follow_slopes(s.pairs, s.placed, s.contacts, slopes)


@entry_kernel((types.int64, types.float64, types.int64))
def accelerate_beside(place: int, t: float, out: int) -> int:
    """dy/dt after `place_beside`, and forces of users' elements; a `Status`. No contact has been evaluated for it."""
    slopes = slopes_at(place)
    s = system_at(slopes.system)
    evaluations = s.ending.evaluations
    status = int(accelerate(longs_at(slopes.system, 1), t, doubles_at(out, s.tree.n_states)))
    s.ending.evaluations = evaluations
    return status


@entry_kernel((types.int64, types.float64, types.int64, types.int64))
def rates_beside(place: int, t: float, y: int, out: int) -> int:
    """dy/dt at a state beside that of the `ContactSlopes` at an address; a `Status`, as `rates_at` returns it."""
    place_beside(place, t, y)
    return int(accelerate_beside(place, t, out))
