"""Balanced surfaces: coarse meshes that carry the force of the smooth body, at a depth of 2 or 5 % of its radius.

The mesh of 1,280 triangles as it is lacks 27 % of the force of the sphere here, a cylinder of 48 sides 11 %. The depth
is the distance to the target's surface, so that the force on a body over a plane is the stiffness times the volume of
what is submerged. The worst of many orientations counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.surfaces.surface import Surface
from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.case import VerificationCase
from polycontact.verification.orientations import forces_on_body, rolled, worst
from polycontact.verification.placing import rotation, wrench_on_body

STIFFNESS = 1e7
LAW = LayerLaw(stiffness=STIFFNESS)
RADIUS = 0.1
DEPTH = 0.02 * RADIUS
TURNS = np.random.default_rng(1).normal(scale=2.0, size=(50, 3))
"""Rotation vectors, rad, for bodies that any side may touch."""


def cases() -> list[VerificationCase]:
    """All cases of this family."""
    return [even_sphere(), finer_spheres(), uneven_sphere(), ellipsoid(), torus(), cylinder(), ball_in_cup()]


def _forces(surface: Surface, heights: NDArray[np.float64], turns: NDArray[np.float64]) -> list[float]:
    """Vertical force on the balanced ``surface`` at each of ``heights`` (m) over a plane, turned (rotation vectors)."""
    plane = shapes.plane(8.0 * RADIUS)
    pairing = ContactPairing(_balanced(surface), plane, law=LAW, depth="distance")
    placed = zip(heights, turns, strict=True)
    return [float(wrench_on_body(pairing, (0.0, 0.0, height), turn=turn).force[2]) for height, turn in placed]


@lru_cache(shapes.SHAPES_KEPT)
def _balanced(surface: Surface) -> Surface:
    return surface.balanced()


def _sphere_force(surface: Surface) -> float:
    forces = _forces(surface, np.full(len(TURNS), RADIUS - DEPTH), TURNS)
    return worst(forces, STIFFNESS * exact.cap_volume(RADIUS, DEPTH))


def _sphere_case(
    name: str,
    measure: Callable[[int], float],
    limit: float,
    levels: tuple[int, ...] = (3,),
    rate_limit: float | None = None,
) -> VerificationCase:
    return VerificationCase(
        name=f"balanced sphere on plane, u/R = 0.02, {name}",
        what="c times the cap's volume, worst of 50 orientations",
        quantity="force",
        unit="N",
        expected=STIFFNESS * exact.cap_volume(RADIUS, DEPTH),
        measure=measure,
        limit=limit,
        levels=levels,
        rate_limit=rate_limit,
    )


def even_sphere() -> VerificationCase:
    """The icosphere of 1,280 triangles: the contact covers about 13 of them."""
    return _sphere_case(
        "1,280 triangles", measure=lambda level: _sphere_force(shapes.sphere(RADIUS, level)), levels=(3,), limit=0.02
    )


def finer_spheres() -> VerificationCase:
    """The same with 320 to 5,120 triangles: of fourth order in the mean, of third at least in the worst orientation."""
    return _sphere_case(
        "5,120 triangles",
        measure=lambda level: _sphere_force(shapes.sphere(RADIUS, level)),
        levels=(2, 3, 4),
        limit=2e-3,  # facets alternate by a fifth of their bulge, 8.6e-4 R, about the sphere: 1e-3 of the force
        rate_limit=3.0,
    )


def uneven_sphere() -> VerificationCase:
    """Vertices displaced along the sphere by up to 0.3 edges: edges of 0.3 to 1.7 of their mean."""
    return _sphere_case("1,280 uneven triangles", measure=lambda _: _sphere_force(_uneven_sphere(0.3)), limit=0.05)


@lru_cache(1)
def _uneven_sphere(share: float) -> Surface:
    from scipy.spatial import ConvexHull

    even = shapes.sphere(RADIUS, 3)
    edge = math.sqrt(4.0 / math.sqrt(3.0) * float(even.areas.mean()))
    noise = np.random.default_rng(0).uniform(-1.0, 1.0, even.vertices.shape)
    points = even.vertices + share * edge * noise
    points *= RADIUS / np.linalg.norm(points, axis=1)[:, None]
    triangles = ConvexHull(points).simplices
    a, b, c = (points[triangles[:, i]] for i in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0.0
    return Surface(points, np.where(inward[:, None], triangles[:, ::-1], triangles), name="uneven sphere")


def ellipsoid() -> VerificationCase:
    """Stretched to a unit sphere, the plane cuts off a cap as high as the depth over the distance of the plane."""
    axes = RADIUS * np.array([1.0, 1.5, 2.0])
    reach = np.array([np.linalg.norm(rotation(turn)[2] * axes) for turn in TURNS])
    expected = [STIFFNESS * float(axes.prod()) * exact.cap_volume(1.0, DEPTH / far) for far in reach]

    def measure(_: int) -> float:
        forces = _forces(shapes.ellipsoid(tuple(axes), 3), reach - DEPTH, TURNS)
        return worst([force / right for force, right in zip(forces, expected, strict=True)], 1.0)

    return VerificationCase(
        name="balanced ellipsoid on plane, axes 1 : 1.5 : 2, 1,280 triangles",
        what="c times the volume of an ellipsoidal cap, worst of 50 orientations",
        quantity="force over c V",
        unit="1",
        expected=1.0,
        measure=measure,
        limit=0.03,  # as the sphere, with triangles stretched by up to 2
    )


def torus() -> VerificationCase:
    """A torus lying flat: by Guldin's rule the segment of its tube times the length of its middle line."""
    major, minor, depth = 2.0 * RADIUS, RADIUS, 0.05 * RADIUS
    expected = STIFFNESS * 2.0 * math.pi * major * exact.segment_area(minor, depth)

    def measure(_: int) -> float:
        turns = np.array([(0.0, 0.0, angle) for angle in (0.0, 0.05, 0.1)])
        return worst(_forces(shapes.torus(major, minor, 48, 24), np.full(3, minor - depth), turns), expected)

    return VerificationCase(
        name="balanced torus on plane, u/r = 0.05, 2,304 triangles",
        what="c times the segment of the tube times 2πR",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        limit=0.03,  # facets of 15° alternate by a third of their bulge, 9e-3 r, about the tube: 0.06 of the depth
    )


def cylinder() -> VerificationCase:
    """A lying cylinder of 48 sides, its wall of strips from rim to rim: all of its vertices lie on sharp edges."""
    length = 0.1
    expected = STIFFNESS * length * exact.segment_area(RADIUS, DEPTH)

    def measure(_: int) -> float:
        surface = shapes.cylinder(RADIUS, length, segments=48, rings=1, cap_rings=1)
        turns = np.array(rolled(np.linspace(0.0, math.pi / 24.0, 7)))
        return worst(_forces(surface, np.full(len(turns), RADIUS - DEPTH), turns), expected)

    return VerificationCase(
        name="balanced cylinder lying on plane, u/R = 0.02, 48 sides",
        what="c times the segment times the length",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        limit=5e-3,  # sides alternate by a third of their bulge, 2e-3 R, about the cylinder
    )


def ball_in_cup() -> VerificationCase:
    """Conforming contact, both bodies balanced: a ball in a hollow 2 % larger, offset by 3 %."""
    cup_radius, offset = 1.02 * RADIUS, 0.03 * RADIUS
    expected = ball_in_cup_by_distance(STIFFNESS, RADIUS, cup_radius, offset)

    def measure(level: int) -> float:
        ball, cup = _balanced(shapes.sphere(RADIUS, level)), _balanced(shapes.spherical_cup(cup_radius, segments=48))
        pairing = ContactPairing(ball, cup, law=LAW, depth="distance")
        return worst(forces_on_body(pairing, (0.0, 0.0, -offset), TURNS[:10]), expected)

    return VerificationCase(
        name="balanced ball in balanced cup, 1,280 triangles in 48 sides",
        what="2πcR² ∫ (ρ - S) x dx over the cap that is pressed into the wall, ρ the distance to the cup's centre",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        levels=(3,),
        limit=0.02,  # facets alternate by 1e-3 R about ball and cup, over a depth of 0.01 R
    )


def ball_in_cup_by_distance(c: float, radius: float, cup_radius: float, offset: float) -> float:
    """Force, N, on a ball, the base, whose centre lies by ``offset`` (m) off that of a larger hollow.

    The depth is ρ - S with ρ² = R² + e² + 2Rex, x = cos θ: the integral over ρ is one of a polynomial.
    """
    R, S, e = radius, cup_radius, offset
    k = R * R + e * e

    def primitive(rho: float) -> float:
        return rho**5 / 5.0 - S * rho**4 / 4.0 - k * rho**3 / 3.0 + S * k * rho**2 / 2.0

    return math.pi * c / (e * e) * (primitive(R + e) - primitive(S))
