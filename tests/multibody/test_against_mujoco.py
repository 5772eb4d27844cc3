"""Accelerations of random trees against MuJoCo."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from numpy.typing import NDArray
from random_trees import Frame, Link, accelerations, build_system, evaluate, random_tree

from polycontact.multibody.rotations import to_quaternion

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")

Array = NDArray[np.float64]

RELATIVE = 1e-9  # rounding of both: 1e-13 is seen, ill-conditioned trees may lose a few digits more


def numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def joints_of(link: Link) -> str:
    """MuJoCo's joints that make one of ours, from the parent outwards."""
    x, y, z = "1 0 0", "0 1 0", "0 0 1"
    slides = [("slide", x), ("slide", y), ("slide", z)]
    if link.kind == "free" and link.parent == "world":
        return f'<freejoint name="{link.name}.0"/>'
    chain = {
        "free": [*slides, ("ball", z)],
        "fixed": [],
        "revolute": [("hinge", z)],
        "prismatic": [("slide", z)],
        "cylindrical": [("hinge", z), ("slide", z)],
        "universal": [("hinge", x), ("hinge", y)],
        "spherical": [("ball", z)],
        "planar": [("slide", x), ("slide", y), ("hinge", z)],
    }[link.kind]
    text = '<joint type="{}" axis="{}" name="{}.{}"/>'
    return "".join(text.format(kind, axis, link.name, k) for k, (kind, axis) in enumerate(chain))


def relative(outer: Frame, inner: Frame) -> Frame:
    """The inverse of one frame times another."""
    return outer[0].T @ inner[0], outer[0].T @ (inner[1] - outer[1])


def body_text(links: list[Link], link: Link) -> str:
    """A body whose frame is the marker on it, so that its joints stand at the origin."""
    parents = {each.name: each.child_marker for each in links}
    place = relative(parents.get(link.parent, (np.eye(3), np.zeros(3))), link.parent_marker)
    moments, axes = np.linalg.eigh(link.inertia)
    axes[:, 0] *= np.linalg.det(axes)
    inertial = relative(link.child_marker, (axes, link.centre))
    children = "".join(body_text(links, each) for each in links if each.parent == link.name)
    return (
        f'<body name="{link.name}" pos="{numbers(place[1])}" quat="{numbers(to_quaternion(place[0]))}">'
        f'<inertial mass="{link.mass!r}" pos="{numbers(inertial[1])}" quat="{numbers(to_quaternion(inertial[0]))}" '
        f'diaginertia="{numbers(moments)}"/>{joints_of(link)}{children}</body>'
    )


def model_of(links: list[Link], gravity: Array) -> mujoco.MjModel:
    bodies = "".join(body_text(links, link) for link in links if link.parent == "world")
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><option gravity="{numbers(gravity)}">'
        f'<flag contact="disable"/></option><worldbody>{bodies}</worldbody></mujoco>'
    )


def rotation(quaternion: Array) -> Array:
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, quaternion)
    return out.reshape(3, 3)


def starts(model: mujoco.MjModel, link: Link) -> list[tuple[int, int]]:
    """Where coordinates and speeds of the joints of a link begin."""
    count = int(model.body(link.name).jntnum[0])
    joints = [model.joint(f"{link.name}.{k}") for k in range(count)]
    return [(int(joint.qposadr[0]), int(joint.dofadr[0])) for joint in joints]


def put(model: mujoco.MjModel, data: mujoco.MjData, link: Link) -> None:
    """Coordinates, speeds and efforts of a link: a ball's are in the child's axes, a free joint's in the world's."""
    places = starts(model, link)
    if link.kind in ("free", "spherical"):
        at, _ = places[-1]
        R = rotation(link.q[-4:])
        position, n = link.q[:-4], len(link.u) - 3
        speeds = np.concatenate([link.u[:n], R.T @ link.u[n:]])
        efforts = np.concatenate([link.efforts[:n], R.T @ link.efforts[n:]])
        quaternion = link.q[-4:]
        if link.kind == "free" and link.parent == "world":
            R_P, r_P = link.parent_marker
            position, quaternion = r_P + R_P @ position, np.empty(4)
            mujoco.mju_mulQuat(quaternion, to_quaternion(R_P), link.q[-4:])
            speeds[:3], efforts[:3] = R_P @ speeds[:3], R_P @ efforts[:3]
        first = places[0]
        data.qpos[first[0] : first[0] + n] = position
        data.qpos[at + (n if len(places) == 1 else 0) :][:4] = quaternion
        data.qvel[first[1] : first[1] + n + 3] = speeds
        data.qfrc_applied[first[1] : first[1] + n + 3] = efforts
        return
    for k, (at, dof) in enumerate(places):
        data.qpos[at], data.qvel[dof], data.qfrc_applied[dof] = link.q[k], link.u[k], link.efforts[k]


def push(model: mujoco.MjModel, data: mujoco.MjData, link: Link) -> None:
    """MuJoCo takes external forces at the centre of mass."""
    number = model.body(link.name).id
    R = data.xmat[number].reshape(3, 3) @ link.child_marker[0].T
    data.xfrc_applied[number, :3] = link.force
    data.xfrc_applied[number, 3:] = link.torque + np.cross(R @ (link.point - link.centre), link.force)


def ours(model: mujoco.MjModel, qacc: Array, link: Link) -> Array:
    """Accelerations of a joint as time derivatives of our speeds."""
    n = len(link.u)
    first = starts(model, link)[0][1] if n else 0
    own = qacc[first : first + n].copy()
    if link.kind in ("free", "spherical"):
        own[-3:] = rotation(link.q[-4:]) @ own[-3:]
    if link.kind == "free" and link.parent == "world":
        own[:3] = link.parent_marker[0].T @ own[:3]
    return own


@pytest.mark.parametrize("seed", range(25))
def test_accelerations_of_random_trees(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    links, gravity = random_tree(rng), 5.0 * rng.normal(size=3)
    evaluation = evaluate(build_system(links, gravity))
    model = model_of(links, gravity)
    data = mujoco.MjData(model)
    for link in links:
        put(model, data, link)
    mujoco.mj_kinematics(model, data)
    for link in links:
        push(model, data, link)
    mujoco.mj_forward(model, data)
    scale = max(1.0, np.abs(data.qacc).max())
    for link in links:
        found = accelerations(evaluation, link)
        np.testing.assert_allclose(found, ours(model, data.qacc, link), rtol=0.0, atol=RELATIVE * scale)
