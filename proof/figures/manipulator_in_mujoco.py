"""The arm of Figs. 6 and 7 in MuJoCo: an outside engine beside ours, as the source has Vortex beside its own program.

Links, joints, drives and motions are ours. The contact is MuJoCo's soft constraint, with the stiffness of the plate, a
damper that gives the restitution of the source, and an elliptic friction cone. Steps are of first order.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from polycontact.robots.manipulator_model import (
    END_TIME,
    PLATE_HEIGHT,
    RESTITUTION,
    TIP,
    TIP_RADIUS,
    PressingRobot,
    TaskName,
    manipulator,
)
from proof.figures.mujoco_models import contact_forces, numbers, soft_contact, spline_values, tree
from proof.figures.press import Press

STEP: Final = 5e-4
"""Step, s: a fifth of it changes the force with which the tool presses by less than 0.1 %."""

FRICTION_STIFFENING: Final = 1000.0
"""How much stiffer friction is than the normal direction (impratio): MuJoCo's friction is viscous below its limit, and
with 1 the tool would creep along the stiff plate instead of rubbing with μ F."""

_FRICTION: Final = 0.3
_HAND: Final = "hand"


@cache
def arm_in_mujoco(task: TaskName, stiffness: float) -> Press:
    """The run of one task on a plate of a ``stiffness`` (N/m)."""
    import mujoco

    robot = manipulator(task, stiffness=stiffness)
    model = _model(mujoco, robot, "")
    inverse_mass = float(model.body(_HAND).invweight0[0])
    model = _model(mujoco, robot, soft_contact(stiffness, RESTITUTION, inverse_mass))
    data = mujoco.MjData(model)
    joints = robot.robot.joints
    data.qpos[:] = [robot.coordinates[joint.name][0] for joint in joints]
    n = round(END_TIME / STEP)
    signals = _signals(robot, n)
    tip = model.geom("tip").id
    rows = np.zeros((n, 5))
    for i in range(n):
        data.ctrl[:] = signals[i]
        mujoco.mj_step(model, data)
        force = contact_forces(mujoco, model, data).get(_HAND, np.zeros(3))
        x, _, z = data.geom_xpos[tip]
        rows[i] = data.time, force[0], np.hypot(force[1], force[2]), z - TIP_RADIUS - PLATE_HEIGHT, x
    time, normal, tangential, height, x = rows.T
    return Press(time, normal, tangential, height, x - x[0])


def _signals(robot: PressingRobot, n: int) -> Any:
    """What the actuators get in each step, (n, joints): torques of the drives but for what q and its rate take off."""
    times = STEP * np.arange(n, dtype=np.float64)
    columns = []
    for joint in robot.robot.joints:
        (drive,) = joint.drives
        target, rate = spline_values(robot.motions[joint.name], times)
        columns.append(drive.stiffness * target + drive.damping * rate)
    return np.column_stack(columns)


def _model(mujoco: Any, robot: PressingRobot, contact: str) -> Any:
    """The arm over the plate as a model; ``contact``: attributes of the contact of tip and plate."""
    system = robot.robot.system()
    plate = system.bodies["plate"].shapes[0]
    low, high = plate.surface.bounds
    _, place = plate.placement()
    geoms = {
        _HAND: f'<geom name="tip" type="sphere" size="{TIP_RADIUS}" pos="{numbers(TIP)}"/>',
        "plate": f'<geom name="plate" type="box" size="{numbers(0.5 * (high - low))}" pos="{numbers(place)}"/>',
    }
    drives = "".join(
        f'<general joint="{joint.name}/0" gainprm="1" biastype="affine" '
        f'biasprm="0 {-joint.drives[0].stiffness} {-joint.drives[0].damping}" '
        f'forcerange="{-joint.drives[0].limit} {joint.drives[0].limit}"/>'
        for joint in robot.robot.joints
    )
    options = f'timestep="{STEP}" integrator="implicitfast" cone="elliptic" impratio="{FRICTION_STIFFENING}"'
    friction = f'friction="{_FRICTION} {_FRICTION} 0.005 0.0001 0.0001"'
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><option {options}/>"
        f"<worldbody>{tree(system, 'plate', geoms)}{tree(system, 'base', geoms)}</worldbody>"
        f'<contact><pair geom1="tip" geom2="plate" condim="3" {friction} {contact}/></contact>'
        f"<actuator>{drives}</actuator></mujoco>"
    )
