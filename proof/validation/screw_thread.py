"""A nut on an M20 bolt: the friction at which it holds itself, torques to tighten and to loosen, advance per turn."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.surfaces import shapes
from proof.validation.finding import Finding, Validation

DIAMETER, PITCH = 20e-3, 2.5e-3
"""Of an M20, m."""
FLANK_ANGLE = math.radians(30.0)
PLAY = 7e-5
"""How far the nut is below the middle of its play, m: its flanks are then pressed by some micrometres."""
COEFFICIENTS = (0.03, 0.0325, 0.035, 0.0375, 0.04, 0.0425, 0.045)
TIGHTENED = (0.1, 0.15)
"""Coefficients of friction of dry and oiled threads in practice."""


def validate() -> Validation:
    """The wrench on the nut without friction and with friction of a nut that turns; both are linear in μ."""
    pitch_diameter = DIAMETER - 0.75 * PITCH * math.cos(FLANK_ANGLE)
    lead_angle = math.atan(PITCH / (math.pi * pitch_diameter))
    pressed, radius = _wrench(0.0, 0.0)
    rubbed = {sense: _wrench(float(sense), 1.0)[0] - pressed for sense in (-1, 1)}
    off = 2.0 * radius / pitch_diameter - 1.0
    bound = 1.25 * off
    reason = (
        f"flanks touch between the crests of bolt and nut, {100 * off:.1f} % farther out on average than at the pitch "
        f"diameter of the formula; a quarter more for the facets"
    )

    def torque(coefficient: float, sense: int) -> float:
        """Torque that turns the nut, over the axial load: sense 1 tightens, −1 loosens; m."""
        wrench = pressed + coefficient * rubbed[sense]
        return float(-sense * wrench[5] / wrench[2])

    holding = float(-pressed[5] / rubbed[-1][5])
    findings = [
        Finding("torque of the flanks over load and lead", 1.0, _lead_share(pressed), "", 1e-3, "facets of the helix"),
        Finding(
            "friction at which the nut holds itself",
            math.tan(lead_angle) * math.cos(FLANK_ANGLE),
            holding,
            "",
            bound,
            reason,
        ),
    ]
    for coefficient in TIGHTENED:
        friction_angle = math.atan(coefficient / math.cos(FLANK_ANGLE))
        for word, sense in (("tighten", 1), ("loosen", -1)):
            exact = 0.5 * pitch_diameter * math.tan(friction_angle + sense * lead_angle)
            findings.append(
                Finding(
                    f"torque to {word} per newton, μ = {coefficient:g}",
                    1e3 * exact,
                    1e3 * torque(coefficient, sense),
                    "N mm/N",
                    bound
                    * (1.0 + abs(math.tan(lead_angle) / (math.tan(friction_angle) + sense * math.tan(lead_angle)))),
                    reason,
                )
            )
    driving = [float(-(pressed[5] + mu * rubbed[-1][5]) / (pressed[2] + mu * rubbed[-1][2])) for mu in COEFFICIENTS]
    plot = LinePlot(
        x_label="friction coefficient",
        y_label="torque that turns the nut down, N mm/N",
        lines=[
            Line("polycontact", COEFFICIENTS, [1e3 * each for each in driving]),
            Line(
                "formula",
                COEFFICIENTS,
                [
                    1e3 * 0.5 * pitch_diameter * math.tan(lead_angle - math.atan(mu / math.cos(FLANK_ANGLE)))
                    for mu in COEFFICIENTS
                ],
                "dashed",
                1,
            ),
        ],
    )
    return Validation(
        "screw",
        "A thread that locks itself",
        "VDI 2230; ISO 68-1. The flanks of a metric thread press harder than those of a square one, by 1/cos 30°",
        "The load of an M20 nut turns it down the bolt while μ < tan α cos 30°, and does not above.",
        tuple(findings),
        svg(plot),
    )


def _wrench(turning: float, coefficient: float) -> tuple[NDArray[np.float64], float]:
    """Wrench on the nut about its axis (N, N m) that turns with ``turning`` (rad/s), and the mean contact radius, m."""
    bolt = shapes.threaded_bolt(diameter=DIAMETER, pitch=PITCH, length=0.03)
    nut = shapes.threaded_nut(diameter=DIAMETER, pitch=PITCH, height=0.8 * DIAMETER, clearance=1e-4, segments=60)
    friction = RegularisedCoulomb(coefficient=coefficient, velocity=1e-7) if coefficient else None
    pairing = ContactPairing(nut, bolt, law=LayerLaw(stiffness=1e12), friction=friction)
    rising = turning * PITCH / (2.0 * math.pi)
    found = pairing.evaluate(
        RelativeKinematics(
            rotation=np.eye(3),
            position=(0.0, 0.0, PLAY - 6.0 * PITCH),
            velocity=(0.0, 0.0, -rising),
            angular_velocity=(0.0, 0.0, -turning),
        )
    )
    load = found.elements.pressure * found.elements.area
    radius = np.hypot(found.elements.position[:, 0], found.elements.position[:, 1])
    return np.r_[found.force, found.torque], float((radius * load).sum() / load.sum())


def _lead_share(pressed: NDArray[np.float64]) -> float:
    """Torque of the frictionless nut over its load and P/2π: 1 where it advances by the pitch in each turn."""
    return float(-pressed[5] / pressed[2] / (PITCH / (2.0 * math.pi)))
