"""What a run's file says of its system: bodies with meshes, joints, pairings with their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from polycontact.contact.pairing import ContactPairing
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_pairs import Contact
from polycontact.simulation.ledger import COLUMNS
from polycontact.simulation.recording.records import (
    BodyRecord,
    JointRecord,
    MarkerRecord,
    PairingRecord,
    RunDescription,
    ShapeRecord,
)
from polycontact.simulation.settings import SimulationSettings


def describe(
    compiled: CompiledSystem,
    pairings: Sequence[ContactPairing | None],
    settings: SimulationSettings,
    scenario: str | None,
    folder: str | None,
) -> RunDescription:
    """The description of a run of a compiled system. Bodies and joints stand in the order of the kernels.

    ``pairings``: those that are prepared for the contacts; parameters of the others are not told.
    """
    system = compiled.system
    joints = tuple(
        JointRecord(
            joint.name,
            joint.kind.value,
            joint.parent,
            joint.child,
            joint.variables.coordinates,
            joint.variables.speeds,
        )
        for joint in compiled.setup.joints
    )
    return RunDescription(
        name=system.name,
        bodies=tuple(_body(compiled, joint.child) for joint in compiled.setup.joints),
        joints=joints,
        pairings=tuple(map(_pairing, compiled.contacts, pairings)),
        state_names=compiled.state_names,
        settings=settings.to_dict() | {"gravity": system.gravity.tolist()},
        scenario=scenario,
        scenario_folder=folder,
        energies=COLUMNS,
    )


def _body(compiled: CompiledSystem, name: str) -> BodyRecord:
    body = compiled.system.bodies[name]
    shapes = tuple(
        ShapeRecord(
            shape.surface.name,
            shape.surface.vertices,
            shape.surface.triangles,
            np.asarray(shape.position),
            np.asarray(shape.rotation),
            shape.contact,
            shape.colour,
        )
        for shape in body.shapes
    )
    markers = tuple(
        MarkerRecord(marker.name, marker.position, marker.rotation)
        for marker in compiled.system.markers.values()
        if marker.body == name
    )
    return BodyRecord(name, body.mass, body.centre, body.inertia, shapes, markers)


def _pairing(contact: Contact, made: ContactPairing | None) -> PairingRecord:
    """Parameters of a pairing; stiffness and layers where it has been prepared."""
    parameters: dict[str, Any] = {}
    if made is not None:
        parameters["stiffness"] = made.stiffness
        parameters["depth_share"] = made.depth_share
        parameters["damping"] = made.law.damping
        parameters["transition_depth"] = made.law.transition_depth
        if made.friction is not None:
            parameters["friction"] = made.friction.coefficient
            parameters["friction_velocity"] = made.friction.velocity
        for name in ("elements", "depth", "generator"):
            parameters[name] = getattr(made, name)
        parameters["base"] = made.base.value
    return PairingRecord(contact.name, contact.e, contact.f, parameters)
