"""The scene of a model before it runs: bodies where they start, joints, forces, contacts, and what overlaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from polycontact.contact.kinds import kind_of
from polycontact.errors import MultibodyError
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.placement import Placement
from polycontact.multibody.rotations import to_quaternions
from polycontact.report.view.display_units import DEPTH, PRESSURE, SHOWN
from polycontact.report.view.model_parts import Model, model_items, model_layers
from polycontact.report.view.model_words import gravity_text
from polycontact.report.view.run_scene import parts_of, scene_bodies
from polycontact.report.view.start_contacts import start_frame, start_warnings
from polycontact.report.view.viewer_scene import Part, Scene, SceneBody, SceneKind, still
from polycontact.scenario.parsing import Scenario
from polycontact.simulation.run_options import RunOptions
from polycontact.simulation.run_record import body_records


def scenario_scene(scenario: Scenario) -> Scene:
    """The scene of the system of a scenario, with what is to be simulated."""
    scene = system_scene(scenario.build())
    given = RunOptions(**scenario.settings)
    facts = [
        ("simulated", f"0 to {given.end_time:g} s"),
        ("integrator", given.integrator),
        ("response", kind_of(given.response)),
    ]
    return replace(scene, title=scenario.name, facts=(*scene.facts, *facts))


def system_scene(system: MultibodySystem) -> Scene:
    """The scene of ``system`` in its start state, with all loops closed."""
    label = system.name or "system"
    compiled = system.compile()
    records = body_records(compiled)
    parts = parts_of(records)
    if not parts:
        raise MultibodyError(f"{label}: no body has a shape; give some bodies shapes to see them")
    start = compiled.evaluate(0.0, compiled.start_state())
    frame = start_frame(compiled, start, records)
    times, positions, quaternions = still(len(records))
    positions[0] = start.bodies.position[1:]  # the world comes first
    quaternions[0] = to_quaternions(start.bodies.rotation[1:])
    fixed = _fixed_bodies(system)
    bodies = tuple(
        replace(body, note=f"{record.mass:.4g} kg" if record.mass else "", is_fixed=body.name in fixed)
        for body, record in zip(scene_bodies(records), records, strict=True)
    )
    model = _model(system, start.bodies, bodies, parts)
    return Scene(
        kind=SceneKind.MODEL,
        title=label,
        subtitle="before the run",
        bodies=bodies,
        parts=parts,
        times=times,
        positions=positions,
        quaternions=quaternions,
        frames=(frame,),
        quantities=SHOWN,
        pairings=tuple(contact.name for contact in compiled.contacts),
        pair_bodies=tuple(
            (compiled.setup.number[contact.e] - 1, compiled.setup.number[contact.f] - 1)
            for contact in compiled.contacts
        ),
        layers=model_layers(model),
        facts=_facts(system),
        notes=start_warnings(compiled, start),
        items=model_items(model, frame),
        greatest={
            PRESSURE.key: max((mark.pressure for mark in frame.contacts), default=0.0),
            DEPTH.key: max((mark.depth for mark in frame.contacts), default=0.0),
        },
    )


def _fixed_bodies(system: MultibodySystem) -> set[str]:
    """Bodies that stay where they are: fixed to the world, directly or by others."""
    carried = system.tree_joints()

    def is_fixed(name: str) -> bool:
        while name in carried:
            joint = carried[name]
            if joint.variables.speeds:
                return False
            name = joint.parent
        return True

    return {name for name in system.bodies if is_fixed(name)}


def _model(system: MultibodySystem, placed: Placement, bodies: tuple[SceneBody, ...], parts: tuple[Part, ...]) -> Model:
    moving = [part for part in parts if not bodies[part.body].is_fixed] or list(parts)
    corners = []
    for part in moving:
        used = part.vertices[np.unique(part.triangles)]
        points = used @ placed.rotation[part.body + 1].T + placed.position[part.body + 1]
        corners += [points.min(axis=0), points.max(axis=0)]
    sizes: dict[str, float] = {}
    for part in parts:
        name, half = bodies[part.body].name, 0.5 * float(np.ptp(part.vertices, axis=0).max())
        sizes[name] = max(half, sizes.get(name, 0.0))
    return Model(system.compile(), placed, np.min(corners, axis=0), np.max(corners, axis=0), sizes)


def _facts(system: MultibodySystem) -> tuple[tuple[str, str], ...]:
    return (
        ("bodies", str(len(system.bodies))),
        ("joints", str(len(system.joints))),
        ("loops", str(len(system.loops))),
        *([("gears and couplers", str(len(system.couplers)))] if system.couplers else []),
        ("degrees of freedom", str(system.degrees_of_freedom)),
        ("force elements", str(len(system.forces))),
        ("pairs that may touch", str(len(system.contacts))),
        ("mass", f"{sum(body.mass for body in system.bodies.values()):.6g} kg"),
        ("gravity", gravity_text(system.gravity)),
    )
