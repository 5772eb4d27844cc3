"""A ball falls on an elastic layer: greatest depth and duration of the impact, against the paper's law of a sphere."""

from __future__ import annotations

import math

from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.simulation.simulate import simulate
from polycontact.surfaces import shapes
from proof.validation.finding import Finding, Validation

RADIUS, MASS, STIFFNESS = 50e-3, 1.0, 1e9
"""m, kg, N/m³."""
SPEEDS = (0.25, 0.5, 1.0)
SUBDIVISIONS = 5
DURATION = 2.8043640
"""Of an impact with F ∝ u², over the greatest depth and the speed: 2 ∫ dx/√(1 − x³) from 0 to 1."""


def validate() -> Validation:
    """F = π c R u² for a shallow sphere, so that m v²/2 = π c R δ³/3 and the duration is 2.804 δ/v."""
    findings, ours, exact = [], [], []
    for speed in SPEEDS:
        depth = (1.5 * MASS * speed**2 / (math.pi * STIFFNESS * RADIUS)) ** (1.0 / 3.0)
        duration = DURATION * depth / speed
        found_depth, found_duration = _fall(speed, depth, duration)
        flat = RADIUS * 2.0 * (0.3 / 2**SUBDIVISIONS) ** 2
        shallow = depth / (6.0 * RADIUS)
        reason = f"cap of a sphere, u/6R = {shallow:.1%}; the balanced mesh hides {1e6 * flat:.0f} µm of its facets"
        bound = shallow + flat / depth
        findings += [
            Finding(f"greatest depth at {speed:g} m/s", 1e3 * depth, 1e3 * found_depth, "mm", bound, reason),
            Finding(f"duration at {speed:g} m/s", 1e3 * duration, 1e3 * found_duration, "ms", bound, reason),
        ]
        ours.append(1e3 * found_depth)
        exact.append(1e3 * depth)
    lines = [Line("polycontact", SPEEDS, ours, "points"), Line("closed form", SPEEDS, exact, "dashed", 1)]
    return Validation(
        "winkler_impact",
        "A ball falls on an elastic layer",
        "Johnson, Contact Mechanics (1985), section 4.3: an elastic foundation under a sphere; impact by its energy",
        "A ball of 1 kg hits a layer of 1 N/mm³ at three speeds, without losses.",
        tuple(findings),
        svg(LinePlot(x_label="speed, m/s", y_label="greatest depth, mm", lines=lines)),
    )


def _fall(speed: float, depth: float, duration: float) -> tuple[float, float]:
    """Greatest depth (m) and duration (s) of an impact."""
    system = MultibodySystem("ball on layer", gravity=(0.0, 0.0, 0.0))
    ball = shapes.sphere(RADIUS, subdivisions=SUBDIVISIONS).balanced()
    inertia = 0.4 * MASS * RADIUS**2
    above = 0.2 * depth
    system.add_body(
        "ball",
        surface=ball,
        mass=MASS,
        inertia=(inertia, inertia, inertia),
        centre=(0.0, 0.0, 0.0),
        position=(0.0, 0.0, RADIUS + above),
        velocity=(0.0, 0.0, -speed),
    )
    system.add_body("plate", surface=shapes.plane(1.0), fixed=True)
    law = LayerLaw(stiffness=STIFFNESS)
    system.add_contact("ball", "plate", law=law, base=Base.E)
    run = simulate(
        system,
        end_time=1.8 * duration,
        output_step=0.01 * duration,
        rtol=1e-8,
        atol=1e-6 * depth,
        velocity_atol=1e-8 * speed,
        contact_events=True,
    )
    times = {event.kind: event.time for event in run.events}
    height = run.trajectory.body("ball").position[:, 2]
    return RADIUS - float(height.min()), times["end"] - times["start"]
