"""What is made of a URDF file is what the same robot built by hand is; names, options and what is left out."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from urdf_texts import ARM, FLOATING_ARM, written

import polycontact as pc
from polycontact.multibody.rotations import frame_with_z, from_quaternion
from scenes import random_rotation

PENDULUM = """\
<robot name="pendulum">
  <link name="{root}"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.5" rpy="0 0.3 0"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.11" iyz="0" izz="0.02"/>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="{root}"/>
    <child link="rod"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0 -0.2"/>
    <axis xyz="1 2 2"/>
    <limit lower="-0.5" upper="1" effort="9" velocity="4"/>
    <dynamics damping="0.7"/>
  </joint>
</robot>
"""


def about_y(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def about_z(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def about_x(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def rates(system: pc.MultibodySystem) -> np.ndarray:
    compiled = system.compile()
    out = np.zeros(compiled.n_states)
    compiled.rates(0.0, compiled.start_state(), out)
    return out


def test_the_same_as_built_by_hand(tmp_path: Path) -> None:
    """Every value by hand from the meaning of URDF: roll about x first, then pitch about y, then yaw about z."""
    found = pc.load_urdf(
        written(tmp_path, PENDULUM.format(root="base")),
        gravity=(0.1, 0.2, -9.0),
        position=(1.0, 2.0, 3.0),
        rotation=about_z(0.5),
        coordinates={"hinge": 0.3},
        speeds={"hinge": [-1.2]},
        stop_stiffness=50.0,
        stop_damping=0.1,
    )
    built = pc.MultibodySystem("pendulum", gravity=(0.1, 0.2, -9.0))
    built.add_body("base", fixed=True, position=(1.0, 2.0, 3.0), rotation=about_z(0.5))
    inertia = about_y(0.3) @ np.diag([0.1, 0.11, 0.02]) @ about_y(0.3).T
    built.add_body("rod", mass=2.0, centre=(0.0, 0.0, -0.5), inertia=inertia)
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    built.add_joint(
        "hinge",
        "revolute",
        "base",
        "rod",
        at=(0.1, 0.2, 0.3),
        rotation=about_z(-0.2) @ about_x(0.4) @ frame_with_z(axis),
        child_rotation=frame_with_z(axis),
        coordinates=[0.3],
        speeds=[-1.2],
    )
    built.add_force(pc.multibody.JointSpring("hinge damping", "hinge", damping=0.7))
    built.add_force(pc.multibody.EndStop("hinge stop", "hinge", 0, -0.5, 1.0, 50.0, 0.1))
    assert found.name == built.name
    assert list(found.bodies) == list(built.bodies)
    assert list(found.joints) == list(built.joints)
    assert found.forces == built.forces
    assert found.compile().state_names == built.compile().state_names
    assert np.array_equal(found.compile().start_state(), built.compile().start_state())
    np.testing.assert_allclose(rates(found), rates(built), rtol=1e-14)  # products of rotations in another order


def test_links_are_bodies_and_joints_joints_of_the_same_names(tmp_path: Path) -> None:
    system = pc.load_urdf(written(tmp_path, ARM))
    assert system.name == "arm"
    assert list(system.bodies) == ["base", "column", "upper", "slider", "flange", "tool", "table", "balloon"]
    assert {name: joint.kind.value for name, joint in system.joints.items()} == {
        "turn": "revolute",
        "shoulder": "revolute",
        "reach": "prismatic",
        "mount": "fixed",
        "wrist": "revolute",
        "plane": "planar",
        "tether": "free",
    }
    assert system.degrees_of_freedom == 1 + 1 + 1 + 1 + 3 + 6
    assert {name: force.damping for name, force in system.forces.items()} == {"turn damping": 0.3, "reach damping": 12}


def test_limits_are_data_and_stops_where_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, ARM)
    robot = pc.robots.read_urdf(path)
    assert robot.joints["shoulder"].limits == pc.robots.JointLimits(-1.5, 2.0, 80.0, 3.0)
    assert robot.joints["turn"].limits is None
    assert robot.mass == pytest.approx(4 + 2.5 + 1.2 + 0.7 + 3 + 0.4)
    stops = [
        each
        for each in pc.load_urdf(path, stop_stiffness=1e3).forces.values()
        if isinstance(each, pc.multibody.EndStop)
    ]
    assert [(stop.joint, stop.lower, stop.upper) for stop in stops] == [
        ("shoulder", -1.5, 2.0),
        ("reach", 0.0, 0.3),
        ("wrist", -3.0, 3.0),
    ]


def test_infinite_limits_are_none(tmp_path: Path) -> None:
    text = PENDULUM.format(root="base").replace('lower="-0.5" upper="1"', 'lower="-inf" upper="Infinity"')
    assert [type(force) for force in pc.load_urdf(written(tmp_path, text), stop_stiffness=1.0).forces.values()] == [
        pc.multibody.JointSpring
    ]


def test_a_floating_base_starts_where_it_is_put(tmp_path: Path) -> None:
    path, R = written(tmp_path, FLOATING_ARM), random_rotation(np.random.default_rng(3))
    system = pc.load_urdf(path, fixed_base=False, position=(1.0, -2.0, 0.5), rotation=R)
    start = system.tree_joints()["base"]
    assert start.kind is pc.multibody.JointKind.FREE
    np.testing.assert_allclose(start.coordinates[:3], (1.0, -2.0, 0.5))
    np.testing.assert_allclose(from_quaternion(start.coordinates[3:]), R, atol=1e-14)


@pytest.mark.parametrize("root", ["heavy", "light"])
def test_a_free_base_starts_with_its_velocity(tmp_path: Path, root: str) -> None:
    text = FLOATING_ARM if root == "heavy" else PENDULUM.format(root="base").replace('"revolute"', '"fixed"')
    path, start = written(tmp_path, text), {"velocity": (1.0, 2.0, 3.0), "angular_velocity": (4.0, 5.0, 6.0)}
    system = pc.load_urdf(path, fixed_base=False, **start)
    assert system.tree_joints()["base"].speeds.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    with pytest.raises(pc.errors.RobotError, match="a fixed base does not move"):
        pc.load_urdf(path, **start)


def test_quaternions_of_newer_files(tmp_path: Path) -> None:
    """Half a radian about z, as roll, pitch and yaw, and as a quaternion with w last."""
    text = PENDULUM.format(root="base")
    newer = text.replace('rpy="0.4 0 -0.2"', f'quat_xyzw="0 0 {math.sin(0.25)!r} {math.cos(0.25)!r}"')
    old, new = (pc.load_urdf(written(tmp_path, each)) for each in (text.replace("0.4 0 -0.2", "0 0 0.5"), newer))
    np.testing.assert_allclose(new.joints["hinge"].parent_marker[0], old.joints["hinge"].parent_marker[0], atol=1e-15)
    with pytest.raises(pc.errors.RobotError, match="both rpy and quat_xyzw"):
        pc.load_urdf(written(tmp_path, text.replace('rpy="0.4 0 -0.2"', 'rpy="0 0 0" quat_xyzw="0 0 0 1"')))
    with pytest.raises(pc.errors.RobotError, match="quat_xyzw has length 0"):
        pc.load_urdf(written(tmp_path, text.replace('rpy="0.4 0 -0.2"', 'quat_xyzw="0 0 0 0"')))


def test_a_planar_joint_moves_in_the_plane_across_its_axis(tmp_path: Path) -> None:
    text = PENDULUM.format(root="base").replace('"revolute"', '"planar"').replace('<dynamics damping="0.7"/>', "")
    system = pc.load_urdf(written(tmp_path, text), coordinates={"hinge": [0.3, -0.4, 0.8]})
    start = system.compile().evaluate(0.0, system.compile().start_state()).bodies
    R, r = start.pose("rod")
    axis = about_z(-0.2) @ about_x(0.4) @ np.array([1.0, 2.0, 2.0]) / 3.0
    moved = r - (0.1, 0.2, 0.3)
    assert axis @ moved == pytest.approx(0.0, abs=1e-15)
    assert np.linalg.norm(moved) == pytest.approx(0.5, rel=1e-14)
    turned = R @ (about_z(-0.2) @ about_x(0.4)).T
    np.testing.assert_allclose(turned @ axis, axis, atol=1e-15)
    assert np.trace(turned) == pytest.approx(1.0 + 2.0 * math.cos(0.8), rel=1e-14)


def test_a_base_without_mass_floats_with_what_is_fixed_to_it(tmp_path: Path) -> None:
    """The footprint of mobile robots: a root without mass, and the heavy link at a fixed joint."""
    text = PENDULUM.format(root="footprint").replace('type="revolute"', 'type="fixed"')
    system = pc.load_urdf(written(tmp_path, text), fixed_base=False, position=(0.0, 0.0, 2.0))
    found = system.compile().evaluate(0.0, system.compile().start_state())
    np.testing.assert_allclose(found.bodies.pose("footprint")[1], (0.0, 0.0, 2.0))
    falling = found.joint_accelerations[:6]
    np.testing.assert_allclose(falling, [0.0, 0.0, -9.81, 0.0, 0.0, 0.0], atol=1e-12)  # rounding of a 2 kg body


def test_a_root_named_world_is_the_world(tmp_path: Path) -> None:
    place = {"position": (1.0, 2.0, 3.0), "rotation": about_x(0.7), "coordinates": {"hinge": 0.4}}
    path = written(tmp_path, PENDULUM.format(root="world"))
    other = written(tmp_path, PENDULUM.format(root="base"), "other.urdf")
    found, expected = pc.load_urdf(path, **place), pc.load_urdf(other, **place)
    assert list(found.bodies) == ["rod"]
    assert found.joints["hinge"].parent == "world"
    np.testing.assert_allclose(rates(found), rates(expected), rtol=1e-14)
    with pytest.raises(pc.errors.RobotError, match=r"world.*prefix"):
        pc.load_urdf(path, fixed_base=False)


def test_two_robots_in_one_system(tmp_path: Path) -> None:
    path = written(tmp_path, PENDULUM.format(root="world"))
    system = pc.MultibodySystem("two")
    for prefix, x in (("left ", -1.0), ("right ", 1.0)):
        robot = pc.robots.add_urdf(system, path, prefix=prefix, position=(x, 0.0, 0.0), coordinates={"hinge": x})
        assert robot.root == "world"
    assert list(system.bodies) == ["left world", "left rod", "right world", "right rod"]
    assert list(system.joints) == ["left hinge", "right hinge"]
    assert list(system.forces) == ["left hinge damping", "right hinge damping"]
    assert system.joints["right hinge"].coordinates.tolist() == [1.0]


def test_a_robot_is_added_whole_or_not_at_all(tmp_path: Path) -> None:
    system = pc.MultibodySystem("full")
    system.add_body("rod", mass=1.0, inertia=(1.0, 1.0, 1.0))
    path = written(tmp_path, PENDULUM.format(root="base"))
    with pytest.raises(pc.errors.RobotError, match="body 'rod' already; give a prefix"):
        pc.robots.add_urdf(system, path)
    with pytest.raises(pc.errors.RobotError, match=r"line 10: joint 'a hinge': coordinates \(angle\) has shape"):
        pc.robots.add_urdf(system, path, prefix="a ", coordinates={"hinge": [1.0, 2.0]})
    assert list(system.bodies) == ["rod"]
    assert not system.joints
    assert not system.forces


def test_a_joint_may_carry_the_root(tmp_path: Path) -> None:
    """A robot on a slide: the joint takes the place of the fixed base."""
    system = pc.load_urdf(written(tmp_path, FLOATING_ARM))
    before = system.degrees_of_freedom
    system.add_joint("slide", "prismatic", "world", "base", axis=(1.0, 0.0, 0.0))
    assert system.degrees_of_freedom == before + 1


LEFTOVERS = """\
<robot name="r">
  <link name="a"><self_collision_checking/></link>
  <link name="b">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><sphere radius="1"/></geometry><material name="unheard of"/></visual>
    <visual><geometry><sphere radius="1"/></geometry>
      <material name="skin"><color rgba="255 0 0 1"/><texture filename="skin.png"/></material>
    </visual>
  </link>
  <joint name="j" type="revolute">
    <parent link="a"/><child link="b"/>
    <mimic joint="j2" multiplier="2" speed="3"/>
    <dynamics damping="1" friction="0.25" spring_stiffness="3"/>
    <safety_controller k_velocity="10"/>
  </joint>
  <link name="c"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="j2" type="revolute"><parent link="b"/><child link="c"/></joint>
  <link name="d"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="j3" type="planar">
    <parent link="a"/><child link="d"/><mimic joint="j"/><dynamics damping="1" friction="2"/>
  </joint>
  <transmission name="t"><type>simple</type></transmission>
  <gazebo reference="a"><sensor:camera name="c"/></gazebo>
</robot>
"""


def test_what_is_not_understood_is_listed_once(tmp_path: Path) -> None:
    path = written(tmp_path, LEFTOVERS)
    expected = (
        "line 2: link 'a': <self_collision_checking>",
        "line 5: link 'b': visual: material 'unheard of', whose colour the file does not tell",
        "line 7: material 'skin': its texture",
        "line 7: material 'skin': the colour [255.0, 0.0, 0.0, 1.0], whose parts must lie between 0 and 1",
        "line 12: joint 'j': speed of <mimic>",
        "line 13: joint 'j': spring_stiffness of <dynamics>",
        "line 14: joint 'j': <safety_controller>",
        "line 20: joint 'j3': <mimic> of a joint of the type planar",
        "line 20: joint 'j3': damping of a joint of the type planar",
        "line 20: joint 'j3': friction of a joint of the type planar",
        "line 22: <transmission 't'>",
        "line 23: <gazebo>",
    )
    assert pc.robots.read_urdf(path).ignored == expected
    with pytest.warns(pc.errors.RobotWarning) as caught:
        pc.load_urdf(path)
    (warning,) = caught
    assert str(warning.message).splitlines()[1:] == [f"  {each}" for each in expected]
    assert warning.filename == __file__


def test_a_plain_robot_warns_of_nothing(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pc.load_urdf(written(tmp_path, ARM))


def test_a_run_of_a_pendulum_has_the_period_of_the_closed_form(tmp_path: Path) -> None:
    """A point-like bob at 0.5 m: T = 2π √(I / (m g l)) for small angles, without damping."""
    text = PENDULUM.format(root="base").replace('<dynamics damping="0.7"/>', "").replace('rpy="0.4 0 -0.2"', "")
    text = text.replace('axis xyz="1 2 2"', 'axis xyz="0 1 0"').replace('rpy="0 0.3 0"', "")
    system = pc.load_urdf(written(tmp_path, text), coordinates={"hinge": 1e-3})
    period = 2 * math.pi * math.sqrt((0.11 + 2 * 0.25) / (2 * 9.81 * 0.5))
    run = pc.simulate(system, end_time=period, rtol=1e-9, atol=1e-12, output_step=period)
    angle = run.trajectory.array("state")[-1, 0]
    assert angle == pytest.approx(1e-3, rel=1e-5)  # the period grows by angle²/16, some 1e-7
