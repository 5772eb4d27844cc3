"""Closed loops against closed forms, inverse kinematics, Lagrange, and the same joints in a tree."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import polycontact as pc
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.joint_types import LOOP_KINDS
from polycontact.multibody.rotations import frame_with_z
from polycontact.simulation import step_sequence
from polycontact.simulation.step_sequence import StepSequence
from scenes import rotation

Array = NDArray[np.float64]
G = 9.81
Y = (0.0, -1.0, 0.0)  # angles turn x towards z
RUN = {"integrator": "dopri5", "rtol": 1e-9, "atol": 1e-9}


def evaluate(system: pc.MultibodySystem, t: float = 0.0) -> Evaluation:
    compiled = system.compile()
    return compiled.evaluate(t, compiled.start_state(t))


# Slider-crank ---------------------------------------------------------------------------------------------------

CRANK, ROD = 0.1, 0.25
M_CRANK, M_ROD, M_SLIDER = 0.5, 0.8, 1.2
J_CRANK, J_ROD = 1e-3, 5e-3


def slider_crank(
    loop: str = "revolute", angle: float = 0.7, speed: float = 3.0, **options: object
) -> pc.MultibodySystem:
    """Crank and rod as a chain, the slider on a rail, and a loop between rod and slider; start angles are rough."""
    system = pc.MultibodySystem("slider-crank")
    system.add_body("crank", mass=M_CRANK, centre=(CRANK / 2, 0.0, 0.0), inertia=(J_CRANK, J_CRANK, J_CRANK))
    system.add_body("rod", mass=M_ROD, centre=(ROD / 2, 0.0, 0.0), inertia=(J_ROD, J_ROD, J_ROD))
    system.add_body("slider", mass=M_SLIDER, inertia=(1e-3, 1e-3, 1e-3))
    if "motion" not in options:
        options |= {"coordinates": angle, "speeds": speed}
    system.add_joint("main", "revolute", "world", "crank", axis=Y, **options)
    system.add_joint("pin", "revolute", "crank", "rod", at=(CRANK, 0.0, 0.0), axis=Y, coordinates=0.1 - angle)
    system.add_joint("rail", "prismatic", "world", "slider", axis=(1.0, 0.0, 0.0), coordinates=0.3)
    system.add_loop("wrist", loop, "rod", "slider", at_a=(ROD, 0.0, 0.0), axis_a=Y, axis_b=Y)
    return system


def slider_at(angle: float, speed: float) -> tuple[float, float]:
    """Place and speed of the slider."""
    root = math.sqrt(ROD**2 - (CRANK * math.sin(angle)) ** 2)
    place = CRANK * math.cos(angle) + root
    return place, -speed * CRANK * math.sin(angle) * (1.0 + CRANK * math.cos(angle) / root)


def inertia_and_potential(angle: complex) -> tuple[complex, complex]:
    """Effective inertia M(θ), with T = ½ M θ'², and potential V(θ) of the slider-crank."""
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(ROD**2 - (CRANK * s) ** 2)  # l cos φ
    phi = -CRANK * c / root  # dφ/dθ
    sin_phi, cos_phi = -CRANK * s / ROD, root / ROD
    rod = (-CRANK * s - ROD / 2 * sin_phi * phi, CRANK * c + ROD / 2 * cos_phi * phi)
    slider = -CRANK * s - ROD * sin_phi * phi
    M = J_CRANK + M_CRANK * CRANK**2 / 4 + J_ROD * phi**2 + M_ROD * (rod[0] ** 2 + rod[1] ** 2) + M_SLIDER * slider**2
    V = G * (M_CRANK * CRANK / 2 * s + M_ROD * (CRANK * s + ROD / 2 * sin_phi))
    return M, V


def crank_acceleration(angle: float, speed: float) -> float:
    """θ'' = -(½ M' θ'² + V') / M; derivatives by a complex step, exact to rounding."""
    step = 1e-30
    M, V = inertia_and_potential(angle + 1j * step)
    return -(0.5 * M.imag / step * speed**2 + V.imag / step) / M.real


@pytest.mark.parametrize("loop", ["revolute", "spherical", "cylindrical"])
@pytest.mark.parametrize("angle", [0.3, 1.5, 2.9, 4.4])
def test_slider_crank_against_lagrange(loop: str, angle: float) -> None:
    """Also with three constraints too many (revolute: the linkage is planar)."""
    compiled = slider_crank(loop, angle).compile()
    y = compiled.start_state()
    start = compiled.evaluate(0.0, y)
    (theta,), (speed,) = start.bodies.joint_values("main")
    place, velocity = slider_at(theta, speed)
    (found,), (found_speed,) = start.bodies.joint_values("rail")
    assert found == pytest.approx(place, abs=1e-9)  # loops are closed to 1e-10
    assert found_speed == pytest.approx(velocity, abs=1e-9)
    acceleration = start.joint_accelerations[compiled.setup.first_v["crank"]]
    # Violations of 1e-10 times the square of the stabilisation rate, 4e4.
    assert acceleration == pytest.approx(crank_acceleration(theta, speed), abs=1e-4)
    for _ in range(3):
        compiled.project(0.0, y, 1e-15)  # rounding is all that remains
    closed = compiled.evaluate(0.0, y)
    (theta,), (speed,) = closed.bodies.joint_values("main")
    acceleration = closed.joint_accelerations[compiled.setup.first_v["crank"]]
    assert acceleration == pytest.approx(crank_acceleration(theta, speed), rel=1e-9)


@pytest.mark.parametrize("loop", ["revolute", "spherical"])
def test_slider_crank_in_motion(loop: str) -> None:
    """Several turns: closed forms of place and speed, energy, and a drift below the tolerance."""
    system = slider_crank(loop, speed=12.0)
    run = pc.simulate(system, end_time=2.0, **RUN)
    main, rail = run.trajectory.joint("main"), run.trajectory.joint("rail")
    expected = [slider_at(*pair) for pair in zip(main.coordinates[:, 0], main.speeds[:, 0], strict=True)]
    # Samples are projected onto the loops, to 1e-10 in the place; speeds follow.
    np.testing.assert_allclose(rail.coordinates[:, 0], [place for place, _ in expected], atol=1e-9)
    np.testing.assert_allclose(rail.speeds[:, 0], [speed for _, speed in expected], atol=1e-7)
    assert run.ledger.worst_balance < 1e-6 * run.ledger.turnover  # thousand steps of 1e-9
    assert np.ptp(main.coordinates) > 4.0 * math.pi


def test_driven_slider_crank() -> None:
    """The crank's motion prescribed: no degree of freedom is left, and the drive's work is what the bodies got."""
    system = slider_crank(motion=pc.multibody.Harmonic(2.0, 0.5))
    run = pc.simulate(system, end_time=1.0, **RUN)
    main, rail = run.trajectory.joint("main"), run.trajectory.joint("rail")
    expected = [slider_at(*pair) for pair in zip(main.coordinates[:, 0], main.speeds[:, 0], strict=True)]
    np.testing.assert_allclose(rail.coordinates[:, 0], [place for place, _ in expected], atol=1e-9)  # as above
    np.testing.assert_allclose(rail.speeds[:, 0], [speed for _, speed in expected], atol=1e-7)
    energy = [
        0.5 * M * u**2 + V
        for a, u in zip(main.coordinates[:, 0], main.speeds[:, 0], strict=True)
        for M, V in [inertia_and_potential(a)]
    ]
    np.testing.assert_allclose(run.ledger["input"], np.array(energy) - energy[0], atol=1e-6)  # as the balance


# Four-bar linkage -------------------------------------------------------------------------------------------------

GROUND, INPUT, COUPLER, OUTPUT = 0.5, 0.2, 0.45, 0.35


def four_bar(angle: float, speed: float) -> pc.MultibodySystem:
    system = pc.MultibodySystem("four-bar")
    for name, length in (("input", INPUT), ("coupler", COUPLER), ("output", OUTPUT)):
        system.add_body(
            name, mass=length, centre=(length / 2, 0.0, 0.0), inertia=(1e-4, length**3 / 12, length**3 / 12)
        )
    system.add_joint("a", "revolute", "world", "input", axis=Y, coordinates=angle, speeds=speed)
    system.add_joint("b", "revolute", "input", "coupler", at=(INPUT, 0.0, 0.0), axis=Y, coordinates=0.5 - angle)
    system.add_joint("d", "revolute", "world", "output", at=(GROUND, 0.0, 0.0), axis=Y, coordinates=1.6)
    system.add_loop(
        "c",
        "revolute",
        "coupler",
        "output",
        at_a=(COUPLER, 0.0, 0.0),
        at_b=(OUTPUT, 0.0, 0.0),
        axis_a=Y,
        axis_b=Y,
    )
    return system


def output_of(angle: float, speed: float) -> tuple[float, float]:
    """Angle and speed of the output by the cosine rule, the assembly with the output above the diagonal."""
    bx, bz = INPUT * math.cos(angle), INPUT * math.sin(angle)
    dx, dz = bx - GROUND, bz
    diagonal = math.hypot(dx, dz)
    inner = math.acos((diagonal**2 + OUTPUT**2 - COUPLER**2) / (2.0 * diagonal * OUTPUT))
    out = math.atan2(dz, dx) - inner
    cx, cz = GROUND + OUTPUT * math.cos(out) - bx, OUTPUT * math.sin(out) - bz  # along the coupler
    rate = speed * INPUT * (-math.sin(angle) * cx + math.cos(angle) * cz)
    return out, rate / (OUTPUT * (-math.sin(out) * cx + math.cos(out) * cz))


def test_four_bar_linkage() -> None:
    """Grashof: the input turns round. Planar linkage of spatial revolute joints: three constraints too many."""
    system = four_bar(0.4, 8.0)
    run = pc.simulate(system, end_time=3.0, **RUN)
    a, d = run.trajectory.joint("a"), run.trajectory.joint("d")
    expected = np.array([output_of(*pair) for pair in zip(a.coordinates[:, 0], a.speeds[:, 0], strict=True)])
    difference = np.exp(1j * (d.coordinates[:, 0] - expected[:, 0]))  # whole turns do not count
    np.testing.assert_allclose(difference, 1.0, atol=1e-9)  # samples are closed to 1e-10
    np.testing.assert_allclose(d.speeds[:, 0], expected[:, 1], atol=1e-7)
    assert np.ptp(a.coordinates) > 2.0 * math.pi
    assert run.ledger.worst_balance < 1e-6 * run.ledger.turnover


@pytest.mark.parametrize("seed", range(4))
def test_a_plane_linkage_moves_the_same_however_its_plane_lies(seed: int) -> None:
    """Constraints across the plane are zero but for rounding then, and must not be taken for some that act."""
    turn = Rotation.random(random_state=seed).as_matrix()

    def turned(*v: float) -> Array:
        return np.asarray(turn @ v)

    system = pc.MultibodySystem("turned four-bar", gravity=turned(0.0, 0.0, -9.81))
    axis = turned(*Y)
    for name, length in (("input", INPUT), ("coupler", COUPLER), ("output", OUTPUT)):
        inertia = turn @ np.diag((1e-4, length**3 / 12, length**3 / 12)) @ turn.T
        system.add_body(name, mass=length, centre=turned(length / 2, 0.0, 0.0), inertia=inertia)
    system.add_joint("a", "revolute", "world", "input", axis=axis, coordinates=0.4, speeds=8.0)
    system.add_joint("b", "revolute", "input", "coupler", at=turned(INPUT, 0.0, 0.0), axis=axis, coordinates=0.1)
    system.add_joint("d", "revolute", "world", "output", at=turned(GROUND, 0.0, 0.0), axis=axis, coordinates=1.6)
    ends = {"at_a": turned(COUPLER, 0.0, 0.0), "at_b": turned(OUTPUT, 0.0, 0.0), "axis_a": axis, "axis_b": axis}
    system.add_loop("c", "revolute", "coupler", "output", **ends)
    run, straight = (pc.simulate(each, end_time=0.3, **RUN) for each in (system, four_bar(0.4, 8.0)))
    for joint in ("a", "b", "d"):
        found, expected = (each.trajectory.joint(joint).coordinates for each in (run, straight))
        np.testing.assert_allclose(found, expected, atol=1e-9)  # samples are closed to 1e-10


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7])
def test_drift_stays_below_the_tolerance(tolerance: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the state of the integrator itself, before it is projected for a sample."""
    system = four_bar(0.4, 8.0)
    compiled, found = system.compile(), []
    go_on = StepSequence.go_on

    def watched(self: StepSequence) -> int:
        needs = go_on(self)
        found.append(compiled.violation(self._stepper.t, self._stepper.y)[0])
        return needs

    monkeypatch.setattr(StepSequence, "go_on", watched)
    monkeypatch.setattr(step_sequence, "SLICE_SECONDS", 0.0)  # compiled steps come back after each
    monkeypatch.setattr(step_sequence, "FEWEST_EVALUATIONS", 1)
    steps = pc.simulate(system, end_time=1.0, rtol=tolerance, atol=tolerance, output_step=0.005).statistics.steps
    assert len(found) >= steps > 50
    assert max(found) < 20.0 * tolerance  # projected beyond ten tolerances; one step may overshoot
    assert max(found) > 0.0


# Other loops ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bend", [0.3, 0.8])
@pytest.mark.parametrize("angle", [0.2, 1.0, 2.5, 4.0])
def test_cardan_joint(bend: float, angle: float) -> None:
    """Two shafts at an angle: tan θ₂ = tan θ₁ / cos β, and the ratio of their speeds."""
    system = pc.MultibodySystem("cardan", gravity=(0.0, 0.0, 0.0))
    tilted = rotation((0.0, 1.0, 0.0), bend)
    for name in ("first", "second"):
        system.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add_joint(
        "one", "revolute", "world", "first", rotation=np.eye(3), motion=pc.multibody.ConstantVelocity(2.0, angle)
    )
    system.add_joint("two", "revolute", "world", "second", rotation=tilted, child_rotation=np.eye(3), coordinates=angle)
    system.add_loop("cross", "universal", "first", "second", axis_a=(0.0, 1.0, 0.0), axis_b=(1.0, 0.0, 0.0))
    (found,), (speed,) = evaluate(system).bodies.joint_values("two")
    # With the fork of the first shaft along y, that of the second along x': -sin θ₁ sin θ₂ … of the axes is zero.
    first = np.array([-math.sin(angle), math.cos(angle), 0.0])
    second = tilted @ [math.cos(found), math.sin(found), 0.0]
    assert first @ second == pytest.approx(0.0, abs=1e-10)  # loops are closed to 1e-10
    assert math.tan(found) == pytest.approx(math.tan(angle) * math.cos(bend), rel=1e-8)
    ratio = math.cos(bend) / (math.cos(angle) ** 2 + (math.sin(angle) * math.cos(bend)) ** 2)
    assert speed == pytest.approx(2.0 * ratio, rel=1e-8)


@pytest.mark.parametrize("kind", [kind for kind in LOOP_KINDS if kind != "distance"])
@pytest.mark.parametrize("seed", range(3))
def test_a_loop_acts_as_the_same_joint_of_the_tree(kind: str, seed: int) -> None:
    """A free body closed to a moving one by a loop accelerates as it does when the joint carries it."""
    rng = np.random.default_rng(seed)
    axis_a, axis_b = rng.normal(size=(2, 3))
    at_a, at_b = rng.normal(size=(2, 3))
    R_a, R_b = (frame_with_z(axis / np.linalg.norm(axis)) for axis in (axis_a, axis_b))
    if kind == "universal":  # the tree's joint has its axes along x of the one marker and y of the other
        R_a, R_b = np.roll(R_a, 1, axis=1), np.roll(R_b, 2, axis=1)
    n_q, n_v = {"fixed": (0, 0), "spherical": (4, 3), "planar": (3, 3)}.get(
        kind, (2, 2) if kind in ("cylindrical", "universal") else (1, 1)
    )
    q = rng.normal(size=n_q)
    q = q / np.linalg.norm(q) if n_q == 4 else q

    def base() -> pc.MultibodySystem:
        system = pc.MultibodySystem("base")
        system.add_body("a", mass=2.0, centre=(0.1, 0.2, 0.3), inertia=(0.5, 0.6, 0.7))
        system.add_joint("hinge", "revolute", "world", "a", axis=(1.0, 2.0, 0.5), coordinates=0.4, speeds=1.7)
        return system

    properties = {"mass": 1.1, "centre": (0.2, -0.1, 0.05), "inertia": (0.2, 0.3, 0.25)}
    tree = base()
    tree.add_body("b", **properties)
    tree.add_joint(
        "joint",
        kind,
        "a",
        "b",
        at=at_a,
        rotation=R_a,
        child_at=at_b,
        child_rotation=R_b,
        coordinates=q,
        speeds=rng.normal(size=n_v),
    )
    carried = evaluate(tree)
    (R, r), (w, v) = carried.bodies.pose("b"), carried.bodies.twist("b")
    closed = base()
    closed.add_body("b", **properties, position=r, rotation=R, velocity=v, angular_velocity=w)
    closed.add_loop("loop", kind, "a", "b", at_a=at_a, at_b=at_b, axis_a=axis_a, axis_b=axis_b)
    looped = evaluate(closed)
    # The start is closed already, up to rounding.
    assert closed.compile().violation(0.0, looped.state)[0] < 1e-13
    for name in ("a", "b"):
        found = looped.acceleration[looped.bodies.setup.number[name]]
        expected = carried.acceleration[carried.bodies.setup.number[name]]
        # Rounding of 1e-15 times the square of the stabilisation rate, 4e4.
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_rod_pulls_along_itself() -> None:
    """A distance loop: the acceleration keeps the length, and differs from gravity along the rod only."""
    system = pc.MultibodySystem("rod")
    d = np.array([0.3, -0.4, -0.6])
    d *= 0.9 / np.linalg.norm(d)
    v = np.cross([0.5, 1.0, -0.7], d)
    system.add_body("bob", mass=1.4, inertia=(0.1, 0.1, 0.1), position=d, velocity=v)
    system.add_loop("rod", "distance", "world", "bob", length=0.9)
    a = evaluate(system).acceleration[1, 3:]
    assert d @ a + v @ v == pytest.approx(0.0, abs=1e-9)  # as above
    np.testing.assert_allclose(np.cross(a - [0.0, 0.0, -G], d), 0.0, atol=1e-9)
    run = pc.simulate(system, end_time=2.0, **RUN)
    lengths = np.linalg.norm(run.trajectory.body("bob").position, axis=1)
    np.testing.assert_allclose(lengths, 0.9, atol=1e-9)
    assert run.ledger.worst_balance < 1e-6 * run.ledger.turnover


# Stewart platform -------------------------------------------------------------------------------------------


def hexagon(radius: float, spread: float, turn: float) -> Array:
    angles = [turn + k * 2.0 * math.pi / 3.0 + side * spread for k in range(3) for side in (-1, 1)]
    return np.array([[radius * math.cos(a), radius * math.sin(a), 0.0] for a in angles])


BASE, TOP = hexagon(0.6, 0.25, 0.0), hexagon(0.4, 0.8, 0.0)


def stewart(pose: tuple[Array, Array], twist: tuple[Array, Array], guess: tuple[Array, Array]) -> pc.MultibodySystem:
    """Six legs, each universal at the base, prescribed in length, closed to the platform by a ball joint."""
    system = pc.MultibodySystem("Stewart platform")
    system.add_body("top", mass=5.0, inertia=(0.3, 0.3, 0.5), position=guess[1], rotation=guess[0])
    (R, r), (w, v) = pose, twist
    for k in range(6):
        leg = r + R @ TOP[k] - BASE[k]
        length = float(np.linalg.norm(leg))
        rate = float(leg @ (v + np.cross(w, R @ TOP[k]))) / length
        rough = guess[1] + guess[0] @ TOP[k] - BASE[k]
        first, second = math.atan2(-rough[1], rough[2]), math.atan2(rough[0], math.hypot(rough[1], rough[2]))
        system.add_body(f"lower {k}", mass=0.5, inertia=(0.01, 0.01, 0.01))
        system.add_body(f"upper {k}", mass=0.4, inertia=(0.01, 0.01, 0.01))
        system.add_joint(
            f"foot {k}",
            "universal",
            "world",
            f"lower {k}",
            at=BASE[k],
            rotation=np.eye(3),
            coordinates=(first, second),
        )
        system.add_joint(
            f"ram {k}", "prismatic", f"lower {k}", f"upper {k}", motion=pc.multibody.ConstantVelocity(rate, length)
        )
        system.add_loop(f"ball {k}", "spherical", f"upper {k}", "top", at_b=TOP[k])
    return system


@pytest.mark.parametrize("seed", range(3))
def test_stewart_platform_against_inverse_kinematics(seed: int) -> None:
    """Lengths and their rates by inverse kinematics put the platform where they came from, from a rough start."""
    rng = np.random.default_rng(seed)
    pose = rotation(rng.normal(size=3), 0.2), np.array([0.05, -0.03, 0.8]) + 0.03 * rng.normal(size=3)
    twist = 0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3)
    guess = rotation(rng.normal(size=3), 0.05) @ pose[0], pose[1] + 0.03 * rng.normal(size=3)
    bodies = evaluate(stewart(pose, twist, guess)).bodies
    R, r = bodies.pose("top")
    w, v = bodies.twist("top")
    # Loops are closed to 1e-10; the platform's pose is a few times worse conditioned.
    np.testing.assert_allclose(R, pose[0], atol=1e-8)
    np.testing.assert_allclose(r, pose[1], atol=1e-8)
    np.testing.assert_allclose(w, twist[0], atol=1e-7)
    np.testing.assert_allclose(v, twist[1], atol=1e-7)


def test_stewart_platform_in_motion() -> None:
    """The platform stays where the inverse kinematics of its own pose gives the lengths of the rams."""
    rng = np.random.default_rng(7)
    pose = rotation((1.0, 2.0, 3.0), 0.1), np.array([0.0, 0.02, 0.8])
    system = stewart(pose, (0.2 * rng.normal(size=3), 0.2 * rng.normal(size=3)), pose)
    run = pc.simulate(system, end_time=0.5, output_step=0.05, rtol=1e-8, atol=1e-8)
    top = run.trajectory.body("top")
    for k in range(6):
        legs = top.position + top.rotation @ TOP[k] - BASE[k]
        lengths = run.trajectory.joint(f"ram {k}").coordinates[:, 0]
        np.testing.assert_allclose(np.linalg.norm(legs, axis=1), lengths, atol=1e-9)  # samples are closed to 1e-10
    assert run.ledger.worst_balance < 1e-5 * run.ledger.turnover


# What cannot be closed --------------------------------------------------------------------------------------


def test_a_loop_that_cannot_be_closed_is_named() -> None:
    system = pc.MultibodySystem("too short")
    system.add_body("arm", mass=1.0, centre=(0.2, 0.0, 0.0), inertia=(0.1, 0.1, 0.1))
    system.add_joint("hinge", "revolute", "world", "arm", axis=Y)
    system.add_loop("far end", "spherical", "arm", "world", at_a=(0.4, 0.0, 0.0), at_b=(1.0, 0.0, 0.0))
    with pytest.raises(pc.MultibodyError, match=r"loop 'far end' cannot be closed: 0\.6.* at t = 0 s; give start"):
        pc.simulate(system, end_time=1.0)


def test_a_loop_between_two_fixed_bodies_that_are_apart_is_named() -> None:
    system = pc.MultibodySystem("fixed")
    system.add_body("a", fixed=True)
    system.add_body("b", fixed=True, position=(0.1, 0.0, 0.0))
    system.add_body("c", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_loop("impossible", "spherical", "a", "b")
    with pytest.raises(pc.MultibodyError, match="loop 'impossible' cannot be closed"):
        system.compile().start_state()


def test_start_far_from_closed() -> None:
    """The projection finds the closed position from tens of degrees away, and the speeds that belong to it."""
    system = slider_crank(angle=1.0)
    compiled = system.compile()
    y = compiled.start_state()
    assert compiled.violation(0.0, compiled.start)[0] > 0.05
    assert compiled.violation(0.0, y)[0] < 1e-10
    again = y.copy()
    compiled.project(0.0, again)
    np.testing.assert_allclose(again, y, atol=1e-9)  # what is closed stays
