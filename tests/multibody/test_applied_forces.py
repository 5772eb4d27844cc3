"""Applied forces, torques and efforts against closed forms, and the balance of the ledger."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polycontact as pc
from polycontact.multibody.evaluation import Evaluation
from scenes import random_rotation

TIGHT = {"integrator": "dopri5", "rtol": 1e-10, "atol": 1e-10}
MASS = 2.0
J = (0.1, 0.2, 0.3)


def floating(**start: object) -> pc.MultibodySystem:
    system = pc.MultibodySystem("floating", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=MASS, inertia=J, **start)
    return system


def evaluated(system: pc.MultibodySystem, t: float = 0.0) -> Evaluation:
    compiled = system.compile()
    return compiled.evaluate(t, compiled.start_state(t))


def balance(run: pc.Run) -> float:
    """Work put in that is not found again, relative to the work."""
    stored = run.ledger["kinetic"] - run.ledger["kinetic"][0]
    return float(np.abs(run.ledger["input"] - stored).max() / np.abs(run.ledger["input"]).max())


def test_constant_force() -> None:
    system = floating()
    system.add_force(pc.multibody.AppliedForce("push", "b", force=(4.0, 0.0, -1.0)))
    run = pc.simulate(system, end_time=2.0, **TIGHT)
    t = run.trajectory.time[:, None]
    np.testing.assert_allclose(run.trajectory.body("b").position, t**2 * (1.0, 0.0, -0.25), atol=1e-9)  # tolerance
    assert balance(run) < 1e-9
    np.testing.assert_array_equal(run.trajectory.force("push"), np.tile((4.0, 0.0, -1.0, 0.0, 0.0, 0.0), (len(t), 1)))


def test_torque_that_turns_with_the_body_and_one_that_does_not() -> None:
    """About a principal axis they are the same; a force along the body's x then pushes along a circle."""
    for axes in ("world", "body"):
        system = floating()
        system.add_force(pc.multibody.AppliedForce("turn", "b", torque=(0.0, 0.0, "0.6 * t"), axes=axes))
        run = pc.simulate(system, end_time=2.0, **TIGHT)
        assert run.trajectory.body("b").angular_velocity[-1, 2] == pytest.approx(0.3 * 2.0**2 / J[2], rel=1e-9)
        assert balance(run) < 1e-9
    spin = 3.0
    system = floating(angular_velocity=(0.0, 0.0, spin))
    system.add_force(pc.multibody.AppliedForce("jet", "b", force=(5.0, 0.0, 0.0), axes="body"))
    run = pc.simulate(system, end_time=1.0, **TIGHT)
    angle = spin * run.trajectory.time
    velocity = 5.0 / MASS / spin * np.column_stack([np.sin(angle), 1.0 - np.cos(angle)])
    np.testing.assert_allclose(run.trajectory.body("b").velocity[:, :2], velocity, atol=1e-8)


def test_force_at_a_point_of_a_turned_marker() -> None:
    """Force and moment by hand: a = f/m, J ω̇ = arm × f + τ - ω × Jω."""
    rng = np.random.default_rng(4)
    R, w = random_rotation(rng), rng.normal(size=3)
    S, at, point = random_rotation(rng), rng.normal(size=3), rng.normal(size=3)
    f, torque = rng.normal(size=3), rng.normal(size=3)
    for axes in ("world", "body"):
        system = floating(rotation=R, angular_velocity=w)
        system.add_marker("m", "b", at, S)
        system.add_force(
            pc.multibody.AppliedForce("load", "m", force=tuple(f), torque=tuple(torque), point=point, axes=axes)
        )
        found = evaluated(system)
        frame = R @ S if axes == "body" else np.eye(3)
        arm, world = R @ (at + S @ point), R @ np.diag(J) @ R.T
        moment = np.cross(arm, frame @ f) + frame @ torque
        turn = np.linalg.solve(world, moment - np.cross(w, world @ w))
        np.testing.assert_allclose(found.joint_accelerations, [*(frame @ f / MASS), *turn], rtol=1e-11)
        assert found.powers.input == pytest.approx(w @ moment, rel=1e-12)
        np.testing.assert_allclose(found.reactions.force("load"), [*(frame @ f), *(frame @ torque)], rtol=1e-13)


@pytest.mark.parametrize("integrator", ["cvode-bdf", "dopri5"])
def test_a_step_after_a_long_rest_is_not_jumped_over(integrator: str) -> None:
    """An impulse of 2 N for 0.1 s, after 5 s of nothing."""
    system = floating()
    system.add_force(pc.multibody.AppliedForce("kick", "b", force=("2 * (step(t - 5) - step(t - 5.1))", 0.0, 0.0)))
    run = pc.simulate(system, end_time=8.0, integrator=integrator, rtol=1e-7, atol=1e-8)
    # The integrator's error where the force jumps: a hundred times its tolerance.
    assert run.trajectory.body("b").velocity[-1, 0] == pytest.approx(2.0 * 0.1 / MASS, rel=1e-5)


def test_a_table_of_time() -> None:
    """A force that rises and stays: its impulse is half of what the plateau would give, by symmetry of the curve."""
    system = floating()
    system.add_force(
        pc.multibody.AppliedForce("ramp", "b", force=(0.0, pc.multibody.TableMotion([1.0, 2.0], [0.0, 6.0]), 0.0))
    )
    run = pc.simulate(system, end_time=3.0, **TIGHT)
    assert run.trajectory.body("b").velocity[-1, 1] == pytest.approx((3.0 + 6.0) / MASS, rel=1e-9)
    np.testing.assert_allclose(run.trajectory.force("ramp")[[0, -1], 1], [0.0, 6.0])


def test_effort_along_a_second_coordinate_with_feedback() -> None:
    """A spring and a damper as a formula of q and v: a decaying oscillation, and all the work is input."""
    system = pc.MultibodySystem("cylinder", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=MASS, inertia=J)
    system.add_joint("j", "cylindrical", "world", "b", coordinates=(0.0, 0.1))
    law = pc.multibody.ExpressionMotion("-k * q - d * v", {"k": 80.0, "d": 3.0})
    system.add_force(pc.multibody.JointEffort("controller", "j", law, coordinate=1))
    system.add_force(pc.multibody.JointEffort("turn", "j", 0.9))
    run = pc.simulate(system, end_time=2.0, **TIGHT)
    t, joint = run.trajectory.time, run.trajectory.joint("j")
    decay, w = 3.0 / (2 * MASS), math.sqrt(80.0 / MASS - (3.0 / (2 * MASS)) ** 2)
    expected = 0.1 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    np.testing.assert_allclose(joint.coordinates[:, 1], expected, atol=1e-8)
    np.testing.assert_allclose(joint.coordinates[:, 0], 0.5 * 0.9 / J[2] * t**2, atol=1e-7)
    effort = run.trajectory.force("controller")[:, 0]
    np.testing.assert_allclose(effort, -80.0 * joint.coordinates[:, 1] - 3.0 * joint.speeds[:, 1], rtol=1e-12)
    assert balance(run) < 1e-8


def test_a_brake_stops_a_rotor_when_coulomb_says() -> None:
    """From t₀ on ω falls with M/J to zero and stays: the angle is ω t₀ + ω² J / 2M, the loss all kinetic energy."""
    speed, torque, start = 10.0, 0.5, 1.0
    system = pc.MultibodySystem("rotor", gravity=(0.0, 0.0, 0.0))
    system.add_body("rotor", mass=1.0, inertia=J)
    system.add_joint("bearing", "revolute", "world", "rotor", speeds=[speed])
    law = pc.multibody.ExpressionMotion("-m * min(max(v / 1e-3, -1), 1) * step(t - t0)", {"m": torque, "t0": start})
    system.add_force(pc.multibody.JointEffort("brake", "bearing", law))
    stop = start + speed * J[2] / torque
    run = pc.simulate(system, end_time=stop + 1.0, output_times=[stop - 0.1, stop + 0.1], rtol=1e-8, atol=1e-9)
    joint = run.trajectory.joint("bearing")
    assert joint.speeds[1, 0] == pytest.approx(0.1 * torque / J[2], rel=1e-4)
    np.testing.assert_allclose(joint.speeds[2:, 0], 0.0, atol=1e-7)
    assert joint.coordinates[-1, 0] == pytest.approx(speed * start + speed**2 * J[2] / (2.0 * torque), rel=1e-5)
    assert -run.ledger["input"][-1] == pytest.approx(0.5 * J[2] * speed**2, rel=1e-6)


def test_a_constant_may_have_a_unit() -> None:
    force = pc.multibody.AppliedForce("push", "b", force=("2 kN", 0.0, 0.0), torque=(0.0, 0.0, "5 N mm"))
    assert [each.compiled().numbers.tolist()[0] for each in force.components()][::5] == [2000.0, 0.005]


def test_in_steps_with_rigid_contacts() -> None:
    """The multiplier response takes applied forces in the middle of its steps: a linear ramp is exact there."""
    system = floating(surface=None)
    system.add_force(pc.multibody.AppliedForce("ramp", "b", force=("3 * t", 0.0, 0.0)))
    run = pc.simulate(system, end_time=1.0, response="multipliers")
    assert run.trajectory.body("b").velocity[-1, 0] == pytest.approx(0.5 * 3.0 / MASS, rel=1e-9)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: pc.multibody.AppliedForce("k", "b", force=5.0),
            ("applied force 'k': force is 5.0", "three components"),
        ),
        (lambda: pc.multibody.AppliedForce("k", "b", force="t"), ("force is 't'", "three components")),
        (lambda: pc.multibody.AppliedForce("k", "b", force=(1.0, math.nan, 0.0)), ("force[1] is nan N", "finite")),
        (
            lambda: pc.multibody.AppliedForce("k", "b", torque=(1.0, "t +", 0.0)),
            ("force 'k': torque[1]:", "the formula ends"),
        ),
        (lambda: pc.multibody.AppliedForce("k", "b", force=("1 mm", 0.0, 0.0)), ("force[0] is '1 mm'", "is a length")),
        (lambda: pc.multibody.JointEffort("k", "j", "3 N m"), ("effort is '3 N m'", "depends on the joint")),
        (lambda: pc.multibody.JointEffort("k", "j", "3 kg"), ("effort is '3 kg'; expected a number in N m or N",)),
        (lambda: pc.multibody.AppliedForce("k", "b", torque=(0, "v", 0)), ("torque[1] is a formula with q or v",)),
        (lambda: pc.multibody.AppliedForce("k", "b", point=(0.0, 1.0)), ("point has shape (2,)",)),
        (lambda: pc.multibody.AppliedForce("k", "b", axes="local"), ("axes is 'local'", '"world" or "body"')),
        (
            lambda: pc.multibody.JointEffort("k", "j", [1.0]),
            ("effort is [1.0]", "N m or N, a formula or a motion"),
        ),
        (lambda: floating().add_force(pc.multibody.AppliedForce("k", "c")), ("there is no body or marker 'c'",)),
        (
            lambda: floating().add_force(pc.multibody.AppliedForce("k", "world")),
            ("'world' is the world", "name a body"),
        ),
        (lambda: floating().add_force(pc.multibody.JointEffort("k", "j", 1.0)), ("there is no joint 'j'",)),
        (
            lambda: floating().add_joint("j", "revolute", "world", "b", motion=pc.multibody.ExpressionMotion("q")),
            ("joint 'j': motion is a formula with q or v",),
        ),
    ],
)
def test_bad_input(make: object, told: tuple[str, ...]) -> None:
    with pytest.raises(pc.MultibodyError) as caught:
        make()  # type: ignore[operator]
    for part in told:
        assert part in str(caught.value)


def test_a_formula_that_is_no_number_is_an_error_that_names_the_body() -> None:
    system = floating()
    system.add_force(pc.multibody.AppliedForce("bad", "b", force=("sqrt(0.5 - t)", 0.0, 0.0)))
    with pytest.raises(pc.IntegrationError, match="acceleration of body 'b' is not finite"):
        pc.simulate(system, end_time=1.0)
