r"""Faces of the expanding polytope: made, seen by a new point, replaced by those around it.

       p                 (1) From one face that p sees, go on to neighbours that p sees too: they are marked.
      /|\                (2) Each side between a marked face and one that is not lies on the horizon. It gets a new
     / | \                   face with p; new faces are linked to the old one beside them, and to each other by
----a--+--b----              the corner at which they begin.
| seen | seen|           (3) Marked faces are dead; the last ones move to their slots.
----c-----d----          Where rounding makes the horizon touch itself, the polytope is given up.
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.convex_pair import ConvexPair, Faces, Points
from polycontact.kernels.geometry.vectors import cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import kernel
from polycontact.tolerances import ABOVE_FACE, NO_EXTENT


@kernel
def make_face(points: Points, faces: Faces, at: int, a: int, b: int, c: int) -> None:
    """Face ``at`` becomes triangle a, b, c (points), outward normal by the right hand; height of its plane (m).

    One without area gets an infinite height: it is never the nearest and is never seen.
    """
    p, q, r = row(points.difference, a), row(points.difference, b), row(points.difference, c)
    u, v = sub(q, p), sub(r, p)
    n = cross(u, v)
    length = norm(n)
    faces.corner[at, 0], faces.corner[at, 1], faces.corner[at, 2] = a, b, c
    faces.state[at] = 0
    longest = max(dot(u, u), max(dot(v, v), dot(sub(v, u), sub(v, u))))
    if not length > NO_EXTENT * longest:
        faces.height[at] = math.inf
        for k in range(3):
            faces.normal[at, k] = 0.0
        return
    n = scale(1.0 / length, n)
    for k in range(3):
        faces.normal[at, k] = n[k]
    faces.height[at] = (dot(n, p) + dot(n, q) + dot(n, r)) / 3.0


@kernel
def make_tetrahedron(points: Points, faces: Faces) -> None:
    """The first four points, their faces outward."""
    p = row(points.difference, 0)
    u, v = sub(row(points.difference, 1), p), sub(row(points.difference, 2), p)
    b, c = (1, 2) if dot(cross(u, v), sub(row(points.difference, 3), p)) < 0.0 else (2, 1)
    make_face(points, faces, 0, 0, b, c)
    make_face(points, faces, 1, 0, 3, b)
    make_face(points, faces, 2, b, 3, c)
    make_face(points, faces, 3, c, 3, 0)
    beside = faces.beside
    beside[0, 0], beside[0, 1], beside[0, 2] = 1, 2, 3
    beside[1, 0], beside[1, 1], beside[1, 2] = 3, 2, 0
    beside[2, 0], beside[2, 1], beside[2, 2] = 1, 3, 0
    beside[3, 0], beside[3, 1], beside[3, 2] = 2, 1, 0
    faces.n = 4


@kernel
def nearest_face(faces: Faces) -> int:
    """The face whose plane has the least height over the origin, -1 where none has area."""
    best = -1
    least = math.inf
    for i in range(faces.n):
        if faces.state[i] == 0 and faces.height[i] < least:
            best, least = i, faces.height[i]
    return best


@kernel
def _see(pair: ConvexPair, first: int, point: int) -> int:
    """Mark the faces that the new point sees, from one of them on; how many, listed in ``faces.stack``. (1)."""
    points, faces = pair.points, pair.faces
    p = row(points.difference, point)
    stack = faces.stack
    margin = ABOVE_FACE * pair.scale
    faces.state[first] = 1
    stack[0] = first
    seen = 1
    done = 0
    while done < seen:
        face = stack[done]
        done += 1
        for k in range(3):
            other = faces.beside[face, k]
            if faces.state[other] == 0 and dot(row(faces.normal, other), p) - faces.height[other] > margin:
                faces.state[other] = 1
                stack[seen] = other
                seen += 1
    return seen


@kernel
def _side_towards(faces: Faces, face: int, other: int, corner: int) -> int:
    """Which side of a face lies beside another one and begins at a given corner."""
    for k in range(3):
        if faces.beside[face, k] == other and faces.corner[face, k] == corner:
            return k
    return -1


@kernel
def expand(pair: ConvexPair, first: int, point: int) -> bool:
    """Replace the faces that a new point sees by those between it and the horizon; False where that cannot be done.

    ``first``: a face that it sees.
    """
    points, faces = pair.points, pair.faces
    seen = _see(pair, first, point)
    stack, around = faces.stack, faces.around
    for k in range(points.room):
        around[k] = -1
    before = faces.n
    made = 0
    for i in range(seen):  # (2)
        face = stack[i]
        for k in range(3):
            other = faces.beside[face, k]
            if faces.state[other] == 1:
                continue
            if faces.n == faces.room:
                return False
            a, b = faces.corner[face, k], faces.corner[face, (k + 1) % 3]
            side = _side_towards(faces, other, face, b)
            if around[a] >= 0 or side < 0:  # the horizon touches itself
                return False
            at = faces.n
            make_face(points, faces, at, a, b, point)
            faces.beside[at, 0] = other
            faces.beside[other, side] = at
            around[a] = at
            faces.n += 1
            made += 1
    # Each new face begins where the one before it ends: link them around the horizon.
    for at in range(before, faces.n):
        after = around[faces.corner[at, 1]]
        if after < 0:
            return False
        faces.beside[at, 1] = after
        faces.beside[after, 2] = at
    for i in range(seen):  # (3)
        faces.state[stack[i]] = 2
    _close_gaps(faces)
    return made > 2


@kernel
def _close_gaps(faces: Faces) -> None:
    """Move the last faces to the slots of dead ones."""
    i = 0
    while i < faces.n:
        if faces.state[i] != 2:
            i += 1
            continue
        last = faces.n - 1
        faces.n = last
        if i == last:
            return
        for k in range(3):
            faces.corner[i, k] = faces.corner[last, k]
            faces.beside[i, k] = faces.beside[last, k]
            faces.normal[i, k] = faces.normal[last, k]
        faces.height[i] = faces.height[last]
        faces.state[i] = faces.state[last]
        if faces.state[i] == 2:
            continue
        for k in range(3):
            other = faces.beside[i, k]
            for j in range(3):
                if faces.beside[other, j] == last and faces.corner[other, j] == faces.corner[i, (k + 1) % 3]:
                    faces.beside[other, j] = i
