"""The walking hexapod with each response, beside MuJoCo on the same robot and gait.

    python -m tools.hexapod_peers [--rounds 3] [--end-time 3.5]

The same links, masses, joints, drives and targets, feet as spheres on a plane with friction 0.8. MuJoCo has its own
soft contact and takes steps of 1 and 2 ms with its implicit integrator; its actuators damp the joint's speed, ours that
relative to the target's. All take turns; CPU time of the quickest of the rounds, per simulated second and per step.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import polycontact as pc
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.robots.hexapod_model import FOOT_RADIUS, TRUNK, WalkingRobot
from polycontact.simulation.run_options import without_unused
from proof.figures.mujoco_models import numbers, spline_values, tree

STANDING = 0.8
"""Time at which the robot stands still, s."""

FRICTION = 0.8


class Walk(NamedTuple):
    """What one run of one side gave: CPU s, steps, evaluations, way of the trunk (m), forces of the feet (N)."""

    cpu: float
    steps: int
    evaluations: int
    way: float
    feet: tuple[float, ...]


def ours(robot: WalkingRobot, response: str, end_time: float) -> Walk:
    """A run of ours."""
    settings = without_unused({"rtol": 3e-4, "atol": 3e-5, "response": response})
    run = pc.simulate(robot.system(), end_time=end_time, output_step=0.01, **settings)
    t = run.trajectory
    at = int(np.searchsorted(t.time, STANDING))
    feet = tuple(float(t.pairing(name).force[at, 2]) for name in t.pairings)
    x = t.body(TRUNK).position[:, 0]
    s = run.statistics
    return Walk(s.cpu_seconds, s.steps, s.evaluations, float(x[-1] - x[0]), feet)


class MujocoHexapod:
    """The same robot in MuJoCo, with steps of a length (s)."""

    def __init__(self, robot: WalkingRobot, step: float) -> None:
        import mujoco

        self._mujoco: Any = mujoco
        self._step = step
        system = robot.system()
        self._model = mujoco.MjModel.from_xml_string(_scene(system, robot, step))
        self._start = np.concatenate([system.compile().start[:7], *_start_angles(system, self._model)])

    def walk(self, robot: WalkingRobot, end_time: float) -> Walk:
        """One run."""
        mujoco, model = self._mujoco, self._model
        data = mujoco.MjData(model)
        data.qpos[:] = self._start
        n = round(end_time / self._step)
        targets = _targets(robot, np.arange(n, dtype=np.float64) * self._step)
        feet: tuple[float, ...] = ()
        begin = process_time()
        for i in range(n):
            data.ctrl[:] = targets[i]
            mujoco.mj_step(model, data)
            if i == round(STANDING / self._step):
                feet = self._feet(data)
        cpu = process_time() - begin
        return Walk(cpu, n, n, float(data.qpos[0] - self._start[0]), feet)

    def _feet(self, data: Any) -> tuple[float, ...]:
        """Normal forces of the contacts, N."""
        found, force = [], np.zeros(6)
        for i in range(data.ncon):
            self._mujoco.mj_contactForce(self._model, data, i, force)
            found.append(float(force[0]))
        return tuple(found)


def _targets(robot: WalkingRobot, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Targets of all drives in the order of the joints, (n, drives)."""
    motions = [motion for joint in robot.robot.joints for motion in robot.targets[joint.name]]
    return np.column_stack([spline_values(motion, times)[0] for motion in motions])


def _start_angles(system: MultibodySystem, model: Any) -> list[NDArray[np.float64]]:
    """Start values of the joints in MuJoCo's order of them."""
    import mujoco

    angles = []
    for i in range(1, model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i)
        joint, k = name.rsplit("/", 1)
        angles.append(np.atleast_1d(system.joints[joint].coordinates[int(k)]))
    return angles


def _scene(system: MultibodySystem, robot: WalkingRobot, step: float) -> str:
    """The robot as MJCF."""
    drives = "".join(
        f'<position joint="{joint.name}/{k}" kp="{drive.stiffness}" kv="{drive.damping}" '
        f'forcerange="{-drive.limit} {drive.limit}"/>'
        for joint in robot.robot.joints
        for k, drive in enumerate(joint.drives)
    )
    feet = {
        name: "".join(
            f'<geom type="sphere" size="{FOOT_RADIUS}" pos="{numbers(shape.position)}" '
            f'friction="{FRICTION} 0.005 0.0001"/>'
            for shape in body.shapes
            if shape.contact
        )
        for name, body in system.bodies.items()
    }
    trunk = tree(system, TRUNK, feet, free=True)
    return (
        f'<mujoco><option timestep="{step}" integrator="implicitfast"/><worldbody>'
        f'<geom type="plane" size="2 2 1" friction="{FRICTION} 0.005 0.0001"/>{trunk}</worldbody>'
        f"<actuator>{drives}</actuator></mujoco>"
    )


def main() -> None:
    """Let all take turns and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--end-time", type=float, default=3.5)
    given = parser.parse_args()
    robot = pc.robots.hexapod()
    sides: dict[str, Callable[[], Walk]] = {
        name: partial(ours, robot, name, given.end_time) for name in ("compliant", "multipliers", "impulses")
    }
    for step in (1e-3, 2e-3):
        sides[f"MuJoCo, {1e3 * step:g} ms"] = partial(MujocoHexapod(robot, step).walk, robot, given.end_time)
    best: dict[str, Walk] = {}
    for _ in range(given.rounds + 1):  # the first round compiles
        for name, run in sides.items():
            walk = run()
            if name not in best or walk.cpu < best[name].cpu:
                best[name] = walk
    columns = f"{'real-time':>10} {'µs a step':>10} {'steps':>7} {'evaluations':>12} {'way, m':>8}"
    print(f"{'':16} {columns}  feet at {STANDING} s, N")
    for name, walk in best.items():
        feet = " ".join(f"{force:.2f}" for force in walk.feet)
        print(
            f"{name:16} {walk.cpu / given.end_time:10.3f} {1e6 * walk.cpu / walk.steps:10.0f} {walk.steps:7} "
            f"{walk.evaluations:12} {walk.way:8.4f}  {feet} = {sum(walk.feet):.3f}"
        )
    print(f"weight {9.81 * robot.robot.mass:.3f} N, planned way {robot.gait.steps * robot.gait.step_length:g} m")


if __name__ == "__main__":
    main()
