"""Joints of URDF files that follow others (mimic), and dry friction: against Pinocchio, by hand, and mistakes."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from urdf_texts import written

import polycontact as pc

Array = NDArray[np.float64]

GRAVITY = (0.3, -0.5, -9.0)
LINK = """  <link name="{name}"><inertial><origin xyz="0.1 0.05 -0.2"/><mass value="{mass}"/>
    <inertia ixx="0.03" ixy="0.001" ixz="0" iyy="0.04" iyz="0.002" izz="0.02"/></inertial></link>
"""
JOINT = """  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 -0.2"/><axis xyz="{axis}"/>
    <limit lower="-3" upper="3" effort="9" velocity="4"/>
    {more}</joint>
"""


def chain(*joints: tuple[str, str, str]) -> str:
    """A serial robot of joints (name, type, what else is in it)."""
    links = ["base", *(f"link of {name}" for name, _, _ in joints)]
    text = '<robot name="hand">\n  <link name="base"/>\n'
    text += "".join(LINK.format(name=name, mass=1.0 + 0.3 * i) for i, name in enumerate(links[1:]))
    for i, ((name, kind, more), (parent, child)) in enumerate(zip(joints, pairwise(links), strict=True)):
        axis = ("0 1 0", "1 0 0.5", "0 0 1")[i % 3]
        text += JOINT.format(name=name, kind=kind, parent=parent, child=child, axis=axis, more=more)
    return text + "</robot>\n"


HAND = chain(
    ("palm", "revolute", ""),
    ("first", "revolute", '<mimic joint="palm" multiplier="-1.5" offset="0.2"/>'),
    ("slide", "prismatic", '<mimic joint="palm" multiplier="0.4" offset="-0.1"/>'),
    ("free", "revolute", ""),
    ("second", "continuous", '<mimic joint="free" multiplier="0.7"/>'),
)
FINGER = chain(  # what follows stands before what it follows, and follows a follower
    ("tip", "revolute", '<mimic joint="middle" multiplier="0.5" offset="0.3"/>'),
    ("middle", "revolute", '<mimic joint="root" multiplier="-2" offset="0.1"/>'),
    ("root", "revolute", ""),
)


def accelerations(system: pc.MultibodySystem) -> Array:
    compiled = system.compile()
    return np.array(compiled.evaluate(0.0, compiled.start_state()).joint_accelerations)


@pytest.mark.parametrize(
    ("text", "leading", "G", "c"),
    [
        (HAND, ("palm", "free"), [[1, 0], [-1.5, 0], [0.4, 0], [0, 1], [0, 0.7]], [0, 0.2, -0.1, 0, 0]),
        (FINGER, ("root",), [[-1.0], [-2.0], [1.0]], [0.35, 0.1, 0]),
    ],
    ids=["two leaders", "a follower of a follower"],
)
def test_motion_by_pinocchio(tmp_path: Path, text: str, leading: tuple[str, ...], G: list, c: list) -> None:
    """With q = G z + c the leaders accelerate by (GᵀMG)⁻¹ Gᵀ(-h); M and h of the free tree are Pinocchio's."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (there is none for Windows)")
    path, G = written(tmp_path, text), np.array(G, dtype=float)
    z, rate = np.array([0.6, -0.8])[: len(leading)], np.array([1.1, 0.7])[: len(leading)]
    start = {"coordinates": dict(zip(leading, z, strict=True)), "speeds": dict(zip(leading, rate, strict=True))}
    system = pc.load_urdf(path, gravity=GRAVITY, **start)
    q, v = G @ z + c, G @ rate
    for i, joint in enumerate(system.joints.values()):
        assert joint.coordinates[0] == pytest.approx(q[i], abs=1e-15)
        assert joint.speeds[0] == pytest.approx(v[i], abs=1e-15)
    theirs = pin.buildModelFromUrdf(str(path))
    theirs.gravity = pin.Motion(np.array(GRAVITY), np.zeros(3))
    data = theirs.createData()
    own_q, own_v = pin.neutral(theirs), np.zeros(theirs.nv)
    for i, name in enumerate(system.joints):
        joint = theirs.joints[theirs.getJointId(name)]
        own_q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(q[i]), np.sin(q[i])) if joint.nq == 2 else (q[i],)
        own_v[joint.idx_v] = v[i]
    M = np.array(pin.crba(theirs, data, own_q))
    M = np.triu(M) + np.triu(M, 1).T
    h = np.array(pin.nonLinearEffects(theirs, data, own_q, own_v))
    expected = G @ np.linalg.solve(G.T @ M @ G, -G.T @ h)
    # both are exact up to rounding, ours by one more solution of linear equations
    np.testing.assert_allclose(accelerations(system), expected, rtol=1e-9, atol=1e-9)


def test_poses_by_pinocchios_own_mimic(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (there is none for Windows)")
    path = written(tmp_path, HAND.replace("continuous", "revolute"))  # Pinocchio lets these follow only their like
    model = pin.buildModelFromUrdf(str(path), mimic=True)
    data = model.createData()
    q = pin.neutral(model)
    values = {"palm": 0.6, "free": -0.8}
    for name, value in values.items():
        q[model.joints[model.getJointId(name)].idx_q] = value
    pin.framesForwardKinematics(model, data, q)
    system = pc.load_urdf(path, coordinates=values)
    found = system.compile().evaluate(0.0, system.compile().start_state()).bodies
    for link in system.bodies:
        pose = data.oMf[model.getFrameId(link, pin.FrameType.BODY)]
        R, r = found.pose(link)
        np.testing.assert_allclose(R, pose.rotation, atol=1e-12)  # products of six rotations
        np.testing.assert_allclose(r, pose.translation, atol=1e-12)


def test_a_run_keeps_to_it(tmp_path: Path) -> None:
    system = pc.load_urdf(written(tmp_path, FINGER), coordinates={"root": 0.5})
    assert list(system.couplers) == ["tip mimic", "middle mimic"]
    run = pc.simulate(system, end_time=0.3, rtol=1e-8, atol=1e-10)
    tip, middle, root = run.trajectory.array("state")[:, :3].T
    assert np.ptp(root) > 0.05
    np.testing.assert_allclose(middle, -2.0 * root + 0.1, atol=1e-8)  # stabilised, and so within the tolerances
    np.testing.assert_allclose(tip, 0.5 * middle + 0.3, atol=1e-8)


@pytest.mark.parametrize("leader", ["fixed", "zero"])
def test_what_follows_nothing_that_moves_is_held(tmp_path: Path, leader: str) -> None:
    """A fixed joint is at zero, and zero times anything is zero: both leave the offset."""
    mimic = '<mimic joint="a" multiplier="3" offset="0.4"/>'
    kind = "fixed" if leader == "fixed" else "revolute"
    text = chain(("a", kind, ""), ("b", "revolute", mimic if leader == "fixed" else mimic.replace("3", "0")))
    system = pc.load_urdf(written(tmp_path, text))
    assert system.joints["b"].coordinates.tolist() == [0.4]
    compiled = system.compile()
    found = compiled.evaluate(0.0, compiled.start_state())
    assert found.joint_accelerations[-1] == pytest.approx(0.0, abs=1e-12)  # of some 30 rad/s² if it were free
    assert compiled.start_state()[compiled.state_names.index("b.angle")] == pytest.approx(0.4, abs=1e-12)


def test_a_fixed_joint_follows_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, chain(("a", "revolute", ""), ("b", "fixed", '<mimic joint="a"/>')))
    with pytest.warns(pc.errors.RobotWarning, match="joint 'b': <mimic> of a joint of the type fixed"):
        system = pc.load_urdf(path)
    assert not system.couplers


def test_start_values_of_followers(tmp_path: Path) -> None:
    path = written(tmp_path, FINGER)
    system = pc.load_urdf(path, prefix="x ", coordinates={"root": "30 deg", "middle": -0.9471976, "tip": [-0.1735988]})
    assert list(system.couplers) == ["x tip mimic", "x middle mimic"]
    assert system.joints["x middle"].coordinates[0] == pytest.approx(-np.pi / 3 + 0.1, abs=1e-15)
    told = "joint 'middle' follows 'root' and starts with 0.1, not 0.2; leave it out, and give that of 'root'"
    with pytest.raises(pc.errors.RobotError, match=f"line 16: coordinates: {told}"):
        pc.load_urdf(path, coordinates={"middle": 0.2})
    with pytest.raises(pc.errors.RobotError, match="speeds: joint 'tip' follows 'middle' and starts with -1, not 1"):
        pc.load_urdf(path, speeds={"tip": 1.0, "root": 1.0})
    with pytest.raises(pc.errors.RobotError, match=r"coordinates: joint 'middle' follows .* not nan|not finite"):
        pc.load_urdf(path, coordinates={"middle": float("nan")})


def test_two_hands_need_prefixes(tmp_path: Path) -> None:
    path = written(tmp_path, FINGER)
    system = pc.MultibodySystem()
    system.add_body("body", mass=1.0, inertia=(1, 1, 1))
    system.add_joint("joint", "revolute", "world", "body")
    system.add_force(pc.multibody.JointSpring("tip mimic", "joint", damping=1.0))
    with pytest.raises(pc.errors.RobotError, match="the system has a coupler 'tip mimic' already; give a prefix"):
        pc.robots.add_urdf(system, path)
    pc.robots.add_urdf(system, path, prefix="left ")
    pc.robots.add_urdf(system, path, prefix="right ")
    assert list(system.couplers) == [f"{side} {name} mimic" for side in ("left", "right") for name in ("tip", "middle")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<mimic joint="a"/>', "line 14: joint 'b': mimic: there is no joint 'a'; known: 'root', 'b'"),
        ('<mimic joint="b"/>', "line 14: joint 'b' follows itself: 'b' → 'b'; leave one out"),
        ("<mimic/>", "line 14: joint 'b': <mimic> has no joint"),
        ('<mimic joint="root" multiplier="two"/>', "line 14: joint 'b': mimic: multiplier: 'two' is no number"),
        ('<mimic joint="root" offset="nan"/>', "line 14: joint 'b': mimic: offset: 'nan' is not finite"),
        ('<mimic joint="root"/><mimic joint="root"/>', "line 14: a second <mimic> in joint 'b'"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, told: str) -> None:
    path = written(tmp_path, chain(("root", "revolute", ""), ("b", "revolute", text)))
    with pytest.raises(pc.errors.RobotError, match=re.escape(told)):
        pc.robots.read_urdf(path)


def test_a_circle_of_followers(tmp_path: Path) -> None:
    names = ("a", "b", "c")
    joints = [(name, "revolute", f'<mimic joint="{names[(i + 1) % 3]}"/>') for i, name in enumerate(names)]
    with pytest.raises(pc.errors.RobotError, match="joint 'a' follows itself: 'a' → 'b' → 'c' → 'a'; leave one out"):
        pc.robots.read_urdf(written(tmp_path, chain(*joints)))


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_a_leader_without_a_single_value(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, chain(("a", kind, ""), ("b", "revolute", '<mimic joint="a"/>')))
    with pytest.raises(
        pc.errors.RobotError, match=f"'a' is of the type {kind} and has no single value to follow; name one"
    ):
        pc.robots.read_urdf(path)


@pytest.mark.parametrize("speed", [-2.0, 0.5])
def test_dry_friction_brakes_what_moves(tmp_path: Path, speed: float) -> None:
    """A torque of 0.7 N m against the motion, and so that over the inertia about the axis less acceleration."""
    free, rough = (
        pc.load_urdf(written(tmp_path, chain(("a", "revolute", more))), speeds={"a": speed})
        for more in ("", '<dynamics friction="0.7"/>')
    )
    assert isinstance(rough.forces["a friction"], pc.multibody.JointFriction)
    inertia = 0.04 + 1.0 * (0.1**2 + 0.2**2)  # about the y axis, Steiner's part with the distance of the centre from it
    braked = accelerations(rough)[0] - accelerations(free)[0]
    assert braked == pytest.approx(-np.sign(speed) * 0.7 / inertia, rel=1e-12)
