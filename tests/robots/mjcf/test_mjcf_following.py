"""Joints of MJCF files that follow others (equalities), dry friction and armature: against MuJoCo, and mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_texts import written
from numpy.typing import NDArray

import polycontact as pc

Array = NDArray[np.float64]

RELATIVE = 1e-9  # both are exact up to rounding, ours by one more solution of linear equations

HAND = """<mujoco model="hand">
  <compiler angle="radian"/>
  <default><geom type="capsule" size="0.02" fromto="0 0 0 0.1 0.02 0.2"/></default>
  <worldbody>
    <body name="palm"><joint name="palm" axis="0 1 0" ref="0.3" {palm}/><geom/>
      <body name="first" pos="0.1 0.02 0.2"><joint name="first" axis="1 0 0.5" ref="-0.2" {first}/><geom/>
        <body name="rod" pos="0.1 0.02 0.2"><joint name="rod" type="slide" axis="0 1 1" {rod}/><geom/></body>
      </body>
      <body name="other" pos="0 0.1 0"><joint name="other" axis="0 0 1" {other}/><geom/></body>
    </body>
  </worldbody>
  <equality>{equalities}</equality>
</mujoco>
"""
FOLLOWING = """
    <joint name="bend" joint1="first" joint2="palm" polycoef="0.1 -1.5 0 0 0"/>
    <joint name="push" joint1="rod" joint2="first" polycoef="-0.05 0.4"/>
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes warnings to a file in the current folder."""
    monkeypatch.chdir(tmp_path)


def hand(folder: Path, equalities: str = "", **more: str) -> Path:
    return written(folder, HAND.format(equalities=equalities, **{**dict.fromkeys(JOINTS, ""), **more}))


JOINTS = ("palm", "first", "rod", "other")


def accelerations(system: pc.MultibodySystem) -> Array:
    """Of the joints of the file, in its order."""
    compiled = system.compile()
    found = compiled.evaluate(0.0, compiled.start_state()).joint_accelerations
    return np.array([found[compiled.setup.first_v[system.joints[name].child]] for name in JOINTS])


def test_the_motion_of_what_follows_by_mujoco(tmp_path: Path) -> None:
    """With q = G z + c the leaders accelerate by (GᵀMG)⁻¹ Gᵀ(-h); M and h of the free tree are MuJoCo's.

    What MuJoCo makes of the equalities itself is soft; with the hardest that it has it is near.
    """
    path = hand(tmp_path, FOLLOWING)
    start = {"coordinates": {"palm": 0.8, "other": -0.4}, "speeds": {"palm": 1.1, "other": 0.7}}
    system = pc.load_mjcf(path, contact=None, **start)
    assert [type(each) for each in system.couplers.values()] == [pc.multibody.Coupler, pc.multibody.Coupler]
    assert list(system.couplers) == ["bend", "push"]
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    G = np.array([[1.0, 0.0], [-1.5, 0.0], [-0.6, 0.0], [0.0, 1.0]])
    first = -0.2 + 0.1 - 1.5 * (0.8 - 0.3)
    data.qpos[:] = [0.8, first, -0.05 + 0.4 * (first + 0.2), -0.4]
    data.qvel[:] = G @ [1.1, 0.7]
    compiled = system.compile()
    found = compiled.evaluate(0.0, compiled.start_state())
    for name, reference, q, v in zip(JOINTS, (0.3, -0.2, 0.0, 0.0), data.qpos, data.qvel, strict=True):
        own_q, own_v = found.bodies.joint_values(name)
        assert own_q[0] + reference == pytest.approx(q, abs=1e-14)
        assert own_v[0] == pytest.approx(v, abs=1e-14)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    theirs.eq_solimp[:, :2] = 0.9999
    mujoco.mj_forward(theirs, data)
    np.testing.assert_allclose(data.efc_pos[: data.ne], 0.0, atol=1e-14)  # MuJoCo sees no violation either
    M = np.zeros((4, 4))
    for column, unit in zip(M, np.eye(4), strict=True):
        mujoco.mj_mulM(theirs, data, column, unit)  # M is symmetric
    expected = G @ np.linalg.solve(G.T @ M @ G, -G.T @ data.qfrc_bias)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(accelerations(system), expected, rtol=0.0, atol=RELATIVE * scale)
    np.testing.assert_allclose(accelerations(system), data.qacc, rtol=0.0, atol=1e-3 * scale)  # 1 - 0.9999, some times


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_friction_and_armature_are_those_of_mujoco(tmp_path: Path, sign: float) -> None:
    """Joints that slide fast: there MuJoCo's friction is its limit, and ours too."""
    path = hand(
        tmp_path,
        palm='frictionloss="0.3" armature="0.02" damping="0.1"',
        first='armature="0.5"',
        rod='frictionloss="0.7" armature="1.5"',
    )
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(theirs)
    data.qpos[:] = [0.8, -0.3, 0.1, 0.5]
    data.qvel[:] = sign * np.array([3.0, 1.0, -2.0, 1.5])
    mujoco.mj_forward(theirs, data)
    system = pc.load_mjcf(
        path,
        contact=None,
        coordinates=dict(zip(JOINTS, data.qpos, strict=True)),
        speeds=dict(zip(JOINTS, data.qvel, strict=True)),
    )
    assert list(system.forces) == ["palm damping", "palm friction", "rod friction"]
    assert [system.joints[name].rotor_inertia for name in JOINTS] == [0.02, 0.5, 1.5, 0.0]
    scale = np.abs(data.qacc).max()
    np.testing.assert_allclose(accelerations(system), data.qacc, rtol=0.0, atol=1e-7 * scale)  # MuJoCo iterates
    mujoco.mj_energyVel(theirs, data)
    compiled = system.compile()
    kinetic = compiled.evaluate(0.0, compiled.start_state()).energies.kinetic
    assert kinetic == pytest.approx(data.energy[1], rel=1e-12)


def test_armature_alone_is_exact(tmp_path: Path) -> None:
    path = hand(tmp_path, palm='armature="0.02"', first='armature="0.5"', rod='armature="1.5"')
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(theirs)
    data.qvel[:] = [3.0, 1.0, -2.0, 1.5]
    mujoco.mj_forward(theirs, data)
    speeds = dict(zip(JOINTS, data.qvel, strict=True))
    found = accelerations(pc.load_mjcf(path, contact=None, speeds=speeds))
    np.testing.assert_allclose(found, data.qacc, rtol=0.0, atol=RELATIVE * np.abs(data.qacc).max())


def test_a_run_with_rotors_and_followers_keeps_its_energy(tmp_path: Path) -> None:
    system = pc.load_mjcf(hand(tmp_path, FOLLOWING, palm='armature="0.02"', rod='armature="0.3"'), contact=None)
    run = pc.simulate(system, end_time=0.5, rtol=1e-8, atol=1e-10)
    compiled, y = system.compile(), run.trajectory.array("state")
    names = compiled.state_names
    palm, first, rod = (y[:, names.index(each)] for each in ("palm.angle", "first.angle", "rod.displacement"))
    assert np.ptp(palm) > 0.3
    np.testing.assert_allclose(first, 0.1 - 1.5 * palm, atol=1e-7)  # stabilised, and so within the tolerances
    np.testing.assert_allclose(rod, -0.05 + 0.4 * first, atol=1e-7)
    energies = [compiled.evaluate(0.0, each[: len(compiled.start_state())]).energies for each in (y[0], y[-1])]
    total = [each.mechanical for each in energies]
    assert total[1] == pytest.approx(total[0], abs=1e-5 * energies[1].kinetic)


@pytest.mark.parametrize("equality", ['polycoef="0.25"', 'joint2="palm" polycoef="0.25 0"'])
def test_what_follows_nothing_is_held(tmp_path: Path, equality: str) -> None:
    system = pc.load_mjcf(hand(tmp_path, f'<joint joint1="first" {equality}/>'), contact=None)
    assert system.joints["first"].coordinates.tolist() == [0.25]
    assert accelerations(system)[1] == pytest.approx(0.0, abs=1e-10)  # others have some 10 rad/s²


def test_start_values(tmp_path: Path) -> None:
    text = HAND.format(equalities=FOLLOWING, **dict.fromkeys(JOINTS, "")).replace(
        "</mujoco>", '<keyframe><key name="closed" qpos="0.5 1 1 0"/></keyframe></mujoco>'
    )
    path = written(tmp_path, text)
    closed = pc.load_mjcf(path, key="closed")
    assert [closed.joints[name].coordinates[0] for name in JOINTS] == pytest.approx([0.2, -0.2, -0.13, 0.0])
    told = "coordinates: joint 'first' follows 'palm' and starts with -0.1, not 0.1; leave it out, and give"
    with pytest.raises(pc.errors.RobotError, match=f"line 13: {told}"):
        pc.load_mjcf(path, coordinates={"first": 0.1, "palm": 0.3})


def test_a_joint_with_two_leaders(tmp_path: Path) -> None:
    """The first leader says where it starts; the second then follows it, as all obey both equalities."""
    two = '<joint name="a" joint1="first" joint2="palm"/><joint name="b" joint1="first" joint2="other" polycoef="0 2"/>'
    system = pc.load_mjcf(hand(tmp_path, two), contact=None, coordinates={"palm": 0.5, "other": 0.1})
    compiled = system.compile()
    found = compiled.evaluate(0.0, compiled.start_state())
    palm, first, other = (found.bodies.joint_values(name)[0][0] for name in ("palm", "first", "other"))
    assert first == pytest.approx(palm, abs=1e-9)
    assert first == pytest.approx(2.0 * other, abs=1e-9)


def test_armature_of_a_ball(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body><joint name="b" type="ball" armature="0.3"/>
      <geom size="0.1" pos="0.2 0.1 -0.3" mass="2"/></body></worldbody></mujoco>"""
    path = written(tmp_path, text)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    data.qvel[:] = [0.4, -1.0, 2.0]
    mujoco.mj_forward(theirs, data)
    compiled = pc.load_mjcf(path, contact=None, speeds={"b": [0.4, -1.0, 2.0]}).compile()
    found = compiled.evaluate(0.0, compiled.start_state()).joint_accelerations
    np.testing.assert_allclose(found, data.qacc, rtol=0.0, atol=RELATIVE * np.abs(data.qacc).max())


def test_what_balls_and_free_joints_cannot_have_is_listed(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body><joint type="ball" armature="1" frictionloss="2"/><geom size="0.1"/></body>
      </worldbody></mujoco>"""
    assert pc.robots.read_mjcf(written(tmp_path, text)).ignored == (
        "line 1: frictionloss of a <joint> of the type ball",
    )
    text = text.replace('"ball"', '"free"')
    assert pc.robots.read_mjcf(written(tmp_path, text)).ignored == (
        "line 1: frictionloss of a <joint> of the type free",
        "line 1: armature of a <joint> of the type free",
    )


def test_names_that_force_elements_have_too(tmp_path: Path) -> None:
    text = HAND.format(equalities=FOLLOWING.replace("bend", "palm"), **dict.fromkeys(JOINTS, "")).replace(
        "</mujoco>", '<actuator><position name="palm" joint="palm" kp="5"/></actuator></mujoco>'
    )
    path = written(tmp_path, text)
    system = pc.load_mjcf(path, prefix="a ")
    assert list(system.forces) == ["a palm"]
    assert list(system.couplers) == ["a palm coupler", "a push"]
    with pytest.raises(pc.errors.RobotError, match="already; give a prefix"):
        pc.robots.add_mjcf(system, path, prefix="a ")


@pytest.mark.parametrize(
    ("equality", "told"),
    [
        ('<joint joint2="palm"/>', "equality 'joint in line 12': <joint> has no joint1"),
        ('<joint name="e" joint1="plam"/>', "equality 'e': there is no joint 'plam'; did you mean 'palm'?"),
        ('<joint name="e" joint1="palm" joint2="palm"/>', "equality 'e': joint1 and joint2 are both 'palm'; name two"),
        ('<joint name="e" joint1="palm" polycoef="1 2 3 4 5 6"/>', "expected at most 5 numbers"),
        ('<joint name="e" joint1="palm" polycoef="0 nan"/>', "equality 'e': polycoef: 'nan' in '0 nan' is not finite"),
        (
            '<joint joint1="palm" joint2="first"/><joint name="e" joint1="first" joint2="palm"/>',
            "joint 'palm' follows itself: 'palm' → 'first' → 'palm'; leave one out",
        ),
        ('<joint name="e" joint1="palm"/><joint name="e" joint1="first"/>', "there is an equality 'e' already"),
    ],
)
def test_mistakes(tmp_path: Path, equality: str, told: str) -> None:
    with pytest.raises(pc.errors.RobotError, match=f"line 12: .*{re.escape(told)}"):
        pc.robots.read_mjcf(hand(tmp_path, equality))


def test_joints_without_a_single_value(tmp_path: Path) -> None:
    text = HAND.format(equalities='<joint name="e" joint1="palm" joint2="first"/>', **dict.fromkeys(JOINTS, ""))
    text = text.replace('name="first" axis="1 0 0.5" ref="-0.2"', 'name="first" type="ball"')
    with pytest.raises(
        pc.errors.RobotError, match="equality 'e': joint 'first' is of the type ball and has no single value"
    ):
        pc.robots.read_mjcf(written(tmp_path, text))
