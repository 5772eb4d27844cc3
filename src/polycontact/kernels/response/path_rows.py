"""The rows of A of contact points on open trees: an impulse passes from body to body on its way to the world.

Articulated-body elimination from the leaves to the root factors M⁻¹ (Rodriguez, Jain and Kreutz-Delgado, Spatial
operator algebra for multibody system dynamics, 1992): with D = L Lᵀ what a joint feels of all that it carries, U its
inertia times the joint's columns S, and f a wrench on the body,

    z = L⁻¹ Sᵀ f,    f ← f - U L⁻ᵀ z    moved to the parent,

and so on to the world. The numbers z of all joints on the way are a row of A for a unit wrench; those of other joints
are zero, so that feet on different legs share the coordinates of the trunk only. Backwards, from root to leaves,

    v = L⁻ᵀ z - D⁻¹ Uᵀ a,    a ← a + S v,    a that of the parent, moved

are the joint speeds v that coordinates z stand for.

          world ---- trunk ---- thigh ---- foot      coordinates are numbered from the leaves to the root, group after
                       |                     ^       group, so that elimination fills nothing between legs
                       +---- thigh ---- foot | f
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.dynamics.articulated import solve_factored, solve_lower, solve_upper
from polycontact.kernels.dynamics.evaluation_views import Articulated, BodyState, JointState, LoopForces
from polycontact.kernels.dynamics.matrices import load_vector, store_vector
from polycontact.kernels.dynamics.setup_views import Loops, Tree
from polycontact.kernels.geometry.vectors import add, cross, row, sub
from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.touched_groups import Groups
from polycontact.kernels.views import Doubles, Ints

TOUCHED = -2
"""A body whose joint a contact touches, before that has a number."""


class Mechanism(NamedTuple):
    """What answers impulses: tree and loops with the factors that `free_motion` has left."""

    tree: Tree
    joints: JointState
    bodies: BodyState
    articulated: Articulated
    loops: Loops
    loop_forces: LoopForces


@kernel
def _number_coordinates(tree: Tree, groups: Groups, system: ContactSystem, body_e: Ints, body_f: Ints) -> None:
    """Coordinates of the joints on the way from contacts to the world: leaves first, group after group."""
    coordinate, start, used = groups.coordinate, groups.start, groups.rank
    # Bodies on the way from a contact to the world.
    coordinate[:] = -1
    for i in range(system.n):
        for body in (body_e[i], body_f[i]):
            b = body
            while b > 0 and coordinate[b] != TOUCHED:
                coordinate[b] = TOUCHED
                b = tree.parent[b]
    # How many coordinates each group has of them, and from which on.
    for place in range(system.n_groups):
        start[place + 1] = 0
    for b in range(1, tree.n_bodies):
        if coordinate[b] == TOUCHED and tree.motion[b] < 0 and groups.of_body[b] >= 0:
            start[groups.place[groups.of_body[b]] + 1] += tree.count_v[b]
    start[0] = 0
    for place in range(system.n_groups):
        start[place + 1] += start[place]
        used[place] = 0
    for b in range(tree.n_bodies - 1, 0, -1):
        if coordinate[b] == TOUCHED and tree.motion[b] < 0 and groups.of_body[b] >= 0:
            place = groups.place[groups.of_body[b]]
            coordinate[b] = start[place] + used[place]
            used[place] += tree.count_v[b]
        else:
            coordinate[b] = -1
    system.width = start[system.n_groups]


@kernel
def _pass_joint(tree: Tree, articulated: Articulated, S: Doubles, b: int, force: Doubles, out: Doubles) -> None:
    """What a joint answers to a wrench on its body, into ``out``; the wrench becomes what the parent feels."""
    n = tree.count_v[b]
    L, U, taken = articulated.factor[b], articulated.projection[b], articulated.taken
    for k in range(n):
        total = 0.0
        for j in range(6):
            total += S[6 * k + j] * force[j]
        out[k] = total
    solve_lower(L, n, out)
    if tree.parent[b] > 0:
        for k in range(n):
            taken[k] = out[k]
        solve_upper(L, n, taken)
        for k in range(n):
            for j in range(6):
                force[j] -= U[6 * k + j] * taken[k]


@kernel
def _move_to_parent(tree: Tree, bodies: BodyState, b: int, force: Doubles) -> None:
    """The same wrench at the origin of the parent."""
    d = sub(row(bodies.position, b), row(bodies.position, tree.parent[b]))
    f = load_vector(force, 3)
    store_vector(force, 0, add(load_vector(force, 0), cross(d, f)))


@kernel
def _fill_contact(s: Mechanism, groups: Groups, system: ContactSystem, i: int, e: int, f: int) -> None:
    """Rows of contact i, whose wrenches on bodies E and F are in ``groups.wrench``: both go to the world together."""
    tree, wrench, at = s.tree, groups.wrench, 0
    while e > 0 or f > 0:
        if e == f:  # from here on there is one way
            for a in range(3):
                for j in range(6):
                    wrench[a, j] += wrench[3 + a, j]
            f = 0
        # A body comes after its parent: the one with the greater number cannot lie on the other's way.
        b, first = (e, 0) if e > f else (f, 3)
        if groups.coordinate[b] >= 0:
            n = tree.count_v[b]
            for a in range(3):
                out = system.rows[3 * i + a, at : at + n]
                _pass_joint(tree, s.articulated, s.bodies.columns[b], b, wrench[first + a], out)
            for k in range(n):
                system.column[i, at + k] = groups.coordinate[b] + k
            at += n
        parent = tree.parent[b]
        if parent > 0:
            for a in range(3):
                _move_to_parent(tree, s.bodies, b, wrench[first + a])
        if b == e:
            e = parent
        else:
            f = parent
    system.n_columns[i] = at


@kernel
def fill_path_rows(
    s: Mechanism, groups: Groups, system: ContactSystem, body_e: Ints, body_f: Ints, directions: Doubles
) -> None:
    """The rows of contacts between bodies E and F with ``directions`` (3n, 12), after `find_groups`."""
    _number_coordinates(s.tree, groups, system, body_e, body_f)
    for i in range(system.n):
        for a in range(3):
            for j in range(6):
                groups.wrench[a, j] = directions[3 * i + a, j]
                groups.wrench[3 + a, j] = directions[3 * i + a, 6 + j]
        _fill_contact(s, groups, system, i, body_e[i], body_f[i])


@kernel
def change_along_paths(s: Mechanism, groups: Groups, z: Doubles, out: Doubles) -> None:
    """L z: change of the joint speeds for the coordinates z of impulses."""
    tree, bodies, articulated, velocity = s.tree, s.bodies, s.articulated, groups.velocities
    taken = articulated.taken
    out[:] = 0.0
    for b in range(1, tree.n_bodies):
        group, parent, own = groups.of_body[b], tree.parent[b], velocity[b]
        own[:] = 0.0
        if group < 0 or groups.place[group] < 0:
            continue  # nothing gives way, or no contact touches it
        if parent > 0:
            d = sub(row(bodies.position, b), row(bodies.position, parent))
            w = load_vector(velocity[parent], 0)
            store_vector(own, 0, w)
            store_vector(own, 3, add(load_vector(velocity[parent], 3), cross(w, d)))
        if tree.motion[b] >= 0:
            continue
        n, first, at = tree.count_v[b], tree.first_v[b], groups.coordinate[b]
        L, U, S, speeds = articulated.factor[b], articulated.projection[b], bodies.columns[b], out[first : first + n]
        if at >= 0:
            for k in range(n):
                speeds[k] = z[at + k]
            solve_upper(L, n, speeds)
        if parent > 0:
            for k in range(n):
                taken[k] = 0.0
                for j in range(6):
                    taken[k] += U[6 * k + j] * own[j]
            solve_factored(L, n, taken)
            for k in range(n):
                speeds[k] -= taken[k]
        for k in range(n):
            for j in range(6):
                own[j] += S[6 * k + j] * speeds[k]
