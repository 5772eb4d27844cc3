"""A block on a slope that vibrates along itself creeps down, although friction would hold it on a slope at rest."""

from __future__ import annotations

import math

import numpy as np

from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.methods import Base
from polycontact.multibody.motion_functions import Harmonic
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.simulation.simulate import simulate
from polycontact.surfaces import shapes
from proof.validation.finding import Finding, Validation

COEFFICIENT = 0.5
FREQUENCY = 100.0
"""Hz."""
AMPLITUDE_SPEED = 0.5
"""Greatest speed of the slope, m/s."""
TURNS = 100.0
"""Periods simulated; the last quarter is averaged."""
SHARES = (0.25, 0.5, 0.75)
"""tan α over μ."""
FADING = 1e-3
"""Slip at which friction has faded, m/s."""


def validate() -> Validation:
    """Drift at three slopes, from v = V sin(π/2 · tan α/μ)."""
    findings, exact, ours = [], [], []
    for share in SHARES:
        slope = math.atan(share * COEFFICIENT)
        exact.append(AMPLITUDE_SPEED * math.sin(0.5 * math.pi * share))
        ours.append(_drift(slope, exact[-1]))
        jitter = COEFFICIENT * 9.81 / (AMPLITUDE_SPEED * 2.0 * math.pi * FREQUENCY)
        findings.append(
            Finding(
                f"drift for tan α = {share:g} μ",
                exact[-1],
                ours[-1],
                "m/s",
                jitter + FADING / AMPLITUDE_SPEED,
                "the block's own speed changes by μ g/(V ω) of V in a period, and friction fades below 1 mm/s",
            )
        )
    plot = LinePlot(
        x_label="tan α / μ",
        y_label="drift, m/s",
        lines=[
            Line("polycontact", SHARES, ours, "points"),
            Line(
                "closed form",
                np.linspace(0.0, 1.0, 41).tolist(),
                (AMPLITUDE_SPEED * np.sin(0.5 * math.pi * np.linspace(0.0, 1.0, 41))).tolist(),
                "dashed",
                1,
            ),
        ],
    )
    return Validation(
        "shaken_slope",
        "A block on a slope that vibrates",
        "Blekhman, Vibrational Mechanics (2000): under fast vibration along the slope dry friction acts on the mean "
        "motion like a viscous one, and the block drifts with V sin(π/2 · tan α/μ)",
        "A block of 1 kg lies on a slope that would hold it. The slope vibrates along itself with 100 Hz and 0.5 m/s.",
        tuple(findings),
        svg(plot),
    )


def _drift(slope: float, guess: float) -> float:
    """Mean speed down the slope, m/s, that a run which starts with ``guess`` settles at."""
    system = MultibodySystem("slope", gravity=(9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope)))
    plate = shapes.box((20.0, 1.0, 0.1))
    system.add_body("slope", surface=plate, mass=1.0, inertia=(1.0, 1.0, 1.0))
    shaking = Harmonic(amplitude=AMPLITUDE_SPEED / (2.0 * math.pi * FREQUENCY), frequency=FREQUENCY)
    system.add_joint("shaker", "prismatic", "world", "slope", axis=(1, 0, 0), at=(0.0, 0.0, -0.05), motion=shaking)
    block = shapes.box((0.1, 0.1, 0.02))
    depth = 9.81 * math.cos(slope) / (1e9 * 0.01)
    system.add_body("block", surface=block, mass=1.0, position=(0.0, 0.0, 0.01 - depth), velocity=(guess, 0.0, 0.0))
    system.add_contact(
        "block",
        "slope",
        law=LayerLaw(stiffness=1e9, damping=1e6),
        friction=RegularisedCoulomb(coefficient=COEFFICIENT, velocity=FADING),
        base=Base.E,
    )
    end = TURNS / FREQUENCY
    run = simulate(system, end_time=end, output_step=0.25 / FREQUENCY, rtol=1e-8, atol=1e-9, velocity_atol=1e-7)
    place = run.trajectory.body("block").position[:, 0]
    return float((place[-1] - place[-101]) / (100 * 0.25 / FREQUENCY))
