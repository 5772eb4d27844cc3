"""Runs with surfaces given by formulas: a ball in a valley of the cosine surface (S4.24), recording, pages."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polycontact as pc
from polycontact.report.view.run_pairings import remake_pairings

GRAVITY = 9.81
AMPLITUDE, WAVELENGTH, RADIUS = 0.05, 1.0, 0.1
"""m: the valley's radius of curvature is 0.507 m."""
VALLEY = -1.5
"""m: the leftmost valley of a surface from -2 m to 2 m."""


def centre_over(x: float) -> tuple[float, float]:
    """Centre of the ball that touches the surface at x."""
    k = 2.0 * math.pi / WAVELENGTH
    slope = -AMPLITUDE * k * math.sin(k * x)
    length = math.hypot(1.0, slope)
    return x - RADIUS * slope / length, AMPLITUDE * math.cos(k * x) + RADIUS / length


def ball_in_valley(offset: float, stiffness: float = 1e6) -> pc.MultibodySystem:
    """The ball starts at rest, pressed in by its weight, beside the lowest point."""
    system = pc.MultibodySystem("valley")
    ground = pc.parametric.CosineSurface(AMPLITUDE, WAVELENGTH, size=(4.0, 1.0))
    ball = pc.parametric.Ellipsoid(RADIUS, name="ball")
    mass = ball.mass_properties(1000.0).mass
    x, z = centre_over(VALLEY + offset)
    system.add_body("ground", surface=ground, fixed=True)
    system.add_body("ball", surface=ball, mass=mass, position=(x, 0.0, z - mass * GRAVITY / stiffness))
    law = pc.LayerLaw(stiffness=stiffness, damping=2e3)
    system.add_contact("ground", "ball", method=pc.contact.ParametricMethod(), law=law, name="slide")
    return system


def swings(time: np.ndarray, x: np.ndarray) -> float:
    """Mean period of the oscillation about 0, from its crossings."""
    i = np.flatnonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))
    crossings = time[i] + (time[i + 1] - time[i]) * x[i] / (x[i] - x[i + 1])
    return float(np.diff(crossings).mean())


def period_of_a_bead(offset: float) -> float:
    """Without friction the ball slides like a point on the path of its centre: its energy, integrated by scipy."""
    h = 1e-5

    def path(u: float) -> tuple[np.ndarray, np.ndarray]:
        before, here, after = (np.array(centre_over(VALLEY + u + k * h)) for k in (-1, 0, 1))
        return (after - before) / (2 * h), (after - 2 * here + before) / h**2

    def rates(t: float, y: np.ndarray) -> list[float]:
        first, second = path(y[0])
        return [y[1], -(first @ second * y[1] ** 2 + GRAVITY * first[1]) / (first @ first)]

    def crossing(t: float, y: np.ndarray) -> float:
        return y[0]

    crossing.direction = -1.0  # type: ignore[attr-defined]
    found = solve_ivp(rates, (0.0, 4.0), [offset, 0.0], events=crossing, rtol=1e-9, atol=1e-12, max_step=0.02)
    return float(np.diff(found.t_events[0]).mean())


@pytest.mark.parametrize("offset", [0.02, 0.15])
def test_ball_oscillates_in_the_leftmost_valley(offset: float) -> None:
    run = pc.simulate(ball_in_valley(offset), end_time=4.0, rtol=1e-7, atol=1e-9, output_step=0.005)
    position = run.trajectory.body("ball").position
    x = position[:, 0] - VALLEY
    assert np.abs(position[:, 1]).max() < 1e-9
    start = abs(centre_over(VALLEY + offset)[0] - VALLEY)
    assert np.abs(x).max() == pytest.approx(start, rel=2e-3)  # dampers act along normals only, and hardly move
    period = swings(run.trajectory.time, x)
    # The spring gives way by 0.04 mm of 0.4 m of the path's radius.
    assert period == pytest.approx(period_of_a_bead(offset), rel=1e-3)
    if offset < 0.05:
        curvature_radius = WAVELENGTH**2 / (4.0 * math.pi**2 * AMPLITUDE)
        small = 2.0 * math.pi * math.sqrt((curvature_radius - RADIUS) / GRAVITY)
        assert period == pytest.approx(small, rel=4e-3)  # swings of 2.3°: a pendulum's 1e-4, and the cosine's own
    assert run.ledger.worst_balance < 3e-4 * run.ledger.turnover


def test_guided_box_falls_and_is_recorded(tmp_path: Path) -> None:
    """An implicit box on a half-space: recorded, made again from the file, shown on a page."""
    system = pc.MultibodySystem("box")
    box = pc.implicit.SuperEllipsoid((0.1, 0.15, 0.05), 20.0, name="box")
    system.add_body("ground", surface=pc.implicit.HalfSpace(), fixed=True)
    system.add_body("box", surface=box, density=500.0)
    # Guided: free on its face, a box of one contact point would tumble from corner to corner.
    system.add_joint("guide", "prismatic", "world", "box", at=(0.0, 0.0, 0.1), axis=(0, 0, 1))
    law = pc.LayerLaw(stiffness=1e5, damping=1e3)
    system.add_contact("ground", "box", method=pc.contact.ImplicitMethod(), law=law, name="fall")
    path = tmp_path / "run.h5"
    run = pc.simulate(system, end_time=0.5, record=path, elements=True)
    weight = box.mass_properties(500.0).mass * GRAVITY
    assert run.trajectory.body("box").position[-1, 2] == pytest.approx(0.05 - weight / 1e5, rel=1e-3)
    trajectory = pc.Trajectory.open(path)
    kinds = [
        shape.geometry["kind"] for body in trajectory.description.bodies for shape in body.shapes if shape.geometry
    ]
    assert kinds == ["implicit_half_space", "implicit_super_ellipsoid"]
    (again,), notes = remake_pairings(trajectory.description)
    assert notes == ()
    assert again.pairing is not None
    assert again.pairing.f == box
    assert pc.save_page(path, tmp_path / "run.html").stat().st_size > 10_000


def test_ball_that_leaves_its_surface_is_told_of() -> None:
    system = pc.MultibodySystem("edge")
    ball = pc.parametric.Ellipsoid(0.1, name="ball")
    system.add_body("plate", surface=pc.parametric.Plane(0.4), fixed=True)
    system.add_body("ball", surface=ball, density=1000.0, position=(0.15, 0.0, 0.0999))
    system.add_joint("slide", "prismatic", "world", "ball", at=(0.15, 0.0, 0.0999), axis=(1, 0, 0), speeds=[1.0])
    system.add_contact(
        "plate", "ball", method=pc.contact.ParametricMethod(), law=pc.LayerLaw(stiffness=1e5), name="over"
    )
    with pytest.warns(pc.ContactWarning, match="contact 'over': at t = .* no points of the two surfaces"):
        pc.simulate(system, end_time=0.1, output_step=0.01)
