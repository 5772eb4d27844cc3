"""Points against one surface: the nearest point of it for each, with the side on which it lies."""

from __future__ import annotations

import math

from polycontact.kernels.geometry.nearest import foot_point, near_at, search_nearest, signed_offset
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import row, triangle
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles, Ints


@kernel
def nearest_points(
    mesh: SurfaceMesh, points: Doubles, stack: Ints, feet: Doubles, triangles: Ints, distances: Doubles
) -> None:
    """For each of ``points`` (n, 3) the nearest point into ``feet``, its triangle (leaf order) and the distance, m.

    Distances from a closed surface are negative inside. Searches begin at the triangle found before.
    """
    t = 0
    for i in range(len(points)):
        p = row(points, i)
        near = search_nearest(mesh, p, near_at(mesh, p, t), stack)
        t = near.triangle
        q = foot_point(triangle(mesh.corners, t), near.foot)
        for a in range(3):
            feet[i, a] = q[a]
        triangles[i] = t
        distances[i] = -signed_offset(mesh, p, near).depth if mesh.closed else math.sqrt(near.foot.square)
