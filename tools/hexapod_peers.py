"""The walking hexapod with each response, beside MuJoCo on the same robot and gait.

    python tools/hexapod_peers.py [--rounds 3] [--end-time 3.5]

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
    run = pc.simulate(robot.system(), end_time=end_time, rtol=3e-4, atol=3e-5, output_step=0.01, response=response)
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
    from scipy.interpolate import PPoly

    columns = []
    for joint in robot.robot.joints:
        for motion in robot.targets[joint.name]:
            data = motion.compiled()
            breaks = data.numbers[: data.n_breaks]
            curve = PPoly(data.numbers[data.n_breaks :].reshape(-1, 4).T, breaks)
            columns.append(curve(np.clip(times, breaks[0], breaks[-1])))
    return np.column_stack(columns)


def _start_angles(system: MultibodySystem, model: Any) -> list[NDArray[np.float64]]:
    """Start values of the joints in MuJoCo's order of them."""
    import mujoco

    angles = []
    for i in range(1, model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i)
        joint, k = name.rsplit("/", 1)
        angles.append(np.atleast_1d(system.joints[joint].coordinates[int(k)]))
    return angles


def _numbers(values: Any) -> str:
    return " ".join(f"{x:.12g}" for x in np.ravel(values))


def _scene(system: MultibodySystem, robot: WalkingRobot, step: float) -> str:
    """The robot as MJCF."""
    children: dict[str, list[str]] = {}
    for joint in system.joints.values():
        children.setdefault(joint.parent, []).append(joint.name)
    drives = "".join(
        f'<position joint="{joint.name}/{k}" kp="{drive.stiffness}" kv="{drive.damping}" '
        f'forcerange="{-drive.limit} {drive.limit}"/>'
        for joint in robot.robot.joints
        for k, drive in enumerate(joint.drives)
    )
    trunk = _body(system, children, TRUNK, None)
    return (
        f'<mujoco><option timestep="{step}" integrator="implicitfast"/><worldbody>'
        f'<geom type="plane" size="2 2 1" friction="{FRICTION} 0.005 0.0001"/>{trunk}</worldbody>'
        f"<actuator>{drives}</actuator></mujoco>"
    )


def _body(system: MultibodySystem, children: dict[str, list[str]], name: str, joint: str | None) -> str:
    """A body with all that it carries; its frame is where the joint puts it."""
    body = system.bodies[name]
    i = body.inertia
    inertia = _numbers([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
    parts = [f'<inertial pos="{_numbers(body.centre)}" mass="{body.mass}" fullinertia="{inertia}"/>']
    place = np.zeros(3)
    if joint is None:
        parts.append("<freejoint/>")
    else:
        made = system.joints[joint]
        (R, at), (_, child_at) = made.parent_marker, made.child_marker
        place = at - child_at
        axes = [R[:, 2]] if made.kind is pc.multibody.JointKind.REVOLUTE else [R[:, 0], R[:, 1]]
        parts += [
            f'<joint name="{joint}/{k}" type="hinge" pos="{_numbers(child_at)}" axis="{_numbers(axis)}"/>'
            for k, axis in enumerate(axes)
        ]
    for shape in body.shapes:
        if shape.contact:
            where = _numbers(shape.position)
            size = f'size="{FOOT_RADIUS}" pos="{where}" friction="{FRICTION} 0.005 0.0001"'
            parts.append(f'<geom type="sphere" {size}/>')
    parts += [_body(system, children, system.joints[each].child, each) for each in children.get(name, ())]
    return f'<body pos="{_numbers(place)}">{"".join(parts)}</body>'


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
