"""Contacts and what gives way in them: W = A Aᵀ, row by row, without ever writing the Delassus matrix W down.

With M⁻¹ = L Lᵀ and the rows J of a contact, its rows of A are J L. L can be chosen so that A is nearly empty where
bodies are many: a contact touches the coordinates of bodies on the paths from its bodies to the world only
(`path_rows`), or, with closed loops, those of two groups of joint speeds (`group_rows`). Coordinates z = Aᵀp are speeds
in which everything has unit inertia: p changes joint speeds by L z and velocities at contacts by A z, and ½ zᵀz is the
energy of the change.
"""

from __future__ import annotations

from polycontact.kernels.geometry.vectors import Vector
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles, Longs, View, count, doubles, longs
from polycontact.tolerances import FIXED_CONTACT


class ContactSystem(View):
    """n contacts between groups of joint speeds, their friction, and the rows of A."""

    room = count("contacts that fit")
    triple = count("3 room")
    most = count("coordinates that a contact touches, at most")
    n = count("contacts")
    n_groups = count("groups of speeds that touch something")
    width = count("coordinates z of all contacts")
    group = longs("room", 2, doc="groups of E and F, -1 for what does not give way; the second is -1 if both are one")
    n_columns = longs("room", doc="coordinates that a contact touches")
    column = longs("room", "most", doc="which these are")
    rows = doubles("triple", "most", doc="rows of A in these: normal, two tangents")
    soft = doubles("triple", doc="compliance that is added to the diagonal of W", unit="1/kg")
    own = doubles("room", doc="mean of the diagonal of a contact's block of W; 0 where nothing gives way", unit="1/kg")


@kernel
def velocity_by(system: ContactSystem, z: Doubles, i: int) -> Vector:
    """A z of one contact (m/s)."""
    k = 3 * i
    u0, u1, u2 = 0.0, 0.0, 0.0
    for j in range(system.n_columns[i]):
        x = z[system.column[i, j]]
        u0 += system.rows[k, j] * x
        u1 += system.rows[k + 1, j] * x
        u2 += system.rows[k + 2, j] * x
    return (u0, u1, u2)


@kernel
def push(system: ContactSystem, i: int, p: Vector, z: Doubles) -> None:
    """Add Aᵀp of one contact to z."""
    k = 3 * i
    for j in range(system.n_columns[i]):
        z[system.column[i, j]] += system.rows[k, j] * p[0] + system.rows[k + 1, j] * p[1] + system.rows[k + 2, j] * p[2]


@kernel
def find_coordinates(system: ContactSystem, p: Doubles, z: Doubles) -> None:
    """Coordinates z = Aᵀp of impulses p (3n, N s)."""
    for j in range(system.width):
        z[j] = 0.0
    for i in range(system.n):
        k = 3 * i
        if p[k] != 0.0 or p[k + 1] != 0.0 or p[k + 2] != 0.0:
            push(system, i, (p[k], p[k + 1], p[k + 2]), z)


@kernel
def find_velocities(system: ContactSystem, b: Doubles, p: Doubles, z: Doubles, out: Doubles) -> None:
    """(W + soft) p + b into ``out``; z = Aᵀp is left in z."""
    find_coordinates(system, p, z)
    for i in range(system.n):
        u = velocity_by(system, z, i)
        for a in range(3):
            k = 3 * i + a
            out[k] = b[k] + u[a] + system.soft[k] * p[k]


@kernel
def block_entry(system: ContactSystem, row: int, other: int) -> float:
    """Entry of W of two rows of one contact."""
    total = 0.0
    i = row // 3
    for j in range(system.n_columns[i]):
        total += system.rows[row, j] * system.rows[other, j]
    return total


@kernel
def find_own(system: ContactSystem) -> None:
    """Fill ``own``: 0 where a contact hardly gives way along its normal, beside the others: both bodies are fixed."""
    largest = 0.0
    for i in range(system.n):
        system.own[i] = block_entry(system, 3 * i, 3 * i)
        largest = max(largest, system.own[i])
    for i in range(system.n):
        k = 3 * i
        if system.own[i] > FIXED_CONTACT * largest:
            system.own[i] = (
                system.own[i] + block_entry(system, k + 1, k + 1) + block_entry(system, k + 2, k + 2)
            ) / 3.0
        else:
            system.own[i] = 0.0


@kernel
def order_groups(group: Longs, n_groups: int, place: Longs) -> None:
    """Number groups so that those that touch are near each other (Cuthill and McKee 1969), into ``place``.

    ``group`` (n, 2) has the groups of each contact, numbered anyhow; -1 for none.
    """
    # Until it has a place, a group has -1 less how many contacts it has with others there.
    for g in range(n_groups):
        place[g] = -1
    for i in range(group.shape[0]):
        if group[i, 0] >= 0 and group[i, 1] >= 0:
            place[group[i, 0]] -= 1
            place[group[i, 1]] -= 1
    done = 0
    while done < n_groups:
        # A part that hangs together begins with a group that has fewest contacts with others: at an end.
        begin = -1
        for g in range(n_groups):
            if place[g] < 0 and (begin < 0 or place[g] > place[begin]):
                begin = g
        place[begin] = done
        done += 1
        next_one = done - 1
        while next_one < done:
            here = -1
            for g in range(n_groups):
                if place[g] == next_one:
                    here = g
            for i in range(group.shape[0]):
                for side in range(2):
                    other = group[i, 1 - side]
                    if group[i, side] == here and other >= 0 and place[other] < 0:
                        place[other] = done
                        done += 1
            next_one += 1
