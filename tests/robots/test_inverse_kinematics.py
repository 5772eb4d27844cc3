"""Inverse kinematics: closed forms of a planar arm, Pinocchio's forward kinematics, limits, and poses out of reach."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.multibody.rotations import frame_with_z
from polycontact.robots.turns import quaternion_of_turn, quaternion_product, turn_between
from polycontact.tolerances import POSE_REACHED

UPPER, FORE = 0.4, 0.3
END = (FORE, 0.0, 0.0)


def planar_arm(**stop: float) -> pc.MultibodySystem:
    """Two links about z, stretched along x; with an end stop of the elbow where one is given."""
    system = pc.MultibodySystem("arm")
    for name in ("upper", "fore"):
        system.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add_joint("shoulder", "revolute", "world", "upper")
    system.add_joint("elbow", "revolute", "upper", "fore", at=(UPPER, 0.0, 0.0))
    if stop:
        system.add_force(pc.multibody.EndStop("stop", "elbow", stiffness=1e3, **stop))
    return system


@pytest.mark.parametrize("target", [(0.5, 0.2), (-0.3, 0.4), (0.05, -0.25), (0.3, 0.0)])
def test_planar_arm_has_the_closed_form(target: tuple[float, float]) -> None:
    found = pc.robots.inverse_kinematics(planar_arm(), "fore", position=(*target, 0.0), point=END)
    assert list(found) == ["shoulder", "elbow"]
    x, y = target
    bend = math.acos((x * x + y * y - UPPER**2 - FORE**2) / (2.0 * UPPER * FORE))
    elbow = float(found["elbow"][0])
    assert math.cos(elbow) == pytest.approx(math.cos(bend), abs=1e-6)
    shoulder = math.atan2(y, x) - math.atan2(FORE * math.sin(elbow), UPPER + FORE * math.cos(elbow))
    assert math.sin(float(found["shoulder"][0]) - shoulder) == pytest.approx(0.0, abs=1e-6)


def test_a_straight_arm_finds_its_way_inwards() -> None:
    """Its Jacobian has no component along the arm: other starts must help."""
    found = pc.robots.inverse_kinematics(planar_arm(), "fore", position=(0.4, 0.0, 0.0), point=END)
    x = UPPER * math.cos(found["shoulder"][0]) + FORE * math.cos(found["shoulder"][0] + found["elbow"][0])
    assert x == pytest.approx(0.4, abs=2.0 * POSE_REACHED)


def test_the_start_chooses_the_elbow() -> None:
    for sign in (-1.0, 1.0):
        found = pc.robots.inverse_kinematics(
            planar_arm(), "fore", position=(0.5, 0.0, 0.0), point=END, start={"elbow": [sign], "shoulder": -sign}
        )
        assert sign * found["elbow"][0] > 0.0


def test_end_stops_are_kept_to() -> None:
    found = pc.robots.inverse_kinematics(planar_arm(upper=0.0), "fore", position=(0.5, 0.1, 0.0), point=END)
    assert found["elbow"][0] < 0.0
    with pytest.raises(pc.MultibodyError, match=r"at its end stop: elbow"):
        pc.robots.inverse_kinematics(planar_arm(lower=-0.2, upper=0.2), "fore", position=(0.1, 0.1, 0.0), point=END)


def test_out_of_reach_says_how_near_it_came() -> None:
    with pytest.raises(pc.MultibodyError) as caught:
        pc.robots.inverse_kinematics(planar_arm(), "fore", position=(0.0, 0.9, 0.0), point=END)
    told = str(caught.value)
    assert "inverse kinematics of 'fore': (0, 0.9, 0) m is out of reach" in told
    assert "give a nearer position" in told
    missing = re.search(r"reach: (\S+) m are missing .* with shoulder (\S+); elbow (\S+);", told)
    assert missing is not None
    distance, shoulder, elbow = (float(each) for each in missing.groups())
    assert distance == pytest.approx(0.9 - UPPER - FORE, rel=1e-3)  # four digits are told
    assert math.sin(shoulder) == pytest.approx(1.0, abs=1e-3)
    assert abs(elbow) < 0.05  # the distance is flat there: an angle of 0.05 changes it by less than what is told


def test_a_rotation_that_cannot_be_is_told_in_rad() -> None:
    turned = frame_with_z(np.array([1.0, 0.0, 0.0]))
    with pytest.raises(pc.MultibodyError, match=r"m and 1\.\d+ rad are missing.*leave the rotation out"):
        pc.robots.inverse_kinematics(planar_arm(), "fore", position=(0.5, 0.2, 0.0), rotation=turned, point=END)


def six_axes(rng: np.random.Generator) -> tuple[pc.MultibodySystem, list[tuple[NDArray[np.float64], ...]]]:
    """A random arm of six revolute joints, and the place and frame of each joint in its parent."""
    system = pc.MultibodySystem("six")
    parent, frames = "world", []
    for i in range(6):
        at, axis = rng.uniform(-0.3, 0.3, 3), rng.normal(size=3)
        frames.append((frame_with_z(axis / np.linalg.norm(axis)), at))
        system.add_body(f"link {i}", mass=1.0, inertia=(0.1, 0.1, 0.1))
        system.add_joint(f"joint {i}", "revolute", parent, f"link {i}", at=at, axis=axis)
        parent = f"link {i}"
    return system, frames


@pytest.mark.parametrize("seed", range(6))
def test_pinocchio_puts_the_found_pose_where_it_was_asked_for(seed: int) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (there is none for Windows)")
    rng = np.random.default_rng(seed)
    system, frames = six_axes(rng)
    model, joint, before = pin.Model(), 0, np.eye(3)
    for i, (frame, at) in enumerate(frames):
        # Our frames of links are parallel to their parents' at zero; Pinocchio's lie in the joint's.
        joint = model.addJoint(joint, pin.JointModelRZ(), pin.SE3(before.T @ frame, before.T @ at), f"joint {i}")
        before = frame
    data = model.createData()
    last, point = frames[-1][0], np.array([0.1, -0.05, 0.2])

    def pose(angles: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        pin.forwardKinematics(model, data, angles)
        placed = data.oMi[joint]
        R = placed.rotation @ last.T
        return R, placed.translation + R @ point

    angles = rng.uniform(-1.0, 1.0, 6)
    R, r = pose(angles)
    near = {f"joint {i}": [angle + rng.uniform(-0.3, 0.3)] for i, angle in enumerate(angles)}
    found = pc.robots.inverse_kinematics(system, "link 5", position=r, rotation=R, point=point, start=near)
    R_found, r_found = pose(np.array([found[f"joint {i}"][0] for i in range(6)]))
    np.testing.assert_allclose(r_found, r, rtol=0.0, atol=2.0 * POSE_REACHED)
    np.testing.assert_allclose(R_found, R, rtol=0.0, atol=4.0 * POSE_REACHED)


def test_balls_slides_and_free_bodies_move_too() -> None:
    system = pc.MultibodySystem("various")
    for name in ("base", "rod", "slide"):
        system.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add_joint("ball", "spherical", "base", "rod", at=(0.0, 0.0, 0.1))
    system.add_joint("way", "prismatic", "rod", "slide", axis=(1.0, 0.0, 0.0))
    system.add_marker("tip", "slide", (0.2, 0.0, 0.0))
    target = np.array([-0.3, 0.25, 0.5])
    found = pc.robots.inverse_kinematics(system, "tip", position=target)
    assert list(found) == ["ball", "way"]  # the free base stays
    assert np.linalg.norm(found["ball"]) == pytest.approx(1.0, abs=1e-12)
    # The tip lies on the rod: its distance from the ball is what the slide makes it, 0.2 m and its way.
    assert abs(found["way"][0] + 0.2) == pytest.approx(np.linalg.norm(target - [0.0, 0.0, 0.1]), abs=1e-7)
    moved = pc.robots.inverse_kinematics(system, "base", position=(1.0, 2.0, 3.0), joints=["base"])
    np.testing.assert_allclose(moved["base"][:3], [1.0, 2.0, 3.0], atol=POSE_REACHED)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"body": "hand"}, "there is no body or marker 'hand'"),
        ({"position": (0.1, 0.2)}, "position has shape"),
        ({"position": (0.1, math.nan, 0.0)}, "position is not finite"),
        ({"rotation": 2.0 * np.eye(3)}, "rotation is not a rotation"),
        ({"start": {"knee": 0.1}}, "there is no joint 'knee'"),
        ({"start": {"elbow": (0.1, 0.2)}}, "coordinates"),
        ({"joints": ["wrist"]}, "there is no joint on the way that can move 'wrist'"),
    ],
)
def test_bad_input_is_named(options: dict[str, object], message: str) -> None:
    given = {"body": "fore", "position": (0.5, 0.2, 0.0), **options}
    with pytest.raises(pc.MultibodyError, match=message):
        pc.robots.inverse_kinematics(planar_arm(), given.pop("body"), **given)  # type: ignore[arg-type]


def test_a_body_that_nothing_moves_is_refused() -> None:
    system = pc.MultibodySystem("free")
    system.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(pc.MultibodyError, match="no joint carries it"):
        pc.robots.inverse_kinematics(system, "stone", position=(0.0, 0.0, 1.0))


def test_turns_are_undone() -> None:
    rng = np.random.default_rng(1)
    for angle in (1e-14, 1e-6, 1.0, 3.1):
        axis = rng.normal(size=3)
        turn = angle * axis / np.linalg.norm(axis)
        q = quaternion_of_turn(turn)
        w, x, y, z = q
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        np.testing.assert_allclose(turn_between(np.eye(3), R), turn, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(quaternion_product(q, q * [1, -1, -1, -1]), [1, 0, 0, 0], atol=1e-15)
