"""Convex shapes as kernels see them: a core that a support mapping describes, with a sphere swept over it."""

from __future__ import annotations

import enum

from polycontact.kernels.views import View, count, doubles, inline, ints, number


class ShapeKind(enum.IntEnum):
    """What the core of a convex shape is."""

    BOX = 0  # also a point and a segment: the cores of a sphere and of a capsule
    ELLIPSOID = 1
    CYLINDER = 2
    CONE = 3
    POLYTOPE = 4
    USER = 5


CELLS = 8
"""Cells along each side of the cube of directions in which climbs over a polytope begin."""


class ConvexShape(View):
    """A convex shape in its own frame: all points within ``radius`` of its core."""

    kind = count("a ShapeKind")
    size = inline(
        3,
        unit="m",
        doc="of the core: half edges of a box, semi-axes of an ellipsoid, (radius, half length, -) of a cylinder, "
        "(radius, z of the apex, z of the base) of a cone",
    )
    radius = number("radius of the sphere that is swept over the core", "m")
    centre = inline(3, unit="m", doc="a point inside the core")
    reach = number("how far the shape reaches from the origin of its frame", "m")
    n_vertices = count("vertices of a polytope")
    vertices = doubles("n_vertices", 3, unit="m", doc="vertices of a polytope")
    n_first = count("vertices and one more, where climbs are worth while; else 0")
    first = ints("n_first", doc="where the neighbours of each vertex begin in the list")
    n_neighbours = count("neighbours in the list")
    neighbours = ints("n_neighbours", doc="vertices that an edge joins with each vertex")
    n_starts = count("cells of the cube of directions, where climbs are worth while; else 0")
    starts = ints("n_starts", doc="the vertex that lies farthest in the middle direction of each cell")
    mapping = count("address of a user's support mapping (parameters, direction, point; by addresses); else 0")
    parameters = count("address of the parameters of a user's mapping")
