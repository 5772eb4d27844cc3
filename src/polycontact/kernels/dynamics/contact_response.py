"""What a system with rigid contacts needs of the tree of joints: directions of impulses, velocities, steps.

A contact point i has three directions: its normal, which pushes body E away from F, and two tangents. Row 3i + k of J
maps joint speeds to the velocity of E relative to F there along direction k; closed loops stay closed and couplers
coupled under every impulse.

A step of a rigid response calls, in this order:

    `free_motion`          accelerations without contacts; it leaves the factors of tree and loops
    `place_points`         where contact points and their frames are in the world
    `find_directions`      wrenches of unit impulses, three a point: rows of J
    `fill_rows`            how groups of joint speeds answer them, W = J M⁻¹ Jᵀ = A Aᵀ (`response/contact_rows.py`)
    `contact_velocities`   J v
    `advance`, `sum_wrenches`, `count_work`   coordinates, mean forces and the ledger of the step
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from polycontact.kernels.dynamics.articulated import power_of_motions
from polycontact.kernels.dynamics.dynamics_codes import JointCode
from polycontact.kernels.dynamics.energy import shared_energy
from polycontact.kernels.dynamics.evaluation_views import BodyState, LoopForces, Status
from polycontact.kernels.dynamics.force_elements import apply_forces
from polycontact.kernels.dynamics.implicit_joints import make_implicit, work_of_joints
from polycontact.kernels.dynamics.joint_kinematics import has_quaternion
from polycontact.kernels.dynamics.loop_closure import add_responses, rate_of_constraint, solve_multipliers
from polycontact.kernels.dynamics.matrices import Array, add_vector, load_vector, rotation_of, store_vector
from polycontact.kernels.dynamics.middle_speeds import find_middle_speeds, moves_fast
from polycontact.kernels.dynamics.right_hand_side import end, find_accelerations
from polycontact.kernels.dynamics.setup_views import Loops, Tree
from polycontact.kernels.dynamics.system_row import OUT, ROW, STATE, VECTORS, Row, system_at
from polycontact.kernels.geometry.frames import apply, apply_transposed
from polycontact.kernels.geometry.vectors import add, cross, scale, sub, tangent_to
from polycontact.kernels.geometry.vectors import row as row_of
from polycontact.kernels.jit import entry_kernel, kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
INTS = types.Array(types.int32, 1, "C")
"""Type of a list of bodies."""
LONGS = types.Array(types.int64, 1, "C")
"""Type of a list of pairs."""


@kernel
def spread(tree: Tree, bodies: BodyState, speeds: Array, out: Array) -> None:
    """Velocities (n_bodies, 6) of the bodies for some joint speeds, in the pose at hand."""
    out[0] = 0.0
    for b in range(1, tree.n_bodies):
        parent, first = tree.parent[b], tree.first_v[b]
        w = load_vector(out[parent], 0)
        d = sub(row_of(bodies.position, b), row_of(bodies.position, parent))
        store_vector(out[b], 0, w)
        store_vector(out[b], 3, add(load_vector(out[parent], 3), cross(w, d)))
        S = bodies.columns[b]
        for k in range(tree.count_v[b]):
            for i in range(6):
                out[b, i] += S[6 * k + i] * speeds[first + k]


@kernel
def _along(direction: Array, e: int, f: int, velocities: Array) -> float:
    """Velocity of E relative to F along a direction of a contact point."""
    total = 0.0
    for i in range(6):
        total += direction[i] * velocities[e, i] + direction[6 + i] * velocities[f, i]
    return total


@entry_kernel((ROW, types.float64, types.float64, OUT))
def free_motion(row: Row, t: float, h: float, out: Array) -> int:
    """dy/dt without contacts into ``out``; with joint efforts of the end of a step h (s) about t (s), and forces that
    bodies exert by their motion at the speeds of its middle; a status.

    After `move`. The factors of tree and loops that it leaves serve `fill_rows`.
    """
    s = system_at(row)
    apply_forces(s.tree, s.elements, s.motions, s.joints, s.bodies, s.forces, s.ledger, t)
    added = s.articulated.added_inertia
    if h > 0.0:
        make_implicit(s.elements, s.motions, s.joints, s.ledger, added, s.forces.efforts, t, h)
    body = find_accelerations(
        s.tree, s.loops, s.joints, s.bodies, s.articulated, s.forces, s.loop_forces, s.ledger.powers, out
    )
    s.joints.refinements = 0
    if body == 0 and h > 0.0 and moves_fast(s.tree, s.loops, s.joints, s.bodies, h):
        s.ledger.powers.input -= power_of_motions(s.tree, s.joints, s.bodies, s.articulated, s.forces)
        find_middle_speeds(s.tree, s.loops, s.joints, s.bodies, s.articulated, s.forces, s.loop_forces, h)
        s.ledger.powers.input += power_of_motions(s.tree, s.joints, s.bodies, s.articulated, s.forces)
    s.articulated.step_inertia[:] = added
    added[:] = 0.0
    return end(s.ending, Status.SINGULAR if body > 0 else Status.WELL, body)


@kernel
def add_loops(loops: Loops, bodies: BodyState, loop_forces: LoopForces, response: Array) -> None:
    """Add to the joint speeds that the tree answers with what keeps loops closed and couplers coupled."""
    if loops.n > 0:
        for i in range(loops.n):
            free = rate_of_constraint(loops, loop_forces, i, bodies.acceleration, response)
            loop_forces.right_side[i] = -free
        solve_multipliers(loop_forces)
        add_responses(loop_forces, response)


@entry_kernel((ROW, INTS, INTS, VECTORS, VECTORS, VECTORS))
def find_directions(row: Row, body_e: Ints, body_f: Ints, point: Array, frame: Array, directions: Array) -> None:
    """Directions (3n, 12) of n contact points: wrenches of unit impulses on the bodies of E and F, at their origins.

    ``point`` (n, 3) m in the world; ``frame`` (n, 9): normal and tangents in world axes.
    """
    s = system_at(row)
    for i in range(len(body_e)):
        for k in range(3):
            d = load_vector(frame[i], 3 * k)
            out = directions[3 * i + k]
            store_vector(out, 0, cross(sub(row_of(point, i), row_of(s.bodies.position, body_e[i])), d))
            store_vector(out, 3, d)
            store_vector(out, 6, cross(d, sub(row_of(point, i), row_of(s.bodies.position, body_f[i]))))
            store_vector(out, 9, (-d[0], -d[1], -d[2]))


@entry_kernel((ROW, LONGS, VECTORS, INTS, INTS, VECTORS, VECTORS))
def place_points(
    row: Row, pair: Longs, supports: Array, body_e: Ints, body_f: Ints, point: Array, frame: Array
) -> None:
    """Bodies, points and frames in the world of ``supports``: rows (point, direction that pushes E, depth), frame E."""
    s = system_at(row)
    for i in range(len(pair)):
        e, f = s.pairs.shape_e[pair[i]], s.pairs.shape_f[pair[i]]
        R = rotation_of(s.placed.rotation, e)
        body_e[i], body_f[i] = s.shapes.body[e], s.shapes.body[f]
        n = apply(R, load_vector(supports[i], 3))
        t = tangent_to(n)
        store_vector(point[i], 0, add(apply(R, load_vector(supports[i], 0)), row_of(s.placed.position, e)))
        store_vector(frame[i], 0, n)
        store_vector(frame[i], 3, t)
        store_vector(frame[i], 6, cross(n, t))


@entry_kernel((ROW, LONGS, VECTORS, VECTORS, OUT, types.float64, VECTORS))
def sum_wrenches(
    row: Row, pair: Longs, point: Array, frame: Array, impulses: Array, step: float, wrenches: Array
) -> None:
    """Mean forces and torques of impulses during a step (s) on E at marker F, axes of E: into rows of pairs."""
    s = system_at(row)
    wrenches[:] = 0.0
    for i in range(len(pair)):
        e, f = s.pairs.shape_e[pair[i]], s.pairs.shape_f[pair[i]]
        R = rotation_of(s.placed.rotation, e)
        force = (0.0, 0.0, 0.0)
        for k in range(3):
            force = add(force, scale(impulses[3 * i + k] / step, load_vector(frame[i], 3 * k)))
        torque = cross(sub(row_of(point, i), row_of(s.placed.position, f)), force)
        add_vector(wrenches[pair[i]], 0, apply_transposed(R, force))
        add_vector(wrenches[pair[i]], 3, apply_transposed(R, torque))


@entry_kernel((ROW, INTS, INTS, VECTORS, OUT, VECTORS, OUT))
def contact_velocities(
    row: Row, body_e: Ints, body_f: Ints, directions: Array, speeds: Array, velocities: Array, out: Array
) -> None:
    """J v for the joint speeds v. ``velocities``: work space."""
    s = system_at(row)
    spread(s.tree, s.bodies, speeds, velocities)
    for i in range(len(out)):
        out[i] = _along(directions[i], body_e[i // 3], body_f[i // 3], velocities)


@entry_kernel((ROW, OUT, OUT, VECTORS, VECTORS))
def work_of_motions(row: Row, change: Array, driven: Array, velocities: Array, others: Array) -> float:
    """changeᵀ M driven (J) of a change of joint speeds by impulses and the speeds of driven joints alone.

    It is what prescribed motions put into the bodies that they carry while impulses change the speeds of these.
    ``velocities``, ``others``: work space.
    """
    s = system_at(row)
    spread(s.tree, s.bodies, change, velocities)
    spread(s.tree, s.bodies, driven, others)
    return shared_energy(s.tree, s.bodies, velocities, others)


@kernel
def _turn(q: Array, w: Array, h: float, out: Array) -> None:
    """A quaternion (w, x, y, z) turned for a time h (s) with a constant angular velocity in the parent's frame."""
    speed = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    half = 0.5 * h * speed
    c = math.cos(half)
    s = math.sin(half) / speed if speed > 0.0 else 0.0
    a, x, y, z = s * w[0], q[1], q[2], q[3]
    b, d, r = s * w[1], s * w[2], q[0]
    out[0] = c * r - a * x - b * y - d * z
    out[1] = c * x + a * r + b * z - d * y
    out[2] = c * y + b * r + d * x - a * z
    out[3] = c * z + d * r + a * y - b * x


@entry_kernel((ROW, STATE, OUT, types.float64, OUT))
def advance(row: Row, y: Array, speeds: Array, h: float, out: Array) -> None:
    """Coordinates of y moved on for a time h (s) at constant joint ``speeds``, into ``out``."""
    tree = system_at(row).tree
    for b in range(1, tree.n_bodies):
        if tree.motion[b] >= 0:
            continue
        kind, at, first, count = tree.kind[b], tree.state_q[b], tree.first_v[b], tree.count_v[b]
        straight = 3 if kind == JointCode.FREE else 0
        if has_quaternion(kind):
            for k in range(straight):
                out[at + k] = y[at + k] + h * speeds[first + k]
            turned = at + straight
            _turn(y[turned : turned + 4], speeds[first + straight : first + straight + 3], h, out[turned : turned + 4])
        else:
            for k in range(count):
                out[at + k] = y[at + k] + h * speeds[first + k]


@entry_kernel((ROW, types.float64, types.float64, OUT, OUT))
def count_work(row: Row, t: float, h: float, after: Array, ledger: Array) -> float:
    """Add to the ledger's integrals (J) what dampers lost and what was put in during a step h (s) about t (s).

    ``after``: joint speeds after the step; contacts are not counted. Returns what the rule of the step lost besides.
    """
    s = system_at(row)
    lost, by_rule, put_in = work_of_joints(s.elements, s.motions, s.joints, after, t, h)
    ledger[3] += h * s.ledger.powers.damping + lost
    ledger[4] += h * s.ledger.powers.input + put_in
    return by_rule
