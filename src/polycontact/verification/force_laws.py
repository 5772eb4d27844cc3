"""The force laws on one flat contact, where every element has the same depth and speed: eqs (12) to (21).

With the paper's depth walls carry nothing, so that the flat face is all there is.
"""

from __future__ import annotations

from collections.abc import Callable

from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.case import VerificationCase
from polycontact.verification.flat_faces import ROUNDING
from polycontact.verification.placing import SIDES, Wrench, wrench_on_body

STIFFNESS = 1e8
DAMPING = 2e5
FRICTION = 0.4
SLIP = 1e-3
DEPTH = 1e-3
SIZE = 0.1
AREA = SIZE**2


def cases() -> list[VerificationCase]:
    """All cases of this family."""
    found = [case for side in SIDES for case in damped(*side)]
    found += [case for side in SIDES for case in sliding(*side)]
    found += layers()
    return found


def _block(law: LayerLaw, base: Base, friction: RegularisedCoulomb | None = None) -> ContactPairing:
    return ContactPairing(
        shapes.box(SIZE, 3), shapes.plane(0.3, 4), base=base, law=law, friction=friction, depth="base_normal"
    )


def _wrench(pairing: ContactPairing, depth: float, velocity: tuple[float, float, float]) -> Wrench:
    return wrench_on_body(pairing, (0.0, 0.0, 0.5 * SIZE - depth), velocity=velocity)


def damped(base: Base, side: str) -> list[VerificationCase]:
    """Normal law with damping; the block approaches at ``speed``."""
    transition = 2.0 * DEPTH
    plain = LayerLaw(stiffness=STIFFNESS, damping=DAMPING)
    fading = LayerLaw(stiffness=STIFFNESS, damping=DAMPING, transition_depth=transition)
    elastic = STIFFNESS * DEPTH
    full, half = elastic + DAMPING * 0.1, elastic + 0.5 * DAMPING * 0.1
    deep = 3.0 * elastic + DAMPING * 0.1
    rows = (
        ("approach", plain, DEPTH, 0.1, full, "eq. (15): A (c u + d v)"),
        ("slow departure", plain, DEPTH, -0.1, elastic - DAMPING * 0.1, "eq. (15): A (c u + d v)"),
        ("fast departure", plain, DEPTH, -2.0, 0.0, "eq. (18): no tension"),
        ("at half the transition depth", fading, DEPTH, 0.1, half, "eq. (15): A (c u + d v u/u_d)"),
        ("below the transition depth", fading, 3.0 * DEPTH, 0.1, deep, "eq. (15): full damping"),
    )

    def measure(law: LayerLaw, depth: float, speed: float) -> Callable[[int], float]:
        return lambda _: float(_wrench(_block(law, base), depth, (0.0, 0.0, -speed)).force[2])

    return [
        VerificationCase(
            name=f"damped contact, {name}, base {side}",
            what=what,
            quantity="force",
            unit="N",
            expected=AREA * pressure,
            measure=measure(law, depth, speed),
            limit=ROUNDING,
            scale=AREA * elastic,
        )
        for name, law, depth, speed, pressure, what in rows
    ]


def sliding(base: Base, side: str) -> list[VerificationCase]:
    """A block that slides along x at a multiple of v_ε; friction acts against it."""
    law = LayerLaw(stiffness=STIFFNESS)
    coulomb = RegularisedCoulomb(coefficient=FRICTION, velocity=SLIP)
    limit_force = FRICTION * STIFFNESS * DEPTH * AREA
    rows = ((0.0, 0.0), (0.1, 0.19), (0.5, 0.75), (1.0, 1.0), (100.0, 1.0))

    def measure(factor: float) -> Callable[[int], float]:
        return lambda _: float(_wrench(_block(law, base, coulomb), DEPTH, (factor * SLIP, 0.0, 0.0)).force[0])

    return [
        VerificationCase(
            name=f"sliding block, v = {factor:g} v_ε, base {side}",
            what="eq. (20): -μ N s (2 - s) with s = v/v_ε, from s = 1 on -μ N",
            quantity="friction force",
            unit="N",
            expected=0.0 - share * limit_force,
            measure=measure(factor),
            limit=ROUNDING,
            scale=limit_force,
        )
        for factor, share in rows
    ]


def layers() -> list[VerificationCase]:
    """Two layers in series, one three times as stiff as the other, and where the traction between acts."""
    # ν = 0 makes K = E (2): layers of 1e6 Pa over 10 mm and 3e6 Pa over 10 mm, 1e8 and 3e8 N/m³.
    soft, stiff = ElasticLayer(1e6, 0.0, 0.01), ElasticLayer(3e6, 0.0, 0.01)
    combined = 0.75e8  # (12): 1/(1/1e8 + 1/3e8)
    force = combined * DEPTH * AREA
    coulomb = RegularisedCoulomb(coefficient=FRICTION, velocity=SLIP)

    def wrench(body: ElasticLayer, ground: ElasticLayer, base: Base) -> Wrench:
        pairing = ContactPairing(
            shapes.box(SIZE, 3),
            shapes.plane(0.3, 4),
            base=base,
            layers=(body, ground),
            friction=coulomb,
            depth="base_normal",
        )
        return _wrench(pairing, DEPTH, (1.0, 0.0, 0.0))

    def force_of(body: ElasticLayer, ground: ElasticLayer, base: Base) -> Callable[[int], float]:
        return lambda _: float(wrench(body, ground, base).force[2])

    def torque_of(body: ElasticLayer, ground: ElasticLayer, base: Base) -> Callable[[int], float]:
        return lambda _: float(wrench(body, ground, base).torque[1])

    found = []
    # The soft layer takes 3/4 of the depth, so the layers touch that far from the soft body's own surface:
    # above the bottom of a soft block, which lies DEPTH below the plane, at -DEPTH/4.
    for name, body, ground, height in (
        ("soft block", soft, stiff, -0.25 * DEPTH),
        ("soft ground", stiff, soft, -0.75 * DEPTH),
        ("rigid ground", soft, ElasticLayer.rigid(), 0.0),
    ):
        stiffness = STIFFNESS if name == "rigid ground" else combined
        for base, side in SIDES:
            expected = stiffness * DEPTH * AREA
            found.append(
                VerificationCase(
                    name=f"two layers, {name}, base {side}",
                    what="eq. (12): layers in series",
                    quantity="force",
                    unit="N",
                    expected=expected,
                    measure=force_of(body, ground, base),
                    limit=ROUNDING,
                )
            )
            found.append(
                VerificationCase(
                    name=f"two layers, {name}, torque of friction, base {side}",
                    what="eq. (13): -μ N acts where the layers touch, 3/4 of the depth from the soft body",
                    quantity="torque about y",
                    unit="N m",
                    expected=0.0 - height * FRICTION * expected,
                    measure=torque_of(body, ground, base),
                    limit=ROUNDING,
                    scale=DEPTH * FRICTION * force,
                )
            )
    return found
