"""One time step with unilateral contact and Coulomb friction: Moreau's midpoint rule (Moreau 1988; S2.11, S2.22).

With q, v at the start of a step h: q½ = q + (h/2) v, where forces f and contact points are found, those that bodies
exert by their own motion at the speeds half a step on (`middle_speeds`); v⁺ = v + h M⁻¹f + M⁻¹Jᵀp with impulses p such
that u_n⁺ + e u_n⁻ ≥ 0 ⟂ p_n ≥ 0 and Coulomb's friction in u_t⁺; then q⁺ = q½ + (h/2) v⁺.
Bodies keep a small depth, the slop: points that are less deep may approach by the rest in a step, what lies deeper is
taken back by a motion without speed.

    go_to_middle   (1) coordinates advance by half a step with the speeds of the start
                   (2) near pairs are evaluated there, elements become a few points, with their velocities
                   (3) the step is halved and tried again where it does not follow bodies in contact
    finish_step    (4) accelerations without contacts, with efforts of joints as at the end of the step
                   (5) how the points answer impulses, and the impulses
                       both again where contacts change the speeds much, and with them forces by the motion of bodies
                   (6) joint speeds after the step, and what contacts, drives and the rule itself have done
                   (7) coordinates advance by the other half, and some of the depth is taken back
                   (8) which contacts are held now, and how long the next step may be
                   (9) the energy that the rule makes in bodies that turn, for the ledger

A step is one call, `moreau_step`. Where it needs Python (memory that is too small, contacts in several threads, gaps of
meshes) it stops with a `Status` or `StepStatus` and goes on there when it is called again to ``resume``. Users' forces,
which are Python, are applied between `go_to_middle` and `finish_step`.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.dynamics.body_kinematics import place_bodies
from polycontact.kernels.dynamics.contact_response import (
    advance,
    contact_velocities,
    count_work,
    find_directions,
    free_motion,
    place_points,
    sum_wrenches,
    work_of_motions,
)
from polycontact.kernels.dynamics.evaluation_views import N_POWERS, JointState, Status
from polycontact.kernels.dynamics.right_hand_side import end, move, touch
from polycontact.kernels.dynamics.setup_views import Tree
from polycontact.kernels.dynamics.system_row import OUT, ROW, Row, system_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.response.codes import StepStatus
from polycontact.kernels.response.contact_rows import change_by_impulses, fill_contact_rows
from polycontact.kernels.response.depth_correction import affordable_share, find_pushes, lies_too_deep
from polycontact.kernels.response.envelope import lay_out
from polycontact.kernels.response.following_steps import (
    StepLength,
    choose_next,
    encounter,
    equal_step,
    follows,
    hold,
)
from polycontact.kernels.response.meeting_points import gather_points
from polycontact.kernels.response.motion_energy import energy_made_by_motion
from polycontact.kernels.response.path_rows import Mechanism
from polycontact.kernels.response.step_impulses import find_impulses
from polycontact.kernels.response.step_views import Gaps, RigidPoints, RigidRules, StepWork, step_at
from polycontact.kernels.views import Doubles
from polycontact.tolerances import PUSHED_SHARE

MOST_REPETITIONS = 2
"""How often impulses are found again at most, with the middle speeds that they leave."""

MAX_HALVINGS = 20
"""How often a step is halved at most in whose middle bodies meet: to a millionth."""


@kernel
def _try_length(work: StepWork, gaps: Gaps, h: float) -> None:
    """Take a length (s) for the step at hand; nothing is known of its middle yet."""
    work.h = h
    work.touched, gaps.known = 0, 0


@kernel
def _fastest_approach(length: StepLength, points: RigidPoints, velocities: Doubles) -> float:
    """Greatest speed (m/s) with which points meet that are not of contacts that the step follows."""
    fastest = 0.0
    for i in range(points.n):
        if not (length.quiet == 1 and length.held[points.pair[i]] == 1):
            fastest = max(fastest, -velocities[3 * i])
    return fastest


@kernel
def _take_speeds(tree: Tree, y: Doubles, speeds: Doubles) -> None:
    """Speeds in y of joints that move freely, to where they stand among those of all joints."""
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0:
            for k in range(tree.count_v[b]):
                speeds[tree.first_v[b] + k] = y[tree.state_v[b] + k]


@kernel
def _count_contacts(rules: RigidRules, length: StepLength, points: RigidPoints, work: StepWork) -> None:
    """Work of the impulses at mean velocities, along normals and in friction, in the order of the ledger.

    Closed rigid contacts do no work along their normals: what they seem to do is the rule's.
    """
    normal, rubbed = 0.0, 0.0
    for i in range(points.n):
        k, pair = 3 * i, points.pair[i]
        along = 0.5 * work.impulse[k] * (work.before[k] + work.behind[k])
        across = 0.5 * work.impulse[k + 1] * (work.before[k + 1] + work.behind[k + 1])
        across += 0.5 * work.impulse[k + 2] * (work.before[k + 2] + work.behind[k + 2])
        work.taken -= along + across
        rubbed += across
        if length.held[pair] == 1 and rules.stiffness[pair] == math.inf:
            work.lost -= along
        else:
            normal += along
    work.work[0], work.work[1], work.work[2] = normal + rubbed, -normal, -rubbed


@kernel
def _take_over_speeds(tree: Tree, joints: JointState, work: StepWork) -> None:
    """Speeds and states of elements at the end of the step, and what the speeds change by without contacts."""
    work.drift[:] = 0.0
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0:
            for k in range(tree.count_v[b]):
                work.reached[tree.state_v[b] + k] = work.after[tree.first_v[b] + k]
                work.drift[tree.state_v[b] + k] = work.h * joints.rates[tree.first_v[b] + k]
    for k in range(work.first_state, tree.ledger):
        work.reached[k] += work.h * work.rates[k]


@kernel
def _hold_those_that_pushed(rules: RigidRules, length: StepLength, points: RigidPoints, work: StepWork) -> int:
    """Rigid contacts that pushed and do not part faster than the rest speed are held; 1 where any contact pushed."""
    pushed = 0
    length.held[:] = 0
    for i in range(points.n):
        pair = points.pair[i]
        if work.impulse[3 * i] != 0.0:
            pushed = 1
        is_rigid = rules.stiffness[pair] == math.inf
        if is_rigid and work.impulse[3 * i] > 0.0 and work.behind[3 * i] <= rules.rest_speed:
            length.held[pair] = 1
    return pushed


@entry_kernel((ROW, ROW, OUT, OUT))
def find_velocities(row: Row, step_row: Row, speeds: Doubles, out: Doubles) -> None:
    """Relative velocities (m/s) at the points for some joint speeds."""
    points, work = step_at(step_row).points, step_at(step_row).work
    n = points.n
    e, f, directions = points.body_e[:n], points.body_f[:n], points.direction[: 3 * n]
    contact_velocities(row, e, f, directions, speeds, work.velocity, out[: 3 * n])


@entry_kernel((ROW, ROW, types.float64, OUT))
def find_points(row: Row, step_row: Row, t: float, y: Doubles) -> int:
    """Contact points at t (s) and y, also of contacts that are held and gape; a `Status`, or a `StepStatus`."""
    s, step = system_at(row), step_at(step_row)
    work, points = step.work, step.points
    if work.touched == 0:
        status = move(row, t, y)
        if status != Status.WELL:
            return status
        if step.rules.in_threads == 1:
            return end(s.ending, StepStatus.TOUCH, 0)
        touch(row)
    status = gather_points(s.contacts, step.rules, step.length, step.choosing, step.gaps, points, s.ending)
    if status != Status.WELL:
        return status
    n = points.n
    e, f, point, frame = points.body_e[:n], points.body_f[:n], points.point[:n], points.frame[:n]
    place_points(row, points.pair[:n], points.support[:n], e, f, point, frame)
    find_directions(row, e, f, point, frame, points.direction[: 3 * n])
    return end(s.ending, Status.WELL, 0)


@entry_kernel((ROW, ROW))
def meet(row: Row, step_row: Row) -> int:
    """Contact points in the middle of the step, and their velocities with the speeds of the start (2)."""
    s, step = system_at(row), step_at(step_row)
    work = step.work
    _take_speeds(s.tree, work.start, work.speeds)
    work.halfway[:] = work.start
    advance(row, work.start, work.speeds, 0.5 * work.h, work.halfway)
    status = find_points(row, step_row, work.t + 0.5 * work.h, work.halfway)
    if status != Status.WELL:
        return status
    work.speeds[:] = s.joints.v
    find_velocities(row, step_row, work.speeds, work.before)
    return end(s.ending, Status.WELL, 0)


@entry_kernel((ROW, ROW, types.float64, types.float64, types.int64))
def go_to_middle(row: Row, step_row: Row, whole: float, longest: float, resume: int) -> int:
    """The middle of a step of such a length that it follows bodies in contact; a `Status`, or a `StepStatus`."""
    step = step_at(step_row)
    work, length, points = step.work, step.length, step.points
    if resume == 0:
        work.asked = equal_step(whole, longest)
        work.halvings, length.tried = 0, 0
        _try_length(work, step.gaps, equal_step(whole, min(length.next, longest)))
    while True:
        status = meet(row, step_row)  # (1), (2)
        if status != Status.WELL:
            return status
        encounter(length, points.pair, work.before, 3, points.n)
        meets = work.rebounds == 0 and _fastest_approach(length, points, work.before) > step.rules.rest_speed
        if (follows(length, work.h) and not meets) or work.halvings + 1 == MAX_HALVINGS:
            return status
        work.halvings += 1
        _try_length(work, step.gaps, 0.5 * work.h)  # (3)


@entry_kernel((ROW, ROW))
def _work_of_drives(row: Row, step_row: Row) -> float:
    """Work (J) that prescribed motions put in while impulses change the joint speeds.

    A driven body keeps its speed whatever pushes it: what contacts take from it, its drive makes up for.
    """
    s, step = system_at(row), step_at(step_row)
    work, rules, points = step.work, step.rules, step.points
    for k in range(work.n_speeds):
        # With speeds that obey loops and couplers, what these exert does no work; without any, the driven ones suffice.
        work.drive[k] = work.speeds[k] if s.loops.n > 0 or rules.driven[k] == 1 else 0.0
        if rules.driven[k] == 1:
            work.change[k] = 0.0
    put_in = work_of_motions(row, work.change, work.drive, work.velocity, work.other_velocity)
    for k in range(work.n_speeds):
        put_in += s.articulated.step_inertia[k] * work.drive[k] * work.change[k]
    find_velocities(row, step_row, work.drive, work.mean)
    for k in range(3 * points.n):
        put_in -= work.impulse[k] * work.mean[k]
    return put_in


@entry_kernel((ROW, ROW))
def push_contacts(row: Row, step_row: Row) -> int:
    """Impulses of the contacts, joint speeds after them, and a correction of the depth; a `Status` or `StepStatus`."""
    s, step = system_at(row), step_at(step_row)
    work, points, rules, system, memory = step.work, step.points, step.rules, step.contacts, step.memory
    n, p, pushes = points.n, work.impulse, work.other_impulse
    work.acceleration[:] = s.bodies.acceleration  # which answers of closed loops overwrite
    mechanism = Mechanism(s.tree, s.joints, s.bodies, s.articulated, s.loops, s.loop_forces)
    fill_contact_rows(mechanism, step.groups, system, points.body_e[:n], points.body_f[:n], points.direction)
    s.bodies.acceleration[:] = work.acceleration
    needed = lay_out(system, memory.work.envelope)
    if needed > memory.work.envelope.size:
        return end(s.ending, StepStatus.MORE_ENVELOPE, needed)
    find_velocities(row, step_row, work.after, work.free)
    if not find_impulses(rules, step.length, points, system, work, step.settings, memory, step.solves):  # (5)
        return end(s.ending, StepStatus.NO_IMPULSES, 0)
    change_by_impulses(mechanism, step.groups, system, p, work.z, work.change)
    for k in range(work.n_speeds):
        if rules.driven[k] == 0:
            work.after[k] += work.change[k]
    find_velocities(row, step_row, work.after, work.behind)  # (6)
    _count_contacts(rules, step.length, points, work)
    if rules.some_driven == 1:
        work.work[4] = _work_of_drives(row, step_row)
    sum_wrenches(row, points.pair[:n], points.point[:n], points.frame[:n], p[: 3 * n], work.h, work.wrench)
    if lies_too_deep(rules, points):  # of (7)
        if not math.isfinite(find_pushes(rules, points, system, work, step.settings, memory)):
            return end(s.ending, StepStatus.NO_IMPULSES, 0)
        find_velocities(row, step_row, s.joints.rates, work.mean)
        price = 0.0
        for k in range(3 * n):
            price -= work.h * pushes[k] * work.mean[k]
        share = affordable_share(work, price)
        work.lost -= share * price
        work.taken -= share * price
        change_by_impulses(mechanism, step.groups, system, pushes, work.z, work.change)
        work.lifts = 1
        for k in range(work.n_speeds):
            work.lift[k] = share * work.change[k]
    return end(s.ending, Status.WELL, 0)


@kernel
def _turns_otherwise(joints: JointState, rules: RigidRules, work: StepWork) -> bool:
    """Whether contacts change the speeds so much that forces by the motion of bodies are to be found again.

    Notes the change for that.
    """
    if joints.refinements == 0:
        return False
    more, greatest = 0.0, 0.0
    for k in range(work.n_speeds):
        if rules.driven[k] == 0:
            pushed = work.after[k] - work.speeds[k] - work.h * joints.rates[k]
            more = max(more, abs(pushed - joints.pushed[k]))
            greatest = max(greatest, abs(work.speeds[k]))
            joints.pushed[k] = pushed
    return more > PUSHED_SHARE * greatest


@kernel
def _count_made(work: StepWork, made: float) -> None:
    """Count the energy (J) that the step has made by itself in the motion of bodies."""
    work.lost -= made
    work.made += made
    if abs(work.made) > abs(work.most_made):
        work.most_made = work.made


@entry_kernel((ROW, ROW))
def finish_step(row: Row, step_row: Row) -> int:
    """The rest of the step whose middle was found last; a `Status`, or a `StepStatus`."""
    s, step = system_at(row), step_at(step_row)
    work, points, rules, length = step.work, step.points, step.rules, step.length
    middle, taken = work.t + 0.5 * work.h, work.taken
    s.joints.pushed[:] = 0.0
    for attempt in range(1 + MOST_REPETITIONS):
        status = free_motion(row, middle, work.h, work.rates)  # (4)
        if status != Status.WELL:
            return status
        for k in range(work.n_speeds):
            work.after[k] = work.speeds[k] + (work.h * s.joints.rates[k] if rules.driven[k] == 0 else 0.0)
        work.lost, work.lifts, step.solves.left, work.taken = 0.0, 0, 0.0, taken
        work.work[:] = 0.0
        work.wrench[:] = 0.0
        if points.n > 0:
            status = push_contacts(row, step_row)  # (5), (6)
            if status != Status.WELL:
                return status
        if points.n == 0 or attempt == MOST_REPETITIONS or not _turns_otherwise(s.joints, rules, work):
            break
        place_bodies(s.tree, s.joints, s.bodies)
    work.reached[:] = work.halfway
    advance(row, work.halfway, work.after, 0.5 * work.h, work.reached)  # (7)
    if work.lifts == 1:
        advance(row, work.reached, work.lift, work.h, work.reached)
    _take_over_speeds(s.tree, s.joints, work)
    ledger = work.reached[s.tree.ledger :]
    work.lost += count_work(row, middle, work.h, work.after, ledger)
    for k in range(N_POWERS):
        ledger[k] += work.work[k]
    work.pushed = _hold_those_that_pushed(rules, length, points, work)  # (8)
    hold(length, points.pair, work.behind, 3, points.n)
    choose_next(length, work.h, work.asked)
    if s.joints.refinements > 0:
        _count_made(work, energy_made_by_motion(row, step_row))  # (9)
    return end(s.ending, Status.WELL, 0)


@entry_kernel((ROW, ROW, types.float64, types.float64, types.int64))
def moreau_step(row: Row, step_row: Row, whole: float, longest: float, resume: int) -> int:
    """Make one step from ``work.start``: one of equal ones that make up the ``whole`` time (s), none longer than
    ``longest`` (s).

    It is shorter where the motion of bodies in contact asks for that. A `Status`, or a `StepStatus`.
    """
    status = go_to_middle(row, step_row, whole, longest, resume)
    if status != Status.WELL:
        return status
    return finish_step(row, step_row)
