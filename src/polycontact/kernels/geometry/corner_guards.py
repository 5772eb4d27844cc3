r"""The guards of a facet: planes at its corners above which the facets around a corner are no rivals (decision 0026).

Problem: nine facets touch a facet at its corners only, and few of them ever cut its cell; comparing with each of them
takes most of the time. In: a facet t, its walls and its rivals. Out: the rivals in the order of where they matter, and
for each corner one plane: where a cell lies wholly above it, none of the rivals at that corner can cut the cell.

        corner i             Between the walls of t, below it, and near corner i, lies a cone with three edges: the two
          /|\                sides of t (directions e_1, e_2), and the line in which their walls meet (e_3). How much
     e_1 / | \ e_2           nearer than the plane of t that of another facet at the corner lies is a linear function
        /  |e_3              that vanishes at the corner. So its values along the three edges decide:

    (1) the facet lies across a side of t                      -> the wall is there for it: it never matters
    (2) it does not share just one corner, with convex edges   -> elsewhere: it is compared by itself
    (3) not negative along all three edges                     -> it never matters
    (4) a and b, not negative, along the sides, −m along e_3   -> at the corner: a plane speaks for it

At λ_1 e_1 + λ_2 e_2 + λ_3 e_3 a function of (4) is no less than m (α λ_1 + β λ_2 − λ_3) with α ≤ a/m, β ≤ b/m. With the
least α and β of all facets at the corner, one plane speaks for all that are there: the guard.

This is for corners with convex edges only: there the plane of a facet that is nearer than that of t excludes t, whether
or not the facet itself is the nearest. Rivals elsewhere are compared one by one.
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.facet_walls import (
    MOST_AROUND,
    Walls,
    is_walled,
    plane_normal,
    put_plane,
    turns_inward,
)
from polycontact.kernels.geometry.rivals import Rivals
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, row, scale, sub, triangle
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.tolerances import FLAT_EDGE

_NOWHERE = 4
_ELSEWHERE = 3
"""Places of rivals that never matter, and of those that are not at a convex corner; before them come the corners."""


@kernel
def _is_convex_at(mesh: SurfaceMesh, t: int, corner: int) -> bool:
    """Whether all edges around a corner of facet t are convex, or flat."""
    v = mesh.triangles[t, corner]
    s = t
    for _ in range(MOST_AROUND):
        at = 0
        for i in range(3):
            if mesh.triangles[s, i] == v:
                at = i
        if turns_inward(mesh, s, at) < -FLAT_EDGE * mesh.mean_edge:
            return False
        s = mesh.neighbours[s, at]
        if s < 0:
            return False
        if s == t:
            return True
    return False


@inline_kernel
def _corner_of(mesh: SurfaceMesh, t: int, s: int) -> int:
    """The one corner of facet t that facet s shares; -1 where it is none, or more than one."""
    found = -1
    v = mesh.triangles
    for i in range(3):
        if v[t, i] == v[s, 0] or v[t, i] == v[s, 1] or v[t, i] == v[s, 2]:
            if found >= 0:
                return -1
            found = i
    return found


@inline_kernel
def _third_edge(walls: Walls, t: int, corner: int, n: Vector) -> Vector:
    """Direction, downward, of the line in which the walls at a corner meet; zero where there is none."""
    down = cross(plane_normal(walls.planes, t, corner), plane_normal(walls.planes, t, (corner + 2) % 3))
    length = norm(down)
    below = -dot(n, down)
    if not abs(below) > FLAT_EDGE * length or not length > FLAT_EDGE:
        return (0.0, 0.0, 0.0)
    return scale(math.copysign(1.0 / length, below), down)


@kernel
def _place_of(mesh: SurfaceMesh, walls: Walls, t: int, s: int, convex: int) -> int:
    """Where rival s of facet t is to be looked at: a corner of t, `_ELSEWHERE` or `_NOWHERE`.

    ``convex``: bits of the corners of t that are convex and have a third edge.
    """
    beside = mesh.neighbours
    if s == beside[t, 0] or s == beside[t, 1] or s == beside[t, 2]:
        return _NOWHERE  # (1)
    i = _corner_of(mesh, t, s)
    if i < 0 or not (convex >> i) & 1:
        return _ELSEWHERE  # (2)
    n = row(mesh.normals, t)
    m = row(mesh.normals, s)
    x = triangle(mesh.corners, t)
    along = dot(sub(n, m), _third_edge(walls, t, i, n))
    a = dot(sub(n, m), sub(x[(i + 1) % 3], x[i]))
    b = dot(sub(n, m), sub(x[(i + 2) % 3], x[i]))
    little = -FLAT_EDGE * mesh.mean_edge
    if a < little or b < little:
        return _ELSEWHERE
    # (4), else (3)
    return i if along < FLAT_EDGE else _NOWHERE


@kernel
def _put_guard(mesh: SurfaceMesh, walls: Walls, rivals: Rivals, t: int, i: int, first: int, end: int) -> None:
    """Find the guard at corner i of facet t for the rivals listed there."""
    n = row(mesh.normals, t)
    x = triangle(mesh.corners, t)
    e1 = sub(x[(i + 1) % 3], x[i])
    e2 = sub(x[(i + 2) % 3], x[i])
    e3 = _third_edge(walls, t, i, n)
    alpha = math.inf
    beta = math.inf
    for k in range(first, end):
        nearer = sub(n, row(mesh.normals, rivals.below[t, k]))
        depth = max(-dot(nearer, e3), FLAT_EDGE)
        alpha = min(alpha, dot(nearer, e1) / depth)
        beta = min(beta, dot(nearer, e2) / depth)
    volume = dot(e1, cross(e2, e3))
    plane = scale(1.0 / volume, sub(add(scale(alpha, cross(e2, e3)), scale(beta, cross(e3, e1))), cross(e1, e2)))
    put_plane(walls.guards, t, i, scale(1.0 / norm(plane), plane), x[i])


@apart_kernel
def _make_guards(mesh: SurfaceMesh, walls: Walls, rivals: Rivals, t: int) -> None:
    """Bring the rivals below facet t in the order of their places, and find its guards."""
    n = row(mesh.normals, t)
    convex = 0
    for i in range(3):
        if norm(_third_edge(walls, t, i, n)) > 0.0 and _is_convex_at(mesh, t, i):
            convex |= 1 << i
    listed = rivals.below[t]
    k = 2 * t
    for i in range(4):
        walls.ends[t, i] = 0
    walls.near_sharp[t] = 0
    # An insertion sort by place; ``ends`` counts how many stand up to each.
    for i in range(rivals.length[k]):
        s = listed[i]
        if not is_walled(mesh, walls, s):
            walls.near_sharp[t] = 1
        place = _place_of(mesh, walls, t, s, convex)
        for end in range(place, 4):
            walls.ends[t, end] += 1
        j = i
        while j > 0 and _place_of(mesh, walls, t, listed[j - 1], convex) > place:
            listed[j] = listed[j - 1]
            j -= 1
        listed[j] = s
    first = 0
    for i in range(3):
        end = walls.ends[t, i]
        if first < end:
            _put_guard(mesh, walls, rivals, t, i, first, end)
        else:
            put_plane(walls.guards, t, i, (0.0, 0.0, 0.0), n)
            walls.guards[t, 12 + i] = 1.0  # everything is above it
        first = end
    walls.guarded[t] = rivals.listings[k]


@inline_kernel
def prepare_guards(mesh: SurfaceMesh, walls: Walls, rivals: Rivals, t: int) -> None:
    """Make the guards of a facet whose walls are made and whose rivals are listed, unless they are made."""
    if walls.guarded[t] != rivals.listings[2 * t]:
        _make_guards(mesh, walls, rivals, t)
