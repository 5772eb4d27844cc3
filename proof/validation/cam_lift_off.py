"""A flat follower on an eccentric disc lifts off at the speed at which its spring no longer keeps up."""

from __future__ import annotations

import math

import numpy as np

from polycontact.contact.convex_kinds import ConvexMethod
from polycontact.contact.laws import LayerLaw
from polycontact.multibody.built_in_forces import JointSpring
from polycontact.multibody.motion_functions import ExpressionMotion
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import Shape
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.simulation.simulate import simulate
from polycontact.surfaces.convex import Box, Cylinder
from proof.validation.finding import Finding, Validation

RADIUS, ECCENTRICITY, MASS = 30e-3, 5e-3, 0.5
"""Of the disc, m; of the follower, kg."""
SPRING, PRELOAD = 2e4, 100.0
"""N/m; N at the lowest position of the follower."""
STIFFNESS, DAMPING = 1e8, 2e3
"""Of the contact, N/m and N s/m: its own frequency is some forty times that of the cam."""
TURNS, FROM, TO = 40.0, 0.97, 1.04
"""Turns in which the speed rises, from and to these shares of the critical one."""


def validate() -> Validation:
    """The speed rises slowly; where the follower first parts is the critical speed."""
    critical = math.sqrt((2.0 * SPRING * ECCENTRICITY + PRELOAD) / (MASS * ECCENTRICITY))
    end = TURNS * 2.0 * math.pi / (0.5 * (FROM + TO) * critical)
    start, growth = FROM * critical, (TO - FROM) * critical / end
    system = MultibodySystem("cam", gravity=(0.0, 0.0, 0.0))
    disc = Shape(Cylinder(RADIUS, 0.02), position=(ECCENTRICITY, 0.0, 0.0))
    system.add_body("cam", shapes=[disc], mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    system.add_body("follower", shapes=[Shape(Box((0.1, 0.01, 0.02)))], mass=MASS, inertia=(1e-3, 1e-3, 1e-3))
    turning = ExpressionMotion(f"{start!r} * t + {0.5 * growth!r} * t**2")
    system.add_joint("shaft", "revolute", "world", "cam", axis=(0, 0, 1), motion=turning)
    middle = RADIUS + 0.005
    sunk = (PRELOAD + SPRING * ECCENTRICITY) / STIFFNESS
    system.add_joint(
        "guide",
        "prismatic",
        "world",
        "follower",
        axis=(0, 1, 0),
        at=(0.0, middle, 0.0),
        coordinates=-sunk,
        speeds=[ECCENTRICITY * start],
    )
    reference = -ECCENTRICITY - PRELOAD / SPRING
    system.add_force(JointSpring("spring", "guide", stiffness=SPRING, reference=reference))
    law = LayerLaw(stiffness=STIFFNESS, damping=DAMPING)
    system.add_contact("cam", "follower", method=ConvexMethod(), law=law)
    run = simulate(system, end_time=end, output_step=end / TURNS / 60.0, rtol=1e-7, atol=1e-11, contact_events=True)
    parts = next(event.time for event in run.events if event.kind == "end")
    lifted = start + growth * parts
    a_turn = growth * 2.0 * math.pi / critical
    force = np.linalg.norm(run.trajectory.pairing("cam–follower").force, axis=1)
    angle = start * run.trajectory.time + 0.5 * growth * run.trajectory.time**2
    settled = (angle > 6.0 * math.pi) & (angle < 8.0 * math.pi)
    speed = start + growth * run.trajectory.time
    exact = (
        SPRING * (ECCENTRICITY * np.sin(angle) + ECCENTRICITY)
        + PRELOAD
        - MASS * ECCENTRICITY * speed**2 * np.sin(angle)
    )
    ringing = 4.0 * critical / math.sqrt(STIFFNESS / MASS)
    findings = (
        Finding(
            "speed at which the follower parts",
            critical * 30.0 / math.pi,
            lifted * 30.0 / math.pi,
            "rpm",
            (a_turn + 0.5 * ringing**2 * critical) / critical,
            "it parts once a turn, in which the speed rises so much; the contact's give shifts its own frequency",
        ),
        Finding(
            "force on the cam over the fourth turn, greatest difference",
            0.0,
            float(np.abs(force - exact)[settled].max()),
            "N",
            ringing,
            "the cam's frequency over the contact's: what rings on",
            scale=float(exact[settled].max()),
        ),
    )
    shown = settled
    plot = LinePlot(
        x_label="angle of the cam, °",
        y_label="force on the cam, N",
        lines=[
            Line("polycontact", np.degrees(angle[shown]).tolist(), force[shown].tolist(), "line"),
            Line("closed form", np.degrees(angle[shown]).tolist(), exact[shown].tolist(), "dashed", 1),
        ],
    )
    return Validation(
        "cam",
        "A cam and its follower",
        "Norton, Cam Design and Manufacturing Handbook: the follower parts where m e ω² exceeds the spring's force at "
        "the top, k · 2 e + F₀",
        "An eccentric disc of 30 mm drives a flat follower; its speed rises by seven per cent in forty turns.",
        findings,
        svg(plot),
    )
