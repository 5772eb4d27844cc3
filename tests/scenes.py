"""Surfaces, poses and node counts that several tests share."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import settings
from numpy.typing import ArrayLike, NDArray

import polycontact as pc

STIFFNESS = 1e7
LAW = pc.LayerLaw(stiffness=STIFFNESS)

Array = NDArray[np.float64]


def pairing(e: pc.Surface, f: pc.Surface, **options: object) -> pc.ContactPairing:
    """A pairing with the stiffness of these tests."""
    return pc.ContactPairing(e, f, **{"law": LAW, **options})


def rotation(axis: ArrayLike, angle: float) -> Array:
    """Rotation about an axis (Rodrigues), rad."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * skew + (1.0 - np.cos(angle)) * (skew @ skew)


def random_rotation(rng: np.random.Generator) -> Array:
    """Rotation drawn uniformly."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.ascontiguousarray(q * np.sign(np.linalg.det(q)))


def pressed_together(e: pc.Surface, f: pc.Surface, rng: np.random.Generator, depth: float) -> tuple[Array, Array]:
    """A random orientation and direction in which the foremost vertices meet, F pushed on by ``depth`` (m).

    Hulls touch there and nowhere else before F is pushed, so that a small depth gives a shallow contact.
    """
    R, direction = random_rotation(rng), random_rotation(rng)[:, 0]
    turned = f.vertices @ R.T
    front, back = e.vertices[(e.vertices @ direction).argmax()], turned[(turned @ direction).argmin()]
    return R, front - back - depth * direction


def examples(n: int) -> int:
    """How many examples a property test looks at: ``n`` with the thorough profile, at least ten with a quicker one."""
    return max(10, n * settings.default.max_examples // 100)


class Tally:
    """How many examples of a test reached what it is about: the others would pass whatever the code does."""

    def __init__(self) -> None:
        self.reached = self.examples = 0

    def note(self, reached: object) -> None:
        self.examples += 1
        self.reached += bool(reached)

    def assert_share(self, least: float) -> None:
        assert self.examples > 0
        assert self.reached >= least * self.examples, f"{self.reached} of {self.examples} examples reach what is tested"


def at(R: ArrayLike | None = None, r: ArrayLike = (0, 0, 0), **velocities: ArrayLike) -> pc.RelativeKinematics:
    """Relative kinematics with less to write."""
    return pc.RelativeKinematics(rotation=np.eye(3) if R is None else R, position=r, **velocities)


def segments(pair: pc.ContactPairing) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Triangles (leaf order) and kinds of the segments of the last evaluation."""
    found = pair._memory.evaluation.segments
    return found.triangles[: found.n].copy(), found.kinds[: found.n].copy()


def segment_set(pair: pc.ContactPairing) -> set[tuple[int, int, int, int]]:
    """Segments of the last evaluation as (triangle of E, triangle of F, start, end)."""
    triangles, kinds = segments(pair)
    found = {tuple(row) for row in np.column_stack((triangles, kinds)).tolist()}
    assert len(found) == len(triangles)
    return found


def nodes(pair: pc.ContactPairing) -> Counter[tuple[int, int, int]]:
    """How many segments start or end at each node: (0: edge of E | 1: of F, edge, face of the other)."""
    triangles, kinds = segments(pair)
    count: Counter[tuple[int, int, int]] = Counter()
    e, f = pair.e.contact_data.triangle_edges, pair.f.contact_data.triangle_edges
    for (t, s), ends in zip(triangles.tolist(), kinds.tolist(), strict=True):
        for kind in ends:
            count[(0, int(e[t, kind]), s) if kind < 3 else (1, int(f[s, kind - 3]), t)] += 1
    return count


def status_of(pair: pc.ContactPairing) -> pc.ContactStatus:
    """Status of the last evaluation."""
    return pc.ContactStatus(pair._memory.report.status)


def assert_polygons_close(pair: pc.ContactPairing) -> None:
    """Closed surfaces: each node belongs to exactly two segments, once as an end and once as a start."""
    assert pc.ContactStatus.INCONSISTENT not in status_of(pair)
    assert pc.ContactStatus.OPEN_POLYGON not in status_of(pair)
    odd = {node: n for node, n in nodes(pair).items() if n != 2}
    assert not odd, f"{len(odd)} nodes are not shared by two segments, for example {next(iter(odd.items()))}"
    ends: Counter[tuple[int, int, int]] = Counter()
    triangles, kinds = segments(pair)
    e, f = pair.e.contact_data.triangle_edges, pair.f.contact_data.triangle_edges
    for (t, s), (start, end) in zip(triangles.tolist(), kinds.tolist(), strict=True):
        for kind, sign in ((start, 1), (end, -1)):
            ends[(0, int(e[t, kind]), s) if kind < 3 else (1, int(f[s, kind - 3]), t)] += sign
    assert not any(ends.values()), "two segments run against each other at a node"
