"""One worked contact in words: two bubbles of the PCM paper, pressed together and sliding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import RegularisedCoulomb
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.surfaces import shapes

LAYER = ElasticLayer(youngs_modulus=5500.0, poissons_ratio=0.4, thickness=0.01)
FRICTION = RegularisedCoulomb(coefficient=0.25)
DISTANCE = 0.19
"""Between the axes of the bubbles, m; each is 0.1004 m wide at two places."""
SPEED = 0.1


def evaluate_demo() -> tuple[ContactPairing, ContactResult]:
    """The contact of two bubbles side by side, the second of which slides along the first."""
    bubble = shapes.bubble()
    pairing = ContactPairing(bubble, bubble, layers=(LAYER, LAYER), friction=FRICTION)
    kinematics = RelativeKinematics(position=(DISTANCE, 0.0, 0.0), velocity=(0.0, SPEED, 0.0))
    return pairing, pairing.evaluate(kinematics)


def describe_demo() -> list[str]:
    """What goes in and what comes out, a line each."""
    pairing, result = evaluate_demo()
    counters = result.statistics
    depth, pressure = result.elements.depth.max(), result.elements.pressure.max()
    lines = [
        f"Two bubbles, 0.4 m long, {pairing.e.n_triangles} triangles each, lie side by side, their axes "
        f"{1e3 * DISTANCE:g} mm apart; F slides along E at {SPEED:g} m/s.",
        f"Each has an elastic layer: Young's modulus {LAYER.youngs_modulus:g} Pa, Poisson's ratio "
        f"{LAYER.poissons_ratio:g}, thickness {1e3 * LAYER.thickness:g} mm.",
        f"Two such layers together: stiffness {pairing.stiffness:.4g} N/m³. Friction coefficient "
        f"{FRICTION.coefficient:g}.",
        "",
        f"Force on E: {_vector(result.force)} N",
        f"Torque on E about marker F: {_vector(result.torque)} N m",
        f"Contact area: {1e4 * result.area:.4g} cm² in {len(result.patches)} patches, bounded by "
        f"{len(result.polygons)} intersection polygons",
        f"Volume of the overlap: {1e6 * result.volume:.4g} cm³",
        f"Greatest pressure: {pressure:.4g} Pa; greatest depth: {1e3 * depth:.4g} mm",
    ]
    for number, patch in enumerate(result.patches, start=1):
        lines.append(
            f"Patch {number}: {1e4 * patch.area:.4g} cm² around {_vector(patch.centroid)} m, "
            f"force on E {_vector(patch.force)} N"
        )
    lines.append(
        f"Work done: {counters.bv_checks} box tests, {counters.triangle_checks} triangle tests, "
        f"{counters.lines} intersection lines, {counters.elements} contact elements"
    )
    return lines


def _vector(values: NDArray[np.float64]) -> str:
    # Adding zero after rounding turns -0 into 0.
    return "(" + ", ".join(f"{float(f'{value:.4g}') + 0.0:g}" for value in np.round(values, 9)) + ")"
