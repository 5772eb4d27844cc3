"""Points that bear a contact of convex shapes: the corners of where their faces lie on each other.

(1) corners of what both faces share (`geometry.shared_faces`) bear whose two heights overlap, or nearly do
(2) the deepest point bears as well where none of these is nearly as deep, or where shapes meet in a point or in
    edges that cross
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.convex_method import as_convex
from polycontact.kernels.geometry.convex_pair import ConvexPair
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.shared_faces import MOST, SharedFaces, share_faces, shared_point
from polycontact.kernels.geometry.vectors import Vector, add, scale
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.response.point_work import point_work_at
from polycontact.kernels.views import Doubles
from polycontact.tolerances import LEVEL


@kernel
def _put(out: Doubles, at: int, p: Vector, n: Vector, depth: float) -> None:
    """A row of points: E is pushed against n."""
    for i in range(3):
        out[at, i] = p[i]
        out[at, 3 + i] = -n[i]
    out[at, 6] = depth


@kernel
def choose_corners(pair: ConvexPair, faces: SharedFaces, out: Doubles) -> int:
    """Points that bear a contact of a pair that was measured: rows of ``out``; how many.

    One, the deepest, where shapes meet in a point or in edges that cross.
    """
    n = as_vector(pair.normal)
    level = LEVEL * min(pair.e.reach, pair.f.reach)
    found, missing = 0, -pair.distance
    for k in range(share_faces(pair, faces)):
        z_e, z_f = faces.heights[k, 0], faces.heights[k, 1]
        if z_e - z_f >= -level:  # (1)
            _put(out, found, shared_point(faces, k, 0.5 * (z_e + z_f)), n, z_e - z_f)
            missing = min(missing, -pair.distance - (z_e - z_f))
            found += 1
    if found == 0 or missing > level:  # (2)
        p = scale(0.5, add(as_vector(pair.point_e), as_vector(pair.point_f)))
        found = min(found, MOST - 1)
        _put(out, found, p, n, -pair.distance)
        found += 1
    for k in range(found):
        out[k, 7] = 1.0 / found  # a contact of convex shapes has the area 1
    return found


@entry_kernel((types.int64, types.int64))
def supports_of_convex(address: int, place: int) -> int:
    """As `supports_of_elements` for two convex shapes, after their evaluation."""
    evaluation, work = as_convex(address), point_work_at(place)
    if evaluation.header.elements.n == 0:
        return 0
    return choose_corners(evaluation.pair, work.faces, work.found)


CHOOSE_OF_CONVEX = address_of(supports_of_convex)
