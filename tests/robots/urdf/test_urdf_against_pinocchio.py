"""Poses, energies and accelerations of robots from URDF files against Pinocchio, which reads the same files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from urdf_texts import ARM, FLOATING_ARM, random_robot, written

import polycontact as pc
from polycontact.multibody.rotations import from_quaternion

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (there is none for Windows)")

Array = NDArray[np.float64]

RELATIVE = 1e-9  # both are exact up to rounding: some 1e-13 are seen, ill-conditioned trees may lose a few digits more
GRAVITY = np.array([0.3, -0.5, -9.0])


class Twins:
    """A robot here and in Pinocchio, in the same random state."""

    def __init__(self, path: Path, rng: np.random.Generator, *, fixed_base: bool) -> None:
        self.model = pin.buildModelFromUrdf(str(path), *(() if fixed_base else (pin.JointModelFreeFlyer(),)))
        self.model.gravity = pin.Motion(GRAVITY, np.zeros(3))
        self.data = self.model.createData()
        self.robot = pc.robots.read_urdf(path)
        self.system = pc.load_urdf(path, gravity=GRAVITY, fixed_base=fixed_base)
        self.compiled = self.system.compile()
        self.joints = {name: joint for name, joint in self.system.joints.items() if joint.degrees_of_freedom}
        if not fixed_base:
            self.joints[self.robot.root] = self.system.tree_joints()[self.robot.root]
        self.y = self.compiled.start_state()
        n_q, n_v = self.compiled.n_coordinates, self.compiled.n_speeds
        self.y[: n_q + n_v] = rng.normal(size=n_q + n_v)
        self.compiled.project(0.0, self.y)  # quaternions of length one
        self.found = self.compiled.evaluate(0.0, self.y)

    def joint(self, name: str) -> Any:
        """Pinocchio's joint; that of a floating base is named after nothing in the file."""
        return self.model.joints[self.model.getJointId("root_joint" if name == self.robot.root else name)]

    def turned(self, name: str) -> Array:
        """From the child's axes, in which Pinocchio's speeds are, to those of the marker on the parent."""
        q, _ = self.found.bodies.joint_values(name)
        if self.joints[name].kind is pc.multibody.JointKind.FREE:
            return from_quaternion(q[-4:])
        c, s = np.cos(q[2]), np.sin(q[2])
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def state(self) -> tuple[Array, Array]:
        q, v = pin.neutral(self.model), np.zeros(self.model.nv)
        for name, ours in self.joints.items():
            coordinates, speeds = self.found.bodies.joint_values(name)
            joint = self.joint(name)
            if ours.kind is pc.multibody.JointKind.FREE:
                w, x, y, z = coordinates[3:]
                own_q, R = [*coordinates[:3], x, y, z, w], self.turned(name)
                own_v = [*(R.T @ speeds[:3]), *(R.T @ speeds[3:])]
            elif ours.kind is pc.multibody.JointKind.PLANAR:
                x, y, angle = coordinates
                own_q, own_v = [x, y, np.cos(angle), np.sin(angle)], self.turned(name).T @ speeds
            elif joint.nq == 2:  # continuous
                own_q, own_v = [np.cos(coordinates[0]), np.sin(coordinates[0])], speeds
            else:
                own_q, own_v = coordinates, speeds
            q[joint.idx_q : joint.idx_q + joint.nq] = own_q
            v[joint.idx_v : joint.idx_v + joint.nv] = own_v
        return q, v

    def efforts(self, v: Array) -> Array:
        """Pinocchio reads damping, and leaves it to others."""
        tau = np.zeros(self.model.nv)
        for name, joint in self.robot.joints.items():
            if joint.damping:
                i = self.joint(name).idx_v
                tau[i] = -joint.damping * v[i]
        return tau

    def expected(self, name: str, v: Array, a: Array) -> Array:
        """Time derivatives of our speeds of a joint, from Pinocchio's speeds and accelerations."""
        joint = self.joint(name)
        own_v, own_a = (values[joint.idx_v : joint.idx_v + joint.nv] for values in (v, a))
        kind = self.joints[name].kind
        if kind is pc.multibody.JointKind.FREE:
            R = self.turned(name)
            return np.concatenate([R @ (own_a[:3] + np.cross(own_v[3:], own_v[:3])), R @ own_a[3:]])
        if kind is pc.multibody.JointKind.PLANAR:
            turning = np.cross([0.0, 0.0, own_v[2]], [*own_v[:2], 0.0])
            return self.turned(name) @ (own_a + turning)
        return own_a


def check(twins: Twins) -> None:
    q, v = twins.state()
    a = pin.aba(twins.model, twins.data, q, v, twins.efforts(v))
    scale = max(1.0, float(np.abs(a).max()))
    assert twins.joints
    for name, joint in twins.joints.items():
        first = twins.compiled.setup.first_v[joint.child]
        found = twins.found.joint_accelerations[first : first + joint.degrees_of_freedom]
        np.testing.assert_allclose(found, twins.expected(name, v, a), rtol=0.0, atol=RELATIVE * scale, err_msg=name)
    pin.forwardKinematics(twins.model, twins.data, q, v)
    pin.updateFramePlacements(twins.model, twins.data)
    for link in twins.robot.links:
        pose = twins.data.oMf[twins.model.getFrameId(link, pin.FrameType.BODY)]
        R, r = twins.found.bodies.pose(link)
        np.testing.assert_allclose(R, pose.rotation, atol=1e-12)  # products of at most fifteen rotations
        np.testing.assert_allclose(r, pose.translation, atol=1e-11)  # lengths of some m
    kinetic = pin.computeKineticEnergy(twins.model, twins.data)
    assert twins.found.energies.kinetic == pytest.approx(kinetic, rel=1e-11)


@pytest.mark.parametrize("fixed_base", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_a_serial_arm_with_all_types_of_joints(tmp_path: Path, seed: int, fixed_base: bool) -> None:
    text = ARM if fixed_base else FLOATING_ARM
    check(Twins(written(tmp_path, text), np.random.default_rng(seed), fixed_base=fixed_base))


@pytest.mark.parametrize("fixed_base", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_random_trees(tmp_path: Path, seed: int, fixed_base: bool) -> None:
    rng = np.random.default_rng(seed)
    check(Twins(written(tmp_path, random_robot(rng)), rng, fixed_base=fixed_base))


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_with_floating_and_planar_joints(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    text = random_robot(rng, ("revolute", "floating", "planar", "prismatic"))
    check(Twins(written(tmp_path, text), rng, fixed_base=False))
