"""Bounds of comparisons: each rule against brute force, and all methods inside them; an error falls outside."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from polycontact.comparison.bounds import (
    Ball,
    Expected,
    cut_in_grid,
    profile_of,
    ring_integral,
    round_mesh,
    rounding_of_box,
    sum_error,
)
from polycontact.comparison.cases import box_on_plate, sphere_on_plate
from polycontact.comparison.compare import PairComparison, compare
from polycontact.comparison.subjects import Subject
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.errors import ContactError
from polycontact.surfaces import implicit, shapes
from polycontact.verification.closed_forms import cap_volume, plane_under_sphere

RADIUS, DEPTH = 0.1, 0.02

SUBJECTS = {
    "shallow ball": lambda: sphere_on_plate(0.1, 0.004, subdivisions=4, plate_divisions=80),
    "coarse ball": lambda: sphere_on_plate(0.1, 0.02, subdivisions=3, plate_divisions=40),
    "deep ball": lambda: sphere_on_plate(0.08, 0.02, subdivisions=4, turn=(1.1, 0.7, -0.4), plate_divisions=50),
    "ball on its vertex": lambda: sphere_on_plate(0.1, 0.01, subdivisions=4, turn=(0.0, 0.0, 0.0), plate_divisions=60),
    "flat box": lambda: box_on_plate(depth=0.01, plate_divisions=60),
    "coarse flat box": lambda: box_on_plate((0.1, 0.1, 0.1), 0.005, divisions=1, plate_divisions=50),
    "flat box, turned": lambda: box_on_plate(depth=0.004, turn=0.4, plate_divisions=60),
    "tilted box, bottom below": lambda: box_on_plate(depth=0.03, tilt=0.05, turn=0.2, plate_divisions=40),
    "tilted box, bottom cut": lambda: box_on_plate(depth=0.01, tilt=0.12, plate_divisions=40),
    "coarse tilted box": lambda: box_on_plate(depth=0.01, tilt=0.15, divisions=3, plate_divisions=40),
}
FINE = ("shallow ball", "deep ball", "ball on its vertex", "flat box")
"""Subjects whose meshes take their time."""
ALL_KNOWN = [name for name in SUBJECTS if "tilted" not in name]


def compared(subject: Subject) -> PairComparison:
    return compare(subject, rounds=0).pair()


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in FINE)) for name in SUBJECTS])
def test_every_method_is_within_its_bounds(name: str) -> None:
    pair = compared(SUBJECTS[name]())
    with_bounds = [row for row in pair.rows if isinstance(row.expected, Expected)]
    assert len(with_bounds) >= (len(pair.rows) if name in ALL_KNOWN else 12)
    assert not pair.outside, [(row.label, pair.normal_force(row), row.expected) for row in pair.outside]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ball on its vertex", "flat box"])
def test_a_pose_that_is_two_fifths_too_deep_falls_outside_everywhere(name: str) -> None:
    subject = SUBJECTS[name]()
    assert subject.exact is not None
    pair = compared(_deeper(subject, 0.4 * subject.exact.depth))
    assert len(pair.outside) == len(pair.rows)


@pytest.mark.slow
def test_a_tenth_of_a_millimetre_falls_outside_where_bounds_are_tight() -> None:
    pair = compared(_deeper(sphere_on_plate(subdivisions=5, plate_divisions=20), 1e-4))
    labels = {(row.label, row.trial.forms[0]) for row in pair.outside}
    assert ("polygonal, distance, clipped, base E", "mesh") in labels
    assert {("convex", "convex"), ("parametric", "parametric"), ("implicit", "implicit")} <= labels


def test_a_coarse_subject_that_is_two_fifths_too_deep_falls_outside_everywhere() -> None:
    subject = SUBJECTS["coarse ball"]()
    assert subject.exact is not None
    pair = compared(_deeper(subject, 0.4 * subject.exact.depth))
    assert len(pair.outside) == len(pair.rows)


def _deeper(subject: Subject, by: float) -> Subject:
    """The subject in another pose than its closed form is for; by so many metres."""
    assert subject.exact is not None
    R, r, *_ = subject.pose.arrays()
    return replace(subject, pose=RelativeKinematics(rotation=R, position=r + by * subject.exact.normal))


def test_profiles_add_up_to_closed_forms() -> None:
    ball = Ball(RADIUS, RADIUS - DEPTH)
    sums = {
        "displaced": cap_volume(RADIUS, DEPTH),
        "base_normal": math.pi * RADIUS * DEPTH**2,
        "distance": plane_under_sphere(1.0, RADIUS, DEPTH),
    }
    for load, exact in sums.items():
        found = ring_integral(profile_of(load, ball, ball), ball.reach)  # type: ignore[arg-type]
        assert found == pytest.approx(exact, rel=1e-9), load


@pytest.mark.parametrize("subdivisions", [2, 3, 4])
def test_a_ball_lies_between_its_two_spheres(subdivisions: int) -> None:
    ball = shapes.sphere(RADIUS, subdivisions)
    found = round_mesh(ball, RADIUS)
    corners = ball.vertices[ball.triangles]
    share = np.random.default_rng(1).dirichlet(np.ones(3), size=50)
    distance = np.linalg.norm(np.einsum("kc,tcx->tkx", share, corners), axis=2)
    assert RADIUS - found.sagitta <= distance.min()
    assert distance.max() <= RADIUS * (1.0 + 1e-12)
    assert distance.min() < RADIUS - 0.8 * found.sagitta  # and it is not much wider than need be
    directions = np.einsum("kc,tcx->tkx", share, corners) / distance[:, :, None]
    angle = np.arccos(np.clip(np.einsum("tkx,tx->tk", directions, ball.normals), -1.0, 1.0))
    assert angle.max() <= found.tilt + 1e-9


def _triangle_and_grid(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Corners, points that stand for equal areas, longest edge, area of a random triangle."""
    corners = generator.normal(size=(3, 2))
    n = 60
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    up = np.stack((i + 1 / 3, j + 1 / 3), axis=-1)[i + j < n]
    down = np.stack((i + 2 / 3, j + 2 / 3), axis=-1)[i + j < n - 1]
    b = np.concatenate((up, down)) / n
    points = corners[0] + b @ (corners[1:] - corners[0])
    edge = max(np.linalg.norm(corners[k] - corners[k - 1]) for k in range(3))
    area = 0.5 * abs(np.linalg.det(corners[1:] - corners[0]))
    return corners, points, float(edge), float(area)


def test_sums_are_off_by_no_more_than_derived() -> None:
    generator = np.random.default_rng(7)
    most = {"barycentre": 0.0, "whole": 0.0, "corner": 0.0}
    for _ in range(400):
        corners, points, edge, area = _triangle_and_grid(generator)
        g, level = generator.normal(size=2), 0.7 * generator.normal()
        middle = corners.mean(axis=0)

        def linear(x: np.ndarray, g: np.ndarray = g, at: np.ndarray = middle, c: float = level) -> np.ndarray:
            return (x - at) @ g + c

        slope = float(np.linalg.norm(g))
        inside = area * np.maximum(linear(points), 0.0).mean()
        slack = 2e-3 * area * slope * edge  # of the grid of 3600 points at the border
        whole = area * max(float(linear(middle)), 0.0) - inside
        corner = area * np.maximum(linear(corners), 0.0).mean() - inside
        assert abs(whole) <= sum_error("whole", edge, area, 0.0, slope, area).more + slack
        assert -slack <= corner <= sum_error("corner", edge, area, 0.0, slope, area).more + slack
        H = generator.normal(size=(2, 2))
        H = H + H.T
        bend = float(np.abs(np.linalg.eigvalsh(H)).max())

        def curved(x: np.ndarray, H: np.ndarray = H) -> np.ndarray:
            return 0.5 * np.einsum("...i,ij,...j->...", x, H, x)

        mean = area * curved(points).mean()
        slack = 2e-3 * area * bend * edge**2
        assert abs(area * curved(middle) - mean) <= sum_error("barycentre", edge, area, bend, 0.0, 0.0).more + slack
        assert abs(area * curved(corners).mean() - mean) <= sum_error("corner", edge, area, bend, 0.0, 0.0).more + slack
        most["whole"] = max(most["whole"], abs(whole) / (area * slope * edge))
        most["corner"] = max(most["corner"], corner / (area * slope * edge))
    assert most["whole"] > 0.25 * 5.0 / 27.0
    assert most["corner"] > 0.25 / 3.0


@pytest.mark.parametrize("turn", [0.0, 0.3, 0.7])
def test_squares_that_a_border_cuts(turn: float) -> None:
    n, a, b = 50, 0.31, 0.22
    side = 1.0 / n
    points = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, n + 1)] * 2, indexing="ij"), axis=-1)
    c, s = math.cos(turn), math.sin(turn)
    local = points @ np.array([[c, -s], [s, c]])
    outside = np.maximum(np.abs(local[..., 0]) - 0.5 * a, np.abs(local[..., 1]) - 0.5 * b)
    corners = np.stack([outside[i : n + i, j : n + j] for i in (0, 1) for j in (0, 1)])
    cut = ((corners.min(axis=0) < 0.0) & (corners.max(axis=0) > 0.0)).sum() * side**2
    spans = (a * c + b * s, a * s + b * c)
    bound = cut_in_grid(*spans, math.sqrt(2.0) * side)
    assert 0.4 * bound < cut <= bound


@pytest.mark.parametrize("exponent", [4.0, 20.0])
def test_rounded_box_against_its_picture(exponent: float) -> None:
    half = np.array([0.1, 0.075, 0.05])
    picture = implicit.SuperEllipsoid(tuple(half), exponent=exponent).picture
    generator = np.random.default_rng(3)
    for _ in range(20):
        normal = generator.normal(size=3)
        normal /= np.linalg.norm(normal)
        reach = float((picture.vertices @ normal).max())
        exact = float(half @ np.abs(normal)) - rounding_of_box(half, exponent, normal)
        assert exact - 2e-3 < reach <= exact + 1e-12  # vertices of the picture lie on it, some mm apart


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sphere_on_plate(depth=0.0), "depth is 0.0 m"),
        (lambda: sphere_on_plate(depth=float("nan")), "depth is nan m"),
        (lambda: sphere_on_plate(0.05, 0.06), "less than the radius 0.05 m"),
        (lambda: box_on_plate(tilt=0.3), "tilt is 0.3 rad"),
        (lambda: box_on_plate(depth=0.2), "depth is 0.2 m"),
    ],
)
def test_cases_refuse_what_has_no_closed_form(make: object, words: str) -> None:
    with pytest.raises(ContactError, match=words):
        make()  # type: ignore[operator]
