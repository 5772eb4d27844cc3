"""Potential of an evenly loaded triangle, ∫ dA/r: Love's integral for the half-space (Phil. Trans. A 228, 1929).

By E* = 1 Pa an even pressure p on a triangle moves the surface of a half-space at a point by p/π ∫ dA/r. In closed form
each edge adds its distance times a logarithm, and a point above the plane of the triangle takes off its height times
the solid angle under which it sees the triangle (Wilton et al., IEEE Trans. AP 32, 1984):

    ∫ dA/r = Σ d_i ln((r_b + t_b)/(r_a + t_a)) − |z| Ω

d_i: distance of the edge from the foot of the point, outwards; t: along the edge, from that foot; a, b: its ends.
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.triangles import Triangle
from polycontact.kernels.geometry.vectors import Vector, add, cross, dot, norm, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import POINT_ON_EDGE


@inline_kernel
def _of_edge(a: Vector, b: Vector, r_a: float, r_b: float, normal: Vector) -> float:
    """What one edge adds; ``a``, ``b``: its ends from the point, ``r_a``, ``r_b``: their distances.

    A point on the line of the edge has d = 0, and d ln r → 0 there.
    """
    along = sub(b, a)
    length = norm(along)
    if not length > 0.0:
        return 0.0
    along = scale(1.0 / length, along)
    d = dot(a, cross(along, normal))
    if abs(d) <= POINT_ON_EDGE * length:
        return 0.0
    t_a = dot(a, along)
    t_b = dot(b, along)
    # Of three equal forms the one without cancellation.
    if t_a >= 0.0:
        return d * math.log((r_b + t_b) / (r_a + t_a))
    if t_b <= 0.0:
        return d * math.log((r_a - t_a) / (r_b - t_b))
    z = dot(a, normal)
    return d * math.log((r_b + t_b) * (r_a - t_a) / (d * d + z * z))


@kernel
def potential_of_triangle(corners: Triangle, normal: Vector, point: Vector) -> float:
    """∫ dA/r over a triangle, m, at any point, also on it; ``normal``: its unit normal by the order of its corners."""
    a = sub(corners[0], point)
    b = sub(corners[1], point)
    c = sub(corners[2], point)
    r_a, r_b, r_c = norm(a), norm(b), norm(c)
    found = _of_edge(a, b, r_a, r_b, normal) + _of_edge(b, c, r_b, r_c, normal) + _of_edge(c, a, r_c, r_a, normal)
    height = abs(dot(a, normal))
    if height > POINT_ON_EDGE * (r_a + r_b + r_c):
        # Solid angle after Van Oosterom and Strackee (1983).
        volume = abs(dot(a, cross(b, c)))
        facing = r_a * r_b * r_c + dot(a, b) * r_c + dot(a, c) * r_b + dot(b, c) * r_a
        found -= 2.0 * height * math.atan2(volume, facing)
    return found


@inline_kernel
def own_potential(corners: Triangle) -> float:
    """∬ dA dA'/r over a triangle with itself, over the square of its area, 1/m.

    −4/3 Σ ln(1 − l_i/s)/l_i over its edges l_i, s half its perimeter (Eibert and Hansen, IEEE Trans. AP 43, 1995).
    """
    l_0 = norm(sub(corners[1], corners[0]))
    l_1 = norm(sub(corners[2], corners[1]))
    l_2 = norm(sub(corners[0], corners[2]))
    s = 0.5 * (l_0 + l_1 + l_2)
    # s − l_i without cancellation where the triangle is thin, never below rounding
    least = POINT_ON_EDGE * s
    f_0 = max(0.5 * (l_1 + l_2 - l_0), least) / s
    f_1 = max(0.5 * (l_2 + l_0 - l_1), least) / s
    f_2 = max(0.5 * (l_0 + l_1 - l_2), least) / s
    return -4.0 / 3.0 * (math.log(f_0) / l_0 + math.log(f_1) / l_1 + math.log(f_2) / l_2)


@inline_kernel
def mean_potential(source: Triangle, normal: Vector, field: Triangle) -> float:
    """Mean of the potential of ``source`` over the triangle ``field``, m: three points, exact for quadratics."""
    middle = scale(1.0 / 3.0, add(field[0], add(field[1], field[2])))
    total = 0.0
    for i in range(3):
        corner = field[0] if i == 0 else field[1] if i == 1 else field[2]
        total += potential_of_triangle(source, normal, scale(0.5, add(middle, corner)))
    return total / 3.0
