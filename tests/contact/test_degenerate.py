"""Thousands of degenerate poses: no exception, no nan, no leak of the search for inner triangles."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import polycontact as pc
from scenes import STIFFNESS, Tally, assert_polygons_close, at, examples, pairing, random_rotation, rotation, segments

RELAXED = settings(deadline=None, derandomize=True, max_examples=examples(60))
pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
IDENTITY = np.eye(3)
Array = NDArray[np.float64]

CONVEX = {
    "box": pc.shapes.box((0.2, 0.2, 0.2)),
    "gridded box": pc.shapes.box((0.2, 0.2, 0.2), 4),
    "flat box": pc.shapes.box((0.4, 0.2, 0.05), (4, 2, 1)),
    "sphere": pc.shapes.sphere(0.1, 2),
    "cylinder": pc.shapes.cylinder(0.1, 0.2, segments=12, rings=2, cap_rings=2),
    "cone": pc.shapes.cone(0.1, 0.2, segments=12, rings=1, cap_rings=1),
}
TOLERANCE = 1e-11
"""Of the size of the bodies: what rounding may move a vertex across a face."""


def heights(points: Array, body: pc.Surface) -> Array:
    """How far each point lies outside a convex body, at most over its faces; negative inside (m)."""
    out = np.full(len(points), -np.inf)
    for normal, corner in zip(body.normals, body.vertices[body.triangles[:, 0]], strict=True):
        np.maximum(out, points @ normal - corner @ normal, out=out)
    return out


def assert_no_leak(pair: pc.ContactPairing, R: Array, r: Array) -> pc.ContactResult:
    """Of convex bodies: active triangles not cut lie in the other body; those well inside it are active."""
    result = pair.evaluate(at(R, r))
    assert np.isfinite(result.force).all()
    assert np.isfinite(result.torque).all()
    assert_polygons_close(pair)
    active = result.active_triangles
    triangles, _ = segments(pair)
    e, f = pair.e, pair.f
    tolerance = TOLERANCE * (e.size + f.size + float(np.abs(r).max()))
    around = ((e, f, e.vertices @ R - r @ R, 0), (f, e, f.vertices @ R.T + r, 1))
    contained = result.status & (pc.ContactStatus.E_INSIDE_F | pc.ContactStatus.F_INSIDE_E)
    for own, other, vertices, column in around:
        cut = set(own.contact_data.order[triangles[:, column]].tolist())
        found = set(active[column].tolist())
        assert cut <= found
        height = heights(vertices, other)[own.triangles]
        inner = np.array(sorted(found - cut), dtype=int)
        assert (height[inner] <= tolerance).all(), "a triangle outside the other body is active"
        if not contained and len(triangles):
            assert set(np.flatnonzero((height < -tolerance).all(axis=1)).tolist()) <= found
    return result


def assert_bounded(pair: pc.ContactPairing, result: pc.ContactResult, depth: float) -> None:
    """Force below stiffness × active area × the greatest depth possible."""
    area = sum(
        float(surface.areas[ids].sum()) for surface, ids in zip((pair.e, pair.f), result.active_triangles, strict=True)
    )
    assert np.linalg.norm(result.force) <= STIFFNESS * area * depth * (1.0 + 1e-9)


def grid_poses() -> Iterator[tuple[Array, Array]]:
    """Axis-aligned poses on a grid on which faces, edges and vertices of bodies of 0.2 m coincide."""
    turns = [
        IDENTITY,
        np.rint(rotation((0, 0, 1), np.pi / 2)),
        np.rint(rotation((1, 0, 0), np.pi / 2)),
        rotation((0, 0, 1), np.pi / 4),
    ]
    for number, turn in enumerate(turns):
        for k in list(np.ndindex(5, 5, 5))[number % 2 :: 2]:
            yield turn, 0.1 * (np.array(k, dtype=float) - 2.0)


@pytest.mark.parametrize("name", CONVEX)
def test_coinciding_faces_edges_and_vertices(name: str) -> None:
    other = CONVEX["gridded box"]
    pair = pairing(CONVEX[name], other, base=pc.Base.BOTH)
    meeting = Tally()
    for R, r in grid_poses():
        result = assert_no_leak(pair, R, r)
        assert_bounded(pair, result, 0.5)
        meeting.note(result.statistics.lines)
    meeting.assert_share(0.3)  # half of the poses that only touch are apart, by the rule for ties


@pytest.mark.parametrize("name", ["box", "gridded box", "cylinder"])
def test_the_same_in_meshes_rotated_together(name: str) -> None:
    """Coplanar faces that rounding has tilted against each other by some 1e-17."""
    rng = np.random.default_rng(6)
    for _ in range(2):
        Q, shift = random_rotation(rng), rng.normal(size=3)
        pair = pairing(
            CONVEX[name].transformed(Q, shift), CONVEX["gridded box"].transformed(Q, shift), base=pc.Base.BOTH
        )
        for k in list(np.ndindex(5, 5, 5))[::2]:
            r = Q @ (0.1 * (np.array(k, dtype=float) - 2.0))
            assert_bounded(pair, assert_no_leak(pair, IDENTITY, r), 0.5)


@pytest.mark.parametrize("elements", ["clipped", "whole"])
@pytest.mark.parametrize("divisions", [1, 3])
def test_touching_bodies_carry_nothing(divisions: int, elements: str) -> None:
    """Boxes face to face, edge to edge and corner to corner: overlap and force are zero up to rounding."""
    box = pc.shapes.box((0.2, 0.2, 0.2), divisions)
    rng = np.random.default_rng(7)
    for Q in (IDENTITY, random_rotation(rng), random_rotation(rng)):
        turned = box.transformed(Q)
        pairs = [pairing(turned, turned, base=base, elements=elements) for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH)]
        for n, k in enumerate(np.ndindex(5, 5, 5)):
            steps = np.array(k) - 2
            if np.abs(steps).max() < 2:
                continue
            result = assert_no_leak(pairs[n % 3], IDENTITY, Q @ (0.1 * steps))
            assert np.linalg.norm(result.force) < 1e-12 * STIFFNESS * 0.2**3
            assert abs(result.volume) < 1e-14


@pytest.mark.parametrize("name", CONVEX)
@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1e-3, 1e3, 1e6])
def test_degenerate_poses_at_all_scales(name: str, scale: float) -> None:
    pair = pairing(CONVEX[name].scaled(scale), CONVEX["gridded box"].scaled(scale), base=pc.Base.BOTH)
    meeting = Tally()
    for steps in itertools.product((-2.0, 0.0, 1.0), repeat=3):  # flush outside, flush, and half way in
        result = assert_no_leak(pair, IDENTITY, scale * 0.1 * np.array(steps))
        assert_bounded(pair, result, 0.5 * scale)
        meeting.note(result.statistics.lines)
    meeting.assert_share(0.4)  # 8 poses half way in, and some of those flush outside, by the rule for ties


@pytest.mark.parametrize(("large", "small"), [(1.0, 1e-6), (1.0, 1e-9), (1e6, 1e-3)])
def test_bodies_of_very_different_size(large: float, small: float) -> None:
    """A tiny body on a face, an edge and a corner of a huge one."""
    box, body = CONVEX["box"].scaled(large), CONVEX["sphere"].scaled(small)
    rng = np.random.default_rng(9)
    for e, f, sign in ((box, body, 1.0), (body, box, -1.0)):
        pair = pairing(e, f, base=pc.Base.BOTH)
        for corner in ((0.03, 0.02, 0.1), (0.1, 0.02, 0.1), (0.1, 0.1, 0.1)):
            for _ in range(5):
                r = sign * (large * np.array(corner) + small * rng.uniform(-0.05, 0.05, 3))
                result = pair.evaluate(at(None, r))
                assert np.isfinite(result.force).all()
                assert_polygons_close(pair)


def test_nearly_parallel_and_nearly_touching() -> None:
    """Coincidences disturbed by turns and shifts from rounding size up to visible ones."""
    meeting = Tally()

    @RELAXED
    @given(st.sampled_from(sorted(CONVEX)), st.sampled_from(sorted(CONVEX)), st.integers(0, 2**32 - 1))
    def check(name_e: str, name_f: str, seed: int) -> None:
        rng = np.random.default_rng(seed)
        pair = pairing(CONVEX[name_e], CONVEX[name_f], base=pc.Base.BOTH)
        quarter = np.rint(rotation(np.eye(3)[rng.integers(3)], 0.5 * np.pi * rng.integers(4)))
        for _ in range(4):
            R = rotation(rng.normal(size=3), 10.0 ** rng.uniform(-17, -3)) @ quarter
            steps = rng.permutation([rng.integers(-2, 3), rng.integers(-1, 2), 0])
            r = 0.1 * steps + 10.0 ** rng.uniform(-18, -3) * rng.normal(size=3)
            result = assert_no_leak(pair, R, r)
            assert_bounded(pair, result, 0.6)
            meeting.note(result.statistics.lines)

    check()
    meeting.assert_share(0.6)


@pytest.mark.parametrize("name", [*CONVEX, "torus", "bubble"])
@pytest.mark.parametrize("elements", ["clipped", "whole"])
def test_identical_surfaces_and_slight_motions_of_them(name: str, elements: str) -> None:
    shape = {**CONVEX, "torus": pc.shapes.torus(0.1, 0.04, 16, 8), "bubble": pc.shapes.bubble(11, 9)}[name]
    rng = np.random.default_rng(10)
    for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH):
        for depth in ("base_normal", "target_normal"):
            pair = pairing(shape, shape, base=base, elements=elements, depth=depth)
            for exponent in (-np.inf, -17.0, -15.0, -8.0):
                size = 10.0**exponent
                result = pair.evaluate(at(rotation(rng.normal(size=3), size), size * rng.normal(size=3)))
                assert np.isfinite(result.force).all()
                assert np.isfinite(result.torque).all()
                assert np.linalg.norm(result.force) <= STIFFNESS * shape.areas.sum() * shape.size
                assert np.isfinite(result.volume)
                assert abs(result.volume - shape.volume) < 1e-4 * shape.volume
                assert_polygons_close(pair)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1.0, 1e6])
def test_containment_with_coinciding_faces(scale: float) -> None:
    """A small box inside a large one, flush with its faces: contained, or a patch around those faces."""
    outer = pc.shapes.box((0.3, 0.3, 0.3), 3).scaled(scale)
    inner = pc.shapes.box((0.1, 0.1, 0.1)).scaled(scale)
    for e, f in ((outer, inner), (inner, outer)):
        pair = pairing(e, f, base=pc.Base.BOTH)
        for k in np.ndindex(3, 3, 3):
            result = assert_no_leak(pair, IDENTITY, scale * 0.1 * (np.array(k, dtype=float) - 1.0))
            assert result.in_contact
            assert np.isfinite(result.force).all()
            assert result.volume == pytest.approx(inner.volume, rel=1e-6)


def test_long_thin_triangles() -> None:
    """Slivers a million times longer than wide, laid on each other in many ways."""
    sliver = pc.Surface(
        [[0, 0, 0], [1, 0, 0], [0.5, 1e-6, 0], [0.5, 3e-7, -1e-6]],
        [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]],
    )
    assert sliver.volume > 0
    box = pc.shapes.box((0.5, 0.5, 0.5), 2)
    rng = np.random.default_rng(11)
    for e, f in ((sliver, sliver), (box, sliver), (sliver, box)):
        pair, meeting = pairing(e, f, base=pc.Base.BOTH), Tally()
        across = 0 if e is f else 1  # slivers meet only where one lies along the other
        for _ in range(40):
            R = rotation(rng.normal(size=3), 10.0 ** rng.uniform(-9, 0))
            noise = 10.0 ** rng.uniform(-9, -7) * rng.normal(size=3)
            r = 0.25 * rng.integers(-1, 2, 3) * (1, across, across) + noise
            assert np.isfinite(pair.wrench(R, r)).all()
            assert_polygons_close(pair)
            meeting.note(len(segments(pair)[0]))
        meeting.assert_share(0.4)
