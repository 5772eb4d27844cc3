"""Kernels that work on four things at once, against the same done one by one."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.geometry.exact import BUFFER_LENGTH
from polycontact.kernels.geometry.oriented_boxes import COLUMNS, box_pairs_overlap
from polycontact.kernels.geometry.sorting import DIGITS, sort_many_rows
from polycontact.kernels.geometry.triangle_pair import TrianglePair
from polycontact.kernels.geometry.triangle_pairs import triangle_gaps, triangle_pairs_meet
from polycontact.kernels.geometry.triangles import intersect_triangles, lay_out, planes_separate, write_segment
from polycontact.kernels.geometry.vectors import triangle
from polycontact.kernels.jit import kernel
from polycontact.tolerances import PARALLEL
from scenes import Tally, pairing, random_rotation, rotation

Array = NDArray[np.float64]


@numba.njit
def _boxes(e: Any, f: Any, pose: Any, pad: float) -> int:
    return box_pairs_overlap(e, (0, 1), f, (0, 1), pose[:9], pose[9:12], pad, PARALLEL)


@numba.njit
def _meet_in(e: Any, f: Any, pose: Any, nodes: Any) -> int:
    return triangle_pairs_meet(e, (0, 1, 2, 3), f, (0, 1, 2, 3), pose[:9], pose[9:12], nodes)


def _meet(e: Array, f: Array, pose: Array) -> int:
    return int(_meet_in(e, f, pose, np.empty(4)))


@numba.njit
def _gaps(e: Any, f: Any, pose: Any, out: Any) -> None:
    triangle_gaps(e, (0, 1, 2, 3), f, (0, 1, 2, 3), pose[:9], pose[9:12], out)


def _points(triangle: Array) -> Array:
    """Many points of a triangle (9,)."""
    n = 40
    i, j = np.triu_indices(n + 1)
    weights = np.stack((i, j - i, n - j), axis=1) / n
    return np.asarray(weights @ triangle.reshape(3, 3))


def _distance(a: Array, b: Array) -> float:
    return float(np.linalg.norm(a[:, None] - b[None], axis=2).min())


def _pose(rng: np.random.Generator, shift: float) -> Array:
    R = random_rotation(rng)
    return np.concatenate((R.ravel(), rng.uniform(-shift, shift, 3)))


def _moved(points: Array, pose: Array) -> Array:
    return np.asarray(points @ pose[:9].reshape(3, 3).T + pose[9:12])


@pytest.mark.parametrize("seed", range(20))
def test_gaps_are_lower_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    e, f = rng.uniform(-1, 1, (2, 4, 9))
    f *= 10.0 ** rng.uniform(-3, 0)
    pose = _pose(rng, 1.5)
    gaps = np.empty(4)
    _gaps(e, f, pose, gaps)
    bits = _meet(e, f, pose)
    for k in range(4):
        distance = _distance(_points(e[k]), _moved(_points(f[k]), pose))
        assert gaps[k] <= distance
        if gaps[k] > 1e-12:
            assert not bits >> k & 1
        # Sampled points of triangles that meet are near each other; pairs far apart must be told so.
        if distance > 0.3:
            assert not bits >> k & 1


def _inner_point(rng: np.random.Generator, triangle: Array) -> Array:
    """A point well inside a triangle (9,)."""
    return np.asarray((0.1 + 0.7 * rng.dirichlet(np.ones(3))) @ triangle.reshape(3, 3))


@pytest.mark.parametrize("seed", range(20))
def test_nothing_that_meets_is_dropped(seed: int) -> None:
    """Triangles of all proportions moved so that a point of one lies in a point of the other."""
    rng = np.random.default_rng(seed)
    e, f = rng.uniform(-1, 1, (2, 4, 9))
    f *= 10.0 ** rng.uniform(-3, 0)
    pose = _pose(rng, 1.5)
    R = pose[:9].reshape(3, 3)
    for k in range(4):
        shift = _inner_point(rng, e[k]) - _moved(_inner_point(rng, f[k]), pose)
        f[k] += np.tile(shift @ R, 3)
    gaps = np.empty(4)
    _gaps(e, f, pose, gaps)
    assert _meet(e, f, pose) == 15
    assert (gaps < 1e-12).all()


@kernel
def _segment(e: Any, f: Any, ids: Any, nodes: int, pair: Any, ends: Any, kinds: Any, expansion: Any) -> int:
    """The segment of two triangles: from the code of its nodes, or exactly where that is 0."""
    six = (ids[0], ids[1], ids[2], ids[3], ids[4], ids[5])
    if nodes > 0:
        lay_out(triangle(e, 0), triangle(f, 0), pair)
        write_segment(pair, nodes, six, ends, kinds, 0)
        return 1
    if planes_separate(triangle(e, 0), triangle(f, 0), pair):
        return 0
    return intersect_triangles(pair, six, ends, kinds, 0, expansion)


def test_certain_nodes_are_those_of_exact_signs() -> None:
    """Triangles in general position, at a vertex, in a plane: wherever a code is given, it is that of the exact test,
    and so are the ends, to the bit."""
    rng = np.random.default_rng(3)
    still = np.concatenate((np.eye(3).ravel(), np.zeros(3)))
    pair, expansion = TrianglePair(), np.zeros(BUFFER_LENGTH)
    pair.reserve()
    pair.three = 3
    certain, apart = Tally(), Tally()
    for case in range(400):
        e, f = rng.uniform(-1, 1, (2, 4, 9))
        f *= 10.0 ** rng.uniform(-2, 0)
        if case % 4 == 1:
            f[:, :3] = e[:, :3]
        if case % 4 == 2:
            e[:, 2::3] = f[:, 2::3] = 0.25
        codes = np.empty(4)
        bits = _meet_in(e, f, still, codes)
        for k in range(4):
            ids = rng.permutation(6)
            found = []
            for code in {0, int(codes[k])}:
                ends, kinds = np.zeros((1, 6)), np.zeros((1, 2), dtype=np.int32)
                there = _segment(e[k : k + 1], f[k : k + 1], ids, code, pair, ends, kinds, expansion)
                found.append((there, ends.tobytes(), kinds.tobytes()))
            assert len(set(found)) == 1
            assert bits >> k & 1 or found[0][0] == 0
            assert codes[k] == 0 or found[0][0] == 1
            certain.note(codes[k] > 0)
            apart.note(not bits >> k & 1)
    certain.assert_share(0.05)
    apart.assert_share(0.3)


def test_gap_of_triangles_on_a_point() -> None:
    """No axis has a length: no gap, and nothing is certain."""
    e = np.ones((4, 9))
    pose = np.concatenate((np.eye(3).ravel(), [5.0, 0.0, 0.0]))
    gaps = np.empty(4)
    _gaps(e, e, pose, gaps)
    assert (gaps == 0.0).all()
    assert _meet(e, e, pose) == 15


def _box(rng: np.random.Generator) -> Array:
    return np.concatenate((rng.uniform(-0.4, 0.4, 3), rng.uniform(0, 0.6, 3), random_rotation(rng).ravel()))


def _corners(box: Array) -> Array:
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    return np.asarray(box[:3] + (signs * box[3:6]) @ box[6:].reshape(3, 3))


def _apart(a: Array, b: Array) -> bool:
    """Whether one of the 15 axes separates two boxes, from their corners."""
    axes = [*a[6:].reshape(3, 3), *b[6:].reshape(3, 3)]
    axes += [np.cross(u, v) for u in axes[:3] for v in axes[3:6]]
    p, q = _corners(a), _corners(b)
    return any((p @ n).max() < (q @ n).min() or (q @ n).max() < (p @ n).min() for n in axes)


def test_boxes_overlap_as_one_by_one() -> None:
    rng = np.random.default_rng(0)
    overlapping = Tally()
    for _ in range(30):
        e, f = np.array([_box(rng), _box(rng)]), np.array([_box(rng), _box(rng)])
        assert e.shape[1] == COLUMNS
        pose = _pose(rng, 0.5)
        R = pose[:9].reshape(3, 3)
        placed = [np.concatenate((R @ b[:3] + pose[9:12], b[3:6], (b[6:].reshape(3, 3) @ R.T).ravel())) for b in f]
        found = [not _apart(e[k % 2], placed[k // 2]) for k in range(4)]
        assert _boxes(e, f, pose, 0.0) == sum(each << k for k, each in enumerate(found))
        for each in found:
            overlapping.note(each)
    overlapping.assert_share(0.3)
    assert overlapping.reached < 0.7 * overlapping.examples


@pytest.mark.parametrize("n", [0, 1, 100, 3000])
def test_sort_many_rows(n: int) -> None:
    rng = np.random.default_rng(n)
    rows = np.stack((rng.integers(0, 2**40, n) >> rng.integers(0, 40, n), np.arange(n)), axis=1)
    expected = rows[np.argsort(rows[:, 0], kind="stable")]
    sort_many_rows(rows, np.empty_like(rows), np.empty(DIGITS, dtype=np.int32), n)
    assert np.array_equal(rows, expected)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_lines_at_their_last_hits_give_the_bits_of_a_first_evaluation(base: pc.Base) -> None:
    sphere = pc.shapes.sphere(0.2, 5)
    pair = pairing(sphere, sphere, base=base)
    kept = 0
    for k in range(30):
        R, r = rotation([1, 2, 3], 0.3 + 2e-4 * k), np.array([0.37 - 1e-4 * k, 1e-3, 2e-3])
        result = pair.evaluate(pc.RelativeKinematics(rotation=R, position=r))
        fresh = pairing(sphere, sphere, base=base)
        assert pair.wrench(R, r).tobytes() == fresh.wrench(R, r).tobytes()
        assert len(result.elements) > 100
        kept += result.statistics.tree_searches == 0
    assert kept > 15
