"""Side faces: how much of an element counts where base and target do not face each other.

Problem: a box that is tilted a little and pressed in has submerged flanks whose lines meet the target far away; counted
in full they would push it sideways. In: the angle between an element's normal n_k and the target's normal where its
line meets it. Out: a weight from 0 to 1, which fades out smoothly between 60° and 80° so that nothing jumps.

The target's normal is that of the facet, or, within smooth regions of its mesh, interpolated between its corners: the
weight must not jump from facet to facet of a curved surface.
"""

from __future__ import annotations

from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.vectors import Vector, dot, norm, row
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.tolerances import FLANK_FULL, FLANK_NONE, FLAT_COSINE


@inline_kernel
def flank_weight(cosine: float) -> float:
    """Weight for a cosine between base and target: 1 up to 60°, 0 from 80°, a smooth step (cubic) between."""
    s = (cosine - FLANK_NONE) / (FLANK_FULL - FLANK_NONE)
    s = min(max(s, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@kernel
def smooth_cosine(target: SurfaceMesh, t: int, b0: float, b1: float, n: Vector) -> float:
    """Cosine between n_k (target's frame) and the target's smooth normal at (b0, b1) of triangle t.

    0 where the normals at the corners cancel.
    """
    q = target.corner_normals
    b2 = 1.0 - b0 - b1
    mean = (
        b0 * q[t, 0] + b1 * q[t, 3] + b2 * q[t, 6],
        b0 * q[t, 1] + b1 * q[t, 4] + b2 * q[t, 7],
        b0 * q[t, 2] + b1 * q[t, 5] + b2 * q[t, 8],
    )
    length = norm(mean)
    if length == 0.0:
        return 0.0
    return dot(n, mean) / length


@inline_kernel
def weight_at(target: SurfaceMesh, t: int, b0: float, b1: float, n: Vector) -> float:
    """Weight of an element whose line, along n in the target's frame, meets triangle t at (b0, b1).

    Normals are interpolated only where that could make a difference: on a facet so far from 60° that none of its
    corner normals is beyond, the weight is 1.
    """
    if dot(n, row(target.normals, t)) >= target.facet_full:
        return 1.0
    return flank_weight(smooth_cosine(target, t, b0, b1, n))


@kernel
def is_flat(target: SurfaceMesh, t: int) -> bool:
    """Whether the target is flat around triangle t: the smooth normals at its corners are its own."""
    q = target.corner_normals
    n = row(target.normals, t)
    least = 1.0
    for i in range(3):
        least = min(least, n[0] * q[t, 3 * i] + n[1] * q[t, 3 * i + 1] + n[2] * q[t, 3 * i + 2])
    return least > FLAT_COSINE
