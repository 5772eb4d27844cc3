"""Support mappings of convex shapes: s_A(n) = argmax n·r over A (S4.31), with the smooth pieces they are made of.

The support height h_A(n) = n·s_A(n) is the greatest of a few smooth functions, its pieces: the vertices of a polytope,
the two rims of a cylinder, apex and rim of a cone, the whole of an ellipsoid. Each support point is told with the
number of its piece, and a piece can be followed beyond where it is the greatest: `piece_point` is its gradient,
`piece_bend` its second derivative. That is what Newton's method works with.
"""

from __future__ import annotations

import math

from polycontact.kernels.addresses import call_method, data_address
from polycontact.kernels.geometry.convex_shape import CELLS, ConvexShape, ShapeKind
from polycontact.kernels.geometry.frames import Matrix
from polycontact.kernels.geometry.vectors import Vector, add, norm, scale, sub
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import View, inline
from polycontact.tolerances import BEND_STEP

_NO_BEND: Matrix = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Asked(View):
    """What a user's support mapping is asked, and its answer."""

    direction = inline(3, doc="a unit vector")
    point = inline(3, unit="m", doc="the point that lies farthest in that direction")


@inline_kernel
def _box_corner(shape: ConvexShape, n: Vector) -> tuple[Vector, int]:
    """Corner of a box; a bit of its number for each axis along which the box is extended."""
    size = shape.size
    piece = 0
    x, y, z = -size[0], -size[1], -size[2]
    if n[0] >= 0.0 and size[0] > 0.0:
        x, piece = size[0], 1
    if n[1] >= 0.0 and size[1] > 0.0:
        y, piece = size[1], piece + 2
    if n[2] >= 0.0 and size[2] > 0.0:
        z, piece = size[2], piece + 4
    return (x, y, z), piece


@inline_kernel
def _on_rim(radius: float, z: float, n: Vector) -> Vector:
    """Point of a circle about the z axis; along the axis one of its points."""
    across = math.hypot(n[0], n[1])
    if across == 0.0:
        return (radius, 0.0, z)
    return (radius * (n[0] / across), radius * (n[1] / across), z)


@inline_kernel
def _on_ellipsoid(shape: ConvexShape, n: Vector) -> Vector:
    """D²n/|D n|, with the semi-axes D: the point of an ellipsoid in direction n."""
    size = shape.size
    height = norm((size[0] * n[0], size[1] * n[1], size[2] * n[2]))
    return (
        size[0] * (size[0] * n[0] / height),
        size[1] * (size[1] * n[1] / height),
        size[2] * (size[2] * n[2] / height),
    )


@inline_kernel
def _asked_of_user(shape: ConvexShape, n: Vector, asked: Asked) -> Vector:
    """The point that a user's support mapping tells for direction n, which it gets with unit length."""
    direction = asked.direction
    point = asked.point
    length = norm(n)
    for k in range(3):
        direction[k] = n[k] / length
    call_method(shape.mapping, shape.parameters, data_address(direction), data_address(point))
    return (point[0], point[1], point[2])


@inline_kernel
def _height(shape: ConvexShape, i: int, n: Vector) -> float:
    vertices = shape.vertices
    return float(vertices[i, 0] * n[0] + vertices[i, 1] * n[1] + vertices[i, 2] * n[2])


@inline_kernel
def _cell(c: float) -> int:
    """Cell along one side of the cube of directions for a coordinate from -1 to 1."""
    return min(max(int(0.5 * (c + 1.0) * CELLS), 0), CELLS - 1)


@kernel
def start_cell(n: Vector) -> int:
    """Cell of the cube of directions that a direction points to."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    if x >= y and x >= z:
        side, u, v, w = 0, n[1], n[2], n[0]
    elif y >= z:
        side, u, v, w = 2, n[2], n[0], n[1]
    else:
        side, u, v, w = 4, n[0], n[1], n[2]
    if w < 0.0:
        side += 1
    w = abs(w)
    if not w > 0.0:
        return 0
    return (side * CELLS + _cell(u / w)) * CELLS + _cell(v / w)


@kernel
def farthest_vertex(shape: ConvexShape, n: Vector) -> int:
    """Vertex of a polytope that lies farthest: by a climb along edges, or of all where these are few."""
    best = 0
    if shape.n_starts == 0:
        highest = _height(shape, 0, n)
        for i in range(1, shape.n_vertices):
            height = _height(shape, i, n)
            if height > highest:
                best, highest = i, height
        return best
    first = shape.first
    neighbours = shape.neighbours
    best = int(shape.starts[start_cell(n)])
    highest = _height(shape, best, n)
    for _ in range(shape.n_vertices):  # each step climbs: no vertex twice
        here = best
        for k in range(first[here], first[here + 1]):
            height = _height(shape, neighbours[k], n)
            if height > highest:
                best, highest = int(neighbours[k]), height
        if best == here:
            break
    return best


@kernel
def support(shape: ConvexShape, n: Vector, asked: Asked) -> tuple[Vector, int]:
    """Point of the core that lies farthest in direction n (not zero), in the frame of the shape, and its piece."""
    kind = shape.kind
    size = shape.size
    if kind == ShapeKind.BOX:
        return _box_corner(shape, n)
    if kind == ShapeKind.POLYTOPE:
        i = farthest_vertex(shape, n)
        vertices = shape.vertices
        return (vertices[i, 0], vertices[i, 1], vertices[i, 2]), i
    if kind == ShapeKind.ELLIPSOID:
        return _on_ellipsoid(shape, n), 0
    if kind == ShapeKind.CYLINDER:
        upper = n[2] >= 0.0
        return _on_rim(size[0], size[1] if upper else -size[1], n), 1 if upper else 0
    if kind == ShapeKind.CONE:
        if size[1] * n[2] >= size[0] * math.hypot(n[0], n[1]) + size[2] * n[2]:
            return (0.0, 0.0, size[1]), 0
        return _on_rim(size[0], size[2], n), 1
    return _asked_of_user(shape, n, asked), 0


@kernel
def piece_point(shape: ConvexShape, piece: int, n: Vector, asked: Asked) -> Vector:
    """Point of one piece of the core for direction n, whether or not another piece lies farther."""
    kind = shape.kind
    size = shape.size
    if kind == ShapeKind.BOX:
        return (
            size[0] if piece & 1 else -size[0],
            size[1] if piece & 2 else -size[1],
            size[2] if piece & 4 else -size[2],
        )
    if kind == ShapeKind.POLYTOPE:
        vertices = shape.vertices
        return (vertices[piece, 0], vertices[piece, 1], vertices[piece, 2])
    if kind == ShapeKind.ELLIPSOID:
        return _on_ellipsoid(shape, n)
    if kind == ShapeKind.CYLINDER:
        return _on_rim(size[0], size[1] if piece == 1 else -size[1], n)
    if kind == ShapeKind.CONE:
        return _on_rim(size[0], size[2], n) if piece == 1 else (0.0, 0.0, size[1])
    return _asked_of_user(shape, n, asked)


@inline_kernel
def _rim_bend(radius: float, n: Vector) -> Matrix:
    """Second derivative of radius·√(n_x² + n_y²)."""
    across = math.hypot(n[0], n[1])
    if across == 0.0:
        return _NO_BEND
    c, s = n[0] / across, n[1] / across
    k = radius / across
    return ((k * s * s, -k * s * c, 0.0), (-k * s * c, k * c * c, 0.0), (0.0, 0.0, 0.0))


@inline_kernel
def _ellipsoid_bend(shape: ConvexShape, n: Vector) -> Matrix:
    """Second derivative of |D n|: D²/h - D²n (D²n)ᵀ/h³."""
    size = shape.size
    p = _on_ellipsoid(shape, n)
    h = norm((size[0] * n[0], size[1] * n[1], size[2] * n[2]))
    a, b, c = size[0] * (size[0] / h), size[1] * (size[1] / h), size[2] * (size[2] / h)
    q = scale(1.0 / h, p)
    return (
        (a - p[0] * q[0], -p[0] * q[1], -p[0] * q[2]),
        (-p[1] * q[0], b - p[1] * q[1], -p[1] * q[2]),
        (-p[2] * q[0], -p[2] * q[1], c - p[2] * q[2]),
    )


@kernel
def _change(shape: ConvexShape, n: Vector, step: Vector, asked: Asked) -> Vector:
    """How the point of a user's support mapping changes along a step, per length of it."""
    after = _asked_of_user(shape, add(n, step), asked)
    before = _asked_of_user(shape, sub(n, step), asked)
    return scale(0.5 / BEND_STEP, sub(after, before))


@kernel
def _user_bend(shape: ConvexShape, n: Vector, asked: Asked) -> Matrix:
    """Central differences of a user's support mapping, whose values are gradients already."""
    x = _change(shape, n, (BEND_STEP, 0.0, 0.0), asked)
    y = _change(shape, n, (0.0, BEND_STEP, 0.0), asked)
    z = _change(shape, n, (0.0, 0.0, BEND_STEP), asked)
    return (x, y, z)


@kernel
def piece_bend(shape: ConvexShape, piece: int, n: Vector, asked: Asked) -> Matrix:
    """Second derivative of the height of a piece at the unit vector n, m; zero for a vertex."""
    kind = shape.kind
    if kind == ShapeKind.ELLIPSOID:
        return _ellipsoid_bend(shape, n)
    if kind == ShapeKind.CYLINDER or (kind == ShapeKind.CONE and piece == 1):
        return _rim_bend(shape.size[0], n)
    if kind == ShapeKind.USER:
        return _user_bend(shape, n, asked)
    return _NO_BEND
