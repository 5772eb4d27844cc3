"""Models from MJCF files as systems: names, contacts, key frames, actuators, loops, includes, meshes, leftovers."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_texts import ARM, written

import polycontact as pc
from polycontact.multibody.rotations import from_quaternion

quietly = pytest.mark.filterwarnings("ignore::polycontact.errors.RobotWarning")

FOUR_BAR = """<mujoco>
  <compiler angle="radian"/>
  <default><geom type="capsule" size="0.02"/><joint axis="0 1 0"/></default>
  <worldbody>
    <body name="crank"><joint name="drive"/><geom fromto="0 0 0 0 0 0.3"/>
      <body name="coupler" pos="0 0 0.3"><joint name="knee"/><geom fromto="0 0 0 0.6 0 0.2"/></body>
    </body>
    <body name="rocker" pos="0.6 0 0"><joint name="swing"/><geom fromto="0 0 0 0 0 0.5"/>
      <site name="head" pos="0 0 0.5"/>
      <body name="plate" pos="0.2 0 0"><geom type="box" size="0.02 0.03 0.04"/></body>
    </body>
    <body name="loose" pos="1 0 0"><freejoint/><geom size="0.1" fromto="0 0 0 0 0 0.2"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="coupler" body2="rocker" anchor="0.6 0 0.2"/>
    <weld name="glue" body1="loose" body2="plate"/>
    <joint name="bent" joint1="drive" joint2="swing" polycoef="0 1 0.5"/>
    <connect name="off" body1="coupler" anchor="0 0 0" active="false"/>
  </equality>
</mujoco>
"""

LEGS = """<mujoco model="legs">
  <option timestep="0.001"/>
  <default>
    <geom type="sphere" size="0.03"/>
    <default class="limb"><geom type="capsule" fromto="0 0 0 0 0 -0.3"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="0 0 1" name="floor"/>
    <body name="hips" pos="0 0 1">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.2 0.05"/>
      <geom name="logo" type="box" size="0.01 0.01 0.01" contype="0" conaffinity="0" mass="0"/>
      <body name="leg" pos="0 0.1 0">
        <joint name="hip_x" axis="1 0 0"/><joint name="hip_y" axis="0 1 0"/><joint name="leg" axis="0 0 1"/>
        <geom name="thigh" class="limb"/>
        <body name="shin" pos="0 0 -0.35"><joint name="knee" axis="0 1 0" armature="0.01"/><geom class="limb"/>
          <geom pos="0 0 -0.3" name="foot"/>
        </body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="hips" body2="shin"/><pair geom1="floor" geom2="foot"/></contact>
  <actuator>
    <position name="knee" joint="knee" kp="50" kv="2" ctrlrange="-2 -0.1"/>
    <motor name="twist" joint="leg" gear="4" ctrlrange="-1 1"/>
    <motor name="cable" tendon="t"/>
  </actuator>
  <sensor><gyro site="x"/></sensor>
  <keyframe>
    <key name="squat" qpos="0 0 0.8 1 0 0 0.2 0.1 0.2 0.3 -0.4" qvel="1 2 3 4 5 6 0.1 0.2 0.3 0.4" ctrl="-0.4 0.5 7"/>
  </keyframe>
</mujoco>
"""


@quietly
def test_bodies_joints_and_forces_have_the_names_of_the_file(tmp_path: Path) -> None:
    system = pc.load_mjcf(written(tmp_path, LEGS))
    assert system.name == "legs"
    assert list(system.bodies) == ["worldbody", "hips", "leg/hip_x", "leg/hip_y", "leg", "shin"]
    assert list(system.joints) == ["root", "hip_x", "hip_y", "leg", "knee"]
    assert not system.couplers
    assert list(system.forces) == ["knee"]  # motors without a signal do nothing
    assert system.degrees_of_freedom == 10
    assert system.gravity.tolist() == [0.0, 0.0, -9.81]


@quietly
def test_the_file_says_who_may_touch(tmp_path: Path) -> None:
    system = pc.MultibodySystem()
    model = pc.robots.add_mjcf(system, written(tmp_path, LEGS), prefix="a ", geometry="convex")
    assert model.excludes == (("hips", "shin"),)
    assert model.pairs == (("world", "shin"),)
    assert [geom.collides for geom in model.bodies["hips"].geoms] == [True, False]
    found = system.find_contacts(exclude=model.kept_apart("a "), law=pc.laws.SpringDamperLaw(stiffness=1e4))
    assert {frozenset((each.e, each.f)) for each in found} == {
        frozenset(("a worldbody", each)) for each in ("a hips", "a leg", "a shin")
    }


def test_what_is_not_understood_is_listed(tmp_path: Path) -> None:
    path = written(tmp_path, LEGS)
    with pytest.warns(pc.errors.RobotWarning, match="line 28: <sensor>"):
        pc.load_mjcf(path)
    ignored = pc.robots.read_mjcf(path).ignored
    assert len(ignored) == 3
    for what in (
        "<sensor>",
        "actuator 'cable' (<motor>): it acts by a tendon",
        "plane",
    ):
        assert sum(what in each for each in ignored) == 1


def test_a_plain_model_warns_of_nothing(tmp_path: Path) -> None:
    text = '<mujoco><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>'
    system = pc.load_mjcf(written(tmp_path, text))
    assert list(system.bodies) == ["body 1"]
    assert list(system.joints) == ["body 1"]


@quietly
def test_a_key_frame_is_where_mujoco_has_it(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        LEGS.replace('<motor name="cable" tendon="t"/>', '<motor name="cable" joint="knee"/>').replace(
            '<sensor><gyro site="x"/></sensor>', ""
        ),
    )
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    mujoco.mj_forward(theirs, data)
    system = pc.load_mjcf(path, key="squat", controls={"cable": 0.0})
    found = system.compile().evaluate(0.0, system.compile().start_state())
    for i, name in enumerate(("hips", "leg", "shin"), start=1):
        R, r = found.bodies.pose(name)
        np.testing.assert_allclose(r, data.xpos[i], atol=1e-12)
        np.testing.assert_allclose(R, data.xmat[i].reshape(3, 3), atol=1e-12)
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(theirs, data, mujoco.mjtObj.mjOBJ_XBODY, i, velocity, 0)
        w, v = found.bodies.twist(name)
        np.testing.assert_allclose(w, velocity[:3], atol=1e-12)
        np.testing.assert_allclose(v, velocity[3:], atol=1e-12)
    motor, twist = system.forces["knee"], system.forces["twist"]
    assert isinstance(motor, pc.multibody.Motor)
    assert motor.target == pc.multibody.ConstantVelocity(0.0, -0.4)
    assert isinstance(twist, pc.multibody.JointEffort)
    assert twist.effort == 2.0


@quietly
def test_controls_may_be_formulas_within_their_range(tmp_path: Path) -> None:
    path = written(tmp_path, LEGS)
    system = pc.load_mjcf(path, controls={"twist": "10 * t", "knee": -1.0})
    twist = system.forces["twist"]
    assert isinstance(twist, pc.multibody.JointEffort)
    compiled = system.compile()
    y = compiled.start_state()
    first = compiled.setup.first_v["leg"]
    still = pc.load_mjcf(path, controls={"knee": -1.0}).compile()
    efforts = []
    for t in (0.0, 0.05, 1.0):
        a, b = (each.evaluate(t, y).joint_accelerations[first] for each in (compiled, still))
        efforts.append(a - b)
    assert efforts[0] == pytest.approx(0.0, abs=1e-12)
    assert efforts[2] / efforts[1] == pytest.approx(2.0)  # 10 t is held at 1 from 0.1 s on, 0.5 is half of it
    assert pc.load_mjcf(path).forces["knee"].target.start == -0.1  # type: ignore[union-attr]  # zero is beyond its range


@quietly
@pytest.mark.parametrize(
    "where", [((0.0, 0.0, 0.0), np.eye(3)), ((1.0, 2.0, 3.0), from_quaternion(np.arange(1.0, 5.0)))]
)
def test_equalities_close_loops(tmp_path: Path, where: tuple[tuple[float, float, float], np.ndarray]) -> None:
    position, rotation = where
    system = pc.MultibodySystem()
    model = pc.robots.add_mjcf(system, written(tmp_path, FOUR_BAR), position=position, rotation=rotation, contact=None)
    assert {name: loop.kind for name, loop in system.loops.items()} == {"pin": "spherical", "glue": "fixed"}
    assert [each.split(": ", 1)[1] for each in model.ignored] == [
        "<joint> 'bent' in <equality>, whose polycoef is not linear",
        "<connect> 'off' in <equality>, which is not active",
    ]
    compiled = system.compile()
    found = compiled.evaluate(0.0, compiled.start_state())
    for loop in system.loops.values():
        (R_a, r_a), (R_b, r_b) = (found.bodies.pose(body) for body in (loop.body_a, loop.body_b))
        (A, a), (B, b) = loop.marker_a, loop.marker_b
        np.testing.assert_allclose(r_a + R_a @ a, r_b + R_b @ b, atol=1e-12)
        if loop.kind == "fixed":
            np.testing.assert_allclose(R_a @ A, R_b @ B, atol=1e-12)
    run = pc.simulate(system, end_time=0.3, rtol=1e-7, atol=1e-9)
    y = run.trajectory.array("state")[-1]
    end = compiled.evaluate(0.3, y[: len(compiled.start_state())])
    R, r = end.bodies.pose("coupler")
    S, s = end.bodies.pose("rocker")
    assert np.linalg.norm(r + R @ [0.6, 0.0, 0.2] - s - S @ [0.0, 0.0, 0.5]) < 1e-6  # of 0.5 m, by the tolerances
    assert abs(y[0]) > 1e-3  # it has moved, one way or the other


@quietly
def test_parts_in_other_files(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "meshes").mkdir()
    pc.save_surface(pc.shapes.box((0.2, 0.3, 0.4)), tmp_path / "meshes" / "brick.stl")
    written(tmp_path, '<mujocoinclude><include file="parts/mesh.xml"/><geom size="0.5"/></mujocoinclude>', "body.xml")
    written(tmp_path / "parts", '<mujocoinclude><geom type="mesh" mesh="brick" mass="3"/></mujocoinclude>', "mesh.xml")
    path = written(
        tmp_path,
        '<mujoco><compiler meshdir="meshes"/><asset><mesh file="brick.stl" scale="1 1 -1"/></asset><worldbody>'
        '<body name="a"><joint/><include file="body.xml"/></body></worldbody></mujoco>',
    )
    model = pc.robots.read_mjcf(path)
    assert [each.name for each in model.included] == ["body.xml", "mesh.xml"]
    assert [geom.kind for geom in model.bodies["a"].geoms] == ["mesh", "sphere"]
    assert model.mass == pytest.approx(3.0 + 1000.0 * 4.0 / 3.0 * math.pi * 0.5**3)
    system = pc.load_mjcf(path)
    brick = system.bodies["a"].shapes[0].surface
    assert brick.mass_properties(1.0).volume == pytest.approx(0.2 * 0.3 * 0.4, rel=1e-6)  # STL has single precision


@quietly
def test_names_that_bodies_and_joints_share(tmp_path: Path) -> None:
    text = """<mujoco><worldbody>
      <body name="a"><joint name="b"/><geom size="0.1"/><site name="b"/>
        <body name="b"><joint name="a"/><geom size="0.1"/></body></body>
    </worldbody><actuator><motor joint="a" gear="2"/></actuator></mujoco>"""
    system = pc.MultibodySystem()
    model = pc.robots.add_mjcf(system, written(tmp_path, text), controls={"actuator 1": 3.0})
    assert list(system.joints) == ["b joint", "a joint"]
    assert system.forces["actuator 1"].joint == "a joint"  # type: ignore[union-attr]
    assert len(model.ignored) == 3
    assert not system.markers


@quietly
def test_convex_geometries_are_those_of_mujoco(tmp_path: Path) -> None:
    system = pc.load_mjcf(written(tmp_path, ARM), geometry="convex")
    kinds = [type(shape.surface).__name__ for body in system.bodies.values() for shape in body.shapes]
    assert kinds == ["Box", "Cylinder", "Capsule", "Box", "Ellipsoid", "ConvexMesh", "Sphere"]


@quietly
def test_a_model_is_added_whole_or_not_at_all(tmp_path: Path) -> None:
    path = written(tmp_path, LEGS)
    system = pc.load_mjcf(path)
    before = (list(system.bodies), list(system.joints), list(system.forces))
    with pytest.raises(pc.errors.RobotError, match="the system has a body 'worldbody' already; give a prefix"):
        pc.robots.add_mjcf(system, path)
    assert before == (list(system.bodies), list(system.joints), list(system.forces))
    pc.robots.add_mjcf(system, path, prefix="two ", position=(0.0, 1.0, 0.0))
    assert system.degrees_of_freedom == 20


@quietly
def test_limits_become_stops_where_asked_for(tmp_path: Path) -> None:
    system = pc.load_mjcf(written(tmp_path, ARM), stop_stiffness=500.0, stop_damping=1.0)
    stop = system.forces["yaw stop"]
    assert isinstance(stop, pc.multibody.EndStop)
    half, reference = math.pi / 2, math.radians(12.0)  # the system counts from where the file places the body
    assert (stop.lower, stop.upper) == (pytest.approx(-half - reference), pytest.approx(half - reference))
    assert "shoulder stop" not in system.forces
