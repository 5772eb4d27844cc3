"""What responses are refused, and what they survive: bad options, deep overlaps, fixed bodies, forces that fail."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from rigid_scenes import LAW, RADIUS, G, ball_over_floor, precise

import polycontact as pc
from polycontact.simulation.responses.response import response_of


@pc.laws.contact_law("test: ageing", n_states=1)
def ageing(elements, parameters, states, memory):  # type: ignore[no-untyped-def]
    """No friction, and a clock."""
    states.rates[0] = 1.0


FAMILIES = [pc.ImpulseResponse(), pc.MultiplierResponse()]
families = pytest.mark.parametrize("response", FAMILIES, ids=["impulses", "multipliers"])


@pytest.mark.parametrize("kind", [pc.ImpulseResponse, pc.MultiplierResponse])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step", -1e-3),
        ("step", 0.0),
        ("step", math.nan),
        ("step", math.inf),
        ("restitution", 2.0),
        ("restitution", -0.1),
        ("restitution", math.nan),
        ("rest_speed", 0.0),
        ("rest_speed", math.nan),
        ("sweeps", 0),
        ("tolerance", math.nan),
        ("slop", -1.0),
        ("slop", math.nan),
        ("solver", "magic"),
    ],
)
def test_bad_options_are_named(kind: type, name: str, value: Any) -> None:
    with pytest.raises(pc.PolycontactError, match=name.replace("_", ".").replace("sweeps", "sweep")):
        kind(**{name: value})


@pytest.mark.parametrize(("name", "value"), [("update", "both"), ("hypothesis", "galilei")])
def test_bad_choices_are_named(name: str, value: str) -> None:
    with pytest.raises(pc.PolycontactError, match=name):
        pc.ImpulseResponse(**{name: value})


@pytest.mark.parametrize("given", ["rigid", "", 3, None, "polygonal", {"kind": "layer", "stiffness": 1.0}, {}])
def test_unknown_responses_are_refused(given: Any) -> None:
    with pytest.raises(pc.SimulationError, match="'compliant', 'impulses', 'multipliers'"):
        response_of(given)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(pc.PolycontactError, match="stepp"):
        response_of({"kind": "multipliers", "stepp": 1e-3})
    with pytest.raises(pc.PolycontactError, match="step"):
        response_of({"kind": "multipliers", "step": -1.0})


def test_responses_by_name_table_and_object_are_the_same() -> None:
    assert response_of("impulses") == pc.ImpulseResponse()
    assert response_of({"kind": "multipliers", "step": 2e-3}) == pc.MultiplierResponse(step=2e-3)
    assert response_of(pc.simulation.CompliantResponse()) == response_of("compliant")


@families
def test_a_stepper_of_ones_own_does_not_go_with_it(response: Any) -> None:
    class Mine:
        def start(self, problem: object) -> None: ...
        def step(self, limit: float, *, until: float) -> float: ...
        def interpolate(self, t: float) -> object: ...
        def restart(self, t: float, y: object) -> None: ...

    with pytest.raises(pc.SimulationError, match=r"^stepper is .* do not use"):
        pc.simulate(ball_over_floor(), end_time=0.1, response=response, stepper=Mine())
    with pytest.raises(pc.SimulationError, match=r"^jacobian is .* do not use"):
        pc.simulate(ball_over_floor(), end_time=0.1, response=response, jacobian=lambda t, y: np.zeros((1, 1)))


@families
def test_contacts_with_states_are_refused_by_name(response: Any) -> None:
    system = pc.MultibodySystem()
    system.add_body("ball", surface=pc.shapes.sphere(RADIUS, 2), mass=1.0, position=(0.0, 0.0, 0.1))
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    system.add_contact("ball", "floor", name="odd", law=pc.LayerLaw(stiffness=1e6), friction=ageing())
    with pytest.raises(pc.SimulationError, match="'odd'"):
        pc.simulate(system, end_time=0.1, response=response)


@pc.laws.contact_law("test: drag")
def drag(elements, parameters):  # type: ignore[no-untyped-def]
    """No friction, by a law of one's own."""


def test_friction_without_a_coefficient_is_told() -> None:
    system = pc.MultibodySystem()
    system.add_body("ball", surface=pc.shapes.sphere(RADIUS, 2), mass=1.0, position=(0.0, 0.0, 0.1))
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    system.add_contact("ball", "floor", name="odd", law=pc.LayerLaw(stiffness=1e6), friction=drag())
    with pytest.warns(pc.SimulationWarning, match="'odd': its friction law .* has no coefficient"):
        pc.simulate(system, end_time=0.01, response="multipliers")


@families
def test_deep_overlaps_are_pushed_apart_slowly(response: Any) -> None:
    """Three boxes start halfway in each other and in the floor: they part by moves without speed."""
    system = pc.MultibodySystem()
    for i in range(3):
        place = (0.03 * i, 0.01 * i, 0.02 + 0.05 * i)
        system.add_body(f"box {i}", surface=pc.convex.Box((0.1, 0.1, 0.1)), mass=1.0, position=place)
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    system.find_contacts(method=pc.contact.ConvexMethod(), law=LAW)
    run = pc.simulate(system, end_time=1.0, output_step=0.01, response=response)
    for i in range(3):
        body = run.trajectory.body(f"box {i}")
        # Falling from 0.3 m gives 2.4 m/s: nothing is thrown.
        assert np.linalg.norm(body.velocity, axis=1).max() < 2.5
        assert np.isfinite(body.position).all()
        assert body.position[-1, 2] > 0.04


@families
def test_fixed_bodies_in_each_other_do_not_matter(response: Any) -> None:
    system = ball_over_floor(height=0.0)
    system.add_body("wall", surface=pc.convex.Box((0.2, 4.0, 1.0)), position=(1.0, 0.0, 0.3), fixed=True)
    system.add_contact("wall", "floor", method=pc.contact.ConvexMethod(), law=LAW)
    run = pc.simulate(system, end_time=0.1, response=response)
    assert run.trajectory.pairing("touch").force[-1, 2] == pytest.approx(G, rel=1e-3)
    assert np.abs(run.trajectory.pairing("wall–floor").force).max() == 0.0


@families
def test_a_light_ball_on_a_heavy_one(response: Any) -> None:
    """A ratio of masses of a million."""
    system = ball_over_floor(height=0.0, mass=1000.0)
    small = {"mass": 1e-3, "position": (0.0, 0.0, 2.0 * RADIUS + 0.01)}
    system.add_body("small", surface=pc.convex.Sphere(0.01), **small)
    system.add_contact("small", "body", name="on top", method=pc.contact.ConvexMethod(), law=LAW)
    run = pc.simulate(system, end_time=0.1, response=response)
    assert run.trajectory.pairing("touch").force[-1, 2] == pytest.approx(1000.001 * G, rel=1e-3)
    assert run.trajectory.pairing("on top").force[-1, 2] == pytest.approx(1e-3 * G, rel=1e-3)


@families
def test_a_force_that_is_no_number_ends_the_run_with_a_message(response: Any) -> None:
    def broken(view: pc.multibody.ForceView) -> None:
        view.add_force("body", (math.nan if view.time > 0.05 else 0.0, 0.0, 0.0))

    system = ball_over_floor(height=0.0)
    system.add_force(pc.multibody.PythonForce("broken", broken))
    with pytest.raises(pc.IntegrationError, match="not finite") as caught:
        pc.simulate(system, end_time=0.2, response=response)
    run = caught.value.run
    assert isinstance(run, pc.Run)
    assert run.trajectory.time[-1] > 0.04


@families
def test_a_system_without_contacts_runs(response: Any) -> None:
    system = pc.MultibodySystem()
    system.add_body("stone", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, 5.0))
    run = pc.simulate(system, end_time=0.5, **precise(response))
    assert run.trajectory.body("stone").position[-1, 2] == pytest.approx(5.0 - 0.125 * G, abs=1e-7)


@families
def test_rests_on_a_driven_floor(response: Any) -> None:
    """A floor that goes up and down with 0.5 g at most: the ball stays on it, and feels its acceleration."""
    system = pc.MultibodySystem()
    system.add_body("ball", surface=pc.convex.Sphere(RADIUS), mass=1.0, position=(0.0, 0.0, RADIUS + 0.1))
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.2)), mass=1.0)
    omega = 2.0 * math.pi * 2.0
    motion = pc.multibody.Harmonic(amplitude=0.5 * G / omega**2, frequency=2.0)
    system.add_joint("lift", "prismatic", "world", "floor", motion=motion)
    system.add_contact("ball", "floor", name="touch", method=pc.contact.ConvexMethod(), law=LAW)
    run = pc.simulate(system, end_time=1.0, output_step=0.01, response=response)
    t, force = run.trajectory.time, run.trajectory.pairing("touch").force[:, 2]
    expected = G - 0.5 * G * np.sin(omega * t)
    # Forces are means over steps, those of the middle of the last one.
    np.testing.assert_allclose(force[20:], expected[20:], atol=0.03 * G)
    # What the drive has done is counted, with the speed that it has in the middle of each step.
    assert run.ledger.worst_balance < 0.01 * run.ledger.turnover


@families
def test_a_conveyor_takes_a_box_along(response: Any) -> None:
    belt = pc.MultibodySystem()
    belt.add_body("box", surface=pc.convex.Box((0.2, 0.2, 0.1)), mass=1.0, position=(0.0, 0.0, 0.05))
    belt.add_body("belt", surface=pc.convex.Box((4.0, 1.0, 0.2)), mass=1.0)
    belt.add_joint(
        "drive",
        "prismatic",
        "world",
        "belt",
        at=(0.0, 0.0, -0.1),
        axis=(1.0, 0.0, 0.0),
        motion=pc.multibody.ConstantVelocity(speed=0.5),
    )
    friction = pc.RegularisedCoulomb(coefficient=0.5, velocity=1e-3)
    belt.add_contact("box", "belt", name="touch", method=pc.contact.ConvexMethod(), law=LAW, friction=friction)
    run = pc.simulate(belt, end_time=0.3, output_step=0.01, response=response)
    speed = run.trajectory.body("box").velocity[:, 0]
    expected = np.minimum(0.5 * G * run.trajectory.time, 0.5)
    np.testing.assert_allclose(speed, expected, atol=0.02)
    assert speed[-1] == pytest.approx(0.5, abs=1e-4)
    # The belt's drive gives half to the box and half to friction.
    assert run.ledger["input"][-1] == pytest.approx(0.25, rel=1e-3)
    assert run.ledger["friction"][-1] == pytest.approx(0.125, rel=1e-2)
    assert run.ledger.worst_balance < 1e-9


@families
def test_a_driven_chain_hits_a_ball(response: Any) -> None:
    """A rod on a free hinge, carried by a driven cart: the cart's drive works through the rod."""
    system = pc.MultibodySystem(gravity=(0.0, 0.0, 0.0))
    system.add_body("cart", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_joint(
        "drive", "prismatic", "world", "cart", axis=(1.0, 0.0, 0.0), motion=pc.multibody.ConstantVelocity(speed=1.0)
    )
    rod = {"mass": 0.5, "centre": (0.0, 0.0, -0.2), "inertia": (0.01, 0.01, 1e-3)}
    system.add_body("rod", surface=pc.convex.Sphere(RADIUS), **rod)
    system.add_joint(
        "hinge", "revolute", "cart", "rod", at=(0.0, 0.0, 0.3), child_at=(0.0, 0.0, 0.3), axis=(0.0, 1.0, 0.0)
    )
    system.add_body("ball", surface=pc.convex.Sphere(RADIUS), mass=1.0, position=(0.15, 0.0, 0.0))
    system.add_contact("rod", "ball", name="hit", method=pc.contact.ConvexMethod(), law=LAW)
    run = pc.simulate(system, end_time=0.1, output_step=0.01, **precise(response))
    assert run.trajectory.body("ball").velocity[-1, 0] > 0.3
    assert run.ledger["input"][-1] != 0.0
    # Turning bodies are of the order of the steps, and of the depth at which points lie.
    assert run.ledger.worst_balance < 1e-3


# Problems without a solution -------------------------------------------------------------------------------------


def squeezed(speed: float) -> pc.MultibodySystem:
    """A ball between a floor and a lid that is driven down."""
    system = pc.MultibodySystem("press")
    system.add_body("floor", surface=pc.convex.Box((1.0, 1.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    system.add_body("ball", surface=pc.convex.Sphere(RADIUS), mass=1.0, position=(0.0, 0.0, RADIUS))
    system.add_body("lid", surface=pc.convex.Box((1.0, 1.0, 0.2)), mass=1.0)
    motion = pc.multibody.ConstantVelocity(speed=-speed, start=2.0 * RADIUS + 0.1 + 1e-4)
    system.add_joint("drive", "prismatic", "world", "lid", axis=(0.0, 0.0, 1.0), motion=motion)
    for a, b in (("ball", "floor"), ("ball", "lid")):
        system.add_contact(a, b, method=pc.contact.ConvexMethod(), law=LAW)
    return system


@families
def test_what_cannot_be_solved_warns_and_then_ends_the_run(response: Any) -> None:
    """A squeezed ball: no impulses keep it out of both walls, and no motion after that would be right."""
    with (
        pytest.warns(pc.SimulationWarning, match=r"'ball–\w+' a velocity is off by .* m/s, .* % of what"),
        pytest.raises(pc.IntegrationError, match=r"not solved.*steps in a row: bodies may be squeezed"),
    ):
        pc.simulate(squeezed(0.02), end_time=0.2, response=response)


def test_deprecated_solvers_are_told_and_do_the_same() -> None:
    for kind in (pc.ImpulseResponse, pc.MultiplierResponse):
        with pytest.warns(DeprecationWarning, match="'lemke' is deprecated"):
            assert kind(solver="lemke").tolerance == kind().tolerance
