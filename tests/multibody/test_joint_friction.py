"""Friction and brakes of joints against closed forms, in every family of integrators, and bad input."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import polycontact as pc

MASS, J = 2.0, 0.1
TIGHT = {"integrator": "dopri5", "rtol": 1e-10, "atol": 1e-10}


def block(speed: float = 0.0, slope: float = 0.0, **friction: object) -> pc.MultibodySystem:
    """A block on a rail that falls by ``slope`` (rad), with friction."""
    system = pc.MultibodySystem("block")
    system.add_body("block", mass=MASS, inertia=(J, J, J))
    axis = (math.cos(slope), 0.0, -math.sin(slope))
    system.add_joint("rail", "prismatic", "world", "block", axis=axis, speeds=[speed])
    system.add_force(pc.multibody.JointFriction("friction", "rail", **friction))
    return system


def lost(run: pc.Run) -> np.ndarray:
    return run.ledger["damping"]


@pytest.mark.parametrize("integrator", ["dopri5", "cvode-bdf", "lsoda", "ida"])
def test_sliding_block_comes_to_rest(integrator: str) -> None:
    """F = 4 N on 2 kg from 3 m/s: it stops after 1.5 s and 2.25 m, and all its energy is lost; v_s adds what it creeps
    from there on, less than v_s² m/F + …"""
    run = pc.simulate(
        block(3.0, dry=4.0, velocity=1e-4), end_time=2.0, integrator=integrator, rtol=1e-8, atol=1e-9, output_step=0.01
    )
    rail = run.trajectory.joint("rail")
    t = run.trajectory.time
    slides = t < 1.49
    np.testing.assert_allclose(rail.coordinates[slides, 0], 3.0 * t[slides] - t[slides] ** 2, atol=1e-6)
    assert rail.coordinates[-1, 0] == pytest.approx(2.25, abs=2e-6)
    assert abs(rail.speeds[-1, 0]) < 1e-6
    assert lost(run)[-1] == pytest.approx(0.5 * MASS * 3.0**2, rel=1e-6)
    assert (np.diff(lost(run)) >= -1e-9).all()  # never a gain; rounding of the integrator
    np.testing.assert_allclose(run.trajectory.force("friction")[slides, 0], -4.0, rtol=1e-12)
    assert np.abs(run.ledger["balance"]).max() < 1e-6


def test_viscous_friction_decays_exponentially() -> None:
    run = pc.simulate(block(3.0, viscous=5.0), end_time=1.0, **TIGHT)
    v = run.trajectory.joint("rail").speeds[:, 0]
    np.testing.assert_allclose(v, 3.0 * np.exp(-5.0 / MASS * run.trajectory.time), rtol=1e-8)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_held_block_creeps_as_told(share: float) -> None:
    """On a slope that pulls with a share of the friction it creeps with v_s (1 - √(1 - share))."""
    slope, slow = 0.3, 1e-4
    pull = MASS * 9.81 * math.sin(slope)
    dry = pull / share if share else pull
    run = pc.simulate(block(slope=slope if share else 0.0, dry=dry, velocity=slow), end_time=5.0, rtol=1e-8, atol=1e-10)
    creep = slow * (1.0 - math.sqrt(1.0 - share))
    assert run.trajectory.joint("rail").speeds[-1, 0] == pytest.approx(creep, rel=1e-5, abs=1e-12)


def test_brake_by_formula_and_by_table() -> None:
    """A rotor of 0.1 kg m² at 10 rad/s, a brake of 0.5 N m from 1 s on: 10 + 10 rad, 5 J."""
    for dry, turned in (("0.5 * step(t - 1)", 20.0), (pc.multibody.TableMotion([1.0, 1.2], [0.0, 0.5]), None)):
        system = pc.MultibodySystem("rotor", gravity=(0.0, 0.0, 0.0))
        system.add_body("rotor", mass=1.0, inertia=(J, J, J))
        system.add_joint("bearing", "revolute", "world", "rotor", speeds=[10.0])
        system.add_force(pc.multibody.JointFriction("brake", "bearing", dry=dry))
        run = pc.simulate(system, end_time=4.0, rtol=1e-8, atol=1e-9)
        assert lost(run)[-1] == pytest.approx(5.0, rel=1e-6)
        assert abs(run.ledger["input"][-1]) < 1e-12
        if turned:
            assert run.trajectory.joint("bearing").coordinates[-1, 0] == pytest.approx(turned, rel=1e-6)


def test_negative_friction_is_none() -> None:
    run = pc.simulate(block(3.0, dry="4 * cos(pi * t)"), end_time=1.0, **TIGHT)
    speed = 3.0 - 2.0 / math.pi * np.sin(np.pi * np.minimum(run.trajectory.time, 0.5))
    np.testing.assert_allclose(run.trajectory.joint("rail").speeds[:, 0], speed, atol=1e-7)


def test_ball_joint_is_braked_along_its_rotation() -> None:
    """A ball that spins about any axis keeps it, and stops as a rotor does."""
    spin = np.array([3.0, -4.0, 12.0])
    system = pc.MultibodySystem("ball", gravity=(0.0, 0.0, 0.0))
    system.add_body("ball", mass=1.0, inertia=(J, J, J))
    system.add_joint("socket", "spherical", "world", "ball", speeds=spin)
    system.add_force(pc.multibody.JointFriction("friction", "socket", dry=1.3))
    run = pc.simulate(system, end_time=0.8, **TIGHT)
    w = run.trajectory.body("ball").angular_velocity
    expected = (13.0 - 13.0 * run.trajectory.time)[:, None] * spin / 13.0
    np.testing.assert_allclose(w, expected, atol=1e-8)
    np.testing.assert_allclose(run.trajectory.force("friction"), np.tile(-1.3 * spin / 13.0, (len(w), 1)), rtol=1e-9)
    assert lost(run)[-1] == pytest.approx(0.5 * J * (13.0**2 - 2.6**2), rel=1e-8)


def test_pendulum_sticks_where_friction_holds_it() -> None:
    """Coulomb friction in the hinge takes 2 c/(m g l) rad of amplitude a half swing, and holds it off the middle."""
    length, dry = 0.5, 0.05
    system = pc.MultibodySystem("pendulum")
    system.add_body("bob", mass=1.0, centre=(0, 0, -length), inertia=(1e-9, 1e-9, 1e-9))
    system.add_joint("hinge", "revolute", "world", "bob", axis=(0, 1, 0), coordinates=[0.1])
    system.add_force(pc.multibody.JointFriction("friction", "hinge", dry=dry, velocity=1e-5))
    run = pc.simulate(system, end_time=8.0, rtol=1e-7, atol=1e-9)
    angle = run.trajectory.joint("hinge").coordinates[:, 0]
    taken = 2.0 * dry / (9.81 * length)
    swings = round(0.1 / taken)  # until it is held, within half of that
    stays = (0.1 - taken * swings) * (-1) ** swings
    assert abs(angle[-1]) <= 0.5 * taken
    assert angle[-1] == pytest.approx(stays, abs=2e-3 * 0.1)  # sin x ≈ x, and the creep of some seconds
    assert np.abs(run.ledger["balance"]).max() < 1e-4 * 0.5 * 9.81 * length * 0.1**2  # of the integrator


@pytest.mark.parametrize("response", ["multipliers", "impulses"])
def test_rigid_contact_and_friction_of_a_joint(response: str) -> None:
    """A block stopped by its rail's friction while a ball rolls elsewhere: deceleration as by hand to first order in
    the step, held at the end, and the balance closes."""
    system = block(3.0, dry=4.0, velocity=1e-4)
    system.add_body("floor", surface=pc.convex.Box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 5.0, -0.05))
    system.add_body("ball", surface=pc.convex.Sphere(0.1), mass=1.0, position=(0.0, 5.0, 0.1))
    system.find_contacts(method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e6))
    run = pc.simulate(system, end_time=2.0, response=response)
    rail = run.trajectory.joint("rail")
    assert rail.coordinates[-1, 0] == pytest.approx(2.25, rel=5e-3)
    assert abs(rail.speeds[-1, 0]) < 1e-5
    assert (np.diff(lost(run)) >= -1e-12).all()
    assert np.abs(run.ledger["balance"]).max() < 1e-2 * 9.0


def test_held_under_rigid_contact() -> None:
    """A joint at rest under a load creeps with the told speed in steps of equal length too; above its friction it
    goes."""
    for share, expected in ((0.5, 1e-3 * (1.0 - math.sqrt(0.5))), (1.5, None)):
        slope = 0.3
        pull = MASS * 9.81 * math.sin(slope)
        system = block(slope=slope, dry=pull / share)
        run = pc.simulate(system, end_time=0.5, response="multipliers")
        speed = run.trajectory.joint("rail").speeds[-1, 0]
        if expected is not None:
            assert speed == pytest.approx(expected, rel=1e-6)
        else:
            free = 0.5 * (pull - pull / share) / MASS
            assert speed == pytest.approx(free, rel=0.05)


def test_friction_is_pickled() -> None:
    again = pickle.loads(pickle.dumps(pc.multibody.JointFriction("f", "j", dry="0.5 * step(t)", viscous=0.1)))
    assert (again.name, again.joint, again.dry, again.viscous, again.velocity) == ("f", "j", "0.5 * step(t)", 0.1, 1e-3)


def test_units() -> None:
    """As at a joint that turns, and at one that slides."""
    turning = pc.multibody.JointFriction("k", "j", dry="20 N cm", viscous="1 mN m s/rad", velocity="1 rpm")
    with_joint("revolute").add_force(turning)
    assert (turning.dry, turning.viscous) == (pytest.approx(0.2), pytest.approx(1e-3))
    assert turning.velocity == pytest.approx(math.pi / 30.0)
    sliding = pc.multibody.JointFriction("k", "j", dry="2 kN", velocity="0.1 mm/s")
    with_joint("prismatic").add_force(pickle.loads(pickle.dumps(sliding)))
    assert (sliding.dry, sliding.velocity) == (2000.0, pytest.approx(1e-4))


def with_joint(kind: str) -> pc.MultibodySystem:
    system = pc.MultibodySystem()
    system.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_joint("j", kind, "world", "b")
    return system


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pc.multibody.JointFriction("k", "j", dry=-1.0), ("joint friction 'k': dry is -1.0", "not negative")),
        (lambda: pc.multibody.JointFriction("k", "j", dry=math.nan), ("dry is nan", "finite")),
        (lambda: pc.multibody.JointFriction("k", "j", dry="2 +"), ("the formula ends",)),
        (lambda: pc.multibody.JointFriction("k", "j", dry=[1.0]), ("dry is [1.0]", "formula")),
        (lambda: pc.multibody.JointFriction("k", "j", viscous=-1.0), ("viscous is -1.0",)),
        (lambda: pc.multibody.JointFriction("k", "j", velocity=0.0), ("velocity is 0.0 rad/s or m/s", "positive")),
        (lambda: with_joint("revolute").add_force(pc.multibody.JointFriction("k", "i")), ("there is no joint 'i'",)),
        (
            lambda: with_joint("revolute").add_force(pc.multibody.JointFriction("k", "j", coordinate=1)),
            ("no coordinate 1",),
        ),
        (lambda: pc.multibody.JointFriction("k", "j", velocity="3 mm"), ("velocity is '3 mm'",)),
        (
            lambda: with_joint("revolute").add_force(pc.multibody.JointFriction("k", "j", dry="3 N")),
            ("dry is '3 N'", "torque"),
        ),
        (lambda: with_joint("fixed").add_force(pc.multibody.JointFriction("k", "j")), ("no coordinate 0", "none")),
        (
            lambda: with_joint("free").add_force(pc.multibody.JointFriction("k", "j")),
            ("'j' (free)", "no single coordinate"),
        ),
        (
            lambda: with_joint("spherical").add_force(pc.multibody.JointFriction("k", "j", dry="v")),
            ("formula with q or v",),
        ),
        (
            lambda: with_joint("spherical").add_force(pc.multibody.JointFriction("k", "j", coordinate=1)),
            ("coordinate is 1",),
        ),
    ],
)
def test_bad_friction(make: object, words: tuple[str, ...]) -> None:
    with pytest.raises(pc.MultibodyError) as error:
        make()  # type: ignore[operator]
    for word in words:
        assert word in str(error.value)
