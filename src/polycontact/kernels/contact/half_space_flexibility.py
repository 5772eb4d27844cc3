"""How elements on a half-space press each other down: their triangles, and the matrix of flexibility.

Problem: the displacement of an element, a mean over it, by an even pressure on another one: ∬ dA dA'/r over both, by
π E* and both areas. In: the table of elements, and the triangles of the base. Out: `HalfSpaceWork` filled.

An element is taken as its base triangle, made as large as the element is and put where it lies. So a whole triangle is
itself, and parts and cells of triangles, which the table knows by area and place alone, keep its form.

    (1) an element with itself: closed form
    (2) near elements: Love's closed form for the one at three points of the other, and the other way round, more of
        the larger one, whose potential is the more even
    (3) far elements: points, and what a spread about them adds on average over all directions
    between (2) and (3) a blend, so that no force jumps as elements move

Each is multiplied by n·n' of the two normals: on faces that look away from each other a force does not press the other
one down. Of positive definite matrices the product by elements is positive definite too.

Entries between whole triangles are functions of the two alone: those of the evaluation before are taken over.
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import Side
from polycontact.kernels.contact.half_space_work import Flexibility, HalfSpaceWork
from polycontact.kernels.contact.sides import to_own_frame
from polycontact.kernels.contact.triangle_potential import mean_potential, own_potential
from polycontact.kernels.geometry.sorting import sort_rows
from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, as_index, dot, row, scale, sub, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import CLOSED_FORM_REACH, POINT_SOURCE_REACH, WHOLE_ELEMENT

_PART = -1
"""Key of an element that is no whole triangle."""


@inline_kernel
def _smooth_step(s: float) -> float:
    """0 up to 0, 1 from 1 on, a cubic between."""
    s = min(max(s, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@inline_kernel
def _carrying_area(elements: ElementTable, k: int) -> float:
    """Area of element k that can carry, m²."""
    return float(elements.area[k] * elements.weight[k])


@inline_kernel
def _is_whole(elements: ElementTable, base: Side, k: int) -> bool:
    """Whether element k is all of its triangle."""
    return bool(_carrying_area(elements, k) == base.mesh.areas[as_index(elements.base_triangle[k])])


@kernel
def _put_element(elements: ElementTable, base: Side, pose: Pose, work: HalfSpaceWork, k: int) -> None:
    """Row k of the table as the next element.

    A whole triangle lies where it is; its centre of pressure lies elsewhere where the depth varies.
    """
    i = work.n
    work.n = i + 1
    t = as_index(elements.base_triangle[k])
    v = base.mesh.triangles
    corners: Triangle = (
        row(base.mesh.vertices, v[t, 0]),
        row(base.mesh.vertices, v[t, 1]),
        row(base.mesh.vertices, v[t, 2]),
    )
    area = _carrying_area(elements, k)
    middle = scale(1.0 / 3.0, add(corners[0], add(corners[1], corners[2])))
    place = middle
    size = 1.0
    if not _is_whole(elements, base, k):
        share = area / base.mesh.areas[t]
        own = _smooth_step((share - WHOLE_ELEMENT) / (1.0 - WHOLE_ELEMENT))
        point = to_own_frame(base, pose, row(elements.base_point, k))
        place = add(scale(own, middle), scale(1.0 - own, point))
        size = math.sqrt(share)
    # The mean square distance from the middle is a 36th of the sum of squares of the edges.
    spread = 0.0
    reach = 0.0
    for c in range(3):
        corner = corners[0] if c == 0 else corners[1] if c == 1 else corners[2]
        following = corners[1] if c == 0 else corners[2] if c == 1 else corners[0]
        moved = add(place, scale(size, sub(corner, middle)))
        for a in range(3):
            work.corners[i, 3 * c + a] = moved[a]
        edge = sub(following, corner)
        square = size * size * dot(edge, edge)
        spread += square / (6.0 * 6.0)
        reach = max(reach, square)
    work.middle_x[i], work.middle_y[i], work.middle_z[i] = place
    work.normal_x[i], work.normal_y[i], work.normal_z[i] = row(base.mesh.normals, t)
    work.area[i] = area
    work.spread[i] = spread
    work.reach[i] = reach
    work.depth[i] = elements.depth[k]
    work.element[i] = k


@kernel
def collect_elements(elements: ElementTable, base: Side, pose: Pose, work: HalfSpaceWork, least: float) -> None:
    """The elements of one side; those deeper than ``least`` times the deepest may carry and stand first.

    Their order does not depend on the pose but where parts of triangles take part.
    """
    deepest = 0.0
    for k in range(elements.n):
        if elements.side[k] == base.is_f:
            deepest = max(deepest, elements.depth[k])
    limit = least * deepest
    work.n = 0
    n_whole = 0
    for k in range(elements.n):
        if elements.side[k] == base.is_f and elements.depth[k] >= limit and _is_whole(elements, base, k):
            work.order[n_whole, 0] = elements.base_triangle[k]
            work.order[n_whole, 1] = k
            n_whole += 1
    sort_rows(work.order, work.order_room, n_whole)
    for i in range(n_whole):
        _put_element(elements, base, pose, work, as_index(work.order[i, 1]))
    # Parts that may carry, then everything else.
    for shallow in range(2):
        for k in range(elements.n):
            if elements.side[k] != base.is_f or not _carrying_area(elements, k) > 0.0:
                continue
            if (elements.depth[k] < limit) != (shallow == 1):
                continue
            if shallow == 1 or not _is_whole(elements, base, k):
                _put_element(elements, base, pose, work, k)
        if shallow == 0:
            work.n_front = work.n


# The matrix ---------------------------------------------------------------------------------------------------


@kernel
def _near_flexibility(work: HalfSpaceWork, i: int, j: int) -> float:
    """Displacement of element i by a force of 1 N on element j, or the other way round, m/N: (2)."""
    of_i = triangle(work.corners, i)
    of_j = triangle(work.corners, j)
    normal_i: Vector = (work.normal_x[i], work.normal_y[i], work.normal_z[i])
    normal_j: Vector = (work.normal_x[j], work.normal_y[j], work.normal_z[j])
    a_i = work.area[i]
    a_j = work.area[j]
    more = a_i * a_i / (a_i * a_i + a_j * a_j)
    by_i = mean_potential(of_i, normal_i, of_j) / a_i
    by_j = mean_potential(of_j, normal_j, of_i) / a_j
    return float((more * by_i + (1.0 - more) * by_j) / math.pi)


@kernel
def _flexibility(work: HalfSpaceWork, i: int, j: int) -> float:
    """Displacement of element i by a force of 1 N on element j > i, m/N: (1) to (3)."""
    if i == j:
        return own_potential(triangle(work.corners, i)) / math.pi
    d_x = work.middle_x[i] - work.middle_x[j]
    d_y = work.middle_y[i] - work.middle_y[j]
    d_z = work.middle_z[i] - work.middle_z[j]
    square = d_x * d_x + d_y * d_y + d_z * d_z
    reach = work.reach[i] + work.reach[j]
    facing = (
        work.normal_x[i] * work.normal_x[j] + work.normal_y[i] * work.normal_y[j] + work.normal_z[i] * work.normal_z[j]
    )
    far = _smooth_step((square / reach - CLOSED_FORM_REACH) / (POINT_SOURCE_REACH - CLOSED_FORM_REACH))
    found = 0.0
    if far > 0.0:
        found = far / (math.pi * math.sqrt(square)) * (1.0 + 0.25 * (work.spread[i] + work.spread[j]) / square)
    if far < 1.0:
        found += (1.0 - far) * _near_flexibility(work, i, j)
    return float(facing * found)


@inline_kernel
def key_of(elements: ElementTable, base: Side, work: HalfSpaceWork, i: int) -> int:
    """Which triangle of which surface element i is, all of it; -1 for a part."""
    k = as_index(work.element[i])
    return 2 * as_index(elements.base_triangle[k]) + base.is_f if _is_whole(elements, base, k) else _PART


@kernel
def _match(work: HalfSpaceWork, before: Flexibility, now: Flexibility) -> bool:
    """Where whole triangles stood in the matrix before; whether both matrices are of the same triangles."""
    same = before.n == now.n
    b = 0
    for i in range(now.n):
        work.known_at[i] = -1
        if now.key[i] == _PART:
            same = False
            continue
        # Both ascend; parts stand behind all whole triangles.
        while b < before.n and before.key[b] != _PART and before.key[b] < now.key[i]:
            b += 1
        if b < before.n and before.key[b] == now.key[i]:
            work.known_at[i] = b
        same = same and work.known_at[i] == i
    return same


@kernel
def fill_matrix(work: HalfSpaceWork, before: Flexibility, now: Flexibility) -> bool:
    """The matrix of all elements that may carry, whose keys ``now`` has; False where ``before`` is this matrix.

    ``now`` is then left without entries.
    """
    if _match(work, before, now):
        return False
    n = now.n
    m = before.n
    entries = now.entries
    for i in range(n):
        at = work.known_at[i]
        for j in range(i, n):
            other = work.known_at[j]
            found = before.entries[at * m + other] if at >= 0 and other >= 0 else _flexibility(work, i, j)
            entries[i * n + j] = found
            entries[j * n + i] = found
    return True


# What lies aside -------------------------------------------------------------------------------------------------


@kernel
def least_gap_aside(work: HalfSpaceWork) -> float:
    """A lower bound of the least gap of the elements that have no row in the matrix, m.

    The mean of 1/r is never less than one over the root of the mean of r², which is the square of the distance of both
    middles and both spreads (Jensen).
    """
    n, first = work.n, work.n_front
    x, y, z = work.middle_x, work.middle_y, work.middle_z
    n_x, n_y, n_z = work.normal_x, work.normal_y, work.normal_z
    spread, gap = work.spread, work.gap
    for i in range(first, n):
        gap[i] = -work.depth[i]
    for k in range(work.n_bearing):
        j = as_index(work.bearing[k])
        x_j, y_j, z_j, spread_j = x[j], y[j], z[j], spread[j]
        a, b, c = n_x[j], n_y[j], n_z[j]
        force = work.force[j] / math.pi
        # One loop without branches, which the compiler does four at a time.
        for i in range(first, n):
            d_x = x[i] - x_j
            d_y = y[i] - y_j
            d_z = z[i] - z_j
            facing = a * n_x[i] + b * n_y[i] + c * n_z[i]
            gap[i] += force * facing / math.sqrt(d_x * d_x + d_y * d_y + d_z * d_z + spread[i] + spread_j)
    least = math.inf
    for i in range(first, n):
        least = min(least, gap[i])
    return least
