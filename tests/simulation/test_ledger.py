"""The energy ledger: it closes, its losses and its input are those of closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from small_systems import (
    BOX,
    GRAVITY,
    MASS,
    SPRING,
    STIFFNESS,
    bouncing_ball,
    box_over_plane,
    oscillator,
    pendulum,
)

import polycontact as pc
from polycontact.scenario.loading import load_scenario
from polycontact.simulation.integrators import INTEGRATORS
from polycontact.simulation.ledger import COLUMNS

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)
TIGHT = {"rtol": 1e-9, "atol": 1e-9}


@every_integrator
def test_balance_goes_to_zero_with_the_tolerance(integrator: str) -> None:
    """With a hundredth of the tolerance the error falls tenfold at least: orders below two are not in use."""
    worst = []
    for tolerance in (1e-4, 1e-6, 1e-8):
        options = {"integrator": integrator, "rtol": tolerance, "atol": tolerance}
        ledger = pc.simulate(bouncing_ball(damping=500.0), end_time=1.2, **options).ledger
        worst.append(ledger.worst_balance / ledger.turnover)
    for loose, tight in itertools.pairwise(worst):
        assert tight < 0.1 * loose
    assert worst[-1] < 2e-5  # an error of the tolerance, 1e-8, in each of some two thousand steps


@every_integrator
def test_flat_contact_keeps_its_energy(integrator: str) -> None:
    """The force of a flat box on a plane has a potential: no residual, and the height of the start is reached again."""
    run = pc.simulate(box_over_plane(), end_time=1.4, integrator=integrator, **TIGHT)
    ledger = run.ledger
    assert ledger["elastic"].max() > 0.0
    # Residual and balance are integrals with errors of some ten tolerances in each of three contacts.
    assert ledger.worst_residual < 1e-5 * ledger.turnover
    assert ledger.worst_balance < 1e-5 * ledger.turnover
    total = ledger["kinetic"] + ledger["gravity"] + ledger["elastic"]
    np.testing.assert_allclose(total, total[0], rtol=1e-5)


def test_energies_are_those_of_the_state() -> None:
    run = pc.simulate(box_over_plane(), end_time=0.4, **TIGHT)
    box = run.trajectory.body("box")
    depth = np.maximum(0.5 * BOX[2] - box.position[:, 2], 0.0)
    np.testing.assert_allclose(run.ledger["kinetic"], 0.5 * MASS * box.velocity[:, 2] ** 2, atol=1e-12)
    np.testing.assert_allclose(run.ledger["gravity"], MASS * GRAVITY * box.position[:, 2], rtol=1e-12)
    np.testing.assert_allclose(run.ledger["elastic"], 0.5 * SPRING * depth**2, atol=1e-9)


@pytest.mark.parametrize("damping", [200.0, 1000.0, 3000.0])
def test_damping_loses_what_the_restitution_says(damping: float) -> None:
    """Spring and damper that let go where their force vanishes: e = exp(-2 ζ/q atan(q/ζ)), q² = 1 - ζ²."""
    law = pc.LayerLaw(stiffness=STIFFNESS, damping=damping, transition_depth=1e-9)
    system = box_over_plane(height=0.01, gravity=0.0, velocity=(0.0, 0.0, -1.0), law=law)
    run = pc.simulate(system, end_time=0.1, integrator="lsoda", rtol=1e-10, atol=1e-10)
    zeta = damping * BOX[0] * BOX[1] / (2.0 * math.sqrt(SPRING * MASS))
    q = math.sqrt(1.0 - zeta**2)
    restitution = math.exp(-2.0 * zeta / q * math.atan2(q, zeta))
    lost = 0.5 * MASS * (1.0 - restitution**2)
    # The damping sets in over 1e-9 m, which stands for a jump, at 1e-6 of the depth reached.
    assert run.trajectory.body("box").velocity[-1, 2] == pytest.approx(restitution, rel=1e-5)
    assert run.ledger["contact_damping"][-1] == pytest.approx(lost, rel=1e-4)
    assert run.ledger["friction"][-1] == 0.0
    assert abs(run.ledger["residual"][-1]) < 1e-4 * lost


def test_sliding_block_loses_friction_times_way() -> None:
    """Work μ m g s, deceleration μ g, until just before the block stops.

    The floor is the base, so that only its normal pushes. The block tips forward by a little at once: some 1e-3.
    """
    friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)
    sunk = MASS * GRAVITY / SPRING
    system = box_over_plane(height=-sunk, velocity=(2.0, 0.0, 0.0), friction=friction, base=pc.Base.F)
    run = pc.simulate(system, end_time=0.5, rtol=1e-7, atol=1e-9)
    way = run.trajectory.body("box").position[-1, 0]
    assert way == pytest.approx(2.0 * 0.5 - 0.5 * 0.3 * GRAVITY * 0.5**2, rel=1e-3)
    assert run.ledger["friction"][-1] == pytest.approx(0.3 * MASS * GRAVITY * way, rel=2e-3)
    assert run.ledger.worst_balance < 1e-5 * run.ledger.turnover


def test_joint_damper_loses_the_energy_of_its_spring() -> None:
    run = pc.simulate(oscillator(damping=1.0), end_time=40.0, **TIGHT)
    # exp(-20) of the amplitude is left; 1e-4: errors of 1e-9 in each of thousands of steps.
    assert run.ledger["damping"][-1] == pytest.approx(0.5 * 50.0 * 0.1**2, rel=1e-4)
    assert run.ledger["springs"][0] == pytest.approx(0.5 * 50.0 * 0.1**2, rel=1e-12)


def test_motor_puts_in_what_it_says() -> None:
    """A motor without damping that is held to a constant target works like a spring of energy ½ k e²."""
    system = pc.MultibodySystem("driven", gravity=(0.0, 0.0, 0.0))
    system.add_body("mass", mass=MASS, inertia=(1.0, 1.0, 1.0))
    system.add_joint("slide", "prismatic", "world", "mass")
    system.add_force(
        pc.multibody.Motor("motor", "slide", pc.multibody.ConstantVelocity(0.0, 0.3), stiffness=50.0, damping=0.0)
    )
    run = pc.simulate(system, end_time=1.0, **TIGHT)
    error = 0.3 - run.trajectory.joint("slide").coordinates[:, 0]
    np.testing.assert_allclose(run.ledger["input"], 0.5 * 50.0 * (0.3**2 - error**2), atol=1e-5)
    np.testing.assert_allclose(run.ledger["input"], run.ledger["kinetic"], atol=1e-5)


def test_prescribed_lift_puts_in_the_weight_times_the_way() -> None:
    system = pc.MultibodySystem("lift")
    system.add_body("cabin", mass=MASS, inertia=(1.0, 1.0, 1.0))
    system.add_joint("guide", "prismatic", "world", "cabin", motion=pc.multibody.ConstantVelocity(0.5))
    run = pc.simulate(system, end_time=1.0)
    np.testing.assert_allclose(run.ledger["input"], MASS * GRAVITY * 0.5 * run.trajectory.time, atol=1e-12)
    assert run.ledger["kinetic"][-1] == pytest.approx(0.5 * MASS * 0.5**2, rel=1e-12)


def test_prescribed_motion_pays_for_friction() -> None:
    """A floor that is drawn from under a heavy block: its drive puts in what the block gains and friction loses."""
    system = pc.MultibodySystem("drawn")
    sunk = MASS * GRAVITY / SPRING
    block = pc.shapes.box(size=BOX)
    system.add_body("block", surface=block, mass=MASS, position=(0.0, 0.0, 0.5 * BOX[2] - sunk))
    system.add_body("floor", surface=pc.shapes.plane((6.0, 6.0)), mass=1.0, inertia=(1.0, 1.0, 1.0))
    drive = pc.multibody.ConstantVelocity(1.0)
    system.add_joint("drive", "prismatic", "world", "floor", axis=(1.0, 0.0, 0.0), motion=drive)
    friction = pc.RegularisedCoulomb(coefficient=0.2, velocity=1e-3)
    law = pc.LayerLaw(stiffness=STIFFNESS, damping=1e4)  # against rocking
    system.add_contact("block", "floor", law=law, friction=friction, base=pc.Base.F, depth="target_normal")
    run = pc.simulate(system, end_time=0.3, rtol=1e-7, atol=1e-9)
    ledger = run.ledger
    gained = ledger["kinetic"][-1] - ledger["kinetic"][0]
    # μ m g v t, but for the first rocking, which the damping ends; 1e-2: what that took and what the tilt stores.
    assert ledger["input"][-1] == pytest.approx(0.2 * MASS * GRAVITY * 1.0 * 0.3, rel=5e-3)
    assert ledger["input"][-1] == pytest.approx(gained + ledger["friction"][-1], rel=1e-2)


def test_ball_that_rebounds_gains_nothing() -> None:
    """Between flights the mechanical energy changes by losses and residual work only, and the latter is small."""
    run = pc.simulate(bouncing_ball(damping=300.0), end_time=2.0, rtol=1e-7, atol=1e-8, output_step=0.005)
    ledger = run.ledger
    flying = ~run.trajectory.pairing("bounce").in_contact
    total = (ledger["kinetic"] + ledger["gravity"])[flying]
    allowed = np.abs(np.diff(ledger["residual"][flying])) + 1e-5 * ledger.turnover
    assert (np.diff(total) <= allowed).all()
    # A closed path in pose alone would bring the residual back; a rebound nearly is one.
    assert np.abs(ledger["residual"][flying]).max() < 1e-2 * ledger.turnover


def test_residual_returns_to_nothing_after_each_contact_without_damping() -> None:
    ball = bouncing_ball(depth="base_normal")
    run = pc.simulate(ball, end_time=1.0, rtol=1e-9, atol=1e-9, output_step=0.005)
    flying = ~run.trajectory.pairing("bounce").in_contact
    assert run.ledger.worst_residual > 1e-3  # in contact: forces along the normals of the ball's own facets
    # A vertical path without turning has a potential, so nothing remains but the error of the integration.
    assert np.abs(run.ledger["residual"][flying]).max() < 1e-5 * run.ledger.turnover


def test_the_distance_on_a_plane_has_a_potential() -> None:
    """In contact and after it: no residual but the error of the integration, and the ball comes back to its height."""
    run = pc.simulate(bouncing_ball(), end_time=1.0, rtol=1e-9, atol=1e-9, output_step=0.005)
    assert run.trajectory.pairing("bounce").in_contact.any()
    assert run.ledger["elastic"].max() > 0.1
    assert run.ledger.worst_residual < 1e-5 * run.ledger.turnover


def test_pendulum_turns_its_energy_over() -> None:
    ledger = pc.simulate(pendulum(), end_time=2.0, **TIGHT).ledger
    swing = 1.5 * GRAVITY * 0.7 * (1.0 - math.cos(2.0))
    assert ledger.turnover == pytest.approx(swing, rel=1e-3)  # samples miss the lowest point by a little
    np.testing.assert_allclose(ledger["kinetic"] + ledger["gravity"], ledger["gravity"][0], atol=1e-6 * swing)


def test_loops_do_no_work() -> None:
    scenario = load_scenario("slider_crank")
    run = pc.simulate(scenario.build(), **{**scenario.settings, "end_time": 1.0, "rtol": 1e-8, "atol": 1e-8})
    assert run.ledger.worst_balance < 1e-4 * run.ledger.turnover


def test_summary_names_every_column() -> None:
    run = pc.simulate(pendulum(), end_time=0.5)
    summary = run.ledger.summary()
    assert set(summary) == {*COLUMNS, "worst_balance", "worst_residual", "turnover"}
    assert summary["kinetic"] == run.ledger["kinetic"][-1]
    for column in COLUMNS:
        np.testing.assert_array_equal(run.trajectory.energies[column], run.ledger[column])
    with pytest.raises(pc.SimulationError, match="'heat'; there are kinetic"):
        run.ledger["heat"]
