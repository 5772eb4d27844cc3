"""The tippe top: a ball whose centre of mass is low turns over on its stem, and Jellett's number stays what it was."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from polycontact.contact.convex_kinds import ConvexMethod
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import Shape
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.simulation.simulate import simulate
from polycontact.surfaces.convex import Box, Sphere
from proof.validation.finding import Finding, Validation

RADIUS, OFFSET, MASS = 20e-3, 6e-3, 6e-3
"""Ball (m), distance of the centre of mass below its centre (m), mass (kg): those of Rauch-Wojciechowski's studies."""
AXIAL, TRANSVERSE = 0.4 * MASS * RADIUS**2, 131.0 / 350.0 * MASS * RADIUS**2
"""Moments of inertia about the axis and across it, kg m²."""
TILT, SPIN = 0.1, 250.0
"""At the start, rad and rad/s."""
STIFFNESS = 1e5
"""Of the point of contact, N/m: it gives way by 0.6 µm under the weight."""


def validate() -> Validation:
    """Eight seconds on a floor with friction: inversion, Jellett's number, spin before and after."""
    system = MultibodySystem("tippe top", gravity=(0.0, 0.0, -9.81))
    start = Rotation.from_rotvec((0.0, TILT, 0.0))
    system.add_body(
        "top",
        shapes=[Shape(Sphere(RADIUS))],
        mass=MASS,
        centre=(0.0, 0.0, -OFFSET),
        inertia=(TRANSVERSE, TRANSVERSE, AXIAL),
        position=(0.0, 0.0, RADIUS),
        rotation=start.as_matrix(),
        angular_velocity=tuple(start.apply((0.0, 0.0, SPIN)).tolist()),
    )
    system.add_body("floor", surface=Box((100.0, 100.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_contact(
        "top",
        "floor",
        method=ConvexMethod(),
        law=LayerLaw(stiffness=STIFFNESS, damping=20.0),
        friction=RegularisedCoulomb(coefficient=0.3, velocity=1e-3),
    )
    run = simulate(system, end_time=8.0, output_step=0.02, rtol=1e-7, atol=1e-9)
    body = run.trajectory.body("top")
    axis = body.rotation[:, :, 2]
    inertia = np.diag([TRANSVERSE, TRANSVERSE, AXIAL])
    momentum = np.einsum("nij,jk,nlk,nl->ni", body.rotation, inertia, body.rotation, body.angular_velocity)
    lever = RADIUS * np.array([0.0, 0.0, 1.0]) - OFFSET * axis
    jellett = np.einsum("ni,ni->n", momentum, lever)
    angle = np.degrees(np.arccos(np.clip(axis[:, 2], -1.0, 1.0)))
    sunk = MASS * 9.81 / STIFFNESS
    slope = 1e-3
    findings = (
        Finding("axis at the end", 180.0, float(angle[-1]), "°", 2.0 / 180.0, "what is left of its nutation after 8 s"),
        Finding(
            "change of Jellett's number",
            0.0,
            float(np.abs(jellett / jellett[0] - 1.0).max()),
            "",
            slope,
            f"friction acts {1e6 * sunk:.1f} µm above the lowest point, thirty times that in bounces, of 20 mm",
            scale=1.0,
        ),
        Finding(
            "spin after over spin before",
            (RADIUS - OFFSET) / (RADIUS + OFFSET),
            float(body.angular_velocity[-1, 2] / SPIN),
            "",
            0.01,
            "the start is tilted by 0.1 rad: half its square, twice",
        ),
    )
    plot = LinePlot(
        x_label="time, s",
        y_label="angle of the axis, °",
        lines=[Line("polycontact", run.trajectory.time.tolist(), angle.tolist(), "line")],
    )
    return Validation(
        "tippe_top",
        "The tippe top turns over",
        "Jellett (1872); Ebenfeld and Scheck, Annals of Physics 243 (1995): J = L · (R ẑ − a e) is kept by every "
        "friction, and a top with 1 − a/R < A/C < 1 + a/R turns over",
        "A ball with a low centre of mass spins at 250 rad/s. Friction at one point turns it upside down; its spin "
        "falls in the ratio (R − a)/(R + a).",
        findings,
        svg(plot),
    )
