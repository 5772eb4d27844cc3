"""Masses, poses and accelerations of models from MJCF files against MuJoCo, which reads the same files."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjcf_texts import ARM, RandomModel, written
from numpy.typing import NDArray

import polycontact as pc
from polycontact.multibody.rotations import from_quaternion

Array = NDArray[np.float64]

RELATIVE = 1e-9  # both are exact up to rounding: mostly 1e-14, 2e-10 in a long tree with small masses
CONTROL = 0.35


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes warnings to a file in the current folder."""
    monkeypatch.chdir(tmp_path)


class Twins:
    """A model here and in MuJoCo, in the same random state."""

    def __init__(self, path: Path, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.theirs = mujoco.MjModel.from_xml_path(str(path))
        self.theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        self.data = mujoco.MjData(self.theirs)
        self.model = pc.robots.read_mjcf(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pc.errors.RobotWarning)
            self.system = pc.load_mjcf(path, controls=dict.fromkeys(self.model.actuators, CONTROL), contact=None)
        self.compiled = self.system.compile()
        self.y = self.compiled.start_state()
        self.at_start = self.compiled.evaluate(0.0, self.y)
        n_q, n_v = self.compiled.n_coordinates, self.compiled.n_speeds
        self.y[: n_q + n_v] = rng.normal(scale=0.7, size=n_q + n_v)
        self.compiled.project(0.0, self.y)  # quaternions of length one
        self.found = self.compiled.evaluate(0.0, self.y)

    def put(self) -> None:
        """Our state in MuJoCo's words."""
        for i, (name, joint) in enumerate(self.model.joints.items()):
            q, v = self.found.bodies.joint_values(name)
            at_q, at_v = int(self.theirs.jnt_qposadr[i]), int(self.theirs.jnt_dofadr[i])
            if len(v) == 1:
                self.data.qpos[at_q], self.data.qvel[at_v] = q[0] + joint.reference, v[0]
                continue
            self.data.qpos[at_q : at_q + len(q)] = q
            own = np.concatenate([v[:-3], from_quaternion(q[-4:]).T @ v[-3:]])
            self.data.qvel[at_v : at_v + len(v)] = own
        self.data.ctrl[:] = CONTROL

    def accelerations(self, name: str, i: int) -> Array:
        """MuJoCo's accelerations as time derivatives of our speeds."""
        q, v = self.found.bodies.joint_values(name)
        at = int(self.theirs.jnt_dofadr[i])
        own = self.data.qacc[at : at + len(v)].copy()
        if len(v) > 1:
            own[-3:] = from_quaternion(q[-4:]) @ own[-3:]
        return own


def check_masses(twins: Twins, relative: float = 1e-12) -> None:
    for i, body in enumerate(twins.model.bodies.values(), start=1):
        mass = float(twins.theirs.body_mass[i])
        if body.mass is None:
            assert mass == 0.0
            continue
        assert body.mass.mass == pytest.approx(mass, rel=relative)
        np.testing.assert_allclose(body.mass.centre, twins.theirs.body_ipos[i], atol=relative)  # lengths below 1 m
        R = from_quaternion(twins.theirs.body_iquat[i])
        expected = R @ np.diag(twins.theirs.body_inertia[i]) @ R.T
        # MuJoCo finds principal axes by Jacobi's method to 1e-12 and rounds, so that products keep ten digits
        scale = np.abs(expected).max()
        np.testing.assert_allclose(body.mass.inertia, expected, atol=max(1e-10, relative) * scale, err_msg=body.name)


def check_poses(twins: Twins, found: object) -> None:
    for i, name in enumerate(twins.model.bodies, start=1):
        R, r = found.bodies.pose(name)  # type: ignore[attr-defined]
        np.testing.assert_allclose(r, twins.data.xpos[i], atol=1e-11, err_msg=name)  # lengths of some m
        np.testing.assert_allclose(R, twins.data.xmat[i].reshape(3, 3), atol=1e-12, err_msg=name)


def check(twins: Twins) -> None:
    check_masses(twins)
    mujoco.mj_forward(twins.theirs, twins.data)
    check_poses(twins, twins.at_start)
    twins.put()
    mujoco.mj_forward(twins.theirs, twins.data)
    check_poses(twins, twins.found)
    scale = max(1.0, float(np.abs(twins.data.qacc).max())) if twins.theirs.nv else 1.0
    for i, name in enumerate(twins.model.joints):
        joint = twins.system.joints[name]
        first = twins.compiled.setup.first_v[joint.child]
        own = twins.found.joint_accelerations[first : first + joint.degrees_of_freedom]
        np.testing.assert_allclose(own, twins.accelerations(name, i), rtol=0.0, atol=RELATIVE * scale, err_msg=name)
    for i, site in enumerate(twins.model.sites.values()):
        R, r = twins.found.bodies.pose(site.body)
        np.testing.assert_allclose(r + R @ site.frame.position, twins.data.site_xpos[i], atol=1e-11)
        np.testing.assert_allclose(R @ site.frame.rotation, twins.data.site_xmat[i].reshape(3, 3), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_an_arm_with_all_types_of_joints(tmp_path: Path, seed: int) -> None:
    check(Twins(written(tmp_path, ARM), seed))


@pytest.mark.parametrize("seed", range(40))
def test_random_models(tmp_path: Path, seed: int) -> None:
    check(Twins(written(tmp_path, RandomModel(seed).text()), seed))


@pytest.mark.parametrize("seed", range(40, 46))
def test_models_as_mujoco_writes_them(tmp_path: Path, seed: int) -> None:
    theirs = mujoco.MjModel.from_xml_path(str(written(tmp_path, RandomModel(seed).text())))
    path = tmp_path / "written.xml"
    mujoco.mj_saveLastXML(str(path), theirs)
    check(Twins(path, seed))


def test_the_model_that_mujoco_brings() -> None:
    """Its test model has a bit of everything; what is left out of it changes accelerations, but no mass and no pose."""
    path = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    if not path.exists():
        pytest.skip("this package of MuJoCo has no test data")
    twins = Twins(path, 1)
    check_masses(twins, relative=1e-6)  # of a mesh, whose vertices MuJoCo holds in single precision
    twins.put()
    mujoco.mj_kinematics(twins.theirs, twins.data)
    check_poses(twins, twins.found)
    assert any("<tendon>" in each for each in twins.model.ignored)
