"""Triangle pairs have no node or two, and polygons close: in general, aligned and coplanar poses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import polycontact as pc
from scenes import Tally, assert_polygons_close, examples, pairing, random_rotation, rotation, segment_set

RELAXED = settings(deadline=None, derandomize=True, max_examples=examples(60))
IDENTITY = np.eye(3)
pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")

SHAPES = {
    "box": pc.shapes.box((0.3, 0.3, 0.3)),
    "gridded box": pc.shapes.box((0.3, 0.3, 0.3), 4),
    "sphere": pc.shapes.sphere(0.2, 2),
    "torus": pc.shapes.torus(0.2, 0.08, 16, 10),
    "bubble": pc.shapes.bubble(11, 9),
    "cylinder": pc.shapes.cylinder(0.15, 0.3, segments=12, rings=3, cap_rings=2),
}


def assert_closes(pair: pc.ContactPairing, R: NDArray[np.float64], r: NDArray[np.float64]) -> bool:
    """Whether the surfaces meet, with polygons that close."""
    assert np.isfinite(pair.wrench(R, r)).all()
    assert_polygons_close(pair)
    return bool(segment_set(pair))


@pytest.mark.parametrize("e", SHAPES)
@pytest.mark.parametrize("f", SHAPES)
def test_random_poses(e: str, f: str) -> None:
    rng = np.random.default_rng(len(e) + 31 * len(f))
    pair = pairing(SHAPES[e], SHAPES[f], base=pc.Base.BOTH)
    meeting = Tally()
    for _ in range(12):
        meeting.note(assert_closes(pair, random_rotation(rng), rng.uniform(-0.2, 0.2, 3)))
    meeting.assert_share(0.5)


def stacked_positions(step: float) -> list[NDArray[np.float64]]:
    """A box of edge 0.3 m on another: contacts of faces, edges and vertices, in six directions."""
    offsets = [k * step for k in range(-4, 5)]
    out = []
    for axis in range(3):
        for sign in (-0.3, 0.3):
            for a in offsets[::2]:
                for b in offsets[::2]:
                    out.append(np.roll([sign, a, b], axis))
    return out


@pytest.mark.parametrize("divisions", [1, 3, 4])
def test_aligned_stacks_of_gridded_boxes(divisions: int) -> None:
    e = pc.shapes.box((0.3, 0.3, 0.3), divisions)
    f = pc.shapes.box((0.3, 0.3, 0.3), 4)
    pair = pairing(e, f, base=pc.Base.BOTH)
    meeting = Tally()
    for r in stacked_positions(0.075):
        meeting.note(assert_closes(pair, IDENTITY, r))
    meeting.assert_share(0.3)  # by the rule for ties half of the faces that touch are apart, and more of the edges


@pytest.mark.parametrize("divisions", [1, 4])
def test_overlapping_boxes_with_coplanar_sides(divisions: int) -> None:
    pair = pairing(pc.shapes.box((0.3, 0.3, 0.3), divisions), pc.shapes.box((0.3, 0.3, 0.3), 4), base=pc.Base.BOTH)
    for r in np.ndindex(5, 5, 5):
        assert_closes(pair, IDENTITY, 0.075 * (np.array(r, dtype=float) - 2.0))


@pytest.mark.parametrize("offset", [(0.0, 0.0, 0.0), (1.0, -2.0, 3.0)])
@pytest.mark.parametrize("seed", range(4))
def test_commonly_rotated_stacks(seed: int, offset: tuple[float, float, float]) -> None:
    """The same rotation in both meshes leaves coplanar faces that differ by rounding only."""
    rng = np.random.default_rng(seed)
    Q = random_rotation(rng)
    box = pc.shapes.box((0.3, 0.3, 0.3), 4).transformed(Q, offset)
    pair = pairing(box, box, base=pc.Base.BOTH)
    for r in stacked_positions(0.075)[::3]:
        assert_closes(pair, IDENTITY, Q @ r)
    for r in np.ndindex(3, 3, 3):
        assert_closes(pair, IDENTITY, Q @ (0.075 * (np.array(r, dtype=float) - 1.0)))


@pytest.mark.parametrize("seed", range(3))
def test_rotated_meshes_turned_back_by_the_pose(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    Q = random_rotation(rng)
    box = pc.shapes.box((0.3, 0.3, 0.3), 3)
    pair = pairing(box, box.transformed(Q), base=pc.Base.BOTH)
    back = np.ascontiguousarray(Q.T)
    meeting = Tally()
    for r in stacked_positions(0.075)[::5]:
        meeting.note(assert_closes(pair, back, r))
    for k in np.ndindex(3, 3, 3):  # inside each other, some faces in common
        meeting.note(assert_closes(pair, back, 0.1 * (np.array(k, dtype=float) - 1.0)))
    meeting.assert_share(0.4)  # those inside each other; rounding leaves most of the stacks apart


@pytest.mark.parametrize("name", SHAPES)
def test_identical_surfaces(name: str) -> None:
    shape = SHAPES[name]
    pair = pairing(shape, shape, base=pc.Base.BOTH)
    assert_closes(pair, IDENTITY, np.zeros(3))
    for axis in np.eye(3):
        for quarter in range(4):
            assert_closes(pair, np.rint(rotation(axis, 0.5 * np.pi * quarter)), np.zeros(3))
    tiny = np.nextafter(0.0, 1.0)
    for r in ((tiny, 0, 0), (0, -1e-300, 0), (1e-17, 1e-17, -1e-17), (1e-16, 0, 0)):
        assert_closes(pair, IDENTITY, np.array(r, dtype=float))


def test_vertex_on_face_and_on_edge_and_on_vertex() -> None:
    """A tetrahedron's tip on a grid over a box's top face, its edges and corners included."""
    tip = pc.Surface(
        [[0, 0, 0], [0.5, 0, 1], [-0.5, 0.5, 1], [-0.5, -0.5, 1]],
        [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
    )
    assert tip.volume > 0
    box = pc.shapes.box((2.0, 2.0, 2.0), 2)
    for e, f, sign in ((box, tip, 1.0), (tip, box, -1.0)):
        pair = pairing(e, f, base=pc.Base.BOTH)
        for x, y in np.ndindex(9, 9):
            for depth in (0.0, 0.25, 1.0, 2.0):
                r = sign * np.array([0.25 * x - 1.0, 0.25 * y - 1.0, 1.0 - depth])
                assert_closes(pair, IDENTITY, r)


def test_edge_on_edge() -> None:
    """Boxes turned by 45° whose edges cross, overlap lengthwise or meet end to end."""
    box = pc.shapes.box((1.0, 1.0, 1.0), 2)
    half = np.sqrt(0.5)
    meeting = Tally()
    for axis in np.eye(3):
        R = rotation(axis, 0.25 * np.pi)
        pair = pairing(box, box, base=pc.Base.BOTH)
        for direction in (*np.eye(3), *-np.eye(3)):
            for along in (-1.0, -0.5, 0.0, 0.25, 1.0):
                for reach in (0.5 + half, 1.0, 2.0 * half):
                    meeting.note(assert_closes(pair, R, reach * direction + along * axis))
    meeting.assert_share(0.35)  # others touch, and are apart by the rule for ties, or miss each other


def test_slightly_disturbed_coincidences_at_all_scales() -> None:
    """Identical and stacked surfaces moved by noise of the size of rounding."""
    meeting = Tally()

    @RELAXED
    @given(st.sampled_from(sorted(SHAPES)), st.integers(0, 2**32 - 1), st.sampled_from([1e-9, 1e-4, 1.0, 1e6]))
    def check(name: str, seed: int, scale: float) -> None:
        rng = np.random.default_rng(seed)
        shape = SHAPES[name].scaled(scale)
        pair = pairing(shape, shape, base=pc.Base.BOTH)
        steps = rng.permutation([rng.integers(-1, 2), rng.integers(-1, 2) * rng.integers(2), 0])
        noise = scale * 10.0 ** rng.uniform(-18, -12)
        r = steps * np.ptp(shape.bounds, axis=0) + noise * rng.normal(size=3)
        R = rotation(rng.normal(size=3), 10.0 ** rng.uniform(-18, -12))
        meeting.note(assert_closes(pair, R, r))

    check()
    meeting.assert_share(0.5)


# An independent oracle: rational arithmetic, F really moved by (ε, ε², ε³), every pair of triangles.

STEP = Fraction(1, 10**9)
MOVE = (STEP, STEP**2, STEP**3)
Rational = list[Fraction]


def rational(surface: pc.Surface, r: NDArray[np.float64], move: tuple[Fraction, ...]) -> list[list[Rational]]:
    data = surface.contact_data
    points = [
        [Fraction(x) + Fraction(float(s)) + m for x, s, m in zip(v, r, move, strict=True)]
        for v in data.vertices.tolist()
    ]
    return [[points[i] for i in t] for t in data.triangles.tolist()]


def determinant(a: Rational, b: Rational, c: Rational, d: Rational) -> Fraction:
    u, v, w = ([x - y for x, y in zip(p, a, strict=True)] for p in (b, c, d))
    return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2]


def sides_through(x: list[Rational], y: list[Rational]) -> set[int]:
    """Sides of triangle x that pierce triangle y."""
    heights = [determinant(*y, p) for p in x]
    assert all(heights)
    out = set()
    for i in range(3):
        a, b = x[i], x[(i + 1) % 3]
        if (heights[i] > 0) != (heights[(i + 1) % 3] > 0):
            hands = {determinant(a, b, y[k], y[(k + 1) % 3]) > 0 for k in range(3)}
            if len(hands) == 1:
                out.add(i)
    return out


def nodes_by_moving_f(e: pc.Surface, f: pc.Surface, r: NDArray[np.float64]) -> dict[tuple[int, int], set[int]]:
    found = {}
    triangles_f = rational(f, r, MOVE)
    for t, x in enumerate(rational(e, np.zeros(3), (Fraction(0),) * 3)):
        for s, y in enumerate(triangles_f):
            if any(
                max(p[k] for p in x) < min(p[k] for p in y) or max(p[k] for p in y) < min(p[k] for p in x)
                for k in range(3)
            ):
                continue
            kinds = sides_through(x, y) | {3 + k for k in sides_through(y, x)}
            assert len(kinds) in (0, 2)
            if kinds:
                found[t, s] = kinds
    return found


@pytest.mark.parametrize(
    "r",
    [
        (0, 0, 0),
        (2, 0, 0),
        (0, -2, 0),
        (0, 0, 2),
        (2, 2, 0),
        (2, -2, 2),
        (1, 0, 0),
        (1, 1, 0),
        (-1, 1, 1),
        (1, 2, 0),
        (0, 1, -2),
    ],
)
def test_segments_on_an_integer_grid_are_those_of_a_truly_moved_surface(r: tuple[int, int, int]) -> None:
    cube = pc.shapes.box((2.0, 2.0, 2.0))
    octahedron = pc.shapes.sphere(1.0, 0)
    wedge = pc.Surface(
        [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, 0, 1], [1, 0, 1]],
        [[0, 2, 1], [0, 3, 2], [0, 1, 5], [0, 5, 4], [2, 3, 4], [2, 4, 5], [1, 2, 5], [3, 0, 4]],
    )
    for e, f in ((cube, cube), (cube, wedge), (wedge, wedge), (octahedron, cube)):
        position = np.array(r, dtype=float)
        pair = pairing(e, f)
        pair.wrench(IDENTITY, position)
        found = {(t, s): {a, b} for t, s, a, b in segment_set(pair)}
        assert found == nodes_by_moving_f(e, f, position)
