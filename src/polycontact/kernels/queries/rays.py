"""Rays against one surface: the first triangle that each meets, from either side.

In: origins and unit directions in the surface's frame. Out: triangles (leaf order, -1 none) and distances (m).

    (1) a box beyond the nearest hit so far, or beside the ray -> left out
    (2) a triangle that the ray passes on one hand of all sides: a hit, whichever way it faces. On a side both triangles
        count, so that no ray passes between two; of equal distances the lower number wins
    (3) a triangle that is seen edge-on                        -> no hit: its neighbours have one
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.inside import inverse_direction, line_meets_box
from polycontact.kernels.contact.penetration import depth_along, line_through
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.tree import push_children, push_root
from polycontact.kernels.geometry.vectors import Vector, row, triangle
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles, Ints


@kernel
def _first_met(mesh: SurfaceMesh, start: Vector, direction: Vector, pad: float, stack: Ints) -> tuple[int, float]:
    """The triangle that the ray meets first, the lowest of equals, -1 where there is none, and how far away, m.

    Sides count to both triangles beside them, so that no ray passes between two. Triangles seen edge-on do not count.
    """
    boxes = mesh.boxes
    inverse = inverse_direction(direction)
    best = -1
    least = math.inf
    depth = push_root(stack, mesh.n_triangles)
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        n = stack[depth, 2]
        if not line_meets_box(boxes, node, start, inverse, least + pad, pad):
            continue  # (1)
        if n > 1:
            depth = push_children(stack, depth, node, leaf, n)
            continue
        x = triangle(mesh.corners, leaf)
        g = line_through(x, start, direction)
        # (2), (3)
        outward = g[0] >= 0.0 and g[1] >= 0.0 and g[2] >= 0.0
        inward = g[0] <= 0.0 and g[1] <= 0.0 and g[2] <= 0.0
        if g[0] + g[1] + g[2] == 0.0 or not (outward or inward):
            continue
        u, _, _ = depth_along(x, start, direction, g)
        if u >= 0.0 and (u < least or (u == least and leaf < best)):
            best = leaf
            least = u
    return int(best), least


@kernel
def cast_rays(
    mesh: SurfaceMesh,
    origins: Doubles,
    directions: Doubles,
    pad: float,
    stack: Ints,
    triangles: Ints,
    distances: Doubles,
) -> None:
    """For each ray (origins, unit directions (n, 3)) the first triangle (leaf order, -1: none) and its distance, m.

    ``pad`` (m): boxes grow by it, so that rounding hides no triangle.
    """
    for i in range(len(origins)):
        triangles[i], distances[i] = _first_met(mesh, row(origins, i), row(directions, i), pad, stack)
