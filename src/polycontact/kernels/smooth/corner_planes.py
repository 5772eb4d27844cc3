"""Three tangent planes of a body, the point in which they meet, and the exchange of one of them for another."""

from __future__ import annotations

import math

from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, row, scale
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import View, inline
from polycontact.tolerances import BEARS, PLANES_MEET


class TangentPlanes(View):
    """Three planes g·x = c of the cornered body, in its frame; x lies where they meet."""

    g = inline(3, 3, doc="outward unit normals")
    c = inline(3, unit="m", doc="their distances from the origin")
    x = inline(3, unit="m", doc="the point in which they meet")
    held = inline(3, doc="1 of a plane that only holds x at the start")


@kernel
def meet(p: tuple[Vector, Vector, Vector], c: Vector) -> tuple[bool, Vector]:
    """The point in which three planes meet; False where they hardly do."""
    a = cross(p[1], p[2])
    volume = dot(p[0], a)
    if not abs(volume) > PLANES_MEET:
        return False, (0.0, 0.0, 0.0)
    x = add(scale(c[0], a), add(scale(c[1], cross(p[2], p[0])), scale(c[2], cross(p[0], p[1]))))
    return True, scale(1.0 / volume, x)


@kernel
def _bears(p: tuple[Vector, Vector, Vector], n: Vector) -> bool:
    """Whether −n is a sum of three normals with coefficients that are not negative: no point of B is lower then."""
    volume = dot(p[0], cross(p[1], p[2]))
    slack = -BEARS * abs(volume)
    sign = 1.0 if volume > 0.0 else -1.0
    return (
        -sign * dot(n, cross(p[1], p[2])) >= slack
        and -sign * dot(n, cross(p[2], p[0])) >= slack
        and -sign * dot(n, cross(p[0], p[1])) >= slack
    )


@kernel
def exchange(planes: TangentPlanes, g: Vector, c: float, n: Vector) -> bool:
    """Put a new plane in the place of the one without which the other two and the new one still bear n."""
    best = -1
    highest = -math.inf
    for leave in range(3):
        normals = (row(planes.g, 0), row(planes.g, 1), row(planes.g, 2))
        ends = as_vector(planes.c)
        if leave == 0:
            normals, ends = (g, normals[1], normals[2]), (c, ends[1], ends[2])
        elif leave == 1:
            normals, ends = (normals[0], g, normals[2]), (ends[0], c, ends[2])
        else:
            normals, ends = (normals[0], normals[1], g), (ends[0], ends[1], c)
        do_meet, x = meet(normals, ends)
        if do_meet and _bears(normals, n) and dot(n, x) > highest:
            highest = dot(n, x)
            best = leave
    # Of several exchanges that bear n the highest point is taken: the lowest of B cannot lie below it.
    if best < 0:
        return False
    planes.c[best] = c
    planes.held[best] = 0.0
    for a in range(3):
        planes.g[best, a] = g[a]
    _, x = meet((row(planes.g, 0), row(planes.g, 1), row(planes.g, 2)), as_vector(planes.c))
    for a in range(3):
        planes.x[a] = x[a]
    return True
