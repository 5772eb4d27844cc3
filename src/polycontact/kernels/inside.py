"""Whether a point lies inside a closed surface: the exact crossings of one line with it.

The line runs from the point to a place outside the surface's box; its crossings are decided by the same exact
predicates as the intersection of triangles, so a line through an edge or a vertex counts neither twice nor never.
"""

from __future__ import annotations

from typing import Any

from polycontact.kernels.exact import BUFFER_LENGTH
from polycontact.kernels.frames import apply, apply_transposed, load_matrix, load_vector, place
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.memory import (
    BOXES,
    BUFFER,
    LINE_CHECKS,
    N_TRIANGLES,
    N_VERTICES,
    PAD,
    POSE,
    POSE_LENGTH,
    POSITION,
    STACK,
    STACK_LENGTH,
    STAMP,
    TRIANGLE_PAIR,
    TRIANGLES,
    VERTEX_STAMP,
    VERTICES,
    F,
    X,
    doubles,
    index_table,
    stamps,
    table,
    vectors,
)
from polycontact.kernels.tree import push_children
from polycontact.kernels.triangles import edge_sign, side_sign, side_values
from polycontact.kernels.vectors import Vector, row, sub


@inline_kernel
def corner(p: Any, side: int, own: Any, x: Any, fresh: Any, v: int) -> Vector:
    """Vertex v of surface E or F (``side``) in frame E."""
    if side == F:
        pose = doubles(p, POSE, POSE_LENGTH)
        return place(own, x, fresh, v, p[STAMP], load_matrix(pose, 0), load_vector(pose, POSITION))
    return row(x, v)


@inline_kernel
def to_own_frame(p: Any, side: int, point: Vector) -> Vector:
    """A point of frame E in the frame of surface ``side``."""
    if side == F:
        pose = doubles(p, POSE, POSE_LENGTH)
        return apply_transposed(load_matrix(pose, 0), sub(point, load_vector(pose, POSITION)))
    return point


@inline_kernel
def to_own_direction(p: Any, side: int, direction: Vector) -> Vector:
    """A direction of frame E in the frame of surface ``side``."""
    if side == F:
        return apply_transposed(load_matrix(doubles(p, POSE, POSE_LENGTH), 0), direction)
    return direction


@inline_kernel
def from_own_direction(p: Any, side: int, direction: Vector) -> Vector:
    """A direction of the frame of surface ``side`` in frame E."""
    if side == F:
        return apply(load_matrix(doubles(p, POSE, POSE_LENGTH), 0), direction)
    return direction


@inline_kernel
def line_meets_box(boxes: Any, node: int, start: Vector, inverse: Vector, reach: float, pad: float) -> bool:
    """Whether ``start + u·direction``, 0 ≤ u ≤ reach, meets a box grown by ``pad`` (slabs, own frame)."""
    enter = 0.0
    leave = reach
    for a in range(3):
        middle = (boxes[node, a] - start[a]) * inverse[a]
        half = (boxes[node, 3 + a] + pad) * abs(inverse[a])
        enter = max(enter, middle - half)
        leave = min(leave, middle + half)
    return enter <= leave


@inline_kernel
def inverse_direction(d: Vector) -> Vector:
    """1/d by component; a very large number where d vanishes, so that the slab test stays finite."""
    return (
        1.0 / d[0] if abs(d[0]) > 1e-200 else 1e200,
        1.0 / d[1] if abs(d[1]) > 1e-200 else 1e200,
        1.0 / d[2] if abs(d[2]) > 1e-200 else 1e200,
    )


@kernel
def _crossing(a: Vector, b: Vector, work: Any, line_is_e: bool, buffer: Any) -> int:
    """+1 where a→b leaves through the face in rows 0-2 of ``work``, -1 where it enters, 0 where it misses."""
    f0 = row(work, 0)
    f1 = row(work, 1)
    f2 = row(work, 2)
    d, bound = side_values(f0, f1, f2, a, b, a)
    s_a = 0
    s_b = 0
    for k in range(len(work) - 1):  # twice; bounded at run time, so that the compiler keeps one copy
        s_b = s_a
        s_a = side_sign(d[1 - k], bound, f0, f1, f2, b if k == 0 else a, line_is_e, buffer)
    if s_a == s_b:
        return 0
    hand = 0
    for k in range(len(work)):
        c = row(work, k)
        e = row(work, (k + 1) % 3)
        g = edge_sign(a, b, c, e, buffer) if line_is_e else edge_sign(c, e, a, b, buffer)
        if g + hand == 0:
            return 0
        hand = g
    return 1 if s_a < 0 else -1


@kernel
def winding_number(p: Any, side: int, point: Vector) -> int:
    """How often the closed surface ``side`` winds around a point of frame E that belongs to the other surface."""
    n = p[side + N_TRIANGLES]
    boxes = table(p, side + BOXES, 2 * n - 1, 6)
    pad = doubles(p, POSE, POSE_LENGTH)[PAD]
    local = to_own_frame(p, side, point)
    for a in range(3):
        if abs(local[a] - boxes[0, a]) > boxes[0, 3 + a] + pad:
            return 0
    # A direction that no mesh is likely to be aligned with; exactness does not depend on it.
    length = 2.0 * (boxes[0, 3] + boxes[0, 4] + boxes[0, 5]) + pad
    direction = (0.5773 * length, 0.5937 * length, 0.5605 * length)
    turned = from_own_direction(p, side, direction)
    far = (point[0] + turned[0], point[1] + turned[1], point[2] + turned[2])
    span = to_own_direction(p, side, sub(far, point))
    inverse = inverse_direction(span)
    triangles = index_table(p, side + TRIANGLES, n, 3)
    own = vectors(p, side + VERTICES, p[side + N_VERTICES])
    x = vectors(p, side + X, p[side + N_VERTICES])
    fresh = stamps(p, side + VERTEX_STAMP, p[side + N_VERTICES])
    buffer = doubles(p, BUFFER, BUFFER_LENGTH)
    work = vectors(p, TRIANGLE_PAIR, 3)
    stack = index_table(p, STACK, STACK_LENGTH, 6)
    winding = 0
    stack[0, 0] = 0
    stack[0, 1] = 0
    stack[0, 2] = n
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        count = stack[depth, 2]
        if not line_meets_box(boxes, node, local, inverse, 1.0 + 1e-9, 4.0 * pad):
            continue
        if count == 1:
            for i in range(3):
                at = corner(p, side, own, x, fresh, triangles[leaf, i])
                work[i, 0] = at[0]
                work[i, 1] = at[1]
                work[i, 2] = at[2]
            p[LINE_CHECKS] += 1
            winding += _crossing(point, far, work, side == F, buffer)
            continue
        depth = push_children(stack, depth, node, leaf, count)
    return winding
