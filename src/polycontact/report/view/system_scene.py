"""The scene of a multibody system as it starts: its bodies where they are, before anything moves."""

from __future__ import annotations

import numpy as np

from polycontact.errors import MultibodyError
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rotations import to_quaternions
from polycontact.report.view.run_scene import parts_of, scene_bodies
from polycontact.report.view.viewer_scene import Scene, SceneKind, still
from polycontact.simulation.run_record import body_records


def system_scene(system: MultibodySystem) -> Scene:
    """The scene of ``system`` in its start state, with all loops closed."""
    label = system.name or "system"
    compiled = system.compile()
    bodies = body_records(compiled)
    parts = parts_of(bodies)
    if not parts:
        raise MultibodyError(f"{label}: no body has a shape; give some bodies shapes to see them")
    placed = compiled.evaluate(0.0, compiled.start_state()).bodies
    times, positions, quaternions = still(len(bodies))
    positions[0] = placed.position[1:]  # the world comes first
    quaternions[0] = to_quaternions(placed.rotation[1:])
    return Scene(
        kind=SceneKind.RUN,
        title=label,
        subtitle="at the start",
        bodies=scene_bodies(bodies),
        parts=parts,
        times=times,
        positions=positions,
        quaternions=quaternions,
        facts=(
            ("bodies", str(len(bodies))),
            ("joints", str(len(system.joints))),
            ("degrees of freedom", str(system.degrees_of_freedom)),
            ("mass", f"{sum(body.mass for body in bodies):.6g} kg"),
        ),
        history=np.zeros((2, 1)),
    )
