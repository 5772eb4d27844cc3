"""The independent integral of the stored energy itself: closed forms, and distances of another program."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from proof.properties.distance_integral import integrate_distance
from proof.properties.stored_energy import overlap_parts, stored_energy
from proof.properties.triangle_distances import distances

pytest.importorskip("manifold3d")
C = 1e7
LAW = pc.LayerLaw(stiffness=C)
Array = NDArray[np.float64]


def energy(e: pc.Surface, f: pc.Surface, position: tuple[float, float, float], base: pc.Base, accuracy: float) -> float:
    pairing = pc.ContactPairing(e, f, law=LAW, base=base)
    return stored_energy(pairing, pc.RelativeKinematics(position=position), accuracy=accuracy)


def test_boxes_over_a_corner() -> None:
    """∫ min(x, y, z) over a cuboid a, b, u at the target's corner is ∫ (a - t)(b - t)(u - t) dt up to u."""
    a, b, u = 0.2, 0.15, 0.02
    box, table = pc.shapes.box((0.4, 0.4, 0.2)), pc.shapes.box((1.0, 1.0, 0.1))
    exact = np.polynomial.Polynomial([1.0])
    for length in (a, b, u):
        exact = exact * np.polynomial.Polynomial([length, -1.0])
    position = (a - 0.7, b - 0.7, u - 0.15)
    found = {
        accuracy: energy(box, table, position, pc.Base.E, accuracy) / (C * float(exact.integ()(u))) - 1.0
        for accuracy in (1e-1, 1e-2, 1e-3)
    }
    for accuracy, off in found.items():
        assert abs(off) < 0.05 * accuracy  # cells err to both sides


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pytest.param(pc.Base.BOTH, marks=pytest.mark.slow)])
def test_ball_on_a_plate(base: pc.Base) -> None:
    """With the ball as the base the depth is linear: c·V times the depth of the centroid of the overlap."""
    trimesh = pytest.importorskip("trimesh")
    ball, plate = pc.shapes.sphere(0.1, 3), pc.shapes.box((1.0, 1.0, 0.2), (3, 3, 1))
    position = (0.011, 0.007, -0.2 + 0.02)
    found = energy(ball, plate, position, base, 1e-3)
    (part,) = overlap_parts((ball.vertices, ball.triangles), (plate.vertices + position, plate.triangles))
    cap = trimesh.Trimesh(*part)
    as_base = C * cap.volume * (-0.08 - cap.center_mass[2])
    # The plate as the base: ∫ (R - ρ) dV of the cap, its facets some 0.7 % within the sphere.
    depth, height = 0.02, 0.08
    as_target = C * np.pi * (0.1 * depth**2 * (0.1 - depth / 3.0) - _moment_of_cap(0.1, height))
    expected = {pc.Base.E: as_base, pc.Base.F: as_target, pc.Base.BOTH: 0.5 * (as_base + as_target)}[base]
    assert found == pytest.approx(expected, rel=1e-9 if base is pc.Base.E else 0.05)


def _moment_of_cap(radius: float, height: float) -> float:
    """∫ ρ dV / π of the cap above ``height``: 2 ∫ ρ³ (1 - h/ρ) dρ from h to R, by shells about the centre."""
    return 2.0 * ((radius**4 - height**4) / 4.0 - height * (radius**3 - height**3) / 3.0)


@pytest.mark.slow
def test_curved_overlap() -> None:
    """A ball in a hollow, whose overlap is a bowl: whole, its tetrahedra would count 18 times its volume."""
    ball, cup = pc.shapes.sphere(0.098, 2), pc.shapes.spherical_cup(0.1, 0.05, segments=24)
    raised = cup.vertices + np.array([0.0, 0.0, 0.01])
    parts = overlap_parts((ball.vertices, ball.triangles), (raised, cup.triangles))
    target = raised[cup.triangles]
    assert len(parts) > 4  # it was cut
    rough, fine = (
        sum(integrate_distance(*part, target, accuracy=accuracy).value for part in parts) for accuracy in (1e-1, 1e-2)
    )
    assert rough == pytest.approx(fine, rel=2e-3)


def test_distances_are_those_of_trimesh() -> None:
    triangles = pytest.importorskip("trimesh.triangles")
    rng = np.random.default_rng(1)
    points, corners = rng.normal(size=(2000, 3)), rng.normal(size=(2000, 3, 3))
    corners[:200, 2] = 0.3 * corners[:200, 0] + 0.7 * corners[:200, 1]  # needles
    found = distances(points, corners, np.arange(2000), np.arange(2001))
    expected = np.linalg.norm(triangles.closest_point(corners, points) - points, axis=1)
    assert found == pytest.approx(expected, abs=1e-9)


def test_what_has_no_such_energy_is_refused() -> None:
    ball = pc.shapes.sphere(0.1, 1)
    pairing = pc.ContactPairing(ball, ball, law=LAW, depth="base_normal")
    with pytest.raises(pc.ContactError, match="distance"):
        stored_energy(pairing, pc.RelativeKinematics())
