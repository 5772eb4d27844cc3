"""Contacts with the depth as a distance: c times the displaced volume on a plane, as in a liquid of that weight.

On a plane target the distance is linear, so that it is integrated exactly: what is left is the difference between a
round body and its mesh. On a round or an edged target the distance bends, and the division of base triangles shows.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactWarning
from polycontact.surfaces.surface import Surface
from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.case import VerificationCase
from polycontact.verification.flat_faces import ROUNDING
from polycontact.verification.orientations import forces_apart, forces_on_body, rolled, worst
from polycontact.verification.placing import ORIENTATIONS, Wrench, place, rotation, wrench_on_body
from polycontact.verification.round_bodies import RADIUS, SECOND_ORDER, SMALL_RADIUS

STIFFNESS = 1e7
LAW = LayerLaw(stiffness=STIFFNESS)
DIVISION = 1e-2
"""Where the distance bends cells of base triangles miss some of the load, to be steered by `tolerance`."""
PLANE = 0.6
"""Edge of the plane, m: wider than all bodies, so that its own border is far away."""

Build = Callable[[int], Surface]


def cases() -> list[VerificationCase]:
    """All cases of this family."""
    found = [*sphere(0.1), *sphere(0.5), *lying_cylinder(), *cone(), *torus()]
    for degrees, depth in ((0.1, 1e-3), (1.0, 1e-3), (5.0, 5e-3), (5.0, 1e-3)):
        found += tilted_box(degrees, depth)
    found.append(contained_ball())
    found.append(plane_under_box())
    found += [plane_under_sphere(share) for share in (0.1, 0.5)]
    found += [sphere_near_sphere(*side) for side in ((Base.E, "large"), (Base.F, "small"))]
    return found


def _displaced(
    name: str, build: Build, height: float, turns: Sequence[ArrayLike], volume: float, limit: float
) -> list[VerificationCase]:
    """Force of a body on a plane, and that of its mesh on a plate relative to c times the meshed overlap."""
    expected = STIFFNESS * volume
    position = (0.003, 0.001, height)

    def force(level: int) -> float:
        pairing = ContactPairing(build(level), shapes.plane(PLANE), law=LAW)
        return worst(forces_on_body(pairing, position, turns), expected)

    def of_the_mesh(which: int) -> float:
        """A component of the force on the mesh over c times the volume of its overlap with a plate."""
        plate = shapes.box((PLANE, PLANE, 1.0), 3)
        pairing = ContactPairing(build(1), plate, law=LAW)
        values = []
        for turn in turns:
            result = place(pairing, (position[0], position[1], 0.5 + height), turn=turn)
            force = rotation(turn) @ result.force
            values.append(float(force[which]) / (STIFFNESS * result.volume))
        return worst(values, float(which == 2))

    what = "c times the volume of the meshed overlap, as the overlap itself is measured"
    return [
        VerificationCase(
            name=f"{name}, force",
            what="c times the displaced volume",
            quantity="force",
            unit="N",
            expected=expected,
            measure=force,
            levels=(0, 1, 2),
            limit=limit,
            rate_limit=SECOND_ORDER,
        ),
        VerificationCase(
            name=f"{name}, force over c V of the mesh",
            what=what,
            quantity="ratio",
            unit="1",
            expected=1.0,
            measure=lambda _: of_the_mesh(2),
            limit=ROUNDING,
        ),
        VerificationCase(
            name=f"{name}, sideways force over c V of the mesh",
            what=what,
            quantity="ratio",
            unit="1",
            expected=0.0,
            measure=lambda _: of_the_mesh(0),
            limit=ROUNDING,
            scale=1.0,
        ),
    ]


def sphere(share: float) -> list[VerificationCase]:
    """A sphere pressed in by ``share`` of its radius."""
    depth = share * RADIUS
    return _displaced(
        f"sphere in a plane u/R = {share:g}",
        lambda level: shapes.sphere(RADIUS, 3 + level),
        RADIUS - depth,
        ORIENTATIONS,
        exact.cap_volume(RADIUS, depth),
        # 20,480 facets lie 1.8e-4 R inside the sphere on average; the volume goes with u².
        5e-4 / share,
    )


def lying_cylinder() -> list[VerificationCase]:
    """A lying cylinder; its end faces push each other only."""
    depth, length = 0.03, 0.1
    return _displaced(
        "lying cylinder in a plane",
        lambda level: shapes.cylinder(RADIUS, length, segments=24 * 2**level),
        RADIUS - depth,
        rolled((0.0, 0.04)),
        length * exact.segment_area(RADIUS, depth),
        3e-3,  # mean chord error h²/(12R) = 3.6e-4 R of 96 facets, 1.2e-3 of the depth; the area goes with u^1.5
    )


def cone() -> list[VerificationCase]:
    """A cone of 30° half-angle, tip down: steep, where the depth along normals has flanks."""
    depth, half_angle = 0.02, math.radians(30.0)
    return _displaced(
        "steep cone in a plane",
        lambda level: shapes.cone(0.03 * math.tan(half_angle), 0.03, segments=48 * 2**level),
        -depth,
        ((0.0, 0.0, 0.1),),
        exact.cone_volume(half_angle, depth),
        3e-3,  # n = 128 sides at the border, fewer towards the tip; (2/3)(π/n)² is 1.6e-3 for n = 64
    )


def torus() -> list[VerificationCase]:
    """A torus lying flat: a ring of contact, as long as the middle line of its tube (Pappus)."""
    major, minor, depth = 0.1, 0.03, 0.009
    return _displaced(
        "torus in a plane",
        lambda level: shapes.torus(major, minor, segments=32 * 2**level, tube_segments=24 * 2**level),
        minor - depth,
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.05)),
        2.0 * math.pi * major * exact.segment_area(minor, depth),
        3e-3,  # 96 facets around the tube: as the lying cylinder; 128 along the ring: its length is 1e-4 too short
    )


def tilted_box(degrees: float, depth: float) -> list[VerificationCase]:
    """A tilted box, of twelve triangles: c V upwards through the centroid of what is submerged, nothing sideways."""
    length, width, height = 0.1, 0.06, 0.04
    tilt = math.radians(degrees)
    displaced = exact.displaced_by_tilted_box(length, width, tilt, depth)
    force = STIFFNESS * displaced.volume
    submerged = "fully" if depth >= 0.5 * length * math.sin(tilt) else "partly"

    def wrench() -> Wrench:
        """On the box, about the point of the plane above the middle of its bottom."""
        pairing = ContactPairing(shapes.box((length, width, height)), shapes.plane(PLANE), law=LAW)
        middle = rotation((0.0, tilt, 0.0)) @ (0.0, 0.0, -0.5 * height)
        position = (-middle[0], -middle[1], -depth - middle[2])
        return wrench_on_body(pairing, position, turn=(0.0, tilt, 0.0))

    components: tuple[tuple[str, str, float, float, Callable[[int], float]], ...] = (
        ("force", "N", force, force, lambda _: float(wrench().force[2])),
        ("sideways force", "N", 0.0, force, lambda _: float(wrench().force[0])),
        ("torque", "N m", -displaced.offset * force, length * force, lambda _: float(wrench().torque[1])),
    )
    return [
        VerificationCase(
            name=f"tilted box in a plane {degrees:g}°, bottom {submerged} submerged, {quantity}",
            what="c times the displaced volume, at its centroid",
            quantity=quantity,
            unit=unit,
            expected=expected,
            measure=measure,
            limit=ROUNDING,
            scale=scale,
        )
        for quantity, unit, expected, scale, measure in components
    ]


def contained_ball() -> VerificationCase:
    """A ball wholly inside a box is pushed out to the nearest face, with all of its volume."""
    ball = shapes.sphere(0.05, 2)

    def measure(_: int) -> float:
        pairing = ContactPairing(ball, shapes.box((0.4, 0.4, 0.4), 2), law=LAW)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContactWarning)  # that it is contained is what is measured
            return float(wrench_on_body(pairing, (0.01, 0.02, 0.149), turn=(0.3, 0.2, 0.1)).force[2])

    return VerificationCase(
        name="ball inside a box",
        what="c times its volume, towards the nearest face",
        quantity="force",
        unit="N",
        expected=STIFFNESS * ball.volume,
        measure=measure,
        limit=ROUNDING,
    )


def plane_under_box() -> VerificationCase:
    """An upright box with the plane, of two triangles, as the base."""
    length, width, height, depth = 0.1, 0.06, 0.04, 2e-3

    def measure(_: int) -> float:
        pairing = ContactPairing(shapes.box((length, width, height)), shapes.plane(PLANE), base=Base.F, law=LAW)
        position = (0.013, 0.021, 0.5 * height - depth)
        return float(wrench_on_body(pairing, position, turn=(0.0, 0.0, 0.2)).force[2])

    return VerificationCase(
        name="plane under a box",
        what="c times the distance to bottom or walls, integrated over the plane inside the box",
        quantity="force",
        unit="N",
        expected=exact.plane_under_box(STIFFNESS, length, width, depth),
        measure=measure,
        limit=DIVISION,
    )


def plane_under_sphere(share: float) -> VerificationCase:
    """A sphere with the plane, of two triangles, as the base."""
    depth = share * RADIUS
    expected = exact.plane_under_sphere(STIFFNESS, RADIUS, depth)

    def measure(_: int) -> float:
        pairing = ContactPairing(shapes.sphere(RADIUS, 5), shapes.plane(PLANE), base=Base.F, law=LAW)
        position = (0.013, 0.021, RADIUS - depth)
        return worst(forces_on_body(pairing, position), expected)

    return VerificationCase(
        name=f"plane under a sphere, u/R = {share:g}",
        what="c times the distance to the sphere, integrated over the plane inside it",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        limit=DIVISION + 2e-4 / share,  # division of the plane, and facets that lie inside the sphere
    )


def sphere_near_sphere(base: Base, side: str) -> VerificationCase:
    """Spheres of different radii; neither is aligned with the line between their centres."""
    depth = 0.015
    distance = RADIUS + SMALL_RADIUS - depth
    radii = (RADIUS, SMALL_RADIUS) if base is Base.E else (SMALL_RADIUS, RADIUS)
    expected = exact.sphere_near_sphere(STIFFNESS, *radii, depth)

    def measure(level: int) -> float:
        large, small = shapes.sphere(RADIUS, level), shapes.sphere(SMALL_RADIUS, level)
        pairing = ContactPairing(large, small, base=base, law=LAW)
        return worst(forces_apart(pairing, distance), expected)

    return VerificationCase(
        name=f"sphere in a sphere, base {side}",
        what="2πcR² ∫ φ(x) x dx over the cap, x = cos θ, φ the distance to the other sphere",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        levels=(3, 4, 5),
        limit=6e-3,  # base and target facets lie 1.8e-4 R inside on average; twice that, over u
        rate_limit=SECOND_ORDER,
    )
