"""The closed forms themselves, by quadrature over the smooth surfaces."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from polycontact.verification import closed_forms as exact

C = 3e6


def over_cap(radius: float, edge: float, depth: Callable[[float], float]) -> float:
    """Force along the axis of the pressure C·depth(θ) on the cap of a sphere up to the angle ``edge``."""
    return quad(
        lambda angle: C * depth(angle) * math.cos(angle) * 2.0 * math.pi * radius**2 * math.sin(angle),
        0.0,
        edge,
        epsabs=0.0,
        epsrel=1e-11,
    )[0]


def depth_towards(radius: float, angle: float, inward: float, centre: float, target: float, inside: float) -> float:
    """Distance along the base's normal to a sphere about (0, centre), found as a root and not by formula.

    ``inward`` -1 walks to the centre of the base sphere, +1 away from it; ``inside`` +1 where the target is a
    ball, -1 where it is a hollow.
    """

    def beyond(s: float) -> float:
        rho = radius + inward * s
        return inside * (math.hypot(rho * math.sin(angle), rho * math.cos(angle) - centre) - target)

    assert beyond(0.0) <= 1e-15
    return 0.0 if beyond(0.0) >= 0.0 else brentq(beyond, 0.0, 0.9 * radius, xtol=1e-16)


@pytest.mark.parametrize("depth", [0.001, 0.02, 0.05])
def test_sphere_on_plane(depth: float) -> None:
    R = 0.1
    edge = math.acos(1.0 - depth / R)
    force = over_cap(R, edge, lambda angle: R - (R - depth) / math.cos(angle))
    assert exact.sphere_on_plane(C, R, depth) == pytest.approx(force, rel=1e-10)


@pytest.mark.parametrize("depth", [0.001, 0.02, 0.05])
def test_cap_volume(depth: float) -> None:
    R = 0.1
    volume = quad(lambda z: math.pi * (R * R - z * z), R - depth, R)[0]
    assert exact.cap_volume(R, depth) == pytest.approx(volume, rel=1e-10)


@pytest.mark.parametrize(("base", "target"), [(0.1, 0.07), (0.07, 0.1), (0.05, 0.05)])
def test_sphere_on_sphere(base: float, target: float) -> None:
    depth = 0.015
    distance = base + target - depth
    edge = math.acos((base**2 + distance**2 - target**2) / (2.0 * base * distance))
    force = over_cap(base, edge, lambda angle: depth_towards(base, angle, -1.0, distance, target, 1.0))
    assert exact.sphere_on_sphere(C, base, target, depth) == pytest.approx(force, rel=1e-8)


def test_large_sphere_is_a_plane() -> None:
    force = exact.sphere_on_sphere(C, 0.1, 1e4, 0.02)
    assert force == pytest.approx(exact.sphere_on_plane(C, 0.1, 0.02), rel=1e-4)


def test_ball_in_cup() -> None:
    R, S, e = 0.1, 0.102, 0.006
    edge = math.acos((S * S - R * R - e * e) / (2.0 * R * e))
    force = over_cap(R, edge, lambda angle: depth_towards(R, angle, -1.0, -e, S, -1.0))
    assert exact.ball_in_cup(C, R, S, e) == pytest.approx(force, rel=1e-8)


def test_cup_around_ball() -> None:
    R, S, e = 0.1, 0.102, 0.006
    edge = math.acos((S * S + e * e - R * R) / (2.0 * S * e))
    force = over_cap(S, edge, lambda angle: depth_towards(S, angle, 1.0, e, R, 1.0))
    assert exact.cup_around_ball(C, R, S, e) == pytest.approx(force, rel=1e-8)


def test_lying_cylinder_and_torus() -> None:
    r, depth, major = 0.03, 0.009, 0.1
    edge = math.acos(1.0 - depth / r)

    def ring(angle: float) -> float:
        """Pressure's vertical part times the torus' element of area."""
        u = r - (r - depth) / math.cos(angle)
        return C * u * math.cos(angle) * 2.0 * math.pi * (major + r * math.sin(angle)) * r

    force = quad(ring, -edge, edge)[0]
    assert exact.cylinder_on_plane(C, r, 2.0 * math.pi * major, depth) == pytest.approx(force, rel=1e-10)


def test_segment_area() -> None:
    area = quad(lambda z: 2.0 * math.sqrt(0.1**2 - z * z), 0.07, 0.1)[0]
    assert exact.segment_area(0.1, 0.03) == pytest.approx(area, rel=1e-8)


def test_cone_on_plane() -> None:
    alpha, depth = math.radians(60.0), 0.02

    def ring(slant: float) -> float:
        """Vertical part of the load of the ring at a distance from the tip."""
        u = (depth - slant * math.cos(alpha)) / math.sin(alpha)
        return C * u * math.sin(alpha) * 2.0 * math.pi * slant * math.sin(alpha)

    force = quad(ring, 0.0, depth / math.cos(alpha))[0]
    assert exact.cone_on_plane(C, alpha, depth) == pytest.approx(force, rel=1e-10)


@pytest.mark.parametrize("depth", [0.005, 0.001])
def test_tilted_rectangle(depth: float) -> None:
    a, b, tilt = 0.1, 0.06, math.radians(5.0)

    def pressure(x: float) -> float:
        return C * max(0.0, depth + x * math.sin(tilt)) / math.cos(tilt)

    kink = [-depth / math.sin(tilt)] if depth < 0.5 * a * math.sin(tilt) else None
    load = exact.tilted_rectangle(C, a, b, tilt, depth)
    force = quad(lambda x: b * pressure(x), -0.5 * a, 0.5 * a, points=kink)[0]
    torque = quad(lambda x: b * x * pressure(x), -0.5 * a, 0.5 * a, points=kink)[0]
    assert load.force == pytest.approx(force, rel=1e-10)
    assert load.torque == pytest.approx(torque, rel=1e-10)


@pytest.mark.parametrize("depth", [0.005, 0.001])
def test_plane_under_tilted_box(depth: float) -> None:
    """By going through the plane point by point: inside the box, with the bottom below."""
    a, b, tilt = 0.1, 0.06, math.radians(5.0)
    n = 200_000
    force = 0.0
    for i in range(n):
        x = (i + 0.5) / n * 0.14 - 0.07
        along = x * math.cos(tilt) - depth * math.sin(tilt)
        above = x * math.sin(tilt) + depth * math.cos(tilt)
        inside = abs(along) < 0.5 * a and above > 0.0
        over_bottom = abs(x) < 0.5 * a * math.cos(tilt)
        if inside and over_bottom:
            force += C * b * (depth + x * math.tan(tilt)) * 0.14 / n
    assert exact.plane_under_tilted_box(C, a, b, tilt, depth) == pytest.approx(force, rel=1e-4)


def test_spin_torque() -> None:
    mu, radius, pressure = 0.3, 0.05, 1e4
    torque = quad(lambda r: mu * pressure * r * 2.0 * math.pi * r, 0.0, radius)[0]
    normal_force = pressure * math.pi * radius**2
    assert exact.spin_torque(mu, normal_force, radius) == pytest.approx(torque, rel=1e-10)


@pytest.mark.parametrize("depth", [0.005, 0.001])
def test_displaced_by_tilted_box(depth: float) -> None:
    """By slices of the box along its width: what of each lies below the plane, and where."""
    a, b, height, tilt = 0.1, 0.06, 0.04, math.radians(5.0)
    n = 400
    volume = moment = 0.0
    for i in range(n):
        x = ((i + 0.5) / n - 0.5) * a
        for k in range(n):
            z = (k + 0.5) / n * height
            if -x * math.sin(tilt) + z * math.cos(tilt) < depth:
                volume += a * b * height / n**2
                moment += a * b * height / n**2 * (x * math.cos(tilt) + z * math.sin(tilt))
    found = exact.displaced_by_tilted_box(a, b, tilt, depth)
    assert found.volume == pytest.approx(volume, rel=2e-3)
    assert found.offset == pytest.approx(moment / volume, rel=2e-3)


def test_displaced_volume_is_what_the_face_carries() -> None:
    a, b, tilt, depth = 0.1, 0.06, math.radians(5.0), 0.001
    load = exact.tilted_rectangle(C, a, b, tilt, depth)
    assert C * exact.displaced_by_tilted_box(a, b, tilt, depth).volume == pytest.approx(load.force, rel=1e-12)


def test_plane_under_box() -> None:
    a, b, depth = 0.1, 0.06, 0.002
    force = quad(lambda t: C * (a - 2 * t) * (b - 2 * t), 0.0, depth)[0]
    assert exact.plane_under_box(C, a, b, depth) == pytest.approx(force, rel=1e-10)


@pytest.mark.parametrize("depth", [0.001, 0.02, 0.05])
def test_plane_under_sphere(depth: float) -> None:
    R = 0.1
    edge = math.sqrt(R**2 - (R - depth) ** 2)
    force = quad(lambda r: C * (R - math.hypot(r, R - depth)) * 2.0 * math.pi * r, 0.0, edge)[0]
    assert exact.plane_under_sphere(C, R, depth) == pytest.approx(force, rel=1e-8)


@pytest.mark.parametrize(("base", "target"), [(0.1, 0.07), (0.07, 0.1), (0.05, 0.05)])
def test_sphere_near_sphere(base: float, target: float) -> None:
    depth = 0.015
    d = base + target - depth
    edge = math.acos((base**2 + d**2 - target**2) / (2.0 * base * d))

    def distance(angle: float) -> float:
        return target - math.hypot(base * math.sin(angle), base * math.cos(angle) - d)

    assert exact.sphere_near_sphere(C, base, target, depth) == pytest.approx(over_cap(base, edge, distance), rel=1e-8)


def test_near_a_large_sphere_is_above_a_plane() -> None:
    force = exact.sphere_near_sphere(C, 0.1, 20.0, 0.02)
    assert force == pytest.approx(C * exact.cap_volume(0.1, 0.02), rel=1e-2)  # its curvature is 0.5 % of the small one
