"""Volume of the overlap, by the divergence theorem over the active areas of both surfaces.

The active area of E and that of F together enclose the overlap, so V = ⅓ ∮ (x − o)·n dA for any o. Over a flat part of
a triangle (x − o)·n is constant: area times its value at any point. In: an evaluation's active areas. Out: m³.
"""

from __future__ import annotations

from polycontact.kernels.contact.clipping import clip_triangle
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.evaluation_view import Segments, Side
from polycontact.kernels.contact.sides import corners_of, normal_of
from polycontact.kernels.geometry.vectors import Vector, dot, sub
from polycontact.kernels.jit import kernel


@kernel
def _flux(side: Side, pose: Pose, segments: Segments, o: Vector) -> float:
    """∫ (x - o)·n dA over the part of a surface inside the other, m³."""
    cut = side.cut
    states = side.cut_state
    inner = side.inner
    areas = side.mesh.areas
    total = 0.0
    for k in range(side.n_cut):
        m = clip_triangle(side, pose, segments, cut[k], states[k])
        total += m[0] * dot(normal_of(side, pose, cut[k]), sub((m[1], m[2], m[3]), o))
    for k in range(side.n_inner):
        t = inner[k]
        total += areas[t] * dot(normal_of(side, pose, t), sub(corners_of(side, pose, t)[0], o))
    return total


@kernel
def overlap_volume(e: Side, f: Side, pose: Pose, segments: Segments, o: Vector) -> float:
    """Volume enclosed by the active areas of E and F after an evaluation, m³; ``o``: a point near the contact."""
    return (_flux(e, pose, segments, o) + _flux(f, pose, segments, o)) / 3.0
