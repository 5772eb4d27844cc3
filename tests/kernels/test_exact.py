"""Exact signs against rational arithmetic: never wrong, in degenerate position and at all scales."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polycontact.kernels.geometry.exact import BUFFER_LENGTH, cross_product_sign, orientation_sign
from polycontact.kernels.geometry.triangles import edge_sign, exact_edge_sign, exact_side, side_sign, side_values
from scenes import examples

RELAXED = settings(deadline=None, derandomize=True, max_examples=examples(300))
BUFFER = np.zeros(BUFFER_LENGTH)

Point = tuple[float, float, float]

SCALES = st.sampled_from([1e-9, 1e-6, 1e-3, 0.1, 1.0, 7.0, 1e3, 1e6])
UNIT = st.floats(-1.0, 1.0, allow_subnormal=False).map(lambda x: x if abs(x) > 1e-40 else 0.0)
GRID = st.integers(-3, 3).map(float)
TENTHS = st.integers(-10, 10).map(lambda k: 0.1 * k)


def points(n: int, coordinate: st.SearchStrategy[float]) -> st.SearchStrategy[list[Point]]:
    """n points whose coordinates share a scale."""
    point = st.tuples(coordinate, coordinate, coordinate)
    return st.tuples(SCALES, st.lists(point, min_size=n, max_size=n)).map(
        lambda pair: [(pair[0] * x, pair[0] * y, pair[0] * z) for x, y, z in pair[1]]
    )


@st.composite
def nearly_coplanar(draw: st.DrawFn) -> list[Point]:
    """Three points and a rounded combination of them, moved by a few units in the last place at most."""
    a, b, c = (np.array(p) for p in draw(points(3, UNIT)))
    s, t = draw(UNIT), draw(UNIT)
    d = a + s * (b - a) + t * (c - a)
    for axis in range(3):
        for _ in range(draw(st.integers(0, 2))):
            d[axis] = np.nextafter(d[axis], draw(st.sampled_from([-np.inf, np.inf])))
    return [tuple(float(x) if abs(x) > 1e-60 else 0.0 for x in p) for p in (a, b, c, d)]


def exact(p: Point) -> list[Fraction]:
    return [Fraction(x) for x in p]


def minus(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    return [x - y for x, y in zip(a, b, strict=True)]


def cross(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


def orientation(a: Point, b: Point, c: Point, d: Point) -> int:
    a_, b_, c_, d_ = map(exact, (a, b, c, d))
    normal = cross(minus(b_, a_), minus(c_, a_))
    return sign(sum((x * y for x, y in zip(normal, minus(d_, a_), strict=True)), Fraction(0)))


def first_sign(p: Point, q: Point, r: Point, s: Point) -> int:
    product = cross(minus(exact(q), exact(p)), minus(exact(s), exact(r)))
    return next((sign(x) for x in product if x != 0), 0)


ANY = st.one_of(points(4, UNIT), points(4, GRID), points(4, TENTHS), nearly_coplanar())


@RELAXED
@given(ANY)
def test_orientation_sign(p: list[Point]) -> None:
    assert orientation_sign(p[0], p[1], p[2], p[3], BUFFER) == orientation(*p)


@RELAXED
@given(ANY)
def test_cross_product_sign(p: list[Point]) -> None:
    assert cross_product_sign(p[0], p[1], p[2], p[3], BUFFER) == first_sign(*p)


@RELAXED
@given(ANY, st.booleans())
def test_side_of_a_face_is_the_exact_sign_with_the_tie_broken_by_moving_f(p: list[Point], face_of_f: bool) -> None:
    a, b, c, x = p
    tie = first_sign(a, b, a, c) * (-1 if face_of_f else 1)
    expected = orientation(a, b, c, x) or tie or 1
    assert exact_side(a, b, c, x, face_of_f, BUFFER) == expected
    values, bound = side_values(a, b, c, x, x, x)
    assert side_sign(values[0], bound, a, b, c, x, face_of_f, BUFFER) == expected


@RELAXED
@given(ANY)
def test_sign_of_two_edges_is_the_exact_sign_with_the_tie_broken_by_moving_f(p: list[Point]) -> None:
    a, b, c, d = p
    expected = orientation(a, b, c, d) or -first_sign(a, b, c, d) or 1
    assert exact_edge_sign(a, b, c, d, BUFFER) == expected
    assert edge_sign(a, b, c, d, BUFFER) == expected


def test_tie_break_is_the_sign_after_a_small_motion_of_f() -> None:
    """The rule against its meaning: F moved by (ε, ε², ε³) with a rational ε small enough."""
    rng = np.random.default_rng(1)
    step = Fraction(1, 10**6)
    move = [step, step**2, step**3]
    checked = 0
    for _ in range(400):
        p = [tuple(float(x) for x in row) for row in rng.integers(-2, 3, size=(4, 3))]
        if first_sign(p[0], p[1], p[0], p[2]) == 0 or first_sign(*p) == 0:
            continue
        a, b, c, d = map(exact, p)
        moved_d = [x + m for x, m in zip(d, move, strict=True)]
        moved_c = [x + m for x, m in zip(c, move, strict=True)]
        normal = cross(minus(b, a), minus(c, a))
        face_of_e = sign(sum((x * y for x, y in zip(normal, minus(moved_d, a), strict=True)), Fraction(0)))
        assert exact_side(*p, False, BUFFER) == face_of_e
        normal = cross(minus(b, a), minus(moved_c, a))
        edges = sign(sum((x * y for x, y in zip(normal, minus(moved_d, a), strict=True)), Fraction(0)))
        assert exact_edge_sign(*p, BUFFER) == edges
        checked += 1
    assert checked > 200


@pytest.mark.parametrize("scale", [1e-60, 1e-30, 1e-9, 1.0, 1e6, 1e30, 1e60])
def test_points_one_unit_in_the_last_place_off_a_plane(scale: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        corners = rng.uniform(-1.0, 1.0, size=(3, 3)) * scale
        weights = rng.dirichlet(np.ones(3))
        for direction in (-np.inf, np.inf):
            d = np.nextafter(weights @ corners, direction)
            p = [tuple(map(float, row)) for row in (*corners, d)]
            assert orientation_sign(*p, BUFFER) == orientation(*p)


def test_reversing_an_edge_or_a_face_reverses_the_sign() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        a, b, c, d = (tuple(map(float, row)) for row in rng.integers(-2, 3, size=(4, 3)))
        if first_sign(a, b, c, d) == 0:
            continue
        assert exact_edge_sign(a, b, c, d, BUFFER) == -exact_edge_sign(b, a, c, d, BUFFER)
        assert exact_edge_sign(a, b, c, d, BUFFER) == -exact_edge_sign(a, b, d, c, BUFFER)
        if first_sign(a, b, a, c):
            assert exact_side(a, b, c, d, True, BUFFER) == -exact_side(a, c, b, d, True, BUFFER)
