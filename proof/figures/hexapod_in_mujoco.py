"""The standing hexapod in MuJoCo with a solver that is stopped early: what the source saw of its other program.

The source says of Vortex that its developers limit the iterations to 35, and that in closed loops "the calculation of
the contact forces is even wrong, because the optimization loop redistributes the existing mechanical load between all
constraints (joints and contacts)". So that joints are part of the iteration as there, each link is a body of its own
here, and the joints, which stand still, are constraints. MuJoCo's projected Gauss–Seidel does as many iterations as it
is told; its Newton's method solves the same problem.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.robots.hexapod_model import FOOT_RADIUS, hexapod
from proof.figures.mujoco_models import contact_forces, free_body, numbers

STEP: Final = 1e-3
END_TIME: Final = 1.0
SETTLED: Final = 0.7
"""Time (s) from which the robot stands still, and forces are averaged."""

RIGID: Final = 'solref="0.004 1" solimp="0.9999 0.9999 0.001 0.5 2"'
"""Joints and contacts as rigid as MuJoCo has them: errors go in 4 steps, and a ten-thousandth gives way."""

_FRICTION: Final = 0.8


class Standing(NamedTuple):
    """Normal force under each foot, (n,) N by leg, over ``time`` (n,) s."""

    time: NDArray[np.float64]
    feet: dict[str, NDArray[np.float64]]

    @property
    def shares(self) -> dict[str, float]:
        """Mean force under each foot once the robot stands, N."""
        there = self.time >= SETTLED
        return {leg: float(force[there].mean()) for leg, force in self.feet.items()}


@cache
def standing_in_mujoco(iterations: int | None) -> Standing:
    """The robot stands for a second; ``iterations`` of projected Gauss–Seidel in each step, None: Newton's method."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(_scene(iterations))
    data = mujoco.MjData(model)
    rows = []
    for _ in range(round(END_TIME / STEP)):
        mujoco.mj_step(model, data)
        rows.append({name: float(force[0]) for name, force in contact_forces(mujoco, model, data).items()})
    names = sorted({name for row in rows for name in row})
    feet = {name.removesuffix(" tibia"): np.array([row.get(name, 0.0) for row in rows]) for name in names}
    return Standing(STEP * np.arange(1, len(rows) + 1, dtype=np.float64), feet)


def _scene(iterations: int | None) -> str:
    system = hexapod().system()
    compiled: Any = system.compile()
    start = compiled.evaluate(0.0, compiled.start_state())
    moving = {name: body for name, body in system.bodies.items() if body.mass > 0.0}
    bodies = ""
    for name, body in moving.items():
        foot = "".join(
            f'<geom type="sphere" size="{FOOT_RADIUS}" pos="{numbers(shape.position)}" contype="2" conaffinity="1" '
            f'friction="{_FRICTION} 0.005 0.0001" {RIGID}/>'
            for shape in body.shapes
            if shape.contact
        )
        R, r = start.bodies.pose(name)
        bodies += free_body(body, R, r, foot)
    welds = "".join(
        f'<weld body1="{joint.parent}" body2="{joint.child}" {RIGID}/>'
        for joint in system.joints.values()
        if joint.parent in moving
    )
    solver = 'solver="Newton"' if iterations is None else f'solver="PGS" iterations="{iterations}" tolerance="0"'
    return (
        f'<mujoco><option timestep="{STEP}" integrator="implicitfast" cone="elliptic" {solver}/><worldbody>'
        f'<geom type="plane" size="2 2 1" contype="1" conaffinity="2" friction="{_FRICTION} 0.005 0.0001" {RIGID}/>'
        f"{bodies}</worldbody><equality>{welds}</equality></mujoco>"
    )
