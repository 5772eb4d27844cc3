"""Painlevé's rod: with enough friction a leaning rod that is pushed jams, and its contact force explodes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from polycontact.contact.convex_kinds import ConvexMethod
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import Shape
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.simulation.simulate import simulate
from polycontact.surfaces.convex import Box, Sphere
from proof.validation.finding import Finding, Validation

HALF_LENGTH, MASS, TIP = 0.5, 1.0, 1e-3
"""Of the rod: half its length (m), mass (kg), radius of its tip (m)."""
ANGLE = math.atan(2.0)
"""Against the floor: where the least friction, 4/3, is enough."""
SPEED, DEPTH, STIFFNESS = 10.0, 1e-10, 1e7
"""At the start speed along the floor (m/s) and depth of the tip (m); stiffness of the contact, N/m."""
TIMES_OF_GROWTH = 8.0


class Motion(NamedTuple):
    """Contact force (N) over time (s), and p: the tip's normal acceleration over the force, times the mass."""

    time: np.ndarray
    force: np.ndarray
    p: float


def validate() -> Validation:
    """Rate of growth for μ = 1.6, frequency for μ = 0.8; both are √(|p| k / m)."""
    jams, holds = _push(1.6), _push(0.8)
    rate = math.sqrt(-jams.p * STIFFNESS / MASS)
    late = jams.time > 0.5 * jams.time[-1]
    growth = float(np.polyfit(jams.time[late], np.log(jams.force[late]), 1)[0])
    frequency = math.sqrt(holds.p * STIFFNESS / MASS)
    first_zero = float(holds.time[np.flatnonzero(holds.force < 0.5 * holds.force[0])[0]])
    reason = "e⁻⁴ is left of the part that dies out; the rod turns by less than 1e-6 rad"
    step = float(holds.time[1] - holds.time[0])
    findings = (
        Finding("rate at which the force grows, μ = 1.6", rate, growth, "1/s", 2e-3, reason),
        Finding(
            "time to half the force, μ = 0.8",
            math.pi / 3.0 / frequency * 1e3,
            first_zero * 1e3,
            "ms",
            step * frequency / (math.pi / 3.0),
            "a sample",
        ),
        Finding(
            "least friction that jams the rod",
            4.0 / 3.0,
            _least_jamming(),
            "",
            2.0 * TIP / HALF_LENGTH,
            "the tip is a ball of 1 mm: the contact is that much lower",
        ),
    )
    plot = LinePlot(
        x_label="time, ms",
        y_label="contact force over that at the start",
        lines=[
            Line("μ = 1.6", (1e3 * jams.time).tolist(), (jams.force / jams.force[0]).tolist(), "line"),
            Line(
                "cosh √(−p k/m) t",
                (1e3 * jams.time).tolist(),
                np.cosh(rate * jams.time).tolist(),
                "dashed",
                1,
            ),
        ],
        log_y=True,
    )
    return Validation(
        "painleve",
        "Painlevé's rod",
        "Painlevé (1895); Génot and Brogliato, European Journal of Mechanics A 18 (1999): μ > 4/3 for a slender rod. "
        "With an elastic contact there is one solution, and the force grows like cosh √(−p k/m) t",
        "A rod leans against the direction in which its tip slides. For rigid bodies there is no solution, or "
        "there are two; an elastic contact shows what happens.",
        findings,
        svg(plot),
    )


def _tip_answer(coefficient: float) -> float:
    """p = 1 + 3 cos² θ − 3 μ sin θ cos θ for a contact at the end of the rod; here at the lowest point of its tip."""
    x, z = HALF_LENGTH * math.cos(ANGLE), HALF_LENGTH * math.sin(ANGLE) + TIP
    inertia = MASS * (2.0 * HALF_LENGTH) ** 2 / 12.0
    return 1.0 + MASS / inertia * (x * x - coefficient * x * z)


def _least_jamming() -> float:
    """Coefficient at which a force on the tip gives it no normal acceleration, from the program's own rates."""
    accelerations = []
    for coefficient in (1.0, 2.0):
        compiled = _rod(coefficient, 1e-6).compile()
        state = compiled.start_state()
        rates = np.zeros_like(state)
        compiled.rates(0.0, state, rates)
        names = compiled.state_names
        fall, turn = (float(rates[names.index(f"rod.{which}")]) for which in ("vz", "wy"))
        accelerations.append(fall - turn * -HALF_LENGTH * math.cos(ANGLE))
    first, second = accelerations
    return 1.0 + first / (first - second)


def _push(coefficient: float) -> Motion:
    """The first instants of the motion."""
    p = _tip_answer(coefficient)
    end = (TIMES_OF_GROWTH if p < 0.0 else 2.0) / math.sqrt(abs(p) * STIFFNESS / MASS)
    system = _rod(coefficient, DEPTH)
    run = simulate(
        system, end_time=end, output_step=end / 400.0, rtol=1e-10, atol=1e-6 * DEPTH, velocity_atol=1e-6 * DEPTH
    )
    force = np.linalg.norm(run.trajectory.pairing("rod–floor").force, axis=1) / math.hypot(1.0, coefficient)
    return Motion(run.trajectory.time, force, p)


def _rod(coefficient: float, depth: float) -> MultibodySystem:
    """The rod, its tip pressed into the floor and sliding to the left; no weight, which is small beside the force."""
    system = MultibodySystem("rod", gravity=(0.0, 0.0, 0.0))
    x, z = -HALF_LENGTH * math.cos(ANGLE), -HALF_LENGTH * math.sin(ANGLE)
    inertia = MASS * (2.0 * HALF_LENGTH) ** 2 / 12.0
    system.add_body(
        "rod",
        shapes=[Shape(Sphere(TIP), position=(x, 0.0, z))],
        mass=MASS,
        centre=(0.0, 0.0, 0.0),
        inertia=(inertia, inertia, inertia),
        position=(0.0, 0.0, TIP - z - depth),
        velocity=(-SPEED, 0.0, 0.0),
    )
    system.add_body("floor", surface=Box((100.0, 100.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    friction = RegularisedCoulomb(coefficient=coefficient, velocity=1e-3)
    system.add_contact("rod", "floor", method=ConvexMethod(), law=LayerLaw(stiffness=STIFFNESS), friction=friction)
    return system
