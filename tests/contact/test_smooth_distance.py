"""Distances of surfaces given by formulas: closed forms, scipy over all directions, coal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import coal
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import polycontact as pc
from polycontact.contact import ImplicitMethod, ParametricMethod

Array = NDArray[np.float64]
LAW = pc.LayerLaw(stiffness=1e5)
ROUNDING = 1e-12
"""m: distances of bodies below a metre; the error of a common normal enters with its square, 1e-16."""


def pairing(e: Any, f: Any) -> pc.ContactPairing:
    is_parametric = any(isinstance(each, pc.parametric.UserSurface.__mro__[1]) for each in (e, f))
    return pc.ContactPairing(e, f, method=ParametricMethod() if is_parametric else ImplicitMethod(), law=LAW)


def poses(seed: int, n: int, reach: float, least: float = 0.0) -> list[tuple[Array, Array]]:
    """Random rotations, and positions at random distances in random directions."""
    rng = np.random.default_rng(seed)
    made = []
    for R in Rotation.random(n, random_state=rng).as_matrix():
        direction = rng.normal(size=3)
        made.append((R, rng.uniform(least, reach) * direction / np.linalg.norm(direction)))
    return made


def support_of_ellipsoid(axes: Any) -> Callable[[Array], Array]:
    """max n·x over the body, for each row n."""
    return lambda n: np.asarray(np.linalg.norm(n * np.array(axes), axis=-1))


def support_of_super_ellipsoid(axes: Any, p: float, q: float) -> Callable[[Array], Array]:
    """The dual norms of the gauge function, with exponents p/(p-1) and q/(q-1)."""

    def support(n: Array) -> Array:
        x, y, z = np.abs(np.moveaxis(n * np.array(axes), -1, 0))
        s, t = p / (p - 1), q / (q - 1)
        return np.asarray((x**s + (y**t + z**t) ** (s / t)) ** (1 / s))

    return support


_K = np.arange(2000) + 0.5
_POLAR, _TURN = np.arccos(1 - _K / 1000), math.pi * (1 + math.sqrt(5)) * _K
DIRECTIONS = np.column_stack((np.cos(_TURN) * np.sin(_POLAR), np.sin(_TURN) * np.sin(_POLAR), np.cos(_POLAR)))


def convex_distance(of_e: Any, of_f: Any, R: Array, r: Array) -> float:
    """Signed distance of convex bodies: the greatest gap between their supporting planes over all directions."""

    def gap(n: Array) -> Array:
        return np.asarray(n @ r - of_e(n) - of_f(-n @ R))

    gaps = gap(DIRECTIONS)
    best = -math.inf
    for i in np.argsort(-gaps)[:6]:
        found = minimize(lambda x: -gap(x / np.linalg.norm(x)), DIRECTIONS[i], method="BFGS", options={"gtol": 1e-10})
        best = max(best, -float(found.fun))
    return best


def check_witnesses(found: pc.contact.Distance) -> None:
    """Points and normal tell the same distance."""
    np.testing.assert_allclose(found.point_f - found.point_e, found.distance * found.normal, atol=1e-8)
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-12)


BALLS = [
    (pc.parametric.Ellipsoid, pc.parametric.Ellipsoid),
    (pc.implicit.Sphere, pc.implicit.Sphere),
    (pc.parametric.Ellipsoid, pc.implicit.Sphere),
    (pc.implicit.Sphere, pc.parametric.Ellipsoid),
]


@pytest.mark.parametrize(("of_e", "of_f"), BALLS)
def test_two_balls(of_e: Any, of_f: Any) -> None:
    pair = pairing(of_e(0.3), of_f(0.1))
    for R, r in poses(0, 40, 0.8, 0.05):
        found = pair.distance(R, r)
        length = np.linalg.norm(r)
        assert found.distance == pytest.approx(length - 0.4, abs=ROUNDING)
        np.testing.assert_allclose(found.normal, r / length, atol=1e-7)
        check_witnesses(found)


@pytest.mark.parametrize("plane", [pc.parametric.Plane(2.0), pc.implicit.HalfSpace(2.0)])
def test_ellipsoid_and_plane(plane: Any) -> None:
    """Height of the centre less the root of nᵀAn, also where the ellipsoid stands on a pole of either chart."""
    axes = (0.1, 0.2, 0.3)
    bodies = (pc.parametric.Ellipsoid(axes), pc.implicit.SuperEllipsoid(axes, 2.0))
    turns = [R for R, _ in poses(1, 40, 1.0)]
    turns += [Rotation.from_euler("x", 90 * k, degrees=True).as_matrix() for k in range(4)]
    turns += [Rotation.from_euler("y", 90, degrees=True).as_matrix(), np.eye(3)]
    turns += [Rotation.from_euler("x", tilt).as_matrix() for tilt in (1e-12, 1e-8, 1e-4)]
    for body in bodies:
        pair = pairing(plane, body)
        for R in turns:
            r = np.array([0.1, -0.2, 0.25])
            found = pair.distance(R, r)
            assert found.distance == pytest.approx(0.25 - math.sqrt((R[2] ** 2 * np.square(axes)).sum()), abs=ROUNDING)
            check_witnesses(found)


@pytest.mark.parametrize("axes", [((0.1, 0.2, 0.3), (0.3, 0.1, 0.15)), ((0.05, 0.3, 0.3), (0.02, 0.2, 0.3))])
@pytest.mark.parametrize("kind", ["parametric", "implicit"])
def test_two_ellipsoids(axes: Any, kind: str) -> None:
    """Against the greatest gap over all directions, from far apart to one through the middle of the other."""
    a, b = axes
    made = pc.parametric.Ellipsoid if kind == "parametric" else lambda axes: pc.implicit.SuperEllipsoid(axes, 2.0)
    pair = pairing(made(a), made(b))
    for R, r in poses(2, 40, 0.75):
        expected = convex_distance(support_of_ellipsoid(a), support_of_ellipsoid(b), R, r)
        found = pair.distance(R, r)
        assert found.distance == pytest.approx(expected, abs=1e-9)  # of BFGS
        check_witnesses(found)


def coal_distance(e: Any, f: Any, R: Array, r: Array) -> float:
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-9
    return float(coal.distance(e, coal.Transform3s(), f, coal.Transform3s(R, r), request, coal.DistanceResult()))


def test_separate_ellipsoids_against_coal() -> None:
    a, b = (0.1, 0.2, 0.3), (0.3, 0.1, 0.15)
    pair = pairing(pc.parametric.Ellipsoid(a), pc.parametric.Ellipsoid(b))
    for R, r in poses(3, 60, 1.5, 0.7):
        expected = coal_distance(coal.Ellipsoid(*a), coal.Ellipsoid(*b), R, r)
        assert pair.distance(R, r).distance == pytest.approx(expected, abs=1e-7)  # coal's iterations end at about 1e-9


def test_rounded_boxes_against_coal() -> None:
    """A super-ellipsoid lies inside its box, and no deeper than 9.3 % of a semi-axis times √3: its corner."""
    a, b = (0.1, 0.2, 0.3), (0.2, 0.2, 0.1)
    pair = pairing(pc.implicit.SuperEllipsoid(a), pc.implicit.SuperEllipsoid(b))
    boxes = [coal.Box(*(2 * each for each in axes)) for axes in (a, b)]
    corners = sum(float(np.linalg.norm(axes)) * (1 - 3 ** (-1 / 20)) for axes in (a, b))
    for R, r in poses(4, 40, 1.5, 0.8):
        sharp = coal_distance(*boxes, R, r)
        assert sharp - 1e-7 <= pair.distance(R, r).distance <= sharp + corners


@pytest.mark.parametrize(("p", "q"), [(20.0, 20.0), (20.0, 2.0), (100.0, 100.0), (8.0, 3.0)])
def test_super_ellipsoid_on_a_plane(p: float, q: float) -> None:
    """By its support function: faces, edges and corners down, and tilted a little from each."""
    axes = (0.3, 0.1, 0.2)
    pair = pairing(pc.implicit.HalfSpace(4.0), pc.implicit.SuperEllipsoid(axes, p, q))
    support = support_of_super_ellipsoid(axes, p, q)
    turns = [R for R, _ in poses(5, 40, 1.0)]
    turns += [Rotation.from_euler("x", tilt).as_matrix() for tilt in (0.0, 1e-6, 1e-3, 0.01, 0.1, 0.3, math.pi / 4)]
    for R in turns:
        found = pair.distance(R, np.array([0.0, 0.0, 0.3]))
        assert found.distance == pytest.approx(0.3 - float(support(-R[2])), abs=1e-10)  # of flat faces: 0.1 m · 1e-9


@pytest.mark.slow
def test_two_rounded_boxes() -> None:
    a, b = (0.1, 0.2, 0.3), (0.2, 0.2, 0.1)
    pair = pairing(pc.implicit.SuperEllipsoid(a), pc.implicit.SuperEllipsoid(b))
    of_e, of_f = support_of_super_ellipsoid(a, 20, 20), support_of_super_ellipsoid(b, 20, 20)
    for R, r in poses(6, 20, 0.7, 0.25):
        assert pair.distance(R, r).distance == pytest.approx(convex_distance(of_e, of_f, R, r), abs=1e-6)  # of BFGS


def test_the_equations_of_the_paper() -> None:
    """n^a + λ₁ n^b = 0 and r^b − r^a = λ₂ n^a, with normals by other formulas (S4.22, S4.25)."""
    a, b = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.1, 0.15])
    for made in (pc.parametric.Ellipsoid, lambda axes: pc.implicit.SuperEllipsoid(axes, 2.0)):
        pair = pairing(made(tuple(a)), made(tuple(b)))
        for R, r in poses(7, 20, 0.9, 0.2):
            found = pair.distance(R, r)
            x_f = R.T @ (found.point_f - r)
            n_a, n_b = found.point_e / a**2, R @ (x_f / b**2)
            assert ((found.point_e / a) ** 2).sum() == pytest.approx(1.0, abs=1e-12)
            assert ((x_f / b) ** 2).sum() == pytest.approx(1.0, abs=1e-12)
            lambda_1 = np.linalg.norm(n_a) / np.linalg.norm(n_b)
            np.testing.assert_allclose(n_a + lambda_1 * n_b, 0.0, atol=1e-7 * np.linalg.norm(n_a))
            lambda_2 = found.distance / np.linalg.norm(n_a)
            np.testing.assert_allclose(found.point_f - found.point_e, lambda_2 * n_a, atol=1e-8)


def test_swapped_bodies() -> None:
    e, f = pc.parametric.CosineSurface(0.05, 1.0, size=(4.0, 1.0)), pc.parametric.Ellipsoid((0.1, 0.15, 0.12))
    there, back = pairing(e, f), pairing(f, e)
    for R, r in poses(8, 30, 1.0):
        r[1] *= 0.3
        r[2] = 0.3
        first, second = there.distance(R, r), back.distance(R.T, -R.T @ r)
        assert first.distance == pytest.approx(second.distance, abs=1e-10)
        np.testing.assert_allclose(R @ second.normal, -first.normal, atol=1e-6)


def test_ball_over_hills() -> None:
    """The nearest of several hills and valleys: the least distance of the centre from a finely divided curve."""
    amplitude, wavelength, radius = 0.1, 0.5, 0.08
    pair = pairing(pc.parametric.CosineSurface(amplitude, wavelength, (4.0, 1.0)), pc.parametric.Ellipsoid(radius))
    x = np.linspace(-2.0, 2.0, 400_001)
    curve = np.column_stack((x, amplitude * np.cos(2 * math.pi * x / wavelength)))
    rng = np.random.default_rng(9)
    for _ in range(60):
        at = rng.uniform(-1.5, 1.5)
        r = np.array([at, 0.1, amplitude * math.cos(2 * math.pi * at / wavelength) + rng.uniform(0.02, 0.5)])
        expected = np.linalg.norm(curve - r[[0, 2]], axis=1).min() - radius
        # A curve of chords of 1e-5 m: 1e-10 m off at most where the centre is 0.02 m from it.
        assert pair.distance(np.eye(3), r).distance == pytest.approx(expected, abs=1e-8)


def test_the_same_whatever_was_evaluated_before() -> None:
    e, f = pc.parametric.CosineSurface(0.1, 0.5, (4.0, 1.0)), pc.parametric.Ellipsoid((0.1, 0.05, 0.15))
    used = pairing(e, f)
    path = poses(10, 12, 0.6)
    for R, r in path:
        fresh = pairing(e, f).distance(R, r)
        again = used.distance(R, r)
        assert (fresh.distance, fresh.point_e.tolist()) == (again.distance, again.point_e.tolist())
        assert pairing(e, f).wrench(R, r).tolist() == used.wrench(R, r).tolist()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "ground", [pc.parametric.Ellipsoid((0.4, 0.2, 0.3)), pc.implicit.SuperEllipsoid((0.4, 0.2, 0.3))]
)
def test_contact_is_where_the_distance_is_negative(ground: Any) -> None:
    """Evaluations look only where bodies can overlap, distances everywhere: both find the same, down to touching."""
    body = pc.parametric.Ellipsoid((0.1, 0.05, 0.15))
    pair = pc.ContactPairing(ground, body, method=ParametricMethod(), law=LAW)
    touching = 0
    for R, r in poses(11, 150, 0.5, 0.2):
        apart = pair.distance(R, r)
        if apart.distance < -0.05:
            continue  # so deep that its way out may be unclear
        for gap in (apart.distance, 1e-9, -1e-9, -1e-4, -0.02):
            moved = r + (gap - apart.distance) * apart.normal
            load = np.linalg.norm(pair.wrench(R, moved)[:3])
            assert load == pytest.approx(1e5 * max(0.0, -gap), abs=1e-5)  # 1e5 N/m · 1e-10 m
            touching += gap < 0.0
    assert touching > 100
