"""Greatest loads of a run: local peaks of what its parts carry at the ends of accepted steps; and when pairs touched.

A column is the size of one load over time, in this order: of each pair force, pressure and depth; of each joint force
and torque; of each loop the same; of each joint speed the effort that drives it; of each force element and coupler
what it exerts. A peak stands where a value is not less than those before and after it; the parabola through the three
tells how high it is. `note_loads` takes the values of an evaluation, `follow_peaks` goes on by one accepted step with
them.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.dynamics.loop_closure import close_loops_as_if_without_drift
from polycontact.kernels.dynamics.matrices import Array, load_vector
from polycontact.kernels.dynamics.reactions import Reactions, find_all, reactions_at
from polycontact.kernels.dynamics.system_row import ROW, Row, system_at
from polycontact.kernels.geometry.vectors import norm
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints
from polycontact.tolerances import RIVAL_PEAK, STEEP_ONSET

PAIR_LOADS = 3
"""Columns of a pair: force N, greatest pressure Pa, greatest depth m."""

JOINT_LOADS = 2
"""Columns of a joint or a loop: force N, torque N m."""

NOTHING = -1.0
"""Stands for the value before the first one: no load is less than zero."""


class Peaks(View):
    """Loads at the last accepted steps, and the greatest peaks so far."""

    n_pairs = count("pairs")
    n_bodies = count("bodies, the world included; 0 where only pairs are followed, and so the next three")
    n_loops = count("loops")
    n_speeds = count("speeds of all joints")
    n_forces = count("loads of force elements and couplers")
    n_columns = count("columns: those of pairs, bodies, loops, speeds, force elements; the world's first two included")
    n_followed = count("pairs that have carried something at the last steps")
    n_steps = count("accepted steps since the start or the last jump")
    n_found = count("columns with a peak that may be the greatest")
    time = inline(2, doc="of the last two accepted steps", unit="s")
    fresh = doubles("n_columns", doc="loads now")
    latest = doubles("n_columns", doc="at the last accepted step")
    before = doubles("n_columns", doc="at the one before it, or `NOTHING`")
    greatest = doubles("n_columns", doc="greatest peak so far")
    followed = ints("n_pairs", doc="pairs that have carried something at the last steps")
    is_followed = ints("n_pairs", doc="1 for those")
    touching = ints("n_pairs", doc="1 for pairs that touch now")
    touched = ints("n_pairs", doc="1 for pairs that touched at the end of an accepted step")
    was_touching = ints("n_pairs", doc="1 for pairs that touched at the last one")
    first_contact = doubles("n_pairs", doc="first end of an accepted step at which they touched", unit="s")
    last_contact = doubles("n_pairs", doc="last one", unit="s")
    contact_time = doubles("n_pairs", doc="how long in all, half of a step in which contact began or ended", unit="s")
    first_number = ints("n_forces", doc="of a load of a force element: where its numbers begin in `Reactions.element`")
    n_numbers = ints("n_forces", doc="how many they are: the load is the length of their vector")
    found = ints("n_columns", doc="columns with a peak that may be the greatest")
    is_onset = ints("n_columns", doc="1 where a load has begun in the last step, and may have been greatest in it")
    acceleration = doubles("n_bodies", 6, doc="of the bodies at the evaluation, kept meanwhile", unit="rad/s², m/s²")
    around = doubles("n_columns", 3, doc="loads before, at and after each peak found")
    height = doubles("n_columns", doc="estimate of each peak found")
    place = doubles("n_columns", doc="estimate of its time", unit="s")


peaks_at = cast_to(Peaks)
"""``peaks_at(row)``: the `Peaks` whose slots a row holds."""


@kernel
def _note_pairs(contacts: PairContacts, peaks: Peaks) -> None:
    """Loads of the near pairs, and zeros of those that were followed and are near no more."""
    fresh = peaks.fresh
    for i in range(peaks.n_followed):
        first = PAIR_LOADS * peaks.followed[i]
        fresh[first] = 0.0
        fresh[first + 1] = 0.0
        fresh[first + 2] = 0.0
        peaks.touching[peaks.followed[i]] = 0
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        if not contacts.area[pair] > 0.0:
            continue
        if peaks.is_followed[pair] == 0:
            peaks.is_followed[pair] = 1
            peaks.followed[peaks.n_followed] = pair
            peaks.n_followed += 1
            for k in range(PAIR_LOADS):
                column = PAIR_LOADS * pair + k
                peaks.latest[column] = 0.0 if peaks.n_steps > 0 else NOTHING
                peaks.before[column] = 0.0 if peaks.n_steps > 1 else NOTHING
        peaks.touching[pair] = 1
        first = PAIR_LOADS * pair
        fresh[first] = norm(load_vector(contacts.wrench[pair], 0))
        fresh[first + 1] = contacts.pressure[pair]
        fresh[first + 2] = contacts.depth[pair]


@kernel
def _note_wrenches(wrenches: Array, first: int, fresh: Array) -> None:
    """Sizes of forces and torques (n, 6) as the columns from ``first`` on."""
    for i in range(len(wrenches)):
        fresh[first + JOINT_LOADS * i] = norm(load_vector(wrenches[i], 0))
        fresh[first + JOINT_LOADS * i + 1] = norm(load_vector(wrenches[i], 3))


@kernel
def _note_reactions(reactions: Reactions, peaks: Peaks) -> None:
    """What joints, loops, drives and force elements transmit."""
    fresh = peaks.fresh
    first = PAIR_LOADS * peaks.n_pairs
    _note_wrenches(reactions.joint, first, fresh)
    first += JOINT_LOADS * peaks.n_bodies
    _note_wrenches(reactions.loop, first, fresh)
    first += JOINT_LOADS * peaks.n_loops
    for k in range(peaks.n_speeds):
        fresh[first + k] = abs(reactions.drive[k])
    first += peaks.n_speeds
    for i in range(peaks.n_forces):
        square = 0.0
        for k in range(peaks.first_number[i], peaks.first_number[i] + peaks.n_numbers[i]):
            square += reactions.element[k] * reactions.element[k]
        fresh[first + i] = square**0.5


@inline_kernel
def _top(t0: float, f0: float, t1: float, f1: float, t2: float, f2: float) -> tuple[float, float]:
    """Height and time of the top of the parabola through three points of which the middle one is the highest."""
    if f0 < 0.0 or f2 < 0.0 or not t0 < t1 < t2:
        return f1, t1
    rise, fall = (f1 - f0) / (t1 - t0), (f1 - f2) / (t2 - t1)
    bend = (rise + fall) / (t2 - t0)
    if not bend > 0.0:
        return f1, t1
    slope = rise - bend * (t1 - t0)  # at the middle point
    return f1 + 0.25 * slope * slope / bend, t1 + 0.5 * slope / bend


@inline_kernel
def _tell(peaks: Peaks, column: int, is_onset: int, height: float, place: float) -> None:
    """Note one more peak that may be the greatest."""
    i = peaks.n_found
    peaks.found[i] = column
    peaks.is_onset[i] = is_onset
    peaks.height[i] = height
    peaks.place[i] = place
    peaks.n_found = i + 1


@kernel
def _follow(peaks: Peaks, column: int, t: float, fresh: float) -> None:
    """Look whether the last value of a column was a peak, and go on by one step."""
    f0, f1 = peaks.before[column], peaks.latest[column]
    if f1 > 0.0 and f1 >= f0 and f1 >= fresh:
        height, place = _top(peaks.time[0], f0, peaks.time[1], f1, t, fresh)
        if height > RIVAL_PEAK * peaks.greatest[column]:
            peaks.greatest[column] = max(peaks.greatest[column], height)
            _tell(peaks, column, 0, height, place)
            around = peaks.around[peaks.n_found - 1]
            around[0] = f0
            around[1] = f1
            around[2] = fresh
    elif f1 == 0.0 and fresh > STEEP_ONSET * peaks.greatest[column]:
        _tell(peaks, column, 1, fresh, t)
    peaks.before[column] = f1
    peaks.latest[column] = fresh


@kernel
def _follow_contact(peaks: Peaks, pair: int, t: float) -> None:
    """When a pair touched, by one step to t (s)."""
    now = peaks.touching[pair]
    if now == 1:
        if peaks.touched[pair] == 0:
            peaks.first_contact[pair] = t
        peaks.touched[pair] = 1
        peaks.last_contact[pair] = t
    if peaks.n_steps > 0:
        peaks.contact_time[pair] += 0.5 * (t - peaks.time[1]) * (now + peaks.was_touching[pair])
    peaks.was_touching[pair] = now


@kernel
def _follow_all(peaks: Peaks, t: float, begin: float, use_fresh: bool) -> None:
    """All columns by one step to t (s): to the fresh values, or to ``begin`` where there are none."""
    i = 0
    while i < peaks.n_followed:
        pair = peaks.followed[i]
        if use_fresh:
            _follow_contact(peaks, pair, t)
        resting = True
        for k in range(PAIR_LOADS):
            column = PAIR_LOADS * pair + k
            _follow(peaks, column, t, peaks.fresh[column] if use_fresh else begin)
            resting = resting and peaks.latest[column] <= 0.0 and peaks.before[column] <= 0.0
        if resting:
            peaks.is_followed[pair] = 0
            peaks.n_followed -= 1
            peaks.followed[i] = peaks.followed[peaks.n_followed]
        else:
            i += 1
    first = PAIR_LOADS * peaks.n_pairs
    for column in range(first + JOINT_LOADS, peaks.n_columns):
        _follow(peaks, column, t, peaks.fresh[column] if use_fresh else begin)


@entry_kernel((ROW, ROW, ROW, types.float64))
def note_loads(system_row: Row, reactions_row: Row, peaks_row: Row, t: float) -> None:
    """Loads of the last evaluation of a system, which was at t (s), as the fresh ones; after `accelerate`.

    Where there are loops, the loads are those without what makes their drift decay, and the accelerations of the bodies
    stay those of the evaluation: limits of steps go by them, whether or not loads are followed.
    """
    s, reactions, peaks = system_at(system_row), reactions_at(reactions_row), peaks_at(peaks_row)
    _note_pairs(s.contacts, peaks)
    if peaks.n_bodies == 0:
        return
    if s.loops.n > 0:
        peaks.acceleration[:] = s.bodies.acceleration
        close_loops_as_if_without_drift(s.tree, s.loops, s.joints, s.bodies, s.articulated, s.forces, s.loop_forces)
    find_all(s.tree, s.elements, s.motions, s.loops, s.joints, s.bodies, s.forces, s.loop_forces, reactions, t)
    _note_reactions(reactions, peaks)
    if s.loops.n > 0:
        s.bodies.acceleration[:] = peaks.acceleration


@entry_kernel((ROW, types.float64))
def follow_peaks(peaks_row: Row, t: float) -> int:
    """Go on to an accepted step at t (s) with the fresh loads: how many peaks may be the greatest, see ``found``."""
    peaks = peaks_at(peaks_row)
    peaks.n_found = 0
    _follow_all(peaks, t, 0.0, True)
    peaks.time[0] = peaks.time[1]
    peaks.time[1] = t
    peaks.n_steps += 1
    return peaks.n_found


@entry_kernel((ROW,))
def end_peaks(peaks_row: Row) -> int:
    """The run ends or jumps: the last loads count as peaks where they are not below those before; as `follow_peaks`."""
    peaks = peaks_at(peaks_row)
    peaks.n_found = 0
    _follow_all(peaks, peaks.time[1], NOTHING, False)
    found = peaks.n_found
    _follow_all(peaks, peaks.time[1], NOTHING, False)  # nothing is left of the values before
    peaks.n_steps = 0
    return found
