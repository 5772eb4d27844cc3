"""Friction that sticks: no creep at no growing cost, with every method; sliding, spinning, rolling; its energy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_systems import GRAVITY, MASS

import polycontact as pc
from proof.properties.disc_friction import coulomb_shares
from scenes import at
from sphere_method import Ball, BallOnGround, Ground

SIDE = 0.2
FRICTION = math.tan(math.radians(20.0))
HALF = math.radians(10.0)
"""Half the angle of friction."""
LAW = pc.LayerLaw(stiffness=1e6, damping=2e4)
STICK = pc.StickFriction(coefficient=FRICTION, stiffness=1e7, damping=1e4)
METHODS: dict[str, dict[str, Any]] = {
    "distance": {},
    "target normal": {"depth": "target_normal"},
    "both sides": {"base": pc.Base.BOTH},
    "lines": {"method": pc.contact.PenetrationLines(max_penetration=0.01)},
}


def block_on_slope(slope: float, friction: Any = STICK, **options: Any) -> pc.MultibodySystem:
    """A block on a plane; gravity is tilted instead of the plane."""
    system = pc.MultibodySystem("slope", gravity=(GRAVITY * math.sin(slope), 0.0, -GRAVITY * math.cos(slope)))
    sunk = MASS * GRAVITY * math.cos(slope) / (1e6 * SIDE**2)
    surface = pc.shapes.box((SIDE, SIDE, 0.05), (4, 4, 1))
    system.add_body("block", surface=surface, mass=MASS, position=(0.0, 0.0, 0.025 - sunk))
    system.add_body("slope", surface=pc.shapes.plane(4.0), fixed=True)
    system.add_contact("block", "slope", law=LAW, friction=friction, name="slope", **options)
    return system


@pytest.mark.parametrize("method", METHODS)
def test_a_block_at_half_the_angle_of_friction_stays(method: str) -> None:
    run = pc.simulate(block_on_slope(HALF, **METHODS[method]), end_time=11.0, output_step=1.0)
    x = run.trajectory.body("block").position
    assert np.abs(x[1:] - x[1]).max() < 1e-6, "less than a micrometre in ten seconds"
    steps = run.trajectory.array("steps")
    assert steps[-1] - steps[1] < steps[1], "ten seconds at rest cost less than the first one"


def test_a_ball_on_one_point_stays() -> None:
    """It cannot roll: a guide along the slope holds its orientation."""
    gravity = (GRAVITY * math.sin(HALF), 0.0, -GRAVITY * math.cos(HALF))
    system = pc.MultibodySystem("ball on a point", gravity=gravity)
    sunk = GRAVITY * math.cos(HALF) / 1e5
    system.add_body("ground", surface=Ground(), fixed=True)
    system.add_body("ball", surface=Ball(0.1), mass=1.0, position=(0.0, 0.0, 0.1 - sunk))
    system.add_joint("guide", "prismatic", "world", "ball", at=(0.0, 0.0, 0.1 - sunk), axis=(1.0, 0.0, 0.0))
    friction = pc.StickFriction(coefficient=FRICTION, damping=400.0)
    law = pc.laws.SpringDamperLaw(stiffness=1e5, damping=400.0)
    system.add_contact("ground", "ball", method=BallOnGround(), law=law, friction=friction, name="point")
    run = pc.simulate(system, end_time=11.0, output_step=1.0, rtol=1e-6, atol=1e-8)
    x = run.trajectory.body("ball").position[:, 0]
    assert x[-1] == pytest.approx(GRAVITY * math.sin(HALF) / 1e5, rel=1e-3), "hangs on its spring"
    assert np.abs(x[1:] - x[1]).max() < 1e-6
    steps = run.trajectory.array("steps")
    assert steps[-1] - steps[1] < steps[1]


def test_a_block_slides_beyond_the_angle_of_friction_and_the_ledger_closes() -> None:
    system = block_on_slope(math.radians(30.0), depth="target_normal")  # no flanks, which rub too
    start = system.tree_joints()["block"].coordinates[:3]
    system.add_joint("guide", "prismatic", "world", "block", at=start, axis=(1.0, 0.0, 0.0))
    run = pc.simulate(system, end_time=1.0, rtol=1e-6, atol=1e-8)
    drag = FRICTION * run.trajectory.pairing("slope").force[1:, 2].mean()
    acceleration = GRAVITY * math.sin(math.radians(30.0)) - drag / MASS
    # Until the springs are stretched, for some milliseconds, it is held by less.
    assert run.trajectory.body("block").velocity[-1, 0] == pytest.approx(acceleration, rel=5e-3)
    way = run.trajectory.body("block").position[-1, 0]
    assert run.ledger["friction"][-1] == pytest.approx(drag * way, rel=2e-3)
    assert run.ledger.worst_residual < 2e-3 * run.ledger.turnover


def test_a_block_that_is_pushed_comes_to_rest_and_springs_back() -> None:
    """Its way until the springs hold is v²/(2 μ g); then it swings on them and stays."""
    system = block_on_slope(0.0, depth="target_normal")
    start = system.tree_joints()["block"].coordinates[:3]
    system.add_joint("guide", "prismatic", "world", "block", at=start, axis=(1.0, 0.0, 0.0), speeds=[0.5])
    run = pc.simulate(system, end_time=2.0, output_step=0.1, rtol=1e-6, atol=1e-8)
    x = run.trajectory.body("block").position[:, 0]
    load = run.trajectory.pairing("slope").force[1:, 2].mean()
    stretch = FRICTION * load / (1e7 * SIDE**2)
    assert x[-1] == pytest.approx(0.5 * MASS * 0.5**2 / (FRICTION * load), abs=2.0 * stretch)
    assert np.ptp(x[-10:]) < 1e-7
    lost = run.ledger["friction"][-1]
    assert lost == pytest.approx(0.5 * MASS * 0.5**2, rel=2e-3)
    assert run.ledger.worst_residual < 2e-3 * run.ledger.turnover


def shares_of_the_disc(steps: int, ratio: float) -> tuple[float, float]:
    """Force over μN and torque over (2/3)μNR of a disc that has slid and spun until all its springs slip."""
    disc = pc.shapes.cylinder(0.1, 0.05)
    friction = pc.StickFriction(coefficient=0.5, stiffness=1e8)
    law = pc.LayerLaw(stiffness=1e6)
    pair = pc.ContactPairing(disc, pc.shapes.plane(1.0), law=law, friction=friction, depth="target_normal")
    memory = pair.make_memory()
    wrench = np.empty(6)
    slip, angle = 2e-3 * ratio, 2e-3 / 0.1
    for k in range(steps + 1):
        share = k / steps
        turn = angle * share
        R = np.array([[math.cos(turn), -math.sin(turn), 0.0], [math.sin(turn), math.cos(turn), 0.0], [0.0, 0.0, 1.0]])
        motion = at(R, (slip * share, 0.0, -0.024))
        pair._run(memory, *motion.arrays(), wrench)
        memory.commit()
    load = wrench[2]
    # About the axis of the disc, from marker F.
    torque = wrench[5] + slip * wrench[1]
    return wrench[0] / (0.5 * load), torque / (2.0 / 3.0 * 0.5 * load * 0.1)


@pytest.mark.parametrize("ratio", [0.3, 1.0, 3.0])
def test_slip_and_spin_at_once_let_go_as_coulomb_has_it(ratio: float) -> None:
    """The limit surface of a patch is what its elements add up to: a disc under even pressure, elliptic integrals."""
    force, torque = shares_of_the_disc(20, ratio)
    expected = coulomb_shares(ratio)
    # Some hundred elements of a disc, and a path of finite length.
    assert force == pytest.approx(expected.force, abs=0.01)
    assert torque == pytest.approx(expected.torque, abs=0.01)


def point_contact(friction: Any) -> tuple[pc.ContactPairing, Any]:
    pair = pc.ContactPairing(
        Ground(), Ball(0.1), method=BallOnGround(), law=pc.LayerLaw(stiffness=1e5), friction=friction
    )
    return pair, pair.make_memory()


def turned(axis: int, angle: float) -> Any:
    c, s = math.cos(angle), math.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def test_a_point_resists_spin_within_its_elliptic_limit() -> None:
    friction = pc.StickFriction(coefficient=0.5, stiffness=1e6, spin_radius=0.01)
    pair, memory = point_contact(friction)
    wrench, load = np.empty(6), 1e5 * 1e-3
    pair._run(memory, *at(None, (0.0, 0.0, 0.099)).arrays(), wrench)
    memory.commit()
    pair._run(memory, *at(turned(2, 1e-3), (0.0, 0.0, 0.099)).arrays(), wrench)
    assert wrench[5] == pytest.approx(1e6 * 0.01**2 * 1e-3, rel=1e-9), "S ρ² φ while it sticks"
    pair._run(memory, *at(turned(2, 1.0), (0.0, 0.0, 0.099)).arrays(), wrench)
    assert wrench[5] == pytest.approx(0.5 * load * 0.01, rel=1e-9), "at most μ F_n ρ"
    memory.commit()
    again = np.empty(6)
    pair._run(memory, *at(turned(2, 1.0), (0.0, 0.0, 0.099)).arrays(), again)
    np.testing.assert_allclose(again, wrench, rtol=1e-9, atol=1e-12, err_msg="evaluated again it gives the same")
    pair._run(memory, *at(turned(2, 1.3), (3e-3, 0.0, 0.099)).arrays(), wrench)
    force, torque = wrench[0] / (0.5 * load), wrench[5] / (0.5 * load * 0.01)
    assert force == pytest.approx(torque, rel=0.3)
    assert math.hypot(force, torque) == pytest.approx(1.0, rel=1e-6)


def test_a_ball_rolls_freely() -> None:
    """Nine turns on one point: springs hold the ball to rolling, and take nothing from it."""
    system = pc.MultibodySystem("rolling")
    system.add_body("ground", surface=Ground(reach=20.0), fixed=True)
    sunk = GRAVITY / 1e6
    radius = 0.1 - 0.5 * sunk  # down to the middle between the two surfaces
    motion = {"velocity": (3.0, 0.0, 0.0), "angular_velocity": (0.0, 3.0 / radius, 0.0)}
    place = (0.0, 0.0, 0.1 - sunk)
    system.add_body("ball", surface=Ball(0.1), mass=1.0, inertia=(4e-3,) * 3, position=place, **motion)
    friction = pc.StickFriction(coefficient=0.5, damping=200.0)
    law = pc.laws.SpringDamperLaw(stiffness=1e6, damping=200.0)
    system.add_contact("ground", "ball", method=BallOnGround(), law=law, friction=friction, name="point")
    # The springs are stretched by 5 µm at most: positions must be better than that, or they hold what is not there.
    run = pc.simulate(system, end_time=2.0, output_step=0.1, rtol=1e-6, atol=1e-8)
    assert run.trajectory.body("ball").velocity[-1, 0] == pytest.approx(3.0, rel=1e-4)
    assert np.abs(run.trajectory.pairing("point").force[:, 0]).max() < 0.05 * 0.5 * GRAVITY
    assert run.ledger["friction"][-1] < 1e-4 * run.ledger["kinetic"][0]


def test_run_files_carry_the_anchors(tmp_path: Path) -> None:
    """Continued, the block goes on hanging where it hung."""
    path = tmp_path / "run.h5"
    settings = {"rtol": 1e-8, "atol": 1e-10, "output_step": 0.1}
    pc.simulate(block_on_slope(HALF), end_time=0.5, record=path, **settings)
    pc.simulate(block_on_slope(HALF), end_time=1.0, continue_from=path, **settings)
    run = pc.Trajectory.open(path)
    x = run.body("block").position[:, 0]
    assert abs(x[-1] - x[5]) < 1e-8
    assert x[-1] > 1e-6


def test_a_part_of_a_triangle_that_is_new_takes_the_stretch_over() -> None:
    """Cells of the depth as a distance come and go with the pose: what held before goes on holding."""
    box, ball = pc.shapes.box((0.3, 0.3, 0.1), 2), pc.shapes.sphere(0.1, 3)
    friction = pc.StickFriction(coefficient=0.5, stiffness=1e7)
    pair = pc.ContactPairing(box, ball, law=pc.LayerLaw(stiffness=1e8), friction=friction, base=pc.Base.F)
    memory, wrench = pair.make_memory(), np.empty(6)
    pair._run(memory, *at(None, (0.021, 0.013, 0.145)).arrays(), wrench)
    memory.commit()
    pulls, turnover = [], 0
    for k in range(1, 11):
        before = set(memory.remembered()[1].keys.tolist())
        pair._run(memory, *at(None, (0.021 + 3e-4 * k, 0.013, 0.145 - 3e-4 * k)).arrays(), wrench)
        memory.commit()
        turnover += len(set(memory.remembered()[1].keys.tolist()) - before)
        pulls.append(wrench[0])
    assert turnover > 0, "otherwise this shows nothing"
    assert (np.diff(pulls) > 0.0).all(), "each step stretches the springs further"
