"""Force elements, built-in and of users, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.rotations import frame_with_z, to_quaternion
from scenes import Tally, random_rotation, rotation

Array = NDArray[np.float64]
G = 9.81
TIGHT = {"integrator": "dopri5", "rtol": 1e-10, "atol": 1e-10}
MASS = 2.0


def rail(**start: float) -> pc.MultibodySystem:
    """A mass on a rail along x, without gravity."""
    system = pc.MultibodySystem("rail", gravity=(0.0, 0.0, 0.0))
    system.add_body("post", fixed=True, position=(-1.0, 0.0, 0.0))
    system.add_body("mass", mass=MASS, inertia=(0.1, 0.1, 0.1))
    system.add_joint("rail", "prismatic", "world", "mass", axis=(1.0, 0.0, 0.0), **start)
    return system


def damped(t: Array, x0: float, k: float, d: float) -> Array:
    """An oscillation from rest at x0."""
    decay, w = d / (2.0 * MASS), math.sqrt(k / MASS - (d / (2.0 * MASS)) ** 2)
    return x0 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))


def evaluated(system: pc.MultibodySystem, t: float = 0.0) -> Evaluation:
    compiled = system.compile()
    return compiled.evaluate(t, compiled.start_state(t))


# Springs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damping", [0.0, 3.0])
@pytest.mark.parametrize("element", ["spring damper", "joint spring"])
def test_damped_oscillation(element: str, damping: float) -> None:
    system = rail(coordinates=0.1)
    if element == "spring damper":
        spring = pc.multibody.SpringDamper(
            "s", "post", (0.0, 0.0, 0.0), "mass", (0.0, 0.0, 0.0), 80.0, damping, length=1.0
        )
    else:
        spring = pc.multibody.JointSpring("s", "rail", stiffness=80.0, damping=damping)
    system.add_force(spring)
    run = pc.simulate(system, end_time=3.0, **TIGHT)
    found = run.trajectory.joint("rail").coordinates[:, 0]
    np.testing.assert_allclose(found, damped(run.trajectory.time, 0.1, 80.0, damping), atol=1e-8)  # 1e-10 a step
    stored = run.ledger["kinetic"] + run.ledger["springs"]
    np.testing.assert_allclose(stored + run.ledger["damping"], 0.5 * 80.0 * 0.1**2, rtol=1e-7)
    assert (run.ledger["damping"][-1] > 0.1) == (damping > 0.0)


def test_period_of_a_joint_spring_about_its_reference() -> None:
    system = rail(coordinates=0.5)
    system.add_force(pc.multibody.JointSpring("s", "rail", stiffness=50.0, reference=0.3))
    period = 2.0 * math.pi * math.sqrt(MASS / 50.0)
    run = pc.simulate(system, end_time=period, output_times=[period / 2], **TIGHT)
    np.testing.assert_allclose(run.trajectory.joint("rail").coordinates[:, 0], [0.5, 0.1, 0.5], atol=1e-9)


def test_torsional_spring_of_a_second_coordinate() -> None:
    """Along the coordinate asked for: the displacement of a cylindrical joint, not its angle."""
    system = pc.MultibodySystem("cylinder", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=MASS, inertia=(0.3, 0.3, 0.5))
    system.add_joint("j", "cylindrical", "world", "b", coordinates=(0.2, 0.3))
    system.add_force(pc.multibody.JointSpring("turn", "j", 0, stiffness=5.0))
    system.add_force(pc.multibody.JointSpring("slide", "j", 1, stiffness=7.0))
    rates = evaluated(system).joint_accelerations
    np.testing.assert_allclose(rates, [-5.0 * 0.2 / 0.5, -7.0 * 0.3 / MASS], rtol=1e-14)


def test_spring_damper_between_points_of_two_free_bodies() -> None:
    """Force along the line between the points, opposite on both, with its moment about each centre of mass."""
    rng = np.random.default_rng(2)
    system = pc.MultibodySystem("spring", gravity=(0.0, 0.0, 0.0))
    starts, points, J = [], 0.4 * rng.normal(size=(2, 3)), np.diag([0.1, 0.2, 0.25])
    for name in ("a", "b"):
        R, r, v, w = random_rotation(rng), rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
        starts.append((R, r, v, w))
        system.add_body(name, mass=1.5, inertia=J, position=r, rotation=R, velocity=v, angular_velocity=w)
    system.add_force(pc.multibody.SpringDamper("s", "a", points[0], "b", points[1], 30.0, 4.0, length=0.2))
    found = evaluated(system)
    arms = [R @ p for (R, *_), p in zip(starts, points, strict=True)]
    ends = [r + arm for (_, r, _, _), arm in zip(starts, arms, strict=True)]
    speeds = [v + np.cross(w, arm) for (_, _, v, w), arm in zip(starts, arms, strict=True)]
    length = np.linalg.norm(ends[1] - ends[0])
    along = (ends[1] - ends[0]) / length
    rate = along @ (speeds[1] - speeds[0])
    force = (30.0 * (length - 0.2) + 4.0 * rate) * along
    accelerations = found.joint_accelerations.reshape(2, 6)
    for sign, (R, _, _, w), arm, own in zip((1, -1), starts, arms, accelerations, strict=True):
        world = R @ J @ R.T
        np.testing.assert_allclose(own[:3], sign * force / 1.5, rtol=1e-12)  # rounding
        turn = np.linalg.solve(world, np.cross(arm, sign * force) - np.cross(w, world @ w))
        np.testing.assert_allclose(own[3:], turn, rtol=1e-11)
    assert found.energies.springs == pytest.approx(15.0 * (length - 0.2) ** 2, rel=1e-13)
    assert found.powers.damping == pytest.approx(4.0 * rate**2, rel=1e-12)


def test_spring_whose_ends_coincide_does_nothing() -> None:
    system = rail()
    system.add_force(
        pc.multibody.SpringDamper("s", "world", (0.0, 0.0, 0.0), "mass", (0.0, 0.0, 0.0), 80.0, 1.0, length=0.3)
    )
    found = evaluated(system)
    assert found.joint_accelerations[0] == 0.0
    assert found.energies.springs == pytest.approx(0.5 * 80.0 * 0.3**2)


def test_a_damped_oscillator_alone() -> None:
    """Without gravity, shapes or other bodies there is no size to measure the ledger's error by."""
    system = pc.MultibodySystem("oscillator", gravity=(0.0, 0.0, 0.0))
    system.add_body("mass", mass=MASS, inertia=(0.1, 0.1, 0.1))
    system.add_joint("rail", "prismatic", "world", "mass", coordinates=0.1)
    system.add_force(pc.multibody.JointSpring("s", "rail", stiffness=80.0, damping=1.0))
    run = pc.simulate(system, end_time=1.0, rtol=1e-6, atol=1e-6)
    found = run.trajectory.joint("rail").coordinates[:, 0]
    np.testing.assert_allclose(found, damped(run.trajectory.time, 0.1, 80.0, 1.0), atol=1e-4)  # 1e-6 a step


# End stops --------------------------------------------------------------------------------------------------


def test_end_stop_throws_back_without_loss() -> None:
    """Half a period in the stop, deepest at v √(m/k), and back with the same speed."""
    k, v = 5000.0, 0.8
    system = rail(coordinates=-0.1, speeds=v)
    system.add_force(pc.multibody.EndStop("stop", "rail", upper=0.0, stiffness=k))
    there, inside = 0.1 / v, math.pi * math.sqrt(MASS / k)
    times = [there, there + inside / 2, there + inside]
    run = pc.simulate(system, end_time=2.0 * there + inside, output_times=times, max_step=1e-3, **TIGHT)
    history = run.trajectory.joint("rail")
    expected = [-0.1, 0.0, v * math.sqrt(MASS / k), 0.0, -0.1]
    # The force has a kink at the stop: a step across it has an error of its own, below 1e-7 with steps of 1 ms.
    np.testing.assert_allclose(history.coordinates[:, 0], expected, atol=1e-6)
    np.testing.assert_allclose(history.speeds[:, 0], [v, v, 0.0, -v, -v], atol=1e-5)
    assert run.ledger["springs"][2] == pytest.approx(0.5 * MASS * v**2, rel=1e-5)


@pytest.mark.parametrize("side", [-1, 1])
def test_end_stop_pushes_and_never_pulls(side: int) -> None:
    """Effort of a stop for every mixture of place and speed: max(k x + d v, 0), and nothing within the limits."""
    k, d = 400.0, 30.0
    for place in (-0.2, -0.05, 0.0, 0.05, 0.2):
        for speed in (-5.0, -0.5, 0.0, 0.5, 5.0):
            system = rail(coordinates=side * place, speeds=side * speed)
            system.add_force(pc.multibody.EndStop("stop", "rail", lower=-0.1, upper=0.1, stiffness=k, damping=d))
            found = evaluated(system)
            effort = found.efforts[0]
            excess, inwards = abs(place) - 0.1, math.copysign(1.0, place) * speed
            expected = max(k * excess + d * inwards, 0.0) if excess > 0.0 else 0.0
            assert effort == pytest.approx(-side * math.copysign(expected, place), abs=1e-12)
            lost = found.powers.damping
            elastic = k * max(excess, 0.0)
            assert lost == pytest.approx((expected - elastic) * inwards if excess > 0.0 else 0.0, abs=1e-12)
            assert lost >= -1e-12, "a damper takes energy"
            assert found.energies.springs == pytest.approx(0.5 * k * max(excess, 0.0) ** 2)


def test_damped_end_stop_balances() -> None:
    system = rail(coordinates=-0.1, speeds=0.8)
    system.add_force(pc.multibody.EndStop("stop", "rail", lower=-0.5, upper=0.0, stiffness=5000.0, damping=40.0))
    run = pc.simulate(system, end_time=0.5, max_step=1e-3, **TIGHT)
    speed = run.trajectory.joint("rail").speeds[-1, 0]
    # Linear damper that lets go early: between the restitution with pull and the elastic one.
    ratio = 40.0 / (2.0 * math.sqrt(MASS * 5000.0))
    with_pull = math.exp(-math.pi * ratio / math.sqrt(1.0 - ratio**2))
    assert with_pull * 0.8 < -speed < 0.8
    lost = 0.5 * MASS * (0.8**2 - speed**2)
    assert run.ledger["damping"][-1] == pytest.approx(lost, rel=1e-5)  # the kink at the stop, as above


# Swing and twist --------------------------------------------------------------------------------------------


def ball(stop: pc.multibody.SwingTwistStop, R: Array, w: Sequence[float] = (0.0, 0.0, 0.0)) -> Evaluation:
    system = pc.MultibodySystem("ball", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=1.0, inertia=(0.1, 0.2, 0.25))
    system.add_joint("j", "spherical", "world", "b", coordinates=to_quaternion(R), speeds=w)
    system.add_force(stop)
    return evaluated(system)


def swing_and_twist(swing: float, twist: float, axis: Array, cone: Array) -> Array:
    """A rotation of known swing and twist: onto the cone's axis by the shortest turn, then twist, then swing."""
    normal = np.cross(axis, cone)
    if not np.any(normal):
        normal = frame_with_z(axis)[:, 0]  # half a turn, or none
    onto = rotation(normal, math.atan2(np.linalg.norm(np.cross(axis, cone)), axis @ cone))
    across = np.cross(cone, [0.3, -0.8, 0.5])
    return rotation(across, swing) @ rotation(cone, twist) @ onto


@pytest.mark.parametrize("cone", [None, (0.6, -0.48, 0.64), (0.0, 0.0, -1.0)])
@pytest.mark.parametrize(
    ("swing", "twist"),
    [
        (0.6, 0.0),
        (0.5001, 0.1),
        (0.4999, 0.3001),
        (0.4999, 0.2999),
        (0.0, 0.5),
        (0.9, -0.7),
        (2.5, 1.0),
        (0.3, 3.0),
    ],
)
def test_swing_twist_stop_is_minus_the_gradient(
    swing: float, twist: float, cone: tuple[float, float, float] | None
) -> None:
    """Potential of known angles, torque by central differences of it; also just inside and outside the limits."""
    axis = np.array([0.0, 0.0, 1.0])
    k = 7.0
    stop = pc.multibody.SwingTwistStop("s", "j", 0.5, 0.3, k, axis=axis, cone=cone)
    R = swing_and_twist(swing, twist, axis, axis if cone is None else np.array(cone))
    found = ball(stop, R)
    expected = 0.5 * k * (max(swing - 0.5, 0.0) ** 2 + max(abs(twist) - 0.3, 0.0) ** 2)
    assert found.energies.springs == pytest.approx(expected, rel=1e-9, abs=1e-15)  # acos-free: rounding
    torque = found.efforts
    step = 1e-6
    for i, direction in enumerate(np.eye(3)):
        ahead, behind = (ball(stop, rotation(direction, h) @ R).energies.springs for h in (step, -step))
        # Second-order differences: errors of the step squared, and of rounding 1e-16/1e-6.
        assert torque[i] == pytest.approx(-(ahead - behind) / (2.0 * step), abs=1e-6)


def test_damping_of_a_swing_twist_stop_only_takes_energy() -> None:
    rng = np.random.default_rng(4)
    stop = pc.multibody.SwingTwistStop("s", "j", 0.3, 0.2, 10.0, damping=2.0)
    outwards = Tally()
    for _ in range(50):
        w = 3.0 * rng.normal(size=3)
        found = ball(stop, random_rotation(rng), w)
        lost = found.powers.damping
        assert lost >= 0.0
        stored = -found.efforts[:3] @ w - lost
        outwards.note(stored > 0.0)
    outwards.assert_share(0.3)
    assert outwards.reached <= 0.7 * outwards.examples


def test_swing_stop_pushes_and_never_pulls() -> None:
    """A soft stop with much damping lets go of a body that swings back fast."""
    rng = np.random.default_rng(5)
    stop = pc.multibody.SwingTwistStop("s", "j", 0.3, math.pi, 2.0, damping=2.0)
    let_go = Tally()
    for _ in range(50):
        R = random_rotation(rng)
        outwards = np.cross([0.0, 0.0, 1.0], R[:, 2])
        outwards /= np.linalg.norm(outwards)
        push = -ball(stop, R, 3.0 * rng.normal(size=3)).efforts[:3] @ outwards
        assert push >= 0.0
        let_go.note(push == 0.0)
    let_go.assert_share(0.1)
    assert let_go.reached <= 0.6 * let_go.examples


def test_ball_joint_swings_within_its_stops() -> None:
    system = pc.MultibodySystem("shoulder")
    system.add_body("arm", mass=1.0, centre=(0.0, 0.0, -0.3), inertia=(0.02, 0.02, 0.01))
    system.add_joint("ball", "spherical", "world", "arm", speeds=(0.0, 4.0, 1.0))
    system.add_force(pc.multibody.SwingTwistStop("s", "ball", 0.5, 0.4, 50.0, axis=(0.0, 0.0, -1.0)))
    run = pc.simulate(system, end_time=2.0, max_step=5e-3, rtol=1e-8, atol=1e-8)
    swing = np.arccos(np.clip(run.trajectory.body("arm").rotation[:, 2, 2], -1.0, 1.0))
    assert 0.5 < swing.max() < 1.0
    assert run.ledger.worst_balance < 1e-5 * run.ledger.turnover  # kinks at the stops


# Motors -----------------------------------------------------------------------------------------------------


def test_motor_under_load_stands_off_by_the_load_over_its_stiffness() -> None:
    system = pc.MultibodySystem("lift")
    system.add_body("load", mass=MASS, inertia=(0.1, 0.1, 0.1))
    system.add_joint("lift", "prismatic", "world", "load", coordinates=0.1)
    system.add_force(
        pc.multibody.Motor("m", "lift", pc.multibody.ConstantVelocity(0.0, start=0.5), stiffness=400.0, damping=60.0)
    )
    run = pc.simulate(system, end_time=8.0, rtol=1e-8, atol=1e-8)
    # Overdamped: the rest decays as exp(-11 t).
    assert run.trajectory.joint("lift").coordinates[-1, 0] == pytest.approx(0.5 - MASS * G / 400.0, abs=1e-6)
    lifted = MASS * G * (0.5 - MASS * G / 400.0 - 0.1)
    assert run.ledger["input"][-1] == pytest.approx(lifted, rel=1e-5)


def test_motor_follows_a_ramp_without_lag() -> None:
    """The damping acts on the difference to the target's speed, so a ramp is followed exactly in the end."""
    system = rail()
    system.add_force(pc.multibody.Motor("m", "rail", pc.multibody.ConstantVelocity(0.3), stiffness=400.0, damping=60.0))
    run = pc.simulate(system, end_time=3.0, **TIGHT)
    assert run.trajectory.joint("rail").coordinates[-1, 0] == pytest.approx(0.9, abs=1e-8)
    assert run.trajectory.joint("rail").speeds[-1, 0] == pytest.approx(0.3, abs=1e-8)


@pytest.mark.parametrize("target", [10.0, -10.0])
def test_limit_of_a_motor(target: float) -> None:
    system = rail()
    system.add_force(
        pc.multibody.Motor(
            "m", "rail", pc.multibody.ConstantVelocity(0.0, start=target), stiffness=1e4, damping=1.0, limit=3.0
        )
    )
    run = pc.simulate(system, end_time=1.0, **TIGHT)
    expected = math.copysign(0.5 * 3.0 / MASS, target)
    assert run.trajectory.joint("rail").coordinates[-1, 0] == pytest.approx(expected, rel=1e-9)
    assert run.ledger["input"][-1] == pytest.approx(3.0 * abs(expected), rel=1e-7)


# Forces of users --------------------------------------------------------------------------------------------


def test_python_force_sees_time_and_motion() -> None:
    """A force sin(2 t) on a mass: x = (t/2 - sin(2t)/4)/m."""
    system = rail()
    seen: list[tuple[float, float]] = []

    def push(view: pc.multibody.ForceView) -> None:
        np.testing.assert_allclose(view.position("mass"), [view.coordinates("rail")[0], 0.0, 0.0], atol=1e-15)
        np.testing.assert_allclose(view.velocity("mass", (0.0, 0.3, 0.0)), [view.speeds("rail")[0], 0.0, 0.0])
        seen.append((view.time, float(view.coordinates("rail")[0])))
        view.add_force("mass", (math.sin(2.0 * view.time), 5.0, 0.0), (0.0, 0.2, 0.0))

    system.add_force(pc.multibody.PythonForce("push", push))
    run = pc.simulate(system, end_time=2.0, **TIGHT)
    t = run.trajectory.time
    expected = (t / 2.0 - np.sin(2.0 * t) / 4.0) / MASS
    np.testing.assert_allclose(run.trajectory.joint("rail").coordinates[:, 0], expected, atol=1e-9)
    np.testing.assert_allclose(run.ledger["input"], run.ledger["kinetic"], atol=1e-8)
    assert len(seen) > 10


class Maxwell(pc.multibody.ForceElement):
    """Spring and dashpot in series along a joint; its state is the stretch of the dashpot."""

    def __init__(self, stiffness: float, damping: float) -> None:
        super().__init__("maxwell", states=[0.0])
        self.stiffness, self.damping = stiffness, damping

    def apply(self, view: pc.multibody.ForceView) -> None:
        force = self.stiffness * (view.coordinates("rail")[0] - view.states[0])
        view.rates[0] = force / self.damping
        view.add_effort("rail", -force)


def test_maxwell_element_under_a_ramp() -> None:
    """Drawn at constant speed: F = d v (1 - exp(-k t/d))."""
    k, d, v = 40.0, 12.0, 0.25
    system = pc.MultibodySystem("maxwell", gravity=(0.0, 0.0, 0.0))
    system.add_body("post", fixed=True, position=(-1.0, 0.0, 0.0))
    system.add_body("mass", mass=MASS, inertia=(0.1, 0.1, 0.1))
    system.add_joint("rail", "prismatic", "world", "mass", motion=pc.multibody.ConstantVelocity(v))
    system.add_force(Maxwell(k, d))
    run = pc.simulate(system, end_time=1.5, **TIGHT)
    compiled, t = system.compile(), run.trajectory.time
    state = run.trajectory.array("state")[:, compiled.state_names.index("maxwell.0")]
    force = d * v * (1.0 - np.exp(-k * t / d))
    np.testing.assert_allclose(k * (v * t - state), force, atol=1e-8)  # 1e-10 a step
    # The drive works against the element, whose power is a user's: together they do nothing to the uniform motion.
    np.testing.assert_allclose(run.ledger["input"], 0.0, atol=1e-9)


def test_maxwell_element_relaxes() -> None:
    """A mass on it from rest at x0: the cubic characteristic equation of (x, v, s)."""
    k, d = 40.0, 12.0
    system = rail(coordinates=0.2)
    system.add_force(Maxwell(k, d))
    run = pc.simulate(system, end_time=2.0, **TIGHT)
    A = np.array([[0.0, 1.0, 0.0], [-k / MASS, 0.0, k / MASS], [k / d, 0.0, -k / d]])
    values, vectors = np.linalg.eig(A)
    weights = np.linalg.solve(vectors, np.array([0.2, 0.0, 0.0]))
    expected = np.array([(vectors[0] * np.exp(values * t) @ weights).real for t in run.trajectory.time])
    np.testing.assert_allclose(run.trajectory.joint("rail").coordinates[:, 0], expected, atol=1e-8)


class Thermostat(pc.multibody.ForceElement):
    """Temperature that decays to 0 and is heated towards 10 while the latch is on: on below 3, off above 5."""

    def __init__(self) -> None:
        super().__init__("thermostat", states=[4.0], discrete=[1.0])
        self.events: list[tuple[float, int]] = []

    def apply(self, view: pc.multibody.ForceView) -> None:
        view.rates[0] = 10.0 * view.discrete[0] - view.states[0]

    def roots(self, view: pc.multibody.ForceView) -> Sequence[float]:
        return (view.states[0] - 5.0, view.states[0] - 3.0)

    def at_event(self, view: pc.multibody.ForceView, root: int) -> None:
        if root == 0 and view.discrete[0] == 1.0:
            view.discrete[0] = 0.0
            self.events.append((view.time, root))
        elif root == 1 and view.discrete[0] == 0.0:
            view.discrete[0] = 1.0
            self.events.append((view.time, root))


def switching_times(end: float) -> list[tuple[float, int]]:
    first, heating, cooling = math.log(6.0 / 5.0), math.log(7.0 / 5.0), math.log(5.0 / 3.0)
    found, t, on = [], first, True
    while t < end:
        found.append((t, 0 if on else 1))
        t += cooling if on else heating
        on = not on
    return found


@pytest.mark.parametrize("integrator", ["cvode-bdf", "cvode-adams", "dopri5"])
def test_a_latch_switches_when_it_should(integrator: str) -> None:
    system = rail()
    thermostat = Thermostat()
    system.add_force(thermostat)
    run = pc.simulate(system, end_time=5.0, integrator=integrator, rtol=1e-9, atol=1e-9)
    expected = switching_times(5.0)
    assert [root for _, root in thermostat.events] == [root for _, root in expected]
    # States are good to some 1e-8; they pass the thresholds at a rate of 3 or more.
    np.testing.assert_allclose([t for t, _ in thermostat.events], [t for t, _ in expected], atol=1e-7)
    assert run.statistics.restarts == len(expected)
    on = run.trajectory.array("discrete")[:, 0]
    switches = np.searchsorted([t for t, _ in expected], run.trajectory.time)
    np.testing.assert_array_equal(on, 1.0 - switches % 2)
    temperature = run.trajectory.array("state")[:, system.compile().state_names.index("thermostat.0")]
    assert temperature.max() < 5.0 + 1e-6
    assert temperature[20:].min() > 3.0 - 1e-6


def test_a_second_run_starts_anew() -> None:
    """Discrete states too begin at their start values."""
    system = rail()
    system.add_force(Thermostat())
    runs = [pc.simulate(system, end_time=0.5, rtol=1e-6, atol=1e-6) for _ in range(2)]
    states = [run.trajectory.array("state") for run in runs]
    np.testing.assert_array_equal(states[0], states[1])


class Bounce(pc.multibody.ForceElement):
    """Turns a wind round whenever the mass crosses one of two walls; a change of sign of a function of the motion."""

    def __init__(self) -> None:
        super().__init__("wind", discrete=[1.0])
        self.times: list[float] = []

    def apply(self, view: pc.multibody.ForceView) -> None:
        view.add_effort("rail", view.discrete[0] * 4.0)

    def roots(self, view: pc.multibody.ForceView) -> Sequence[float]:
        return (view.coordinates("rail")[0] - 0.25 * view.discrete[0],)

    def at_event(self, view: pc.multibody.ForceView, root: int) -> None:
        self.times.append(view.time)
        view.discrete[0] = -view.discrete[0]


def test_events_of_the_motion() -> None:
    """From the middle at rest: a = 2 to x = ¼ after ½ s, then a = -2: x = -¼ after 1.207 s more, and so on, growing."""
    system = rail()
    wind = Bounce()
    system.add_force(wind)
    run = pc.simulate(system, end_time=2.5, **TIGHT)
    t, x, v, a, times = 0.0, 0.0, 0.0, 2.0, []
    while True:
        wall = math.copysign(0.25, a)
        roots = np.roots([0.5 * a, v, x - wall])
        step = min(root.real for root in roots if root.real > 1e-9)
        if t + step > 2.5:
            break
        t, x, v, a = t + step, wall, v + a * step, -a
        times.append(t)
    assert len(times) >= 2
    np.testing.assert_allclose(wind.times, times, atol=1e-8)
    assert run.ledger["input"][-1] == pytest.approx(run.ledger["kinetic"][-1], rel=1e-8)


def test_what_a_view_gives_away_is_a_copy() -> None:
    """A user's function that works on what it got must not turn the body."""

    def brake(view: pc.multibody.ForceView) -> None:
        w = view.angular_velocity("top")
        w *= -0.1
        view.add_torque("top", w)

    system = pc.MultibodySystem("braked", gravity=(0.0, 0.0, 0.0))
    system.add_body("top", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, 1.0))
    system.add_force(pc.multibody.PythonForce("brake", brake))
    run = pc.simulate(system, end_time=1.0, rtol=1e-8, atol=1e-9)
    # dω/dt = -0.1 ω.
    assert run.trajectory.body("top").angular_velocity[-1, 2] == pytest.approx(math.exp(-0.1), rel=1e-6)
    assert run.ledger.worst_balance < 1e-7


def test_rates_that_are_not_given_are_zero() -> None:
    class HalfWay(pc.multibody.ForceElement):
        def apply(self, view: pc.multibody.ForceView) -> None:
            if view.time < 0.5:
                view.rates[0] = 1.0

        def roots(self, view: pc.multibody.ForceView) -> list[float]:
            return [view.time - 0.5]

    system = pc.MultibodySystem("counted", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_force(HalfWay("clock", states=[0.0]))
    for _ in range(2):  # nor is anything left over from a run before
        end = pc.simulate(system, end_time=1.0).trajectory.state_at_end().state
        # The event is located to the step's own precision; the default tolerance is 1e-4.
        assert end[13] == pytest.approx(0.5, abs=1e-3)


def test_an_event_tells_its_direction() -> None:
    directions = []

    class Watch(pc.multibody.ForceElement):
        def apply(self, view: pc.multibody.ForceView) -> None:
            pass

        def roots(self, view: pc.multibody.ForceView) -> list[float]:
            return [math.sin(2.0 * math.pi * view.time + 0.1)]

        def at_event(self, view: pc.multibody.ForceView, root: int) -> None:
            directions.append(view.direction)

    system = pc.MultibodySystem("watched", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_force(Watch("watch"))
    pc.simulate(system, end_time=2.2, max_step=0.1)
    assert directions == [-1, 1, -1, 1]


def test_a_torque_has_three_components() -> None:
    system = pc.MultibodySystem("wrong", gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_force(pc.multibody.PythonForce("wrong", lambda view: view.add_torque("b", 5.0)))
    with pytest.raises(pc.MultibodyError, match="torque has shape"):
        pc.simulate(system, end_time=0.1)
