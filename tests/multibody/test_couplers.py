"""Gears, racks, screws and differentials against closed forms, MuJoCo's constraints, and bad input."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import polycontact as pc
from polycontact.multibody.evaluation import Evaluation

TIGHT = {"integrator": "dopri5", "rtol": 1e-10, "atol": 1e-10}


def wheels(*inertias: float, speeds: tuple[float, ...] = ()) -> pc.MultibodySystem:
    """Wheels on axles "0", "1", … along z, without gravity."""
    system = pc.MultibodySystem("wheels", gravity=(0.0, 0.0, 0.0))
    for i, J in enumerate(inertias):
        system.add_body(f"wheel {i}", mass=1.0, inertia=(J, J, J))
        start = [speeds[i]] if speeds else None
        system.add_joint(str(i), "revolute", "world", f"wheel {i}", at=(float(i), 0.0, 0.0), speeds=start)
    return system


def evaluated(system: pc.MultibodySystem, t: float = 0.0) -> Evaluation:
    compiled = system.compile()
    return compiled.evaluate(t, compiled.start_state(t))


def test_gear_adds_the_reduced_inertia() -> None:
    """Torque on the fast shaft, which turns n times as fast: it feels J₁ + J₂/n²; the slow one is driven by n times the
    tooth torque."""
    fast, slow, n, torque = 0.3, 5.0, -4.0, 2.0
    system = wheels(fast, slow)
    system.add_coupler(pc.multibody.Gear("gears", "0", "1", ratio=n))
    system.add_force(pc.multibody.JointEffort("motor", "0", torque))
    acceleration = torque / (fast + slow / n**2)
    found = evaluated(system)
    np.testing.assert_allclose(found.joint_accelerations, [acceleration, acceleration / n], rtol=1e-13)
    effort = slow * acceleration / n
    np.testing.assert_allclose(found.reactions.force("gears"), [-effort / n, effort], rtol=1e-12)
    run = pc.simulate(system, end_time=3.0, **TIGHT)
    for joint, share in (("0", 1.0), ("1", 1.0 / n)):
        turned = run.trajectory.joint(joint).coordinates[-1, 0]
        assert turned == pytest.approx(0.5 * share * acceleration * 3.0**2, rel=1e-9)  # as the integrator
    np.testing.assert_allclose(run.trajectory.force("gears"), np.tile([-effort / n, effort], (len(run.trajectory), 1)))
    assert abs(run.ledger["balance"][-1]) < 1e-8 * run.ledger["input"][-1]


def test_rack_feels_the_pinion() -> None:
    """A rack of mass m on a vertical rail turns a pinion: m g r = (J + m r²) α."""
    m, J, radius = 2.0, 0.05, 0.1
    system = pc.MultibodySystem("rack")
    system.add_body("pinion", mass=1.0, inertia=(J, J, J))
    system.add_joint("axle", "revolute", "world", "pinion", axis=(0, 1, 0))
    system.add_body("rack", mass=m, inertia=(1e-3, 1e-3, 1e-3))
    system.add_joint("rail", "prismatic", "world", "rack", axis=(0, 0, -1))
    system.add_coupler(pc.multibody.RackAndPinion("teeth", "axle", "rail", radius="100 mm"))
    alpha = m * 9.81 * radius / (J + m * radius**2)
    found = evaluated(system)
    np.testing.assert_allclose(found.joint_accelerations, [alpha, radius * alpha], rtol=1e-13)
    np.testing.assert_allclose(found.reactions.force("teeth"), [m * (radius * alpha - 9.81), J * alpha], rtol=1e-12)


def test_cylindrical_joint_becomes_a_screw() -> None:
    """A nut on a steep thread that its weight turns: m g h = (m h² + J) α with h = lead/2π."""
    m, J, lead = 0.5, 2e-4, 0.03
    system = pc.MultibodySystem("nut")
    system.add_body("nut", mass=m, inertia=(J, J, J))
    system.add_joint("spindle", "cylindrical", "world", "nut", axis=(0, 0, -1))
    system.add_coupler(pc.multibody.Screw("thread", "spindle", lead=lead))
    h = lead / (2.0 * math.pi)
    alpha = m * 9.81 * h / (m * h * h + J)
    np.testing.assert_allclose(evaluated(system).joint_accelerations, [alpha, h * alpha], rtol=1e-12)


def test_differential_shares_the_torque() -> None:
    """2 q_shaft = q_left + q_right: half the torque goes to each side, whatever their inertias."""
    J = (0.2, 0.7, 1.9)
    system = wheels(*J)
    system.add_coupler(pc.multibody.Coupler("differential", [("0", 2.0), ("1", -1.0), ("2", -1.0)]))
    system.add_force(pc.multibody.JointEffort("engine", "0", 10.0))
    found = evaluated(system)
    shaft, left, right = found.joint_accelerations
    assert 2.0 * shaft == pytest.approx(left + right, rel=1e-13)
    _, to_left, to_right = found.reactions.force("differential")
    assert to_left == pytest.approx(to_right, rel=1e-13)
    np.testing.assert_allclose([left, right], [to_left / J[1], to_right / J[2]], rtol=1e-12)
    assert J[0] * shaft + to_left + to_right == pytest.approx(10.0, rel=1e-12)


def test_driven_gear_and_the_work_of_its_motion() -> None:
    """A prescribed motion drives a wheel through a gear: its drive feels both inertias, its work is their energy."""
    system = pc.MultibodySystem("driven", gravity=(0.0, 0.0, 0.0))
    for name, J in (("a", 0.4), ("b", 3.0)):
        system.add_body(name, mass=1.0, inertia=(J, J, J))
    motion = pc.multibody.ExpressionMotion("t**2 + 0.3 * sin(4 * t)")
    system.add_joint("in", "revolute", "world", "a", motion=motion)
    system.add_joint("out", "revolute", "world", "b")
    system.add_coupler(pc.multibody.Gear("gears", "in", "out", ratio=2.5))
    t = 0.7
    alpha = 2.0 - 4.8 * math.sin(4.0 * t)
    compiled = system.compile()
    found = compiled.evaluate(t, compiled.start_state(t))
    assert found.reactions.drive("in")[0] == pytest.approx((0.4 + 3.0 / 2.5**2) * alpha, rel=1e-10)
    run = pc.simulate(system, end_time=1.5, **TIGHT)
    speed = 2.0 * 1.5 + 1.2 * math.cos(6.0)
    start = run.ledger["kinetic"][0]
    put_in = 0.5 * (0.4 + 3.0 / 2.5**2) * speed**2 - start
    assert run.ledger["input"][-1] == pytest.approx(put_in, rel=1e-7)
    assert run.trajectory.joint("out").coordinates[-1, 0] == pytest.approx((1.5**2 + 0.3 * math.sin(6.0)) / 2.5)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_as_mujoco_has_them(seed: int) -> None:
    """Accelerations of random trees of hinges and slides with couplers, against a solve with MuJoCo's mass matrix and
    bias forces: MuJoCo's own equality constraints are soft, its matrices are exact."""
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(seed)
    n, couplers = 6, 2
    system = pc.MultibodySystem("tree")
    q, v = rng.normal(size=n), rng.normal(size=n)
    parents = [int(rng.integers(-1, i)) if i else -1 for i in range(n)]
    places, axes = rng.normal(size=(n, 3)), rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    kinds = [("revolute", "hinge") if rng.random() < 0.6 else ("prismatic", "slide") for _ in range(n)]
    masses = rng.uniform(0.5, 2.0, n)
    for i in range(n):
        system.add_body(f"b{i}", mass=masses[i], centre=(0.1, 0.2, -0.1), inertia=(0.1, 0.12, 0.15))
        parent = "world" if parents[i] < 0 else f"b{parents[i]}"
        system.add_joint(
            f"j{i}", kinds[i][0], parent, f"b{i}", at=places[i], axis=axes[i], coordinates=[q[i]], speeds=[v[i]]
        )

    def body(i: int) -> str:
        inside = "".join(body(k) for k in range(n) if parents[k] == i)
        place, axis = (" ".join(map(repr, each.tolist())) for each in (places[i], axes[i]))
        return (
            f'<body pos="{place}"><joint name="j{i}" type="{kinds[i][1]}" axis="{axis}"/>'
            f'<inertial pos="0.1 0.2 -0.1" mass="{float(masses[i])!r}" diaginertia="0.1 0.12 0.15"/>{inside}</body>'
        )

    world = "".join(body(k) for k in range(n) if parents[k] < 0)
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{world}</worldbody></mujoco>")
    order = [model.joint(f"j{i}").qposadr[0] for i in range(n)]
    A = np.zeros((couplers, n))
    for k in range(couplers):
        chosen = rng.choice(n, 2 + k, replace=False)
        A[k, chosen] = rng.normal(size=2 + k)
        system.add_coupler(pc.multibody.Coupler(f"c{k}", [(f"j{i}", float(A[k, i])) for i in chosen]))
    compiled = system.compile()
    y = compiled.start_state()
    found = compiled.evaluate(0.0, y)
    places_of = {joint.name: i for i, joint in enumerate(compiled.setup.joints)}
    mine = [places_of[f"j{i}"] for i in range(n)]
    np.testing.assert_allclose(A @ found.bodies.speeds[mine], 0.0, atol=1e-9)  # the start was moved onto the couplers
    data = mujoco.MjData(model)
    data.qpos[order], data.qvel[order] = found.bodies.coordinates[mine], found.bodies.speeds[mine]
    mujoco.mj_forward(model, data)
    M = np.zeros((n, n))
    mujoco.mj_fullM(model, data, M)
    M, bias = M[np.ix_(order, order)], data.qfrc_bias[order]
    full = np.block([[M, A.T], [A, np.zeros((couplers, couplers))]])
    exact = np.linalg.solve(full, np.concatenate([-bias, np.zeros(couplers)]))
    acceleration = found.joint_accelerations[mine]
    np.testing.assert_allclose(acceleration, exact[:n], rtol=1e-8, atol=1e-8 * np.abs(exact).max())
    for k in range(couplers):
        terms = [each.joint for each in compiled.setup.couplers[f"c{k}"]]
        efforts = [-exact[n + k] * A[k, int(joint[1:])] for joint in terms]
        np.testing.assert_allclose(found.reactions.force(f"c{k}"), efforts, rtol=1e-7)


@pytest.mark.parametrize("integrator", ["dopri5", "cvode-bdf", "lsoda"])
def test_many_turns_without_drift(integrator: str) -> None:
    """A train of gears after hundreds of turns: angles stay in their ratio to rounding, and energy stays."""
    system = wheels(0.1, 0.2, 0.3, speeds=(300.0, -100.0, 50.0))
    system.add_coupler(pc.multibody.Gear("first", "0", "1", ratio=-3.0))
    system.add_coupler(pc.multibody.Gear("second", "1", "2", ratio=-2.0))
    run = pc.simulate(system, end_time=20.0, integrator=integrator, rtol=1e-6, atol=1e-8, output_step=0.5)
    a, b, c = (run.trajectory.joint(str(i)).coordinates[:, 0] for i in range(3))
    assert abs(a[-1]) > 900.0 * 2.0 * math.pi
    np.testing.assert_allclose(a + 3.0 * b, 0.0, atol=1e-9)
    np.testing.assert_allclose(b + 2.0 * c, 0.0, atol=1e-9)
    assert run.ledger["kinetic"][-1] == pytest.approx(run.ledger["kinetic"][0], rel=1e-6)


def test_start_is_moved_onto_a_given_constant() -> None:
    system = wheels(1.0, 1.0)
    system.add_coupler(pc.multibody.Coupler("held", [("0", 1.0), ("1", -2.0)], constant=0.5))
    q = evaluated(system).bodies.coordinates
    assert q[0] - 2.0 * q[1] == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_allclose(q, [0.1, -0.2], atol=1e-12)  # least in the measure of kinetic energy


def test_gear_with_a_closed_loop() -> None:
    """A gear on the crank of a four-bar linkage: kinetic energy of the whole stays, and the ratio is kept."""
    system = pc.MultibodySystem("four bar", gravity=(0.0, 0.0, 0.0))
    corners = [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.1, 0.3, 0.0)]
    parent = "world"
    for i, corner in enumerate(corners):
        at = corner if parent == "world" else np.subtract(corner, corners[i - 1])
        system.add_body(f"bar {i}", mass=1.0, inertia=(0.01, 0.01, 0.01))
        system.add_joint(f"hinge {i}", "revolute", parent, f"bar {i}", at=at, speeds=[2.0] if i == 0 else None)
        parent = f"bar {i}"
    system.add_loop("closing", "revolute", "bar 2", "world", at_a=(0.5, 0.0, 0.0), at_b=(0.6, 0.3, 0.0))
    system.add_body("flywheel", mass=1.0, inertia=(0.5, 0.5, 0.5))
    system.add_joint("axle", "revolute", "world", "flywheel", speeds=[-2.0])
    system.add_coupler(pc.multibody.Gear("gears", "hinge 0", "axle", ratio=-1.5))
    run = pc.simulate(system, end_time=2.0, rtol=1e-8, atol=1e-9)
    crank, axle = (run.trajectory.joint(name).coordinates[:, 0] for name in ("hinge 0", "axle"))
    assert abs(crank[-1]) > 1.0
    np.testing.assert_allclose(crank + 1.5 * axle, 0.0, atol=1e-9)
    assert abs(run.ledger["balance"]).max() < 1e-5 * run.ledger["kinetic"][0]


def test_coupler_that_a_loop_implies_is_refused() -> None:
    """The coupler bar of a parallelogram stays parallel: q₀ + q₁ is constant without a coupler."""
    system = pc.MultibodySystem("parallelogram")
    parent = "world"
    for i, at in enumerate([(0.0, 0.0, 0.0), (0.1, 0.2, 0.0), (0.5, 0.0, 0.0)]):
        system.add_body(f"bar {i}", mass=1.0, inertia=(0.01, 0.01, 0.01))
        system.add_joint(f"hinge {i}", "revolute", parent, f"bar {i}", at=at)
        parent = f"bar {i}"
    system.add_loop("closing", "revolute", "bar 2", "world", at_a=(-0.1, -0.2, 0.0), at_b=(0.5, 0.0, 0.0))
    system.add_coupler(pc.multibody.Coupler("parallel", [("hinge 0", 1.0), ("hinge 1", 1.0)]))
    with pytest.raises(pc.MultibodyError, match="coupler 'parallel' is redundant: at the start position"):
        system.compile().start_state()


def test_gears_under_rigid_contact() -> None:
    """A ball falls on the arm of a geared pair: with impulses as with compliant contact the ratio is kept, and the
    balance closes."""
    system = pc.MultibodySystem("struck")
    system.add_body("arm", surface=pc.convex.Box((1.0, 0.2, 0.05)), mass=2.0)
    system.add_joint("pivot", "revolute", "world", "arm", axis=(0, 1, 0))
    system.add_body("flywheel", mass=1.0, inertia=(0.02, 0.02, 0.02))
    system.add_joint("axle", "revolute", "world", "flywheel", at=(0, 1, 0), axis=(0, 1, 0))
    system.add_coupler(pc.multibody.Gear("gears", "axle", "pivot", ratio=3.0))
    system.add_body("ball", surface=pc.convex.Sphere(0.05), mass=0.5, position=(0.4, 0.0, 0.2))
    system.find_contacts(method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e5))
    for response in ("multipliers", "impulses"):
        run = pc.simulate(system, end_time=0.4, response=response, reactions=True)
        pivot, axle = (run.trajectory.joint(name) for name in ("pivot", "axle"))
        assert abs(pivot.speeds[-1, 0]) > 0.1
        np.testing.assert_allclose(axle.coordinates, 3.0 * pivot.coordinates, atol=1e-8)
        np.testing.assert_allclose(axle.speeds, 3.0 * pivot.speeds, atol=1e-8)
        assert run.trajectory.force("gears").shape == (len(run.trajectory), 2)


@pytest.mark.parametrize("response", ["multipliers", "impulses"])
def test_driven_gear_under_rigid_contact(response: str) -> None:
    """A prescribed motion lifts a ball through a gear and a sprung arm: what it puts in is found again."""
    system = pc.MultibodySystem("lift")
    system.add_body("arm", surface=pc.convex.Box((1.0, 0.2, 0.05)), mass=2.0)
    system.add_joint("pivot", "revolute", "world", "arm", axis=(0, -1, 0))
    system.add_force(pc.multibody.JointSpring("spring", "pivot", stiffness=50.0, damping=5.0))
    system.add_body("crank", mass=1.0, inertia=(0.02, 0.02, 0.02))
    motion = pc.multibody.TableMotion([0.2, 0.4], [0.0, 0.6])
    system.add_joint("axle", "revolute", "world", "crank", at=(0, 1, 0), axis=(0, -1, 0), motion=motion)
    system.add_coupler(pc.multibody.Gear("gears", "axle", "pivot", ratio=3.0))
    system.add_body("ball", surface=pc.convex.Sphere(0.05), mass=3.0, position=(0.4, 0.0, 0.075))
    system.find_contacts(method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e5))
    run = pc.simulate(system, end_time=0.4, response=response)
    put_in = run.ledger["input"][-1]
    assert put_in > 3.0 * 9.81 * 0.4 * math.sin(0.2) * 0.9
    assert abs(run.ledger["balance"][-1]) < 0.01 * put_in  # first order in the step


def test_couplers_are_pickled() -> None:
    for each in (
        pc.multibody.Gear("g", "0", "1", -2.0),
        pc.multibody.RackAndPinion("r", "0", "1", "12 mm"),
        pc.multibody.Screw("s", "0", "5 mm"),
        pc.multibody.Coupler("c", [("0", 1.0), ("1", 0, 2.0)], constant=1.0),
    ):
        assert pickle.loads(pickle.dumps(each)) == each


def mixed() -> pc.MultibodySystem:
    system = wheels(1.0, 1.0, 1.0)
    for name, kind in (("rail", "prismatic"), ("ball", "spherical")):
        system.add_body(f"on {name}", mass=1.0, inertia=(1.0, 1.0, 1.0))
        system.add_joint(name, kind, "world", f"on {name}")
    for i in range(2):
        system.add_body(f"driven {i}", mass=1.0, inertia=(1.0, 1.0, 1.0))
        system.add_joint(f"drive {i}", "revolute", "world", f"driven {i}", motion=pc.multibody.ConstantVelocity(1.0))
    return system


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pc.multibody.Gear("g", "0", "1", 0.0), ("gear 'g': ratio is 0", "couples nothing")),
        (lambda: pc.multibody.Gear("g", "0", "1", math.nan), ("gear 'g': ratio is nan", "finite")),
        (lambda: pc.multibody.Gear("g", "0", "5", 1.0), ("gear 'g': there is no joint '5'",)),
        (lambda: pc.multibody.Gear("g", "0", "0", 1.0), ("angle of joint '0' is there twice",)),
        (
            lambda: pc.multibody.Gear("g", "0", "rail", 1.0),
            ("displacement of joint 'rail' is no angle", "RackAndPinion"),
        ),
        (lambda: pc.multibody.Gear("g", "0", "ball", 1.0), ("'ball' (spherical)", "no single coordinate")),
        (lambda: pc.multibody.Gear("g", "0", "1", 1.0, coordinate_b=1), ("no coordinate 1", "0: angle")),
        (
            lambda: pc.multibody.Gear("g", "drive 0", "drive 1", 1.0),
            ("the motions of all its joints", "leave one free"),
        ),
        (lambda: pc.multibody.RackAndPinion("r", "0", "rail", "3 N"), ("radius is '3 N'", "length")),
        (lambda: pc.multibody.RackAndPinion("r", "rail", "0", 0.1), ("joint 'rail' (prismatic) has no angle",)),
        (lambda: pc.multibody.Screw("s", "0", lead=0.01), ("screw 's': joint '0' (revolute) has no displacement",)),
        (lambda: pc.multibody.Coupler("c", []), ("coupler 'c': terms is []", "at least one")),
        (lambda: pc.multibody.Coupler("c", [("0", "x")]), ("the factor of joint '0'",)),
        (lambda: pc.multibody.Coupler("c", ["0"]), ("'0' is no term", "(joint, factor)")),
        (lambda: pc.multibody.Coupler("c", [("0", 1.0)], constant=math.inf), ("constant is inf",)),
        (lambda: "gear", ("'gear' is no coupler", "RackAndPinion")),
    ],
)
def test_bad_couplers(make: object, words: tuple[str, ...]) -> None:
    with pytest.raises(pc.MultibodyError) as error:
        mixed().add_coupler(make())  # type: ignore[operator]
    for word in words:
        assert word in str(error.value)


def test_names_differ() -> None:
    system = wheels(1.0, 1.0)
    system.add_coupler(pc.multibody.Gear("g", "0", "1", 2.0))
    with pytest.raises(pc.MultibodyError, match="'g' exists already"):
        system.add_coupler(pc.multibody.Gear("g", "0", "1", 3.0))
    with pytest.raises(pc.MultibodyError, match="'g' exists already"):
        system.add_force(pc.multibody.JointFriction("g", "0"))


@pytest.mark.parametrize("second", [("1", "0", 0.5), ("0", "1", 2.0), ("drive 0", "1", 1.0)])
def test_redundant_and_contradicting_couplers_are_refused(second: tuple[str, str, float]) -> None:
    system = mixed()
    system.add_coupler(pc.multibody.Gear("one", "0", "1", ratio=2.0))
    if second[0] == "drive 0":
        system.add_coupler(pc.multibody.Gear("two", "drive 1", "1", ratio=3.0))
    system.add_coupler(pc.multibody.Gear("three", *second))
    with pytest.raises(pc.MultibodyError, match=r"gear 'three' follows from .*(one|two).*, or contradicts it"):
        system.compile()


def test_gears_that_block_each_other_are_refused() -> None:
    system = wheels(1.0, 1.0, 1.0, 1.0)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        system.add_coupler(pc.multibody.Gear(f"{a} and {b}", str(a), str(b), ratio=-1.0))
    system.add_coupler(pc.multibody.Gear("other", "2", "3", ratio=-1.0))
    with pytest.raises(pc.MultibodyError, match=r"'0 and 1', '1 and 2', '2 and 0', 'other' block each other"):
        system.compile()
