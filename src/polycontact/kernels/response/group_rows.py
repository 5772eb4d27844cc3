"""The rows of A of contact points where there are closed loops: how groups of joint speeds answer impulses.

(1) M⁻¹ of each group: answers of the tree, with closed loops, to a unit effort along each speed. Groups do not hear
    each other, so that one answer of the whole tree serves a speed of every group
(2) M⁻¹ = L Lᵀ, by pivots: a group whose loops take freedoms away has fewer columns than speeds
(3) J L: velocities at the contacts for each column, again of every group at once
"""

from __future__ import annotations

import math

from polycontact.kernels.dynamics.articulated import solve
from polycontact.kernels.dynamics.contact_response import add_loops, spread
from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.path_rows import Mechanism
from polycontact.kernels.response.touched_groups import Groups
from polycontact.kernels.views import Doubles, Ints
from polycontact.tolerances import LOST_FREEDOM


@kernel
def _choose_speeds(groups: Groups, system: ContactSystem, j: int, efforts: Doubles, effort: float) -> bool:
    """Set the effort along speed j of every group; whether any has so many."""
    any_at_all = False
    for place in range(system.n_groups):
        speed = groups.speeds[groups.touched[place], j]
        if speed >= 0:
            efforts[speed] = effort
            any_at_all = True
    return any_at_all


@kernel
def factor_inverse(M: Doubles, L: Doubles, first: Doubles) -> int:
    """L Lᵀ = M for a symmetric, positive semidefinite M, which is used up; the rank. ``first``: work space.

    The pivot is the speed of which, relative to what it was, most is left: speeds have different units.
    """
    n = len(M)
    for i in range(n):
        for j in range(n):
            L[i, j] = 0.0
    for i in range(n):
        first[i] = M[i, i]
    for column in range(n):
        best, left = -1, LOST_FREEDOM
        for i in range(n):
            if first[i] > 0.0 and M[i, i] > left * first[i]:
                best, left = i, M[i, i] / first[i]
        if best < 0:
            return column
        root = math.sqrt(M[best, best])
        for i in range(n):
            L[i, column] = M[i, best] / root
        for i in range(n):
            for j in range(n):
                M[i, j] -= L[i, column] * L[j, column]
        for i in range(n):
            M[i, best] = 0.0
            M[best, i] = 0.0
    return n


@kernel
def _fill_column(
    groups: Groups, system: ContactSystem, j: int, body_e: Ints, body_f: Ints, directions: Doubles
) -> None:
    """Entries of the rows of A for column j of every group, with the velocities of the bodies at hand."""
    for i in range(system.n):
        e, f = body_e[i], body_f[i]
        place_e = groups.place[groups.of_body[e]] if groups.of_body[e] >= 0 else -1
        place_f = groups.place[groups.of_body[f]] if groups.of_body[f] >= 0 else -1
        same = place_e == place_f
        for k in range(3 * i, 3 * i + 3):
            by_e, by_f = 0.0, 0.0
            for a in range(6):
                by_e += directions[k, a] * groups.velocities[e, a]
                by_f += directions[k, 6 + a] * groups.velocities[f, a]
            if place_e >= 0 and j < groups.rank[place_e]:
                system.rows[k, j] = by_e + by_f if same else by_e
            if place_f >= 0 and not same and j < groups.rank[place_f]:
                system.rows[k, groups.rank[place_e] + j if place_e >= 0 else j] = by_f


@kernel
def _lay_out_columns(groups: Groups, system: ContactSystem) -> None:
    """Coordinates that each contact touches: those of E's group, then of F's."""
    groups.start[0] = 0
    for place in range(system.n_groups):
        groups.start[place + 1] = groups.start[place] + groups.rank[place]
    system.width = groups.start[system.n_groups]
    for i in range(system.n):
        at = 0
        for side in range(2):
            g = system.group[i, side]
            if g >= 0:
                for j in range(groups.start[g], groups.start[g + 1]):
                    system.column[i, at] = j
                    at += 1
        system.n_columns[i] = at


@kernel
def fill_group_rows(
    s: Mechanism, groups: Groups, system: ContactSystem, body_e: Ints, body_f: Ints, directions: Doubles
) -> None:
    """The rows of contacts between bodies E and F with ``directions`` (3n, 12), after `find_groups`.

    It overwrites the accelerations of the bodies.
    """
    efforts = s.loop_forces.unit_efforts
    for j in range(groups.most):  # (1)
        if _choose_speeds(groups, system, j, efforts, 1.0):
            applied = s.loop_forces.unit_applied
            solve(s.tree, s.bodies, s.articulated, applied, efforts, s.joints.prescribed, 0.0, groups.response)
            add_loops(s.loops, s.bodies, s.loop_forces, groups.response)
            _choose_speeds(groups, system, j, efforts, 0.0)
            for place in range(system.n_groups):
                own = groups.speeds[groups.touched[place]]
                for i in range(groups.most):
                    groups.inverse[place, i, j] = groups.response[own[i]] if own[i] >= 0 and own[j] >= 0 else 0.0
    for place in range(system.n_groups):  # (2)
        groups.rank[place] = factor_inverse(groups.inverse[place], groups.factor[place], groups.diagonal)
    _lay_out_columns(groups, system)
    for j in range(groups.most):  # (3)
        groups.response[:] = 0.0
        for place in range(system.n_groups):
            own = groups.speeds[groups.touched[place]]
            for i in range(groups.most):
                if own[i] >= 0:
                    groups.response[own[i]] = groups.factor[place, i, j]
        spread(s.tree, s.bodies, groups.response, groups.velocities)
        _fill_column(groups, system, j, body_e, body_f, directions)


@kernel
def change_in_groups(groups: Groups, system: ContactSystem, z: Doubles, out: Doubles) -> None:
    """L z: change of the joint speeds for the coordinates z of impulses."""
    out[:] = 0.0
    for place in range(system.n_groups):
        own, first = groups.speeds[groups.touched[place]], groups.start[place]
        for i in range(groups.most):
            if own[i] >= 0:
                for j in range(groups.rank[place]):
                    out[own[i]] += groups.factor[place, i, j] * z[first + j]
