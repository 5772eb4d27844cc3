"""Volume of the overlap, by the divergence theorem over the active areas of both surfaces."""

from __future__ import annotations

from typing import Any

from polycontact.kernels.clip import clip_triangle, corners_of, normal_of
from polycontact.kernels.jit import kernel
from polycontact.kernels.memory import (
    AREAS,
    CUT,
    CUT_STATE,
    INNER,
    N_CUT,
    N_INNER,
    N_TRIANGLES,
    E,
    F,
    doubles,
    indices,
)
from polycontact.kernels.vectors import Vector, dot, sub


@kernel
def _flux(p: Any, side: int, o: Vector) -> float:
    """∫ (x - o)·n dA over the part of a surface inside the other, m³."""
    n = p[side + N_TRIANGLES]
    cut = indices(p, side + CUT, n)
    states = indices(p, side + CUT_STATE, n)
    inner = indices(p, side + INNER, n)
    areas = doubles(p, side + AREAS, n)
    total = 0.0
    for k in range(p[side + N_CUT]):
        m = clip_triangle(p, side, cut[k], states[k])
        total += m[0] * dot(normal_of(p, side, cut[k]), sub((m[1], m[2], m[3]), o))
    for k in range(p[side + N_INNER]):
        t = inner[k]
        total += areas[t] * dot(normal_of(p, side, t), sub(corners_of(p, side, t)[0], o))
    return total


@kernel
def overlap_volume(p: Any, o: Vector) -> float:
    """Volume enclosed by the active areas of E and F after an evaluation, m³; ``o``: a point near the contact."""
    return (_flux(p, E, o) + _flux(p, F, o)) / 3.0
