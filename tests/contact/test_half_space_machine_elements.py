"""Half-spaces in machine elements: load distribution of bearings after Sjövall, the line contact of a roller."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import polycontact as pc

STEEL = pc.HalfSpaceLaw(youngs_modulus=210e9, poissons_ratio=0.3)
RADIUS, LENGTH = 0.01, 0.02
PLATE = pc.shapes.plane(0.1)


def force_at(body: pc.Surface, law: pc.LayerLaw | pc.HalfSpaceLaw) -> Callable[[float], float]:
    """Force (N) of a body whose lowest point is the origin, pressed into a plate by a depth (m)."""
    pairing = pc.ContactPairing(body, PLATE, base=pc.Base.E, law=law)
    return lambda depth: float(pairing.wrench(np.eye(3), np.array([1e-6, 1e-6, depth]))[2]) if depth > 0.0 else 0.0


def lifted(size: tuple[float, float], divisions: tuple[int, int], is_ball: bool) -> pc.Surface:
    """The lower side of a ball, or of a roller along y, of the volume of the body: h²/(12 R) lower for each side h."""
    flat = pc.shapes.plane(size, divisions)
    vertices = flat.vertices.copy()
    for axis in range(2 if is_ball else 1):
        step = size[axis] / divisions[axis]
        vertices[:, 2] += vertices[:, axis] ** 2 / (2.0 * RADIUS) - step * step / (12.0 * RADIUS)
    return pc.Surface(vertices, np.ascontiguousarray(flat.triangles[:, ::-1]))


def ball(depth: float, n: int) -> pc.Surface:
    width = 2.2 * math.sqrt(2.0 * RADIUS * depth)
    return lifted((width, width), (n, n), True)


def roller(depth: float, n: tuple[int, int]) -> pc.Surface:
    return lifted((2.2 * math.sqrt(2.0 * RADIUS * depth), LENGTH), n, False)


def greatest_share(force: Callable[[float], float], deepest: float, loaded: float, n_balls: int = 24) -> float:
    """Q_max Z/F of a radial bearing with rigid rings, one rolling element below the load.

    ``loaded``: ε = ½ (1 − clearance over the greatest depth and half the clearance); depths are
    δ_max (1 − (1 − cos ψ)/(2 ε)).
    """
    angles = 2.0 * math.pi * np.arange(n_balls) / n_balls
    loads = [force(deepest * (1.0 - (1.0 - math.cos(angle)) / (2.0 * loaded))) for angle in angles]
    return loads[0] * n_balls / float(np.dot(loads, np.cos(angles)))


def sjoevall(exponent: float, loaded: float) -> float:
    """1/J_r, J_r = 1/2π ∫ (1 − (1 − cos ψ)/(2 ε))ⁿ cos ψ dψ where the base is positive (Sjövall 1933)."""
    angles = np.linspace(-math.pi, math.pi, 200001)
    depths = np.maximum(1.0 - (1.0 - np.cos(angles)) / (2.0 * loaded), 0.0)
    return 1.0 / float(np.mean(depths[:-1] ** exponent * np.cos(angles[:-1])))


def test_sjoevalls_integrals_are_those_of_the_tables() -> None:
    assert sjoevall(1.5, 0.5) == pytest.approx(4.37, abs=0.01)  # point contact
    assert sjoevall(2.0, 0.5) == pytest.approx(4.71, abs=0.01)  # balls on a layer, whose force goes with δ²
    assert sjoevall(10.0 / 9.0, 0.5) == pytest.approx(4.08, abs=0.01)  # line contact, Palmgren's exponent


@pytest.mark.parametrize("loaded", [0.3, 0.5, 0.8])
def test_load_distribution_of_a_ball_bearing(loaded: float) -> None:
    """Over clearances: 0.5 is none, less is a clearance, more a preload. 24 balls in the place of the integral."""
    depth = 2e-5
    found = greatest_share(force_at(ball(depth, 20), STEEL), depth, loaded)
    assert found == pytest.approx(sjoevall(1.5, loaded), rel=0.01)
    layer = greatest_share(force_at(ball(depth, 20), pc.LayerLaw(stiffness=1e13)), depth, loaded)
    assert layer == pytest.approx(sjoevall(2.0, loaded), rel=0.01)
    assert layer > found  # soft where it is shallow: the layer overestimates the greatest load


def test_load_distribution_of_a_roller_bearing() -> None:
    """Palmgren's exponent 10/9 is an approximation of the line contact's logarithm."""
    depth = 8e-6
    found = greatest_share(force_at(roller(depth, (16, 12)), STEEL), depth, 0.5)
    assert found == pytest.approx(4.08, rel=0.015)


@pytest.mark.parametrize("depth", [2e-6, 8e-6])
def test_logarithm_of_the_line_contact(depth: float) -> None:
    """δ = F'/(π E*) (2 ln(2L/b) + 1), b² = 4F'R/(π E*): an even line load on a half-space, in its middle.

    The end of a cylinder of finite length carries more: the middle has the load of the even one within 2 %.
    """
    modulus = STEEL.modulus

    def depth_of(load: float) -> float:
        b = math.sqrt(4.0 * load * RADIUS / (math.pi * modulus))
        return load / (math.pi * modulus) * (2.0 * math.log(2.0 * LENGTH / b) + 1.0)

    low, high = 1e2, 1e9
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if depth_of(middle) < depth else (low, middle)
    body = roller(depth, (16, 24))
    pairing = pc.ContactPairing(body, PLATE, base=pc.Base.E, law=STEEL)
    found = pairing.evaluate(pc.RelativeKinematics(position=(1e-6, 1e-6, depth))).elements
    inner = np.abs(found.position[:, 1]) < LENGTH / 8.0
    load = float(found.force[inner, 2].sum()) / (LENGTH / 4.0)
    assert load == pytest.approx(low, rel=0.02)
    ends = np.abs(found.position[:, 1]) > 0.48 * LENGTH
    assert found.pressure[ends].max() > 1.3 * found.pressure[inner].max()  # why rollers are crowned
