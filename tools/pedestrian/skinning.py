"""The skin of a solid as a closed surface with a given number of triangles.

Rings of vertices are laid around the loft of the solid, each with as many as its circumference asks for, between
two poles; n vertices on rings make 2 n triangles, so any even number is met exactly. `relaxation` then draws
the rings onto the solid with all its parts and spreads them evenly.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes.rings import Rings, ring_triangles
from polycontact.surfaces.surface import Surface
from tools.pedestrian.fields import Loft, Solid
from tools.pedestrian.relaxation import relax

FEWEST_ON_RING: Final = 5
"""Vertices of the smallest ring."""

FEWEST_TRIANGLES: Final = 60
"""Triangles of the coarsest skin: a handful of the smallest rings."""

ROUNDS: Final = 35
"""Rounds of relaxation: after as many the smallest angles hardly change any more."""

_SAMPLES: Final = 400
"""Points of the meridian and of a ring at which their lengths are measured."""


def skin(solid: Solid, n_triangles: int, *, name: str) -> Surface:
    """The skin of ``solid`` as a closed surface of exactly ``n_triangles`` triangles, an even number."""
    if n_triangles % 2 or n_triangles < FEWEST_TRIANGLES:
        raise SurfaceError(f"{name}: {n_triangles} triangles; a skin has an even number, {FEWEST_TRIANGLES} or more")
    vertices, triangles = _rings(solid, n_triangles // 2)
    return Surface(*relax(vertices, triangles, solid, ROUNDS), name=name)


def mirrored(surface: Surface, *, name: str) -> Surface:
    """The mirror image of a surface in the plane y = 0, again with outward normals."""
    return Surface(surface.vertices * (1.0, -1.0, 1.0), surface.triangles[:, ::-1], name=name)


def _rings(solid: Solid, n_vertices: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices on rings and at two poles of a loft, in m, and the triangles between them."""
    loft = solid.loft
    s, shrink, along = _meridian(loft)
    girth = _girth(loft, s) * shrink
    mean = float(np.trapezoid(girth, along) / along[-1])
    # Edges of length h make rings h sqrt(3)/2 apart with girth / h vertices each.
    n_rings = round(math.sqrt(n_vertices * along[-1] / (mean * 0.5 * math.sqrt(3.0))))
    wanted = along[-1] * np.arange(1, n_rings + 1) / (n_rings + 1)
    ring_s, ring_shrink = np.interp(wanted, along, s), np.interp(wanted, along, shrink)
    counts = share_out(n_vertices, np.interp(wanted, along, girth))
    poles = [_pole(loft, 0), _pole(loft, 1)]
    rings = [_ring(solid, *each, turn=i % 2) for i, each in enumerate(zip(ring_s, ring_shrink, counts, strict=True))]
    counts = np.concatenate(([1], counts, [1]))
    half_turns = (np.arange(len(counts)) + 1) % 2
    layout = Rings(np.zeros(len(counts)), np.zeros(len(counts)), counts, half_turns)
    return np.concatenate([poles[0], *rings, poles[1]]), ring_triangles(layout)


def _meridian(loft: Loft) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Points from pole to pole: s, the part of the section's size that the cap leaves, the length so far (m)."""
    first, last = loft.span
    quarter = np.linspace(0.0, 0.5 * math.pi, _SAMPLES // 4)
    s = np.concatenate(
        (
            first - loft.caps[0] * np.cos(quarter[:-1]),
            np.linspace(first, last, _SAMPLES),
            last + loft.caps[1] * np.sin(quarter[1:]),
        )
    )
    shrink = np.concatenate((np.sin(quarter[:-1]), np.ones(_SAMPLES), np.cos(quarter[1:])))
    radius = _girth(loft, s) * shrink / (2.0 * math.pi)
    along = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(s), np.diff(radius)))))
    return s, shrink, along


def _girth(loft: Loft, s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Circumference of the sections at ``s``, m (of a circle with the same mean square of the half axes)."""
    _, _, half_u, half_v = loft.section(np.clip(s, *loft.span))
    return np.asarray(2.0 * math.pi * np.sqrt(0.5 * (half_u**2 + half_v**2)))


def share_out(total: int, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers, at least `FEWEST_ON_RING`, in proportion to ``weights``, with the sum ``total`` exactly."""
    quota = np.maximum(total * weights / weights.sum(), FEWEST_ON_RING)
    spare = quota - FEWEST_ON_RING
    quota = FEWEST_ON_RING + spare * (total - FEWEST_ON_RING * len(weights)) / spare.sum()
    counts = np.asarray(np.floor(quota), dtype=np.int64)
    missing = total - int(counts.sum())
    counts[np.argsort(counts - quota, kind="stable")[:missing]] += 1
    return counts


def _ring(solid: Solid, s: float, shrink: float, count: int, *, turn: int) -> NDArray[np.float64]:
    """Vertices (count, 3) of one ring, spaced as the solid asks, turned by half a space where ``turn`` is 1, in m."""
    around = _ellipse(solid.loft, s, shrink)
    middles = 0.5 * (around[1:] + around[:-1])
    steps = np.linalg.norm(np.diff(around, axis=0), axis=1) * solid.density(middles)
    along = np.concatenate(([0.0], np.cumsum(steps)))
    wanted = along[-1] * (np.arange(count) + 0.5 * turn) / count
    return np.stack([np.interp(wanted, along, around[:, i]) for i in range(3)], axis=1)


def _ellipse(loft: Loft, s: float, shrink: float) -> NDArray[np.float64]:
    """Many points (n, 3) around the section at ``s``, the first one again at the end, in m."""
    centre_u, centre_v, half_u, half_v = loft.section(np.clip([s], *loft.span))[:, 0]
    angle = np.linspace(0.0, 2.0 * math.pi, _SAMPLES + 1)
    points = np.empty((len(angle), 3))
    points[:, loft.order] = np.stack(
        (
            np.full(len(angle), s),
            centre_u + shrink * half_u * np.cos(angle),
            centre_v + shrink * half_v * np.sin(angle),
        ),
        axis=1,
    )
    return points


def _pole(loft: Loft, end: int) -> NDArray[np.float64]:
    """The tip (1, 3) of the cap at the first or the last section, m."""
    s = loft.span[end]
    centre_u, centre_v, _, _ = loft.section(np.array([s]))[:, 0]
    point = np.empty((1, 3))
    point[0, loft.order] = s + (-1.0, 1.0)[end] * loft.caps[end], centre_u, centre_v
    return point
