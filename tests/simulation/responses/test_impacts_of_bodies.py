"""Impacts of whole bodies: momentum, energy, restitution; rebounds while other bodies rest."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from rigid_scenes import LAW, RADIUS, RUN, G, ball_over_floor, free_balls, friction, precise

import polycontact as pc
from polycontact.simulation.integrators import INTEGRATORS, IntegratorSettings
from polycontact.simulation.responses.contact_solver import ContactSolver
from polycontact.simulation.responses.response import ImpulseResponse
from polycontact.simulation.responses.rigid_system import RigidSystem
from polycontact.simulation.stepper import StepperProblem

Array = NDArray[np.float64]

updates = pytest.mark.parametrize("update", ["propagation", "simultaneous"])


def momenta(system: pc.MultibodySystem, run: pc.Run) -> Array:
    """Momentum (N s) and angular momentum (N m s) at the origin, at each sample."""
    compiled = system.compile()
    trajectory = run.trajectory
    states = zip(trajectory.time, trajectory.array("state"), strict=True)
    return np.array([compiled.evaluate(float(t), y).momentum for t, y in states])


@updates
@pytest.mark.parametrize("seed", [1, 2])
def test_elastic_balls_keep_energy_and_momentum(update: str, seed: int) -> None:
    system = free_balls(5, seed)
    response = pc.ImpulseResponse(restitution=1.0, update=update)
    run = pc.simulate(system, end_time=0.6, output_step=0.02, response=response, **RUN)
    assert run.statistics.response["impacts"] >= 4
    kinetic = run.ledger["kinetic"]
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-6)
    found = momenta(system, run)
    np.testing.assert_allclose(found, np.tile(found[0], (len(found), 1)), rtol=0.0, atol=1e-10)
    assert run.ledger.worst_balance < 1e-10


@updates
def test_three_balls_in_a_row(update: str) -> None:
    """Schmucker, Rusin and Konyev (2007), Fig. 3: what both updates are known for."""
    scenario = pc.load_scenario("billiard_balls")
    response = pc.ImpulseResponse(update=update)
    run = pc.simulate(scenario.build(), end_time=0.1, response=response, **RUN)
    speeds = [run.trajectory.body(f"ball {i}").velocity[-1, 0] for i in (1, 2, 3)]
    expected = (0.0, 0.0, 1.0) if update == "propagation" else (-1 / 3, 2 / 3, 2 / 3)
    np.testing.assert_allclose(speeds, expected, atol=1e-9)


@pytest.mark.parametrize("e", [0.3, 0.8])
def test_a_ball_loses_its_share_at_each_impact(e: float) -> None:
    height = 0.2
    response = pc.ImpulseResponse(restitution=e)
    first = math.sqrt(2.0 * height / G)
    speed = math.sqrt(2.0 * G * height)
    times = [first]  # of impacts: flights of 2 eⁿ v/g
    for n in (1, 2):
        times.append(times[-1] + 2.0 * e**n * speed / G)
    middle = [0.5 * (a + b) for a, b in itertools.pairwise(times)]
    samples = [0.0, *middle]
    run = pc.simulate(ball_over_floor(height=height), end_time=times[2], output_times=samples, response=response, **RUN)
    for n, top in enumerate(run.trajectory.body("body").position[1:3, 2], start=1):
        # It may meet the floor a slop of 10 µm early.
        assert top - RADIUS == pytest.approx(e ** (2 * n) * height, abs=3e-5)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_restitution_holds_over_ten_bounces_with_default_tolerances(integrator: str) -> None:
    """The ratio of the speeds of successive flights is e each time, also where a flight is only 6 mm high."""
    e, height = 0.8, 0.5
    falls = math.sqrt(2.0 * height / G) * e ** np.arange(11)
    tops = np.concatenate([[0.0], falls[0] + falls[1] + np.cumsum([0.0, *(falls[1:-1] + falls[2:])])])
    response = pc.ImpulseResponse(restitution=e, rest_speed=1e-3)
    times = {"end_time": tops[-1], "output_times": tops.tolist()}
    run = pc.simulate(ball_over_floor(height=height), response=response, integrator=integrator, **times)
    body = run.trajectory.body("body")
    energy = G * (body.position[:, 2] - RADIUS) + 0.5 * body.velocity[:, 2] ** 2
    np.testing.assert_allclose(np.sqrt(energy[1:] / energy[:-1]), e, atol=2e-5)  # measured: 5e-6 at the worst


@pytest.mark.parametrize("kind", [pc.ImpulseResponse, pc.MultiplierResponse])
def test_a_ball_bounces_while_another_rests(kind: type[pc.ImpulseResponse]) -> None:
    system = pc.MultibodySystem()
    system.add_body("resting", surface=pc.convex.Sphere(RADIUS), mass=1.0, position=(0.0, 0.0, RADIUS))
    system.add_body("bouncing", surface=pc.convex.Sphere(RADIUS), mass=1.0, position=(0.5, 0.0, RADIUS + 0.1))
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    system.find_contacts(method=pc.contact.ConvexMethod(), law=LAW)
    run = pc.simulate(system, end_time=0.6, output_step=0.005, **precise(kind(restitution=1.0)))
    height = run.trajectory.body("bouncing").position[:, 2] - RADIUS
    # After the first impact at 0.14 s it comes back to 0.1 m: within the way of half a step, 0.7 mm.
    assert height[60:].max() == pytest.approx(0.1, abs=1.5e-3)
    assert np.abs(run.trajectory.body("resting").position[:, 2] - RADIUS).max() < 1e-4


# Random impacts of jointed bodies -------------------------------------------------------------------------------


def pile(seed: int) -> pc.MultibodySystem:
    """Chains of balls on a common cart, all of them in each other and moving at random."""
    rng = np.random.default_rng(seed)
    system = pc.MultibodySystem("pile", gravity=(0.0, 0.0, 0.0))
    names: list[str] = []
    kinds = ("free", "spherical", "revolute", "universal", "free", "prismatic")
    for i, kind in enumerate(kinds):
        name = f"b{i}"
        mass = rng.uniform(0.5, 2.0)
        system.add_body(
            name, surface=pc.convex.Sphere(0.1), mass=mass, inertia=3 * (rng.uniform(0.3, 1.0) * mass * 0.01,)
        )
        parent = "world" if kind in ("free", "prismatic") else names[-1]
        n_speeds = {"free": 6, "spherical": 3, "revolute": 1, "universal": 2, "prismatic": 1}[kind]
        options = {"speeds": rng.normal(size=n_speeds)}
        if kind == "free":
            options["coordinates"] = np.array([*(0.12 * rng.normal(size=3)), 1.0, 0.0, 0.0, 0.0])
        system.add_joint(
            f"j{i}", kind, parent, name, at=0.1 * rng.normal(size=3), child_at=0.1 * rng.normal(size=3), **options
        )
        names.append(name)
    system.find_contacts(method=pc.contact.ConvexMethod(), law=LAW, friction=friction(0.4))
    return system


@updates
@pytest.mark.parametrize("hypothesis", ["energetic", "newton", "poisson"])
def test_collisions_of_jointed_bodies(update: str, hypothesis: str) -> None:
    """The energy of the system itself, before and after; the ledger counts the same, statistics what was added."""
    impacts = 0
    added_by_all = counted_by_all = 0.0
    for seed in range(6):
        compiled = pile(seed).compile()
        response = ImpulseResponse(update=update, hypothesis=hypothesis, restitution=0.8, rest_speed=1e-3)
        solver = ContactSolver(response, [each.name for each in compiled.contacts])
        y = compiled.start_state()
        settings = IntegratorSettings(rtol=1e-6, atol=np.full(len(y), 1e-6))
        problem = StepperProblem(compiled, compiled.rates, compiled.evaluator(), 0.0, y, 1.0, settings)
        system = RigidSystem(problem, response, solver, np.zeros((len(compiled.contacts), 6)))
        rng = np.random.default_rng(seed)
        speeds = slice(compiled.n_coordinates, compiled.n_coordinates + compiled.n_speeds)
        for _ in range(15):
            y[speeds] = rng.normal(size=compiled.n_speeds)
            matrix = system.look(0.0, y)
            if not (system.contacts.velocities(matrix, system.contacts.speeds)[::3] < 0.0).any():
                continue
            impacts += 1
            before = compiled.evaluate(0.0, y).energies.kinetic
            after = system.collide(0.0, y, response)
            gained = compiled.evaluate(0.0, after).energies.kinetic - before
            ledger = after[compiled.ledger : compiled.ledger + 3] - y[compiled.ledger : compiled.ledger + 3]
            assert gained == pytest.approx(ledger[0], abs=1e-9 * before)
            assert ledger[1] + ledger[2] == pytest.approx(-ledger[0], abs=1e-12 * before)
            if hypothesis == "energetic":
                assert gained <= 1e-9 * before
            added_by_all += max(gained, 0.0)
        counted_by_all += solver.statistics.energy_added
    assert impacts > 50
    assert counted_by_all == pytest.approx(added_by_all, abs=1e-7)
