"""Impacts with each law against a solver of the same equation of motion, and what the energy ledger says of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from small_systems import BOX, MASS, box_over_plane

import polycontact as pc
from polycontact.contact.laws.impact_damping import delivered_restitution
from sphere_method import Ball, BallOnGround, Ground

SPEED = 1.5
FINE = {"rtol": 1e-7, "atol": 1e-9}
AREA = BOX[0] * BOX[1]
LAWS: list[tuple[Any, Callable[[float, float], float]]] = [
    (pc.LayerLaw(stiffness=1e6, damping=300.0), lambda u, v: 1e6 * u + 300.0 * v),
    (
        pc.LayerLaw(stiffness=1e6, damping=300.0, damping_in="compression"),
        lambda u, v: 1e6 * u + 300.0 * max(v, 0.0),
    ),
    (pc.laws.SpringDamperLaw(stiffness=1e6, damping=300.0), lambda u, v: 1e6 * u + 300.0 * v),
    (pc.laws.HuntCrossley(coefficient=1e8, dissipation=0.2), lambda u, v: 1e8 * u**1.5 * (1.0 + 0.3 * v)),
    (
        pc.laws.HertzPoint(modulus=1e9, radius=0.1, dissipation=0.1),
        lambda u, v: 4.0 / 3.0 * 1e9 * math.sqrt(0.1) * u**1.5 * (1.0 + 0.15 * v),
    ),
]


def ball_over_ground(law: Any, speed: float = SPEED) -> pc.MultibodySystem:
    """A ball of 1 kg without weight, half a millimetre over the ground: one point."""
    system = pc.MultibodySystem("impact", gravity=(0.0, 0.0, 0.0))
    system.add_body("ground", surface=Ground(), fixed=True)
    system.add_body("ball", surface=Ball(0.1), mass=1.0, position=(0.0, 0.0, 0.1005), velocity=(0.0, 0.0, -speed))
    system.add_contact("ground", "ball", method=BallOnGround(), law=law, name="impact")
    return system


def rebound_by_solver(force: Callable[[float, float], float]) -> float:
    def motion(t: float, y: Any) -> list[float]:
        return [y[1], -max(force(max(y[0], 0.0), y[1]), 0.0) if y[0] > 0.0 else 0.0]

    # The force jumps where a damper meets the ground: a step must not pass over it.
    found = solve_ivp(motion, (0.0, 0.05), [0.0, SPEED], rtol=1e-9, atol=1e-12, max_step=1e-5)
    return float(-found.y[1, -1])


@pytest.mark.parametrize(("law", "force"), LAWS, ids=[type(law).__name__ for law, _ in LAWS])
def test_rebound_is_that_of_a_solver(law: Any, force: Callable[[float, float], float]) -> None:
    run = pc.simulate(ball_over_ground(law), end_time=0.03, **FINE)
    speed = run.trajectory.body("ball").velocity[-1, 2]
    assert speed == pytest.approx(rebound_by_solver(force), rel=2e-4)
    lost = run.ledger["contact_damping"][-1]
    # A damper that meets the ground begins with a jump, which costs the integrals of the ledger some of their accuracy.
    jumps = hasattr(law, "damping")
    assert lost == pytest.approx(0.5 * (SPEED**2 - speed**2), rel=1e-2 if jumps else 1e-3), "all is lost to damping"
    assert run.ledger.worst_residual < (1e-2 if jumps else 2e-4) * run.ledger.turnover


@pytest.mark.parametrize("calibrated", [True, False])
@pytest.mark.parametrize("restitution", [0.2, 0.5, 0.8, 1.0])
def test_restitution_of_a_point(restitution: float, calibrated: bool) -> None:
    law = pc.laws.RestitutionLaw(stiffness=1e6, restitution=restitution, calibrated=calibrated)
    expected = restitution if calibrated else delivered_restitution(law.damping)
    run = pc.simulate(ball_over_ground(law), end_time=0.05, **FINE)
    # The speed of the collision is that at the end of the first step inside.
    assert run.trajectory.body("ball").velocity[-1, 2] == pytest.approx(expected * SPEED, rel=2e-3)
    assert run.ledger.worst_residual < 2e-4 * run.ledger.turnover


def test_restitution_of_a_flat_face_at_any_speed() -> None:
    law = pc.laws.RestitutionLaw(stiffness=1e6, restitution=0.5)
    for speed in (0.1, 1.0, 3.0):
        system = box_over_plane(height=1e-4, gravity=0.0, velocity=(0.0, 0.0, -speed), law=law)
        run = pc.simulate(system, end_time=2e-4 / speed + 0.1, **FINE)
        assert run.trajectory.body("box").velocity[-1, 2] == pytest.approx(0.5 * speed, rel=3e-3)


@pytest.mark.parametrize(
    "law",
    [
        pc.laws.RestitutionLaw(stiffness=1e8, restitution=0.6),
        pc.laws.HuntCrossley(coefficient=1e8, exponent=1.0, dissipation=0.2),
        pc.LayerLaw(stiffness=1e8, damping=2e5, transition_depth=1e-3, damping_in="compression"),
    ],
    ids=["restitution", "Hunt and Crossley", "compression"],
)
def test_the_ledger_closes_over_the_impact_of_a_mesh(law: Any) -> None:
    system = pc.MultibodySystem("ball on plane", gravity=(0.0, 0.0, 0.0))
    place, velocity = (0.0, 0.0, 0.1005), (0.0, 0.0, -1.0)
    system.add_body("ball", surface=pc.shapes.sphere(0.1, 3), mass=1.0, position=place, velocity=velocity)
    system.add_body("plane", surface=pc.shapes.plane(1.0), fixed=True)
    system.add_contact("ball", "plane", law=law, name="impact")
    run = pc.simulate(system, end_time=0.03, **FINE)
    speed = run.trajectory.body("ball").velocity[-1, 2]
    assert 0.3 < speed < 0.9
    assert run.ledger["contact_damping"][-1] == pytest.approx(0.5 * (1.0 - speed**2), rel=1e-3)
    assert run.ledger.worst_residual < 1e-3 * run.ledger.turnover


def test_each_contact_remembers_its_own_speed() -> None:
    """A box that bounces: every bounce has half the speed of the one before, though it is slower and slower."""
    law = pc.laws.RestitutionLaw(stiffness=1e9, restitution=0.5)
    run = pc.simulate(box_over_plane(height=0.2, law=law), end_time=1.1, output_step=1e-3, **FINE)
    speed = run.trajectory.body("box").velocity[:, 2]
    leaps = np.flatnonzero((speed[1:] > 0.1) & (speed[:-1] <= 0.1))
    highest = [speed[i + 1 : i + 30].max() for i in leaps[:3]]
    first = math.sqrt(2.0 * 9.81 * 0.2)
    # Samples every millisecond miss up to 0.01 m/s of the speed; gravity acts during the impacts, too.
    assert highest == pytest.approx([first / 2, first / 4, first / 8], rel=0.04)


def test_restitution_is_safe_at_rest() -> None:
    """A box that lies: it sinks in to its balance and stays, without tension and with few evaluations."""
    law = pc.laws.RestitutionLaw(stiffness=1e6, restitution=0.2)
    run = pc.simulate(box_over_plane(height=0.0, law=law), end_time=6.0, output_step=0.1, **FINE)
    sunk = MASS * 9.81 / (1e6 * AREA)
    height = run.trajectory.body("box").position[:, 2] - 0.5 * BOX[2]
    assert height[-1] == pytest.approx(-sunk, rel=1e-4)
    assert np.ptp(height[-10:]) < 1e-8
    assert (run.trajectory.pairing("landing").force[:, 2] >= 0.0).all()
    half = len(run.trajectory.time) // 2
    steps = run.trajectory.array("steps")
    assert steps[-1] - steps[half] <= steps[half], "at rest it does not cost more and more"


def test_run_files_carry_the_speed_of_a_collision(tmp_path: Any) -> None:
    """A run that is continued in the middle of an impact rebounds as one that was not."""
    law = pc.laws.RestitutionLaw(stiffness=1e6, restitution=0.5)
    path = tmp_path / "run.h5"
    pc.simulate(ball_over_ground(law), end_time=1.5e-3, record=path, output_step=5e-4, **FINE)
    remembered = pc.Trajectory.open(path).state_at_end().remembered[0]
    assert remembered.values[0, 0] == pytest.approx(SPEED, rel=2e-3)
    pc.simulate(ball_over_ground(law), end_time=0.05, continue_from=path, output_step=5e-4, **FINE)
    speed = pc.Trajectory.open(path).body("ball").velocity[-1, 2]
    assert speed == pytest.approx(0.5 * SPEED, rel=3e-3)


def test_spin_torque_stops_a_spinning_ball() -> None:
    """A ball that spins on one point slows down evenly by d_w m g; the ledger has its energy as friction."""
    system = pc.MultibodySystem("spin")
    system.add_body("ground", surface=Ground(), fixed=True)
    sunk = 9.81 / 1e5
    place = {"position": (0.0, 0.0, 0.1 - sunk), "angular_velocity": (0.0, 0.0, 20.0)}
    system.add_body("ball", surface=Ball(0.1), mass=1.0, inertia=(4e-3, 4e-3, 4e-3), **place)
    friction = pc.laws.SpinFriction(coefficient=0.3, spin_length=2e-3)
    law = pc.laws.SpringDamperLaw(stiffness=1e5, damping=100.0)
    system.add_contact("ground", "ball", method=BallOnGround(), law=law, friction=friction, name="spin")
    run = pc.simulate(system, end_time=2.0, **FINE)
    spin = run.trajectory.body("ball").angular_velocity[-1, 2]
    assert spin == pytest.approx(20.0 - 2.0 * 2e-3 * 9.81 / 4e-3, rel=1e-6)
    assert run.ledger["friction"][-1] == pytest.approx(0.5 * 4e-3 * (20.0**2 - spin**2), rel=1e-6)
    assert run.ledger.worst_residual < 1e-6
