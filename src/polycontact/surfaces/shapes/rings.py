"""Triangles between rings of vertices around an axis: what all round shapes are built from.

In: rings along a profile, each with its own number of vertices (1 is a pole on the axis). Out: vertices and
triangles about the z-axis. Neighbouring rings may differ in number, so that triangles keep their shape where
the radius shrinks; all choices are made in integers and are the same on every machine.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes import arguments as check

FEWEST_AROUND_POLE: Final = 6
"""Vertices of a graded ring next to a pole: six equilateral triangles make a full turn."""

LARGEST_SAG: Final = 0.5
"""Most that the chords of a ring may sag towards the next ring, as a part of the distance between the two. At
1 the triangles of a flat strip fold over; one half leaves them a height."""


class Rings(NamedTuple):
    """Rings along a profile, in order.

    ``axial`` (n,) position along the axis and ``radius`` (n,), in m; ``counts`` (n,) vertices of each ring, 1
    for a pole; ``half_turns`` (n,) 0, or 1 for a ring that is turned by half of its own spacing.
    """

    axial: NDArray[np.float64]
    radius: NDArray[np.float64]
    counts: NDArray[np.int64]
    half_turns: NDArray[np.int64]


def aligned_rings(shape: str, profile: NDArray[np.float64], segments: int) -> Rings:
    """Rings of equal numbers on common meridians; ``profile`` (n, 2) of (axial, radius), poles at 0."""
    check.refuse_too_many(shape, 2.0 * segments * len(profile), "lower the number of segments or of rings")
    axial, radius = profile.T
    counts = np.where(radius > 0, segments, 1).astype(np.int64)
    return Rings(axial, radius, counts, np.zeros_like(counts))


def graded_rings(shape: str, profile: NDArray[np.float64], segments: int, *, closed: bool = False) -> Rings:
    """Rings whose numbers follow the radius, with ``segments`` on the widest; radius 0 is a pole.

    Rings of equal numbers that follow each other with changing radius are turned against each other by half
    of the spacing, which makes their triangles equilateral; those on a cylinder stay aligned, which keeps it
    a prism, and so do those of a ``closed`` profile. Rings of different numbers that are too close to each
    other are refused.
    """
    check.refuse_too_many(shape, 2.0 * segments * len(profile), "lower the number of segments or of rings")
    axial, radius = profile.T
    proportional = np.rint(segments * (radius / radius.max())).astype(np.int64)
    counts = np.where(radius > 0, np.maximum(proportional, min(segments, FEWEST_AROUND_POLE)), 1)
    equal = counts == np.roll(counts, -1)
    folds = _would_fold(axial, radius, counts)
    if not closed:
        equal, folds = equal[:-1], folds[:-1]
    _refuse_folds(shape, counts, folds & ~equal)
    half_turns = np.zeros_like(counts)
    if not closed:
        half_turns[1:] = np.cumsum(equal & ~folds & (radius[1:] != radius[:-1])) % 2
    return Rings(axial, radius, counts, half_turns)


def _would_fold(
    axial: NDArray[np.float64], radius: NDArray[np.float64], counts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Where chords of a ring or of the next one sag too far for the distance between the two (cyclic)."""
    sag = np.where(counts > 1, radius * (1.0 - np.cos(np.pi / counts)), 0.0)
    distance = np.hypot(np.roll(axial, -1) - axial, np.roll(radius, -1) - radius)
    to_pole = (counts == 1) | (np.roll(counts, -1) == 1)
    return np.asarray((np.maximum(sag, np.roll(sag, -1)) > LARGEST_SAG * distance) & ~to_pole)


def _refuse_folds(shape: str, counts: NDArray[np.int64], bad: NDArray[np.bool_]) -> None:
    if bad.any():
        first = int(np.argmax(bad))
        second = (first + 1) % len(counts)
        raise SurfaceError(
            f"{shape}: rings {first} and {second} of the profile are too close for their {counts[first]} and "
            f"{counts[second]} segments: triangles would fold over; raise segments or use fewer rings"
        )


def ring_vertices(rings: Rings) -> NDArray[np.float64]:
    """Vertices (n, 3) of all rings in order, about z, in m."""
    counts = rings.counts
    starts = np.cumsum(counts) - counts
    within = np.arange(counts.sum()) - np.repeat(starts, counts)
    turns = (2 * within + np.repeat(rings.half_turns, counts)) / np.repeat(2 * counts, counts)
    radius = np.repeat(rings.radius, counts)
    cosine, sine = exact_cos_sin(turns)
    return np.stack((radius * cosine, radius * sine, np.repeat(rings.axial, counts)), axis=1)


def exact_cos_sin(turns: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cosine and sine of ``turns`` full turns, exact at quarter turns and symmetric between quadrants."""
    quarter = np.rint(4.0 * turns)
    angle = 2.0 * np.pi * (turns - 0.25 * quarter)
    cosine, sine = np.cos(angle), np.sin(angle)
    quadrant = quarter.astype(np.int64) % 4
    return (
        np.choose(quadrant, (cosine, -sine, -cosine, sine)),
        np.choose(quadrant, (sine, cosine, -sine, -cosine)),
    )


def ring_triangles(rings: Rings, *, closed: bool = False) -> NDArray[np.int64]:
    """Triangles (m, 3) between each ring and the next one, and from the last to the first if ``closed``.

    Their normals point away from the axis where ``axial`` grows from ring to ring.
    """
    counts, half_turns = rings.counts.tolist(), rings.half_turns.tolist()
    starts = (np.cumsum(rings.counts) - rings.counts).tolist()
    each = list(zip(starts, counts, half_turns, strict=True))
    following = each[1:] + each[:1] if closed else each[1:]
    return np.concatenate(
        [
            strip_triangles(lower, upper, lower_first=strip % 2 == 0)
            for strip, (lower, upper) in enumerate(zip(each, following, strict=False))
        ]
    )


def strip_triangles(
    lower: tuple[int, int, int], upper: tuple[int, int, int], *, lower_first: bool
) -> NDArray[np.int64]:
    """Triangles between two rings, each given by (first vertex, number, half turns).

    Each edge of a ring is joined to the vertex of the other ring that is nearest in angle to its middle.
    Ties, which are the diagonals of aligned rings, go one way or the other by ``lower_first``; alternating
    it from strip to strip keeps the mesh free of a twist.
    """
    (start_a, n_a, turn_a), (start_b, n_b, turn_b) = lower, upper
    parts = []
    if n_a > 1:
        i, j = _nearest_across(n_a, turn_a, n_b, turn_b, ties_up=not lower_first)
        parts.append(np.stack((start_a + i, start_a + (i + 1) % n_a, start_b + j), axis=1))
    if n_b > 1:
        j, i = _nearest_across(n_b, turn_b, n_a, turn_a, ties_up=lower_first)
        parts.append(np.stack((start_b + (j + 1) % n_b, start_b + j, start_a + i), axis=1))
    return np.concatenate(parts)


def _nearest_across(
    n: int, turn: int, n_other: int, turn_other: int, *, ties_up: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each edge of a ring of ``n``: its index and that of the nearest vertex on a ring of ``n_other``.

    The middle of edge i is at (2 i + 1 + turn) / (2 n) of a full turn. The vertex is the one that the other
    ring has reached once all of its edges with an earlier middle are passed.
    """
    edge = np.arange(n, dtype=np.int64)
    ahead = (2 * edge + 1 + turn) * n_other - n * (1 + turn_other)
    reached = ahead // (2 * n) + 1 if ties_up else -(-ahead // (2 * n))
    return edge, reached % n_other
