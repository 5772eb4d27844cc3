"""The rattleback: half an ellipsoid that turns the wrong way starts to rattle, and turns back."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.smooth_methods import ParametricMethod
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.simulation.simulate import simulate
from polycontact.surfaces.parametric import Ellipsoid, Plane
from proof.validation.finding import Finding, Validation

Array = NDArray[np.float64]

AXES = np.array([0.2, 0.03, 0.02])
"""Semi-axes of the ellipsoid, m."""
LOW = 0.01
"""The centre of mass is that far below the ellipsoid's centre, m."""
MASS = 1.0
INERTIA = np.array([[2e-4, -2e-5, 0.0], [-2e-5, 1.6e-3, 0.0], [0.0, 0.0, 1.7e-3]])
"""kg m²: its principal axes are turned by 0.8° against those of the ellipsoid; without that it would not turn back."""
TILT, SPIN = math.radians(0.5), -5.0
"""At the start: a tilt about both horizontal axes (rad), and the spin (rad/s)."""
END = 3.0
STIFFNESS, DAMPING, FADING = 1e8, 300.0, 1e-5
"""Of the contact (N/m and N s/m), and the slip below which friction fades (m/s). The rattling grows from little, so
that what the contact takes away delays it: with 1e6 N/m and 1e-4 m/s the spin turns back 5 % later."""


def validate() -> Validation:
    """Spin over time, beside the equations of rolling without slip, integrated by SciPy."""
    start = Rotation.from_rotvec((TILT, 0.0, 0.0)) * Rotation.from_rotvec((0.0, TILT, 0.0))
    up = start.inv().apply((0.0, 0.0, 1.0))
    exact = solve_ivp(
        _rolling, (0.0, END), np.r_[up, SPIN * up], rtol=1e-10, atol=1e-12, dense_output=True, method="DOP853"
    )
    time, ours = _simulate(start)
    assert exact.sol is not None
    states = exact.sol(time)
    spin = np.einsum("in,in->n", states[:3], states[3:])
    turned = _first_above(time, ours, 0.0)
    theirs = _first_above(time, spin, 0.0)
    reason = "what a ten times softer contact changes: 0.3 % of the time and 1.5 % of the spin, twice"
    findings = (
        Finding("spin turns back at", theirs, turned, "s", 6e-3, reason),
        Finding("greatest spin the other way", float(spin.max()), float(ours.max()), "rad/s", 0.03, reason),
    )
    plot = LinePlot(
        x_label="time, s",
        y_label="spin about the vertical, rad/s",
        lines=[
            Line("polycontact", time.tolist(), ours.tolist(), "line"),
            Line("rolling without slip", time.tolist(), spin.tolist(), "dashed", 1),
        ],
    )
    return Validation(
        "rattleback",
        "The rattleback turns back",
        "Kane and Levinson, International Journal of Non-Linear Mechanics 17 (1982): an ellipsoid that rolls without "
        "slip, with their dimensions",
        "Spun clockwise, the rattleback wobbles, stops, and turns the other way. Its contact is a point of an "
        "ellipsoid on a plane, with friction and elastic.",
        findings,
        svg(plot),
    )


def _rolling(_: float, state: Array) -> Array:
    """Rates of the vertical and of the angular velocity, both in body axes, for rolling without slip."""
    up, omega = state[:3], state[3:]
    squares = AXES**2
    size = math.sqrt(float(squares @ up**2))
    lever = -squares * up / size + np.array([0.0, 0.0, LOW])
    up_rate = np.cross(up, omega)
    lever_rate = -squares * up_rate / size + squares * up * float(squares @ (up * up_rate)) / size**3
    known = np.cross(lever_rate, omega) + np.cross(omega, np.cross(lever, omega)) + 9.81 * up
    skew = np.cross(np.eye(3), lever)  # skew @ w = lever × w
    matrix = INERTIA - MASS * skew @ skew
    torque = MASS * np.cross(lever, known) - np.cross(omega, INERTIA @ omega)
    rates: Array = np.concatenate([up_rate, np.linalg.solve(matrix, torque)])
    return rates


def _simulate(start: Rotation) -> tuple[Array, Array]:
    """Time and spin about the vertical."""
    system = MultibodySystem("rattleback", gravity=(0.0, 0.0, -9.81))
    up = start.inv().apply((0.0, 0.0, 1.0))
    height = math.sqrt(float(AXES**2 @ up**2)) - MASS * 9.81 / STIFFNESS
    lever = start.apply(-(AXES**2) * up / math.sqrt(float(AXES**2 @ up**2)))
    omega = np.array([0.0, 0.0, SPIN])
    system.add_body(
        "rattleback",
        surface=Ellipsoid(tuple(AXES.tolist())),
        mass=MASS,
        centre=(0.0, 0.0, -LOW),
        inertia=INERTIA,
        position=(0.0, 0.0, height),
        rotation=start.as_matrix(),
        velocity=tuple(np.cross(lever, omega).tolist()),
        angular_velocity=tuple(omega.tolist()),
    )
    system.add_body("table", surface=Plane(2.0), fixed=True)
    system.add_contact(
        "rattleback",
        "table",
        method=ParametricMethod(),
        law=LayerLaw(stiffness=STIFFNESS, damping=DAMPING),
        friction=RegularisedCoulomb(coefficient=1.0, velocity=FADING),
    )
    run = simulate(system, end_time=END, output_step=0.005, rtol=1e-7, atol=1e-10, velocity_atol=1e-7)
    spin: Array = run.trajectory.body("rattleback").angular_velocity[:, 2]
    return run.trajectory.time, spin


def _first_above(time: Array, value: Array, limit: float) -> float:
    """First time at which a value passes a limit, linear between samples; not a number where it never does."""
    after = np.flatnonzero((value[1:] > limit) & (value[:-1] <= limit))
    if not len(after):
        return math.nan
    k = int(after[0])
    return float(time[k] + (limit - value[k]) / (value[k + 1] - value[k]) * (time[k + 1] - time[k]))
