"""Contact elements of convex shapes: one point, or the corners of what their faces share.

Problem: a law counts per point, and a body may stand on a corner, an edge or a face. If the face counted as one point,
that would jump from corner to corner as the body tilts; if each corner had a spring of its own, the force would jump
where one corner becomes two as a body slides over an edge, and a fine mesh would be stiffer than a coarse one.

Corners therefore share their stiffness as neighbouring places of an elastic body do: pressing on one lowers the others
by a part κ(r) of its own way, which falls from 1 where two coincide to 0 at a distance ℓ, twice the reach of the
smaller shape (Wendland 1995: κ = (1 - r/ℓ)⁴ (4 r/ℓ + 1), positive definite in the plane). With depths d_i of corners,

    Σ_j κ_ij m_j d_j ≥ d_i,  m_i ≥ 0, complementary.

m_i is how many points corner i counts for: the area of its element. Of a linear law the forces are then the gradient of
½ Σ m_i d_i² (times its stiffness), so that tilting makes no energy; a corner alone counts as one point, corners that
coincide as one together, the four of a cube's face as 3.3. The force is continuous where a corner becomes two.

    (1) shapes without faces and edges, and those that meet in a point: one element where they are deepest
    (2) corners that overlap share; where none is nearly as deep as the shapes are, the faces seen are not those that
        touch: one element
    (3) the conditions are solved by an active set: all corners, less those that would pull; corners come back where
        they would be pressed
"""

from __future__ import annotations

import math

from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.element_table import Element, ElementTable, append_element
from polycontact.kernels.geometry.convex_pair import ConvexPair
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.shared_faces import (
    MOST,
    SharedFaces,
    corner_key,
    has_faces,
    share_faces,
    shared_point,
)
from polycontact.kernels.geometry.vectors import Vector, scale
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import View, inline, nested
from polycontact.tolerances import ALIKE_IN_DEPTH, MERGED, PULLS, SHARED_REACH


class CornerWork(View):
    """Corners of a contact, and the equations of how they share their stiffness."""

    faces = nested(SharedFaces)
    depth = inline(MOST, unit="m", doc="of each corner")
    force = inline(MOST, unit="m", doc="m d of each corner")
    is_active = inline(MOST, doc="1: the corner presses")
    shared = inline(MOST, MOST, doc="κ of two corners")
    factor = inline(MOST, MOST, doc="Cholesky factor of κ of the active corners")
    active = inline(MOST, doc="numbers of the active corners")
    right = inline(MOST, unit="m", doc="right-hand side, then solution, of the active corners")


@kernel
def _fill_shared(n: int, length: float, work: CornerWork) -> None:
    """κ of all pairs of corners."""
    at = work.faces.shared
    for i in range(n):
        for j in range(n):
            r = min(math.hypot(at[i, 0] - at[j, 0], at[i, 1] - at[j, 1]) / length, 1.0)
            work.shared[i, j] = (1.0 - r) ** 4 * (4.0 * r + 1.0)
        work.shared[i, i] += MERGED


@kernel
def _solve_active(n: int, work: CornerWork) -> None:
    """Forces with which the active corners meet their depths exactly."""
    L, right, active = work.factor, work.right, work.active
    m = 0
    # Which they are.
    for i in range(n):
        work.force[i] = 0.0
        if work.is_active[i] > 0.0:
            active[m] = i
            m += 1
    # Cholesky's factor row by row, and the solution forwards with it; then backwards.
    for i in range(m):
        a = int(active[i])
        total = work.depth[a]
        for j in range(i):
            entry = work.shared[a, int(active[j])]
            for k in range(j):
                entry -= L[i, k] * L[j, k]
            L[i, j] = entry / L[j, j]
            total -= L[i, j] * right[j]
        pivot = work.shared[a, a]
        for k in range(i):
            pivot -= L[i, k] * L[i, k]
        L[i, i] = math.sqrt(max(pivot, MERGED))
        right[i] = total / L[i, i]
    for back in range(m):
        i = m - 1 - back
        total = right[i]
        for k in range(i + 1, m):
            total -= L[k, i] * right[k]
        right[i] = total / L[i, i]
        work.force[int(active[i])] = right[i]


@kernel
def share_stiffness(n: int, length: float, work: CornerWork) -> None:
    """``force`` of n corners from their depths, by an active set (3); ``length`` ℓ, m."""
    deepest = 0.0
    for i in range(n):
        work.is_active[i] = 1.0 if work.depth[i] > 0.0 else 0.0
        deepest = max(deepest, work.depth[i])
    _fill_shared(n, length, work)
    for _ in range(2 * MOST):
        _solve_active(n, work)
        # Does a corner pull? The worst one leaves.
        worst, at = -PULLS * deepest, -1
        for i in range(n):
            if work.force[i] < worst:
                worst, at = work.force[i], i
        if at >= 0:
            work.is_active[at] = 0.0
            continue
        # Would one that has left be pressed? The worst one comes back.
        worst = PULLS * deepest
        for i in range(n):
            if work.is_active[i] == 0.0 and work.depth[i] > 0.0:
                missing = work.depth[i]
                for j in range(n):
                    missing -= work.shared[i, j] * work.force[j]
                if missing > worst:
                    worst, at = missing, i
        if at < 0:
            return
        work.is_active[at] = 1.0


@kernel
def _put_point(pair: ConvexPair, depth: float, elements: ElementTable, report: ContactReport) -> None:
    """One element: the point of E that lies deepest in F, of area 1, with the depth (m) and the normal into E."""
    n, point = as_vector(pair.normal), as_vector(pair.point_e)
    append_element(elements, Element(0, 0, 0, 0, 1.0, depth, 1.0, 1.0, point, scale(-1.0, n), (0.0, 0.0)), report)


@kernel
def put_elements(
    pair: ConvexPair, depth: float, work: CornerWork, elements: ElementTable, report: ContactReport
) -> None:
    """Elements of a pair that was measured and overlaps by ``depth`` (m)."""
    n = 0
    if has_faces(pair.e) and has_faces(pair.f):
        n = share_faces(pair, work.faces)
    deepest = 0.0
    for k in range(n):
        work.depth[k] = work.faces.heights[k, 0] - work.faces.heights[k, 1]
        deepest = max(deepest, work.depth[k])
    if abs(deepest - depth) > ALIKE_IN_DEPTH * depth:  # (1), (2)
        _put_point(pair, depth, elements, report)
        return
    for k in range(n):
        work.depth[k] += depth - deepest  # shapes are smaller in contact, and planes have rounding
    share_stiffness(n, SHARED_REACH * min(pair.e.reach, pair.f.reach), work)
    normal: Vector = scale(-1.0, as_vector(pair.normal))
    for k in range(n):
        d = work.depth[k]
        if work.force[k] > 0.0 and d > 0.0:
            point = shared_point(work.faces, k, work.faces.heights[k, 0])
            key = corner_key(work.faces, n, k)
            element = Element(0, 0, key, 0, work.force[k] / d, d, 1.0, 1.0, point, normal, (0.0, 0.0))
            append_element(elements, element, report)
