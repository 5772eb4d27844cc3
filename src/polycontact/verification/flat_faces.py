"""Flat faces with the paper's depth: a box on a plane, upright, eccentric and tilted; a disc that spins."""

from __future__ import annotations

import math
from collections.abc import Callable

from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.case import VerificationCase
from polycontact.verification.orientations import worst
from polycontact.verification.placing import SIDES, Wrench, of_base, rotation, wrench_on_body

STIFFNESS = 1e8
LAW = LayerLaw(stiffness=STIFFNESS)
ROUNDING = 1e-11
"""Constant depth on plane faces is summed without error but for rounding: 1e-17 m on coordinates of 0.1 m,
over a depth of 1 mm, is 1e-14; areas, levers and sums over many elements add their own."""
FINEST_ELEMENT = 0.13 / 256
"""Edge of the finest plane under a tilted box, m."""
LENGTH, WIDTH, HEIGHT = 0.1, 0.06, 0.04


def cases() -> list[VerificationCase]:
    """All cases of this family."""
    found = [case for side in SIDES for case in eccentric_box(*side)]
    for degrees, depth in ((0.1, 1e-3), (1.0, 1e-3), (5.0, 5e-3), (5.0, 1e-3)):
        found += tilted_box(degrees, depth)
    for degrees, depth in ((1.0, 1e-3), (5.0, 5e-3), (5.0, 1e-3)):
        found += [plane_under_tilted_box(degrees, depth, *side) for side in SIDES[1:]]
    found += [spinning_disc(*side) for side in SIDES]
    return found


def eccentric_box(base: Base, side: str) -> list[VerificationCase]:
    """An upright box beside the plane's marker: c·u·a·b, and that force times its lever."""
    depth, x, y = 1e-3, 0.13, -0.07
    force = STIFFNESS * depth * LENGTH * WIDTH

    def wrench(_: int) -> Wrench:
        body, plane = shapes.box((LENGTH, WIDTH, HEIGHT), 4), shapes.plane(0.5, 7)
        pairing = ContactPairing(body, plane, base=base, law=LAW, depth="base_normal")
        return wrench_on_body(pairing, (x, y, 0.5 * HEIGHT - depth), turn=(0.0, 0.0, 0.2))

    components: tuple[tuple[str, str, float, Callable[[int], float]], ...] = (
        ("force", "N", force, lambda level: float(wrench(level).force[2])),
        ("torque about x", "N m", y * force, lambda level: float(wrench(level).torque[0])),
        ("torque about y", "N m", -x * force, lambda level: float(wrench(level).torque[1])),
    )
    return [
        VerificationCase(
            name=f"eccentric box on plane, {quantity}, base {side}",
            what="c·u·a·b at the middle of the face",
            quantity=quantity,
            unit=unit,
            expected=expected,
            measure=measure,
            limit=ROUNDING,
        )
        for quantity, unit, expected, measure in components
    ]


def tilted_box(degrees: float, depth: float) -> list[VerificationCase]:
    """A tilted box carries what its bottom face alone carries: its submerged flanks add nothing."""
    tilt = math.radians(degrees)
    load = exact.tilted_rectangle(STIFFNESS, LENGTH, WIDTH, tilt, depth)
    submerged = "fully" if depth >= 0.5 * LENGTH * math.sin(tilt) else "partly"

    def in_face(level: int) -> Wrench:
        """Force and torque about the middle of the bottom face, in the frame of the box."""
        body = shapes.box((LENGTH, WIDTH, HEIGHT), 8 * 2**level)
        pairing = ContactPairing(body, shapes.plane(0.5), law=LAW, depth="base_normal")
        R = rotation((0.0, tilt, 0.0))
        middle = R @ (0.0, 0.0, -0.5 * HEIGHT)
        # The middle of the face lies under the plane's marker, about which the torque is taken.
        position = (-middle[0], -middle[1], -depth - middle[2])
        force, torque = wrench_on_body(pairing, position, turn=(0.0, tilt, 0.0))
        # From the plane's marker, ``depth`` above the middle of the face, to that middle.
        torque[1] += depth * force[0]
        return Wrench(R.T @ force, R.T @ torque)

    def case(quantity: str, unit: str, expected: float, measure: Callable[[int], float]) -> VerificationCase:
        name = f"tilted box {degrees:g}°, bottom {submerged} submerged, {quantity}"
        what = "(h + x sin β)/cos β integrated over the submerged part of the bottom face"
        if quantity == "torque":
            # Pressure is constant over an element, so torques have an error of second order: about
            # (1/32)² = 1e-3 with 32 elements along the face.
            return VerificationCase(
                name=name,
                what=what,
                quantity=quantity,
                unit=unit,
                expected=expected,
                measure=measure,
                levels=(0, 1, 2),
                limit=2e-3,
                rate_limit=1.8,
            )
        # The depth is linear on each element, so that its value at the barycentre gives the force exactly.
        return VerificationCase(
            name=name,
            what=what,
            quantity=quantity,
            unit=unit,
            expected=expected,
            measure=measure,
            limit=10.0 * ROUNDING,
            scale=load.force,
        )

    return [
        case("normal force", "N", load.force, lambda level: float(in_face(level).force[2])),
        case("sideways force", "N", 0.0, lambda level: float(in_face(level).force[0])),
        case("torque", "N m", -load.torque, lambda level: float(in_face(level).torque[1])),
    ]


def plane_under_tilted_box(degrees: float, depth: float, base: Base, side: str) -> VerificationCase:
    """The same contact with the plane, or both, as the base.

    The lower edge of the box runs through elements of the plane, each of which counts wholly or not at all:
    an error of first order that depends on how the edge lies in the grid. The worst of eight places counts.
    """
    tilt = math.radians(degrees)
    expected = of_base(
        base,
        exact.tilted_rectangle(STIFFNESS, LENGTH, WIDTH, tilt, depth).force * math.cos(tilt),
        exact.plane_under_tilted_box(STIFFNESS, LENGTH, WIDTH, tilt, depth),
    )
    submerged = "fully" if depth >= 0.5 * LENGTH * math.sin(tilt) else "partly"
    # Beyond the lower edge, up to the wall: the plane lies inside the box there, with no bottom below.
    strip = math.tan(tilt) * (depth + 0.5 * LENGTH * math.sin(tilt))
    is_resolved = strip > 0.5 * FINEST_ELEMENT

    def measure(level: int) -> float:
        plane = shapes.plane((0.13, 0.09), 64 * 2**level)
        # As a base the box has elements of the plane's size.
        body = shapes.box((LENGTH, WIDTH, HEIGHT), 2 if base is Base.F else (48 * 2**level, 40 * 2**level, 2))
        pairing = ContactPairing(body, plane, base=base, law=LAW, depth="base_normal")
        middle = rotation((0.0, tilt, 0.0)) @ (0.0, 0.0, -0.5 * HEIGHT)
        forces = []
        for k in range(8):
            shift = k / 8 * 4.0 * FINEST_ELEMENT / 2**level
            position = (shift - middle[0], -middle[1], -depth - middle[2])
            forces.append(float(wrench_on_body(pairing, position, turn=(0.0, tilt, 0.0)).force[2]))
        return worst(forces, expected)

    return VerificationCase(
        name=f"tilted box {degrees:g}°, bottom {submerged} submerged, base {side}",
        what="vertical depth integrated over the plane inside the box, as far as the bottom lies below it",
        quantity="force",
        unit="N",
        expected=expected,
        measure=measure,
        # A strip narrower than any element is counted at every level as if the bottom went on below it: at 1°
        # it is 33 µm wide, 6e-4 of the force. Otherwise the finest elements along the lower edge, where the
        # depth is two to three times its mean, carry 1 % of the force.
        levels=(0, 1, 2) if is_resolved else (0,),
        limit=1e-2 if is_resolved else 1e-3,
        rate_limit=0.7 if is_resolved else None,
    )


def spinning_disc(base: Base, side: str) -> VerificationCase:
    """A flat disc that spins so fast that friction is regularised only within 1e-4 of its radius."""
    radius, depth, friction, velocity = 0.05, 1e-3, 0.3, 1e-3
    normal_force = STIFFNESS * depth * math.pi * radius**2
    spin = velocity / (1e-4 * radius)

    def measure(level: int) -> float:
        body = shapes.cylinder(radius, 0.02, segments=24 * 2**level)
        plane = shapes.plane(0.13, 1 if base is Base.E else 20 * 2**level)
        coulomb = RegularisedCoulomb(coefficient=friction, velocity=velocity)
        pairing = ContactPairing(body, plane, base=base, law=LAW, friction=coulomb, depth="base_normal")
        position = (0.0, 0.0, 0.01 - depth)
        return float(wrench_on_body(pairing, position, angular_velocity=(0.0, 0.0, spin)).torque[2])

    return VerificationCase(
        name=f"spinning disc, base {side}",
        what="-(2/3) μ N R against the spin",
        quantity="torque",
        unit="N m",
        expected=-exact.spin_torque(friction, normal_force, radius),
        measure=measure,
        levels=(0, 1, 2),
        # A polygon of n = 96 sides: its area is (2/3)(π/n)² = 7e-4 too small, its torque 1.5 times as much;
        # friction taken at barycentres adds a third of that.
        limit=2e-3,
        rate_limit=1.8,
    )
