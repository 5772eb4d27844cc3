"""Contacts of few elements: divided along the facets of the target, where the depth is linear."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.contact.corner_rows import FIRST_VALUE, N_COLUMNS
from polycontact.kernels.contact.plane_moments import Linear
from polycontact.kernels.contact.polygons import SCRATCH, Polygon, area_within, clip, fill, link_border
from proof.bench.pose_families import Family, cold_poses, surfaces_for
from scenes import Tally

Array = NDArray[np.float64]
STIFFNESS = 1e7
LAW = pc.LayerLaw(stiffness=STIFFNESS)
EXACT = pc.contact.PolygonalMethod(base=pc.Base.E, tolerance=1e-9)
"""All elements are divided along facets."""


def turned(seed: int) -> Array:
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return np.asarray(q * np.sign(np.linalg.det(q)))


def force_over(base: pc.Surface, target: pc.Surface, levels: int) -> Array:
    """-c ∫ φ n dA over the base in a convex target, φ the least height below its planes, 4**levels a triangle."""
    corner = target.vertices[target.triangles[:, 0]]
    offsets = np.einsum("fi,fi->f", target.normals, corner)

    def depths(places: Array) -> Array:
        return offsets - places @ target.normals.T

    points = base.vertices[base.triangles]
    for _ in range(levels):
        # What lies outside of one of the planes as a whole adds nothing, however finely it is divided.
        points = points[(depths(points).max(axis=1) > 0.0).all(axis=1)]
        a, b, c = np.moveaxis(points, 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        points = np.concatenate([np.stack(x, axis=1) for x in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    normals = 0.5 * np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    heights = depths(points.mean(axis=1))
    return np.asarray(-STIFFNESS * (np.maximum(heights.min(axis=1), 0.0)[:, None] * normals).sum(axis=0))


@pytest.mark.parametrize("seed", range(3))
def test_equal_boxes_on_each_other(seed: int) -> None:
    """The depth under a square of side a is at most the distance to its rim: c (a³ - (a - 2u)³)/6, however turned."""
    R = turned(seed)
    a, u = 0.4, 0.01
    box = pc.shapes.box((a, a, 0.2), 3).transformed(rotation=R)
    pose = pc.RelativeKinematics(position=R @ (0.0, 0.0, u - 0.2))
    found = pc.ContactPairing(box, box, law=LAW, method=EXACT).evaluate(pose)
    expected = STIFFNESS * (a**3 - (a - 2.0 * u) ** 3) / 6.0
    np.testing.assert_allclose(R.T @ found.force, (0.0, 0.0, expected), rtol=0.0, atol=1e-10 * expected)
    usual = pc.ContactPairing(box, box, law=LAW).evaluate(pose)
    # Half of the usual tolerance is left to one sample, and what four samples miss is about as much.
    np.testing.assert_allclose(R.T @ usual.force, (0.0, 0.0, expected), rtol=0.0, atol=5e-3 * expected)


@pytest.mark.parametrize("seed", range(4))
def test_against_fine_sums_over_convex_targets(seed: int) -> None:
    """A coarse ball in a coarse ball: all that is missed is by the sums, whose error goes with 4^-levels."""
    rng = np.random.default_rng(seed)
    e = pc.shapes.sphere(0.1, 2).transformed(rotation=turned(seed))
    f = pc.shapes.sphere(0.1, 2).transformed(rotation=turned(10 + seed))
    away = rng.normal(size=3)
    away *= 0.18 / np.linalg.norm(away)
    pose = pc.RelativeKinematics(position=away)
    found, usual = (
        pc.ContactPairing(e, f, law=LAW, method=method).evaluate(pose).force
        for method in (EXACT, pc.contact.PolygonalMethod(base=pc.Base.E))
    )
    moved = f.transformed(position=away)
    coarse, fine = force_over(e, moved, 5), force_over(e, moved, 6)
    finest = fine + (fine - coarse) / 3.0
    size = np.linalg.norm(found)
    assert size > 10.0
    # The rim of the contact is not halved with the triangles, so the rest is a few times what extrapolation removes.
    assert np.linalg.norm(found - finest) < max(2.0 * np.linalg.norm(fine - coarse), 1e-6 * size)
    assert np.linalg.norm(fine - coarse) < 2e-4 * size
    assert np.linalg.norm(usual - finest) < 5e-3 * size  # the usual tolerance


def test_one_row_for_all_cells_of_an_element() -> None:
    """Cells are summed up: a row for what of a base triangle lies inside, of the same area as by the paper's depth."""
    ball = pc.shapes.sphere(0.1, 2)
    pose = pc.RelativeKinematics(position=(0.18, 0.01, 0.0))
    found = pc.ContactPairing(ball, ball, law=LAW, method=EXACT).evaluate(pose)
    by_paper = pc.ContactPairing(ball, ball, law=LAW, depth="base_normal").evaluate(pose)
    areas, expected = (np.bincount(each.elements.base_triangle, each.elements.area) for each in (found, by_paper))
    np.testing.assert_allclose(areas, expected, rtol=1e-9, atol=1e-9 * expected.max())
    assert 8 < len(found.elements) == len(np.unique(found.elements.base_triangle))
    # Pressures are greatest at a vertex of the base.
    deepest = -ball.closest_points(ball.vertices - pose.position).distances.min()
    assert found.elements.peak_pressure.max() == pytest.approx(STIFFNESS * deepest, rel=1e-9)
    assert np.all(found.elements.peak_pressure >= found.elements.pressure)


def test_one_row_for_an_element_between_two_treatments() -> None:
    """Samples, three samples and cells fade into each other within a row: each base triangle has one, and one name."""
    rng = np.random.default_rng(6)
    e, f = (pc.shapes.sphere(0.1, 2).transformed(rotation=turned(k)) for k in (1, 2))
    pair = pc.ContactPairing(e, f, law=LAW)
    refined = Tally()
    for _ in range(30):
        way = rng.normal(size=3)
        found = pair.evaluate(pc.RelativeKinematics(position=rng.uniform(0.165, 0.185) * way / np.linalg.norm(way)))
        rows = found.elements
        names = set(zip(rows.side.tolist(), rows.base_triangle.tolist(), rows.part.tolist(), strict=True))
        assert len(names) == len(rows)
        refined.note(len(rows) == len(np.unique(rows.base_triangle)) > 8)
    refined.assert_share(0.5)


def test_what_is_missed_goes_with_the_tolerance() -> None:
    """Force over poses of coarse balls, against that with all elements divided along facets."""
    rng = np.random.default_rng(5)
    e, f = (pc.shapes.sphere(0.1, 2).transformed(rotation=turned(k)) for k in (1, 2))
    errors = []
    for tolerance in (2e-2, 5e-3, 1e-3):
        pair, exact = (
            pc.ContactPairing(e, f, law=LAW, method=pc.contact.PolygonalMethod(tolerance=each))
            for each in (tolerance, 1e-9)
        )
        ways = rng.normal(size=(40, 3))
        places = ways * rng.uniform(0.165, 0.185, (40, 1)) / np.linalg.norm(ways, axis=1, keepdims=True)
        forces = [(pair.wrench(np.eye(3), p)[:3], exact.wrench(np.eye(3), p)[:3]) for p in places]
        errors.append(np.median([np.linalg.norm(a - b) / np.linalg.norm(b) for a, b in forces]))
    assert errors[0] < 2e-2
    assert errors[1] < 5e-3
    assert errors[2] < 1e-3
    assert errors[2] < errors[1] < errors[0]


@pytest.mark.parametrize("family", [Family.SLIGHT, Family.MULTIPATCH])
def test_what_is_missed_of_coarse_bubbles(family: Family) -> None:
    """Of aligned meshes all elements err alike: rows of bubbles lose no more than those in any position."""
    e, f = surfaces_for(family, 950)
    usual, exact = (pc.ContactPairing(e, f, law=LAW, method=method) for method in (pc.contact.PolygonalMethod(), EXACT))
    missed = []
    for pose in cold_poses(family, e, 20, 7):
        found, expected = (pair.wrench(pose.rotation, pose.position)[:3] for pair in (usual, exact))
        missed.append(np.linalg.norm(found - expected) / np.linalg.norm(expected))
    # A half of the usual tolerance, 5e-3, and once and a half of it at worst.
    assert np.sqrt(np.mean(np.square(missed))) < 2.5e-3
    assert np.max(missed) < 7.5e-3


def test_a_border_of_several_loops() -> None:
    """Edges of a square with a hole, in any order: two loops, whose areas add up; none where an edge is missing."""
    at = np.zeros((64, 8))
    loops = np.zeros((8, 2))
    outer = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    inner = np.array([(0.4, 0.4), (0.4, 0.6), (0.6, 0.6), (0.6, 0.4)])
    rings = [np.column_stack((ring, np.roll(ring, -1, axis=0), np.zeros(4))) for ring in (outer, inner)]
    edges = np.concatenate(rings)[np.random.default_rng(1).permutation(8)]
    n = link_border(edges, 0, 8, at, loops, 8)
    assert n == 2
    areas = [area_within(at, Polygon(int(first), int(count))) for first, count in loops[:2]]
    assert sum(areas) == pytest.approx(1.0 - 0.04)
    assert link_border(edges[1:], 0, 7, at, loops, 8) == 0  # open


def test_behind_a_concave_edge_samples_take_over() -> None:
    """A ball inside an L-shaped bar, where its concave edge is nearest, is pushed out towards that edge."""
    corners = np.array([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]], dtype=float)
    n = len(corners)
    vertices = np.concatenate([np.column_stack((corners, np.full(n, z))) for z in (0.0, 2.0)])
    cap = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    sides = [(i, (i + 1) % n, n + (i + 1) % n) for i in range(n)] + [(i, n + (i + 1) % n, n + i) for i in range(n)]
    triangles = [(a, c, b) for a, b, c in cap] + [(n + a, n + b, n + c) for a, b, c in cap] + sides
    bar = pc.Surface(vertices, triangles)
    assert bar.is_closed
    assert bar.volume == pytest.approx(10.0)
    # φ rises by one along its gradient, so the force is that on the volume.
    ball = pc.shapes.sphere(0.05, 2)
    place = np.array([0.75, 0.75, 1.0])
    found = pc.ContactPairing(ball, bar, law=LAW, base=pc.Base.E).evaluate(pc.RelativeKinematics(position=-place))
    towards = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
    expected = STIFFNESS * ball.volume * towards
    # φ bends over the ball with the distance from the edge, which changes the mean of its gradient by (r/φ)²/10.
    np.testing.assert_allclose(found.force, expected, rtol=0.0, atol=0.01 * np.linalg.norm(expected))


def test_polygons_that_outgrow_their_room_are_left_out() -> None:
    """A comb whose teeth are cut off has more corners than before; without room for them nothing is written."""
    teeth = 30
    comb = np.array([(k, float(k % 2)) for k in range(2 * teeth)] + [(2.0 * teeth, -1.0), (-1.0, -1.0)])
    n = len(comb)
    for room, expected in ((3 * n, 3 * teeth), (3 * n - 1, 0)):
        at = np.full((room, N_COLUMNS), np.nan)
        at[:n, :2] = comb
        at[:n, FIRST_VALUE : FIRST_VALUE + 4] = 0.0
        fill(at[:n], Polygon(0, n), Linear(0.5, 0.0, -1.0))  # below one half
        found = clip(at, Polygon(0, n), SCRATCH, n)
        assert (found.n > n and found.n >= expected) if expected else found.n == 0
