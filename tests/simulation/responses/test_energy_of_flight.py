"""Bodies that turn and touch nothing, by steps with multipliers: energy, order, what the ledger books, what is told."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import SimulationWarning

AXIS = np.array([0.7, 1.0, 0.3])
"""Of no principal direction: the body tumbles."""


def tumbling(turn: float, *, chain: bool = False) -> pc.MultibodySystem:
    """A box that turns by so many rad in a ms, far from a floor; maybe with another one on a ball joint at its end."""
    spin = 1e3 * turn * AXIS / np.linalg.norm(AXIS)
    system = pc.MultibodySystem("tumbling", gravity=(0.0, 0.0, 0.0))
    system.add_body("floor", surface=pc.convex.Box((1.0, 1.0, 0.1)), position=(0.0, 0.0, -9.0), fixed=True)
    box = pc.convex.Box((0.25, 0.1, 0.06))
    system.add_body("box", surface=box, density=1000.0, position=(0.0, 0.0, 1.0), angular_velocity=spin)
    if chain:
        system.add_body("tail", surface=pc.convex.Box((0.2, 0.05, 0.05)), density=1000.0)
        system.add_joint("ball", "spherical", "box", "tail", at=(0.25, 0.0, 0.0))
    system.find_contacts(law=pc.laws.RestitutionLaw(stiffness=1e7, restitution=0.5))
    return system


def fly(turn: float, *, chain: bool = False, end_time: float = 2.0, step: float = 1e-3) -> pc.Run:
    return pc.simulate(
        tumbling(turn, chain=chain), end_time=end_time, output_step=0.01, response=pc.MultiplierResponse(step=step)
    )


def strayed(run: pc.Run) -> float:
    """Greatest change of the kinetic energy, as a part of it."""
    kinetic = run.ledger["kinetic"]
    return float(np.abs(kinetic / kinetic[0] - 1.0).max())


@pytest.mark.parametrize("turn", [0.005, 0.05, 0.5])
def test_a_tumbling_box_keeps_its_energy(turn: float) -> None:
    """A body that turns by its own speed keeps its energy: only what is left of v½ remains, 1e-9 in each step."""
    assert strayed(fly(turn)) < 2e-6


@pytest.mark.parametrize("turn", [0.005, 0.02, 0.05])
def test_two_boxes_on_a_ball_joint_keep_their_energy(turn: float) -> None:
    """It swings by parts of the square of the turn in a step, 2.5e-3 at the most, and does not grow with time."""
    assert strayed(fly(turn, chain=True)) < 0.4 * turn**2


def test_energy_of_flight_is_of_second_order() -> None:
    errors = [strayed(fly(0.02, chain=True, end_time=0.2, step=h)) for h in (2e-3, 1e-3, 5e-4)]
    for coarse, fine in itertools.pairwise(errors):
        assert coarse / fine > 3.5


def test_what_steps_make_is_booked_and_told() -> None:
    with pytest.warns(SimulationWarning, match=r"steps of 0.001 s have (made|taken) .* a shorter step"):
        run = fly(0.2, chain=True)
    made = run.ledger["kinetic"] - run.ledger["kinetic"][0]
    np.testing.assert_allclose(-run.ledger["numerical"], made, atol=1e-9 * run.ledger["kinetic"][0])
    assert run.statistics.response["energy_made"] == pytest.approx(made[np.abs(made).argmax()], rel=0.05)
    assert run.ledger.worst_balance < 1e-9 * run.ledger["kinetic"][0]


def test_little_is_not_told() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fly(0.02, chain=True, end_time=0.2)
    assert run.statistics.response["energy_made"] != 0.0


def test_a_drive_puts_in_what_the_arm_on_its_disc_has() -> None:
    """At a constant speed the balance closes to rounding; what steps make is booked, of second order."""
    system = pc.MultibodySystem("disc", gravity=(0.0, 0.0, 0.0))
    system.add_body("disc", mass=1.0, inertia=(0.1, 0.1, 0.1))
    motion = pc.multibody.ConstantVelocity(speed=20.0)
    system.add_joint("turn", "revolute", "world", "disc", axis=(0.0, 0.0, 1.0), motion=motion)
    system.add_body("arm", mass=1.0, centre=(0.1, 0.0, 0.0), inertia=(1e-3, 5e-3, 5e-3))
    system.add_joint("hinge", "revolute", "disc", "arm", at=(0.1, 0.0, 0.0), axis=(0.0, 1.0, 0.0), coordinates=[1.0])
    coarse, fine = (
        pc.simulate(system, end_time=0.5, response=pc.MultiplierResponse(step=h), output_step=0.01)
        for h in (2e-3, 1e-3)
    )
    assert fine.ledger.worst_balance < 1e-10 * fine.ledger.turnover
    made = [np.abs(run.ledger["numerical"]).max() for run in (coarse, fine)]
    assert made[1] < 1e-3 * fine.ledger.turnover
    assert made[0] / made[1] > 3.5


def test_flights_with_impulses_keep_their_energy() -> None:
    """An integrator makes them, with a relative tolerance of 1e-8 a step, some 2,000 steps."""
    run = pc.simulate(tumbling(0.05, chain=True), end_time=2.0, output_step=0.1, response="impulses")
    assert strayed(run) < 2e-5
