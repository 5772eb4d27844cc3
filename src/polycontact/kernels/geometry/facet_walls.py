r"""The walls of a facet: planes through its sides between which the points lie that it is nearest to (decision 0026).

In: a facet of the target. Out: three planes, one through each side, and whether they enclose what the facet is the
nearest to. The region below a facet is a prism with slanted walls:

        facet t                (1) convex edge: points below are nearer to t or to its neighbour s; the wall halves the
     _______________ edge          angle between them
                  /|           (2) concave edge, gentle (up to 30°): points beside it are nearest to the edge itself;
       below t   / |               that is a thin wedge, and the wall halves it all the same
                /  | s         (3) concave edge, sharp: the wall stands upright on t, and facets that meet such an
          wall /   |               edge, at a side or a corner, are not walled: samples take over there
                               (4) border, or opposite normals: the wall stands upright
"""

from __future__ import annotations

import math
from enum import IntEnum

from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, row, scale, sub, triangle
from polycontact.kernels.jit import apart_kernel, inline_kernel
from polycontact.kernels.views import Doubles, View, count, doubles, ints, longs
from polycontact.tolerances import FEATURE_ANGLE, OPPOSITE_NORMALS

GENTLE = math.cos(FEATURE_ANGLE)
"""Cosine between the normals at a concave edge from which on the points nearest to the edge itself count as nearest to
one of its facets: their distance is wrong by 1 - cos 15° at most, at the edge of a thin wedge."""
MOST_AROUND = 64
"""Facets around a corner that are looked at."""

OWN = 3
"""Number of a facet's own plane, after its three walls."""


class Walled(IntEnum):
    """Whether walls enclose what a facet is the nearest to."""

    UNKNOWN = 0
    YES = 1
    BESIDE_SHARP_EDGE = 2
    """No: it meets a sharp concave edge, at a side or a corner, which is the nearest to points nearby."""


class Walls(View):
    """Walls of the facets of a surface, and guards at their corners; made when they are asked for.

    Four planes of a facet lie side by side: x, y and z of their unit normals, and their offsets, m.
    """

    n = count("triangles; 0 where no distances are asked for")
    planes = doubles("n", 16, doc="walls at the sides, seen from inside, and the plane of the facet, from below")
    kind = ints("n", doc="one of Walled; UNKNOWN until walls are made")
    guards = doubles("n", 16, doc="of each corner: a plane above which rivals there do not matter (`corner_guards`)")
    guarded = ints("n", doc="number of the list of rivals that guards were made for; 0: none")
    element = count("number of the element that is divided along facets")
    near_sharp = ints("n", doc="1: a rival below it, as listed, meets a sharp concave edge")
    noted = longs("n", doc="the last element that a facet was looked at for")
    ends = ints("n", 4, doc="how many of the listed rivals: at corner 0, up to 1, up to 2, and with those elsewhere")


@inline_kernel
def put_plane(planes: Doubles, t: int, i: int, normal: Vector, through: Vector) -> None:
    """Write plane i of facet t: unit normal, and a point of it."""
    for a in range(3):
        planes[t, 4 * a + i] = normal[a]
    planes[t, 12 + i] = -dot(normal, through)


@inline_kernel
def plane_normal(planes: Doubles, t: int, i: int) -> Vector:
    """Normal of plane i of facet t."""
    return (planes[t, i], planes[t, 4 + i], planes[t, 8 + i])


@inline_kernel
def turns_inward(mesh: SurfaceMesh, t: int, i: int) -> float:
    """Sine of the angle by which the surface turns over side i of facet t: positive at convex edges; times its
    length, m."""
    s = mesh.neighbours[t, i]
    if s < 0:
        return 0.0
    x = triangle(mesh.corners, t)
    along = sub(x[(i + 1) % 3], x[i])
    return dot(cross(row(mesh.normals, t), row(mesh.normals, s)), along)


@inline_kernel
def is_sharp(mesh: SurfaceMesh, t: int, i: int) -> bool:
    """Whether side i of facet t is a concave edge that is not gentle."""
    s = mesh.neighbours[t, i]
    if s < 0:
        return False
    return bool(dot(row(mesh.normals, t), row(mesh.normals, s)) < GENTLE and turns_inward(mesh, t, i) < 0.0)


@inline_kernel
def is_halving(mesh: SurfaceMesh, t: int, i: int) -> bool:
    """Whether the wall at side i of facet t, which has a neighbour there, halves their angle: (1), (2)."""
    s = mesh.neighbours[t, i]
    return bool(dot(row(mesh.normals, t), row(mesh.normals, s)) >= OPPOSITE_NORMALS and not is_sharp(mesh, t, i))


@inline_kernel
def _meets_sharp_edge(mesh: SurfaceMesh, t: int) -> bool:
    """Whether any edge at the corners of facet t is sharp and concave: those of the facets around them."""
    for corner in range(3):
        v = mesh.triangles[t, corner]
        s = t
        for _ in range(MOST_AROUND):
            at = 0
            for i in range(3):
                if is_sharp(mesh, s, i):
                    return True
                if mesh.triangles[s, i] == v:
                    at = i
            s = mesh.neighbours[s, at]
            if s < 0 or s == t:
                break
    return False


@apart_kernel
def _make_walls(mesh: SurfaceMesh, walls: Walls, t: int) -> None:
    """Find the walls of facet t, cases (1) to (4), its plane, and whether they enclose what it is the nearest to."""
    n = row(mesh.normals, t)
    x = triangle(mesh.corners, t)
    for i in range(3):
        along = sub(x[(i + 1) % 3], x[i])
        s = mesh.neighbours[t, i]
        m = row(mesh.normals, s) if s >= 0 else n
        if dot(n, m) < OPPOSITE_NORMALS or is_sharp(mesh, t, i):
            m = n  # (3), (4)
        inward = cross(add(n, m), along)
        length = math.sqrt(dot(inward, inward))
        put_plane(walls.planes, t, i, scale(1.0 / length if length > 0.0 else 0.0, inward), x[i])
    put_plane(walls.planes, t, OWN, scale(-1.0, n), x[0])
    walls.kind[t] = Walled.BESIDE_SHARP_EDGE if _meets_sharp_edge(mesh, t) else Walled.YES


@inline_kernel
def is_walled(mesh: SurfaceMesh, walls: Walls, t: int) -> bool:
    """Whether its walls enclose what facet t is the nearest to; they are made now if they were not."""
    if walls.kind[t] == Walled.UNKNOWN:
        _make_walls(mesh, walls, t)
    return bool(walls.kind[t] == Walled.YES)
