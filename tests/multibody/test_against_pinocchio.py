"""Accelerations of random trees against Pinocchio's articulated-body algorithm, reactions against its RNEA."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from random_trees import Link, accelerations, build_system, evaluate, random_link, random_tree

from polycontact.multibody.motion_functions import ConstantVelocity, Harmonic, Motion, SplineMotion, TableMotion

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (there is none for Windows)")

Array = NDArray[np.float64]

RELATIVE = 1e-9  # both are exact up to rounding: 1e-14 is seen, ill-conditioned trees may lose a few digits more


def chain_of(kind: str) -> list[Any]:
    """Pinocchio's joints that make one of ours; its free flyer and ball have speeds in the child's axes."""
    return {
        "free": [pin.JointModelFreeFlyer],
        "fixed": [],
        "revolute": [pin.JointModelRZ],
        "prismatic": [pin.JointModelPZ],
        "cylindrical": [pin.JointModelRZ, pin.JointModelPZ],
        "universal": [pin.JointModelRX, pin.JointModelRY],
        "spherical": [pin.JointModelSpherical],
        "planar": [pin.JointModelPX, pin.JointModelPY, pin.JointModelRZ],
    }[kind]


def turned(quaternion: Array) -> Array:
    return np.array(pin.Quaternion(*quaternion).toRotationMatrix())


@dataclass
class Model:
    """The same tree in Pinocchio."""

    links: list[Link]
    gravity: Array
    joints: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(self.gravity), np.zeros(3))
        self.places: dict[str, tuple[int, Any]] = {"world": (0, pin.SE3.Identity())}
        for link in self.links:
            joint, placement = self.places[link.parent]
            placement = placement * pin.SE3(*link.parent_marker)
            self.joints[link.name] = []
            for k, make in enumerate(chain_of(link.kind)):
                joint = self.model.addJoint(joint, make(), placement, f"{link.name}.{k}")
                placement = pin.SE3.Identity()
                self.joints[link.name].append(joint)
            placement = placement * pin.SE3(*link.child_marker).inverse()
            inertia = pin.Inertia(link.mass, link.centre, link.inertia)
            self.model.appendBodyToJoint(joint, inertia, placement)
            self.places[link.name] = (joint, placement)
        self.data = self.model.createData()

    def columns(self, link: Link) -> list[int]:
        """Where the speeds of a joint stand."""
        joints = [self.model.joints[j] for j in self.joints[link.name]]
        return [joint.idx_v + k for joint in joints for k in range(joint.nv)]

    def to_own_axes(self, link: Link, values: Array) -> Array:
        """Speeds, efforts or accelerations of ours (marker on the parent) in the axes of Pinocchio's joint."""
        if link.kind not in ("free", "spherical"):
            return values
        return np.concatenate([turned(link.q[-4:]).T @ part for part in np.split(values, len(values) // 3)])

    def coordinates(self) -> Array:
        q = pin.neutral(self.model)
        for link in self.links:
            for k, number in enumerate(self.joints[link.name]):
                joint = self.model.joints[number]
                own = link.q[k : k + 1]
                if link.kind in ("free", "spherical"):
                    w, x, y, z = link.q[-4:]
                    own = np.array([*link.q[:-4], x, y, z, w])
                q[joint.idx_q : joint.idx_q + joint.nq] = own
        return q

    def gather(self, name: str) -> Array:
        """Speeds or efforts of all links."""
        out = np.zeros(self.model.nv)
        for link in self.links:
            out[self.columns(link)] = self.to_own_axes(link, getattr(link, name))
        return out

    def loads(self, q: Array) -> Any:
        """External forces on the joints, in their frames."""
        pin.forwardKinematics(self.model, self.data, q)
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for link in self.links:
            joint, placement = self.places[link.name]
            R = self.data.oMi[joint].rotation
            f = R.T @ link.force
            forces[joint] += pin.Force(f, R.T @ link.torque + np.cross(placement.act(link.point), f))
        vector = pin.StdVec_Force()
        vector.extend(forces)
        return vector

    def accelerations(self) -> Array:
        q = self.coordinates()
        return np.array(pin.aba(self.model, self.data, q, self.gather("u"), self.gather("efforts"), self.loads(q)))

    def ours(self, link: Link, values: Array) -> Array:
        """Accelerations of a joint in our axes: time derivatives of our speeds."""
        own = values[self.columns(link)]
        if link.kind not in ("free", "spherical"):
            return own
        R = turned(link.q[-4:])
        if link.kind == "spherical":
            return R @ own
        v, w = np.split(self.to_own_axes(link, link.u), 2)
        return np.concatenate([R @ (own[:3] + np.cross(w, v)), R @ own[3:]])

    def theirs(self, link: Link, values: Array) -> Array:
        """The inverse of `ours`."""
        own = self.to_own_axes(link, values)
        if link.kind == "free":
            v, w = np.split(self.to_own_axes(link, link.u), 2)
            own[:3] -= np.cross(w, v)
        return own


@pytest.mark.parametrize("seed", range(25))
def test_accelerations_of_random_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    links, gravity = random_tree(rng), 5.0 * rng.normal(size=3)
    evaluation = evaluate(build_system(links, gravity))
    model = Model(links, gravity)
    expected = model.accelerations()
    scale = max(1.0, np.abs(expected).max())
    for link in links:
        found = accelerations(evaluation, link)
        np.testing.assert_allclose(found, model.ours(link, expected), rtol=0.0, atol=RELATIVE * scale)


@pytest.mark.parametrize("seed", range(3))
def test_poses_energy_and_momentum_of_random_trees(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    links, gravity = random_tree(rng), 5.0 * rng.normal(size=3)
    evaluation = evaluate(build_system(links, gravity))
    model = Model(links, gravity)
    q, v = model.coordinates(), model.gather("u")
    pin.computeAllTerms(model.model, model.data, q, v)
    for link in links:
        joint, placement = model.places[link.name]
        pose = model.data.oMi[joint] * placement
        R, r = evaluation.bodies.pose(link.name)
        np.testing.assert_allclose(R, pose.rotation, atol=1e-13)  # products of at most a dozen rotations
        np.testing.assert_allclose(r, pose.translation, atol=1e-12)  # lengths of a few m
    assert evaluation.energies.kinetic == pytest.approx(pin.computeKineticEnergy(model.model, model.data), rel=1e-12)
    momentum = pin.computeCentroidalMomentum(model.model, model.data, q, v)
    # Pinocchio leaves out bodies that are fixed to the world, which have no momentum.
    found = evaluation.momentum
    centre = np.array(model.data.com[0])
    np.testing.assert_allclose(found[:3], momentum.linear, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(found[3:], momentum.angular + np.cross(centre, momentum.linear), rtol=1e-11, atol=1e-10)


def random_motion(rng: np.random.Generator, which: int) -> Motion:
    times = np.linspace(-1.0, 2.0, 6)
    return (
        Harmonic(rng.normal(), rng.uniform(0.3, 1.0), rng.normal(), rng.normal()),
        SplineMotion(times, rng.normal(size=6)),
        TableMotion(times, rng.normal(size=6)),
        ConstantVelocity(rng.normal(), rng.normal()),
    )[which % 4]


@pytest.mark.parametrize("seed", range(12))
def test_hybrid_dynamics_of_random_trees(seed: int) -> None:
    """With some joints prescribed, inverse dynamics finds the loads at the free ones and our power at the others."""
    rng = np.random.default_rng(200 + seed)
    links, gravity = random_tree(rng), 5.0 * rng.normal(size=3)
    links += [
        random_link(rng, f"more {k}", str(rng.choice(["revolute", "prismatic"])), str(rng.choice(["b1", "b5"])))
        for k in range(4)
    ]
    driven = [
        link
        for link in links
        if link.kind in ("revolute", "prismatic", "cylindrical", "universal", "planar") and rng.random() < 0.6
    ]
    for i, link in enumerate(driven):
        link.motions = [random_motion(rng, seed + i + k) for k in range(len(link.u))]
    t = 0.37
    evaluation = evaluate(build_system(links, gravity), t)
    for link in driven:
        link.q, link.u = (values.copy() for values in evaluation.bodies.joint_values(f"to {link.name}"))
    model = Model(links, gravity)
    q, a = model.coordinates(), np.zeros(model.model.nv)
    for link in links:
        a[model.columns(link)] = model.theirs(link, accelerations(evaluation, link))
    efforts = pin.rnea(model.model, model.data, q, model.gather("u"), a, model.loads(q))
    scale = max(1.0, np.abs(efforts).max())
    given, power, of_users = model.gather("efforts"), 0.0, 0.0
    for link in links:
        columns = model.columns(link)
        speeds = model.to_own_axes(link, link.u)
        if link.motions:
            power += (efforts[columns] - given[columns]) @ speeds
        else:
            np.testing.assert_allclose(efforts[columns], given[columns], rtol=0.0, atol=RELATIVE * scale)
        w, v = evaluation.bodies.twist(link.name)
        R, _ = evaluation.bodies.pose(link.name)
        of_users += given[columns] @ speeds + link.torque @ w
        of_users += link.force @ (v + np.cross(w, R @ link.point))
    found = evaluation.rates[-1]  # the ledger ends with the input
    assert found == pytest.approx(power + of_users, rel=0.0, abs=RELATIVE * scale)
    assert power != 0.0


@pytest.mark.parametrize("seed", range(12))
def test_reactions_of_random_trees(seed: int) -> None:
    """Force and torque of every joint that Pinocchio has, from its recursive Newton-Euler algorithm."""
    rng = np.random.default_rng(400 + seed)
    links, gravity = random_tree(rng), 5.0 * rng.normal(size=3)
    evaluation = evaluate(build_system(links, gravity))
    model = Model(links, gravity)
    q, a = model.coordinates(), np.zeros(model.model.nv)
    for link in links:
        a[model.columns(link)] = model.theirs(link, accelerations(evaluation, link))
    pin.rnea(model.model, model.data, q, model.gather("u"), a, model.loads(q))
    for link in (each for each in links if each.kind != "fixed"):  # those it joins to the parent
        joint = model.joints[link.name][-1]
        found = evaluation.reactions.joint(f"to {link.name}")
        R, force = np.array(model.data.oMi[joint].rotation), model.data.f[joint]
        scale = max(1.0, np.abs(force.vector).max())
        np.testing.assert_allclose(found.point, model.data.oMi[joint].translation, atol=1e-12)
        np.testing.assert_allclose(found.force, R @ force.linear, rtol=0.0, atol=RELATIVE * scale)
        np.testing.assert_allclose(found.torque, R @ force.angular, rtol=0.0, atol=RELATIVE * scale)
