"""Rotors that turn with joints: closed forms, drives, impacts, the balance of energy, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polycontact as pc
from polycontact.scenario.parsing import parse_scenario

G = 9.81
M, LENGTH, J_CENTRE, ROTOR = 2.0, 0.5, 0.03, 0.7
J = J_CENTRE + M * LENGTH**2


def pendulum(**joint: object) -> pc.MultibodySystem:
    system = pc.MultibodySystem("pendulum", gravity=(0.0, 0.0, -G))
    system.add_body("bob", mass=M, centre=(0.0, 0.0, -LENGTH), inertia=(J_CENTRE, J_CENTRE, J_CENTRE))
    system.add_joint("pin", "revolute", "world", "bob", axis=(0.0, 1.0, 0.0), rotor_inertia=ROTOR, **joint)  # type: ignore[arg-type]
    return system


def test_a_pendulum_with_a_rotor() -> None:
    """(J + A) θ'' = -m g l sin θ; the bearing of the bob feels J θ'' alone."""
    compiled = pendulum(coordinates=0.4, speeds=2.0).compile()
    found = compiled.evaluate(0.0, compiled.start_state())
    weight = M * G * LENGTH * math.sin(0.4)
    assert found.joint_accelerations[0] == pytest.approx(-weight / (J + ROTOR), rel=1e-13)
    assert found.energies.kinetic == pytest.approx(0.5 * (J + ROTOR) * 2.0**2, rel=1e-14)
    torque = found.reactions.joint("pin").torque[1]
    assert torque == pytest.approx(weight - J * weight / (J + ROTOR), rel=1e-12)  # what the rotor takes


def test_a_drive_turns_the_rotor_too() -> None:
    amplitude, frequency, t = 0.3, 7.0, 0.11
    compiled = pendulum(motion=pc.multibody.Harmonic(amplitude, frequency)).compile()
    found = compiled.evaluate(t, compiled.start_state(t))
    angle, acceleration = (found.bodies.joint_values("pin")[0][0], found.joint_accelerations[0])
    assert abs(acceleration) > 1.0
    expected = (J + ROTOR) * acceleration + M * G * LENGTH * math.sin(angle)
    assert found.reactions.drive("pin") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("driven", [False, True])
def test_the_balance_of_a_run_closes(driven: bool) -> None:
    start = {"motion": pc.multibody.Harmonic(0.3, 7.0)} if driven else {"coordinates": 1.2}
    run = pc.simulate(pendulum(**start), end_time=1.0, rtol=1e-8, atol=1e-10)
    assert np.ptp(run.ledger["kinetic"]) > 0.5
    # Of steps with rtol = 1e-8 some 1e-6 add up; without the rotor half of the turnover would be missing.
    assert run.ledger.worst_balance < 1e-4 * run.ledger.turnover


def test_a_ball_strikes_a_slide_with_a_rotor() -> None:
    """An elastic impact of two masses, that of the slide m + A: v' = 2 M v / (M + m + A)."""
    system = pc.MultibodySystem("strike", gravity=(0.0, 0.0, 0.0))
    box = pc.convex.Box((0.2, 0.2, 0.2))
    system.add_body("slide", surface=box, mass=1.0)
    system.add_joint("rail", "prismatic", "world", "slide", axis=(1.0, 0.0, 0.0), rotor_inertia=2.0)
    system.add_body("ball", surface=pc.convex.Sphere(0.1), mass=1.5, position=(-0.3, 0.0, 0.0), velocity=(1.0, 0, 0))
    system.add_contact("ball", "slide", law=pc.laws.SpringDamperLaw(stiffness=1e5))
    response = pc.ImpulseResponse(restitution=1.0)
    run = pc.simulate(system, end_time=0.2, response=response, rtol=1e-9, atol=1e-11)
    slide, ball = (run.trajectory.body(name).velocity[-1, 0] for name in ("slide", "ball"))
    assert slide == pytest.approx(2.0 * 1.5 / 4.5, rel=1e-9)
    assert ball == pytest.approx((1.5 - 3.0) / 4.5, rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "inertia", "told"),
    [
        ("revolute", -1.0, "rotor_inertia is -1"),
        ("revolute", math.nan, "rotor_inertia is nan"),
        ("revolute", "3 kg", "expected is .* in kg m²"),
        ("prismatic", "3 kg m²", "expected is a mass in kg"),
        ("cylindrical", 0.1, "cylindrical joints have none, only revolute, prismatic, spherical ones"),
    ],
)
def test_refused(kind: str, inertia: object, told: str) -> None:
    system = pc.MultibodySystem()
    system.add_body("a", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(pc.MultibodyError, match=told):
        system.add_joint("j", kind, "world", "a", rotor_inertia=inertia)  # type: ignore[arg-type]


SCENARIO = """
[scenario]
name = "rotor"
[simulation]
end_time = 0.1
[[bodies]]
name = "a"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[[joints]]
name = "j"
kind = "KIND"
child = "a"
rotor_inertia = INERTIA
"""


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [("revolute", '"200 g mm²"', 2e-7), ("prismatic", '"3 t"', 3000.0), ("spherical", "0.25", 0.25)],
)
def test_in_a_scenario_file(kind: str, text: str, value: float) -> None:
    scenario = parse_scenario(SCENARIO.replace("KIND", kind).replace("INERTIA", text))
    assert scenario.build().joints["j"].rotor_inertia == pytest.approx(value, rel=1e-14)


def test_mistakes_in_a_scenario_file() -> None:
    with pytest.raises(pc.ScenarioError, match=r"rotor_inertia: universal joints have none"):
        parse_scenario(SCENARIO.replace("KIND", "universal").replace("INERTIA", "1.0"))
    with pytest.raises(pc.ScenarioError, match="rotor_inertia"):
        parse_scenario(SCENARIO.replace("KIND", "revolute").replace("INERTIA", "-1.0"))
