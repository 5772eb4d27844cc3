"""What an accepted step leaves on the surfaces in contact: maps on their triangles (`triangle_maps`).

In: the last two ends of accepted steps, with their rates. Out: the maps, one step farther.

    (1) between the ends the motion is the cubic polynomial that has their states and rates (Hermite)
    (2) each part of the step has two evaluations, at the points of Gauss's rule; at first the whole step is one part
    (3) where the contact has moved too far between two of them, or their friction energy is not that in the ledger,
        the step is done again in more parts
    (4) friction energies are scaled, so that their sum is what the ledger says; what a factor would not do honestly,
        as where friction came and went between the evaluations, is owed to the next steps

The ledger's integrals are states of the integrator: so sums over the maps are the ledger's friction, to rounding.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import data_address
from polycontact.kernels.contact.contact_header import as_header
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.triangle_maps import Share, accept_step, add_elements, forget_step, triangle_map_at
from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.dynamics.matrices import Array, rotation_of
from polycontact.kernels.dynamics.projection_calls import call_project
from polycontact.kernels.dynamics.setup_views import Pairs
from polycontact.kernels.dynamics.system_row import system_at
from polycontact.kernels.geometry.frames import apply, apply_transposed
from polycontact.kernels.geometry.vectors import Vector, dot, norm, row, scale, sub
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.stepping.equations import Answer, find_rates
from polycontact.kernels.stepping.run_steps import Need, RunSteps, run_at
from polycontact.kernels.views import View, cast_to, count, doubles, ints, longs, nested, number
from polycontact.tolerances import (
    GAUSS_PLACE,
    LOOP_TOLERANCE,
    MOST_TRACE_PARTS,
    TRACE_ENERGY,
    TRACE_FACTOR,
    TRACE_SMALL_ENERGY,
    TRACE_SPACING,
)


class MappedSteps(View):
    """Maps of all surfaces, and the step at hand."""

    n = count("states")
    n_shapes = count("shapes")
    n_pairs = count("pairs")
    friction = count("where the friction of the contacts stands in the ledger's part of y")
    evaluation = count("number of the present evaluation")
    share = nested(Share)
    place = longs("n_shapes", doc="addresses of their `TriangleMap`, 0 where there is none")
    is_mapped = ints("n_pairs", doc="1 where elements lie on triangles of both shapes")
    wear_rate = doubles("n_pairs", 2, doc="wear depth of E and of F over pressure and sliding distance", unit="1/Pa")
    edge = doubles("n_pairs", doc="mean length of the edges of the finer mesh", unit="m")
    state = doubles("n", doc="a state in the step")
    energy = doubles("n_pairs", doc="friction energy so far", unit="J")
    rubbed = doubles("n_pairs", doc="normal force times sliding distance so far", unit="N m")
    fresh = doubles("n_pairs", 2, doc="both of the present step", unit="J, N m")
    seen = longs("n_pairs", doc="number of the last evaluation in which they touched")
    centre_e = doubles("n_pairs", 3, doc="centre of the normal forces then, frame E", unit="m")
    centre_f = doubles("n_pairs", 3, doc="the same, frame F", unit="m")
    moved = number("how far a contact moved between two evaluations, over its extent and a triangle together")
    found = number("friction energy of the present step by its evaluations", "J")
    booked = number("friction energy of all steps by the ledger", "J")
    owed = number("part of it that no map has yet", "J")
    corrected = number("sum of the differences of both over all steps", "J")


mapped_at = cast_to(MappedSteps)
"""``mapped_at(place)``: the `MappedSteps` at an address."""


@inline_kernel
def _between(run: RunSteps, share: float, out: Array) -> None:
    """State in the last step, after a share of it: (1)."""
    a, b = run.n_points - 2, run.n_points - 1
    h = run.point_time[b] - run.point_time[a]
    rest = 1.0 - share
    of_a, of_b = (1.0 + 2.0 * share) * rest * rest, share * share * (3.0 - 2.0 * share)
    rate_a, rate_b = share * rest * rest * h, share * share * (share - 1.0) * h
    for i in range(run.n):
        of_states = of_a * run.point_state[a, i] + of_b * run.point_state[b, i]
        out[i] = of_states + rate_a * run.point_rates[a, i] + rate_b * run.point_rates[b, i]


@kernel
def _centre(elements: ElementTable) -> Vector:
    """Where the normal forces act together, frame E, m."""
    total, x, y, z = 0.0, 0.0, 0.0, 0.0
    for k in range(elements.n):
        weight = elements.normal_force[k]
        total += weight
        x += weight * elements.position[k, 0]
        y += weight * elements.position[k, 1]
        z += weight * elements.position[k, 2]
    if not total > 0.0:
        return (0.0, 0.0, 0.0)
    return (x / total, y / total, z / total)


@kernel
def _extent(elements: ElementTable, direction: Vector) -> float:
    """Extent of the contact along a unit vector in frame E, m."""
    low, high = math.inf, -math.inf
    for k in range(elements.n):
        if elements.normal_force[k] > 0.0:
            place = dot(row(elements.position, k), direction)
            low, high = min(low, place), max(high, place)
    return max(high - low, 0.0)


@kernel
def _follow_centre(maps: MappedSteps, contacts: PairContacts, pair: int, elements: ElementTable) -> None:
    """How far the contact has moved over either body since the evaluation before, beside its extent."""
    kinematics = contacts.kinematics[pair]
    R = rotation_of(contacts.kinematics, pair)
    centre = _centre(elements)
    on_f = apply_transposed(R, sub(centre, (kinematics[9], kinematics[10], kinematics[11])))
    if maps.seen[pair] == maps.evaluation - 1:
        way_e = sub(centre, row(maps.centre_e, pair))
        way_f = apply(R, sub(on_f, row(maps.centre_f, pair)))
        for way in (way_e, way_f):
            length = norm(way)
            if length > 0.0:
                extent = _extent(elements, scale(1.0 / length, way))
                maps.moved = max(maps.moved, length / (extent + maps.edge[pair]))
    maps.seen[pair] = maps.evaluation
    for a in range(3):
        maps.centre_e[pair, a] = centre[a]
        maps.centre_f[pair, a] = on_f[a]


@kernel
def _add_contacts(maps: MappedSteps, contacts: PairContacts, pairs: Pairs) -> None:
    """What the last evaluation leaves on the surfaces."""
    maps.evaluation += 1
    share = maps.share
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        if not contacts.area[pair] > 0.0:
            continue
        lost = share.span * contacts.friction_power[pair]
        maps.fresh[pair, 0] += lost
        maps.found += lost
        if maps.is_mapped[pair] == 0:
            continue
        elements = as_header(contacts.pairing[pair]).elements
        _follow_centre(maps, contacts, pair, elements)
        rubbed = 0.0
        for side in range(2):
            shape = pairs.shape_e[pair] if side == 0 else pairs.shape_f[pair]
            share.side = side
            share.wear_rate = maps.wear_rate[pair, side]
            rubbed = add_elements(triangle_map_at(maps.place[shape]), elements, share)
        maps.fresh[pair, 1] += rubbed


@kernel
def _forget(maps: MappedSteps) -> None:
    """The step at hand begins anew."""
    maps.found = maps.moved = 0.0
    maps.evaluation += 1  # no contact has been followed to here
    maps.fresh[:, :] = 0.0
    for shape in range(maps.n_shapes):
        if maps.place[shape] != 0:
            forget_step(triangle_map_at(maps.place[shape]))


@kernel
def _look_through(run: RunSteps, maps: MappedSteps, parts: int) -> int:
    """Evaluations in each of so many parts of the last step: (2); an `Answer`. What is not finite leaves nothing."""
    begin, end = run.point_time[run.n_points - 2], run.point_time[run.n_points - 1]
    maps.share.span = 0.5 * (end - begin) / parts
    for k in range(2 * parts):
        share = (k // 2 + (GAUSS_PLACE if k % 2 == 0 else 1.0 - GAUSS_PLACE)) / parts
        t = begin + share * (end - begin)
        _between(run, share, maps.state)
        if run.project != 0:  # a step's polynomial leaves the loops by a trifle
            call_project(run.project, run.place_of_projection, t, data_address(maps.state), LOOP_TOLERANCE)
        answer = find_rates(run.observer, t, maps.state, run.rates)
        if answer == Answer.RAISED:
            return int(answer)
        if answer == Answer.WELL:
            system = system_at(run.observer.system)
            _add_contacts(maps, system.contacts, system.pairs)
    return Answer.WELL.value


@inline_kernel
def _parts_wanted(maps: MappedSteps, lost: float, parts: int) -> int:
    """In how many parts the step is to be looked through: (3)."""
    wanted = math.ceil(parts * min(maps.moved / TRACE_SPACING, 1.0 * MOST_TRACE_PARTS))
    if abs(maps.found - lost) > max(TRACE_ENERGY * abs(lost), TRACE_SMALL_ENERGY * maps.booked):
        wanted = max(wanted, 2 * parts)
    return min(wanted, MOST_TRACE_PARTS)


@kernel
def _accept(maps: MappedSteps, lost: float) -> None:
    """The step counts, with the friction energy ``lost`` (J) of the ledger: (4)."""
    maps.booked += lost
    maps.corrected += abs(maps.found - lost)
    maps.owed += lost
    factor = 1.0
    if maps.found > 0.0:
        factor = min(max(maps.owed / maps.found, 1.0 / TRACE_FACTOR), TRACE_FACTOR)
        maps.owed -= factor * maps.found
    for pair in range(maps.n_pairs):
        maps.energy[pair] += factor * maps.fresh[pair, 0]
        maps.rubbed[pair] += maps.fresh[pair, 1]
    for shape in range(maps.n_shapes):
        if maps.place[shape] != 0:
            accept_step(triangle_map_at(maps.place[shape]), factor)


@entry_kernel((types.int64,))
def map_step(place: int) -> int:
    """The last accepted step of the run at an address leaves its traces; `Need.RAISED` where Python has raised one.

    Nothing happens where a state has no step before it, at the start and after a jump.
    """
    run = run_at(place)
    if run.n_points < 2:
        return Need.NOTHING.value
    maps = mapped_at(run.place_of_maps)
    last = run.n_points - 1
    lost = run.point_state[last, maps.friction] - run.point_state[last - 1, maps.friction]
    run.contacts.known_at = math.nan  # the observer looks at other states
    parts, wanted = 0, 1
    while wanted > parts:
        parts = wanted
        _forget(maps)
        if _look_through(run, maps, parts) == Answer.RAISED:
            _forget(maps)
            return Need.RAISED.value
        wanted = _parts_wanted(maps, lost, parts)
    _accept(maps, lost)
    return Need.NOTHING.value
