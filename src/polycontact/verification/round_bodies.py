"""Round bodies with the paper's depth: sphere, cylinder and cone on a plane, sphere on sphere, ball in a cup.

The meshes have their vertices on the true surface and lie inside it, so they miss a depth of the order of the
square of the edge length: all errors fall with order 2. Rates must reach 1.8, which leaves room for how the
contact's border happens to cut the triangles.
"""

from __future__ import annotations

import math
from typing import Any

from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.case import VerificationCase
from polycontact.verification.orientations import forces_apart, forces_on_body, rolled, worst
from polycontact.verification.placing import ORIENTATIONS, SIDES, of_base, wrench_on_body

STIFFNESS = 1e7
LAW = LayerLaw(stiffness=STIFFNESS)
RADIUS = 0.1
SMALL_RADIUS = 0.07
SECOND_ORDER = 1.8


def cases() -> list[VerificationCase]:
    """All cases of this family."""
    found = [sphere_on_plane(share, *side) for share in (0.1, 0.5) for side in SIDES]
    found.append(eccentric_sphere())
    found += [sphere_projected(), sphere_whole("polygonal"), sphere_whole("penetration_lines")]
    found += [sphere_on_sphere(*side) for side in ((Base.E, "large"), (Base.F, "small"), (Base.BOTH, "both"))]
    found += [cylinder_on_plane(*side) for side in SIDES]
    found += [cone_on_plane(*side) for side in SIDES]
    found += [ball_in_cup(*side) for side in ((Base.E, "ball"), (Base.F, "cup"), (Base.BOTH, "both"))]
    return found


def _sphere_force(level: int, u: float, expected: float, base: Base, **options: Any) -> float:
    """Vertical force on a sphere of 20·4^level triangles; the plane's edges are a little shorter than its."""
    contact_radius = math.sqrt(u * (2.0 * RADIUS - u))
    plane = shapes.plane(2.4 * contact_radius, 1 if base is Base.E else 2 ** (level + 1))
    options = {"depth": "base_normal", **options}
    pairing = ContactPairing(shapes.sphere(RADIUS, level), plane, base=base, law=LAW, **options)
    position = (0.01 * contact_radius, 0.02 * contact_radius, RADIUS - u)
    return worst(forces_on_body(pairing, position), expected)


def sphere_on_plane(share: float, base: Base, side: str) -> VerificationCase:
    """Sphere pressed in by ``share`` of its radius; half the radius is where flanks begin to fade."""
    depth = share * RADIUS
    expected = of_base(
        base,
        exact.sphere_on_plane(STIFFNESS, RADIUS, depth),
        STIFFNESS * exact.cap_volume(RADIUS, depth),
    )
    return VerificationCase(
        name=f"sphere on plane, u/R = {share:g}, base {side}",
        what="πcRu² with the sphere as the base, c times the cap's volume with the plane, else their mean",
        quantity="force",
        unit="N",
        expected=expected,
        measure=lambda level: _sphere_force(level, depth, expected, base),
        levels=(3, 4, 5),
        # Barycentres of 20,480 triangles lie h²/(6R) = 2.4e-4 R inside the sphere; the force goes with u².
        limit=6e-4 / share,
        rate_limit=SECOND_ORDER,
    )


def eccentric_sphere() -> VerificationCase:
    """The force acts along the line through the centre of the sphere."""
    depth, x = 0.3 * RADIUS, 0.2
    expected = -x * exact.sphere_on_plane(STIFFNESS, RADIUS, depth)

    def measure(level: int) -> float:
        pairing = ContactPairing(shapes.sphere(RADIUS, level), shapes.plane(1.0), law=LAW, depth="base_normal")
        position = (x, 0.0, RADIUS - depth)
        torques = [float(wrench_on_body(pairing, position, turn=turn).torque[1]) for turn in ORIENTATIONS]
        return worst(torques, expected)

    return VerificationCase(
        name="eccentric sphere on plane, torque",
        what="-x πcRu² about the plane's marker",
        quantity="torque about y",
        unit="N m",
        expected=expected,
        measure=measure,
        levels=(3, 4, 5),
        limit=2e-3,  # as the force at u/R = 0.3
        rate_limit=SECOND_ORDER,
    )


def sphere_projected() -> VerificationCase:
    """Depth projected on the target's normal: c times the volume, whichever the base, where nothing is undercut."""
    depth = 0.3 * RADIUS
    expected = STIFFNESS * exact.cap_volume(RADIUS, depth)
    return VerificationCase(
        name="sphere on plane, depth along target normal",
        what="c times the cap's volume although the sphere is the base",
        quantity="force",
        unit="N",
        expected=expected,
        measure=lambda level: _sphere_force(level, depth, expected, Base.E, depth="target_normal"),
        levels=(3, 4, 5),
        limit=2e-3,  # chord error, as above, at u/R = 0.3
        rate_limit=SECOND_ORDER,
    )


def sphere_whole(method: str) -> VerificationCase:
    """Whole triangles, from polygons and from penetration lines."""
    depth = 0.3 * RADIUS
    expected = exact.sphere_on_plane(STIFFNESS, RADIUS, depth)
    options: dict[str, Any] = {"elements": "whole", "method": method}
    if method == "penetration_lines":
        options["max_penetration"] = 2.0 * depth
    return VerificationCase(
        name=f"sphere on plane, whole triangles, {method.replace('_', ' ')}",
        what="πcRu² from triangles that are not cut at the contact's border, where the depth vanishes",
        quantity="force",
        unit="N",
        expected=expected,
        measure=lambda level: _sphere_force(level, depth, expected, Base.E, **options),
        levels=(3, 4, 5),
        limit=3e-3,  # chord error, and half as much from the border
        rate_limit=SECOND_ORDER,
    )


def sphere_on_sphere(base: Base, side: str) -> VerificationCase:
    """Spheres of different radii; neither is aligned with the line between their centres."""
    depth = 0.015
    distance = RADIUS + SMALL_RADIUS - depth
    expected = of_base(
        base,
        exact.sphere_on_sphere(STIFFNESS, RADIUS, SMALL_RADIUS, depth),
        exact.sphere_on_sphere(STIFFNESS, SMALL_RADIUS, RADIUS, depth),
    )

    def measure(level: int) -> float:
        large, small = shapes.sphere(RADIUS, level), shapes.sphere(SMALL_RADIUS, level)
        pairing = ContactPairing(large, small, base=base, law=LAW, depth="base_normal")
        return worst(forces_apart(pairing, distance), expected)

    return VerificationCase(
        name=f"sphere on sphere, base {side}",
        what="2πcR² ∫ u(x) x dx over the cap, x = cos θ, depth u towards the centre of the base",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        levels=(3, 4, 5),
        limit=6e-3,  # barycentres lie 2.4e-4 R inside, target facets 1.8e-4 S on average; twice that, over u
        rate_limit=SECOND_ORDER,
    )


def cylinder_on_plane(base: Base, side: str) -> VerificationCase:
    """A lying cylinder; its end faces are perpendicular to the plane and carry nothing."""
    depth, length = 0.03, 0.1
    expected = of_base(
        base,
        exact.cylinder_on_plane(STIFFNESS, RADIUS, length, depth),
        STIFFNESS * length * exact.segment_area(RADIUS, depth),
    )

    def measure(level: int) -> float:
        cylinder = shapes.cylinder(RADIUS, length, segments=24 * 2**level)
        plane = shapes.plane(0.16, 1 if base is Base.E else 12 * 2**level)
        pairing = ContactPairing(cylinder, plane, base=base, law=LAW, depth="base_normal")
        turns = rolled((0.0, 0.04, 0.09))
        return worst(forces_on_body(pairing, (0.0, 0.0, RADIUS - depth), turns), expected)

    return VerificationCase(
        name=f"lying cylinder on plane, base {side}",
        what="2cLR (R sin θ - (R - u) θ), cos θ = 1 - u/R; with the plane as base c times the volume",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        levels=(0, 1, 2),
        limit=3e-3,  # mean chord error h²/(12R) = 3.6e-4 R of 96 facets, 1.2e-3 of the depth; force ~ u^1.5
        rate_limit=SECOND_ORDER,
    )


def cone_on_plane(base: Base, side: str) -> VerificationCase:
    """A blunt cone, tip down: its wall is 30° from the plane, so nothing of it is a flank."""
    depth, half_angle = 0.02, math.radians(60.0)
    expected = of_base(
        base,
        exact.cone_on_plane(STIFFNESS, half_angle, depth),
        STIFFNESS * exact.cone_volume(half_angle, depth),
    )

    def measure(level: int) -> float:
        cone = shapes.cone(0.03 * math.tan(half_angle), 0.03, segments=24 * 2**level)
        plane = shapes.plane(0.08, 1 if base is Base.E else 16 * 2**level)
        pairing = ContactPairing(cone, plane, base=base, law=LAW, depth="base_normal")
        return float(wrench_on_body(pairing, (0.0003, 0.0005, -depth), turn=(0.0, 0.0, 0.1)).force[2])

    return VerificationCase(
        name=f"cone on plane, base {side}",
        what="c V/sin α with the cone of half-angle α = 60° as the base, c V with the plane",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        levels=(1, 2, 3),
        limit=2e-3,  # n = 128 sides at the border, fewer towards the tip; (2/3)(π/n)² is 1.6e-3 for n = 64
        # A ring of radius r has n ~ r/h sides and lacks (h/r)² of its area: summed up to the tip this is
        # h² log(1/h), which shows as an order a little below 2.
        rate_limit=1.7,
    )


def ball_in_cup(base: Base, side: str) -> VerificationCase:
    """Conforming contact: a ball in a hollow 2 % larger, over 70° of opening."""
    cup_radius, offset = 1.02 * RADIUS, 0.06 * RADIUS
    expected = of_base(
        base,
        exact.ball_in_cup(STIFFNESS, RADIUS, cup_radius, offset),
        exact.cup_around_ball(STIFFNESS, RADIUS, cup_radius, offset),
    )

    def measure(level: int) -> float:
        # The cup is meshed finer than the ball: with equal edges the chord errors of the two nearly cancel,
        # and what remains shows no order.
        cup = shapes.spherical_cup(cup_radius, segments=7 * 2**level)
        pairing = ContactPairing(shapes.sphere(RADIUS, level), cup, base=base, law=LAW, depth="base_normal")
        return worst(forces_on_body(pairing, (0.0, 0.0, -offset)), expected)

    return VerificationCase(
        name=f"ball in spherical cup, base {side}",
        what="2πcR² ∫ u(x) x dx over the cap that is pressed into the wall",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        levels=(3, 4, 5),
        limit=9e-3,  # chord errors of 1.8e-4 R, twice, over the greatest depth of 0.04 R, of either sign
        rate_limit=SECOND_ORDER,
    )
