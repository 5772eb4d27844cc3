"""The bubbles in MuJoCo, where it is installed: signed distance fields of the same meshes, its default contact model.

MuJoCo takes a convex hull of a mesh unless it is told to use a signed distance field; the bubbles are not convex. The
container is four planes. Contact stiffness and friction are MuJoCo's own, so only the cost is compared.
"""

from __future__ import annotations

from time import process_time
from typing import Any

from polycontact.surfaces.shapes import bubble

STEP = 1e-3
"""MuJoCo's step, s: twice its default of 2 ms would let the bubbles pass deep into each other."""

_STARTS = ((0.0, 0.0, 1.0), (-0.3, 0.2, 1.0), (0.3, -0.2, 1.0))
_SLOPES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class MujocoBubbles:
    """The scene, ready to run."""

    def __init__(self, mujoco: Any) -> None:
        self._mujoco = mujoco
        self._model = mujoco.MjModel.from_xml_string(_scene())

    @classmethod
    def make(cls) -> MujocoBubbles | None:
        """The scene, or None where MuJoCo is not installed or does not know such shapes."""
        try:
            import mujoco

            return cls(mujoco)
        except (ImportError, ValueError):
            return None

    def real_time_factor(self, end_time: float) -> float:
        """CPU seconds per simulated second of a run to ``end_time`` (s)."""
        data = self._mujoco.MjData(self._model)
        n_steps = round(end_time / STEP)
        begin = process_time()
        for _ in range(n_steps):
            self._mujoco.mj_step(self._model, data)
        return (process_time() - begin) / end_time


def _scene() -> str:
    surface = bubble()
    vertices = " ".join(f"{x:.6g}" for x in surface.vertices.ravel())
    faces = " ".join(map(str, surface.triangles.ravel()))
    friction = 'friction="0.25 0.005 0.0001"'
    planes = "".join(
        f'<geom type="plane" size="0 0 1" zaxis="{-0.5 * x} {-0.5 * y} 1" {friction}/>' for x, y in _SLOPES
    )
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="0.02 0.01 0.02"/>'
        f'<geom type="sdf" mesh="bubble" {friction}/></body>'
        for x, y, z in _STARTS
    )
    mesh = f'<mesh name="bubble" vertex="{vertices}" face="{faces}" inertia="exact"/>'
    return f'<mujoco><option timestep="{STEP}"/><asset>{mesh}</asset><worldbody>{planes}{bodies}</worldbody></mujoco>'
