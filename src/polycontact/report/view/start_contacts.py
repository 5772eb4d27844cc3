"""What touches or overlaps when a system starts: patches, forces and depths, as frames of runs have them."""

from __future__ import annotations

import warnings

import numpy as np

from polycontact.contact.description import finds_points
from polycontact.errors import ContactWarning
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_warnings import ContactWarnings
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.expected_meshes import expected_mesh_errors
from polycontact.report.view.run_pairings import Motion, RunPairing
from polycontact.report.view.run_patches import Found, look_at, placed_mark
from polycontact.report.view.viewer_scene import ContactMark, SceneFrame
from polycontact.simulation.recording.records import BodyRecord


def start_frame(compiled: CompiledSystem, start: Evaluation, bodies: tuple[BodyRecord, ...]) -> SceneFrame:
    """Patches, polygons and contacts at the start."""
    motion = _motion(start)
    patches, polygons, contacts = [], [], []
    for number in np.flatnonzero(start.contacts.area > 0.0).tolist():
        pair = _pairing(compiled, number, bodies)
        found = look_at(pair, motion)
        patches += found.patches
        polygons += found.polygons
        contacts.append(_mark(compiled, start, pair, motion, found))
    return SceneFrame(tuple(patches), tuple(polygons), tuple(contacts))


def start_warnings(compiled: CompiledSystem, start: Evaluation) -> tuple[str, ...]:
    """What a run would say of overlaps at its start, and of meshes too coarse for the weight of their bodies."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ContactWarning)
        ContactWarnings(compiled.setup).of_overlap(start)
    coarse = [each.told() for each in expected_mesh_errors(compiled, start) if each.error.matters]
    return (*(str(each.message) for each in told), *coarse)


def _motion(start: Evaluation) -> Motion:
    placed = start.bodies  # the world comes first
    return Motion(
        placed.rotation[1:], placed.position[1:], placed.velocity[1:, 3:], placed.velocity[1:, :3], start.state
    )


def _pairing(compiled: CompiledSystem, number: int, bodies: tuple[BodyRecord, ...]) -> RunPairing:
    contact, setup = compiled.contacts[number], compiled.setup
    e, f = setup.number[contact.e] - 1, setup.number[contact.f] - 1
    first, n = int(setup.pairs.first_state[number]), int(setup.pairs.state_count[number])
    return RunPairing(
        number,
        contact.name,
        e,
        f,
        bodies[e].shapes[contact.shape_e],
        bodies[f].shapes[contact.shape_f],
        setup.pairing(number),
        np.arange(first, first + n),
    )


def _mark(compiled: CompiledSystem, start: Evaluation, pair: RunPairing, motion: Motion, found: Found) -> ContactMark:
    """The force on E, or on F where E is fixed."""
    setup, contacts, number = compiled.setup, start.contacts, pair.number
    has_area = not finds_points(compiled.contacts[number].description.to_plain())
    return placed_mark(
        pair,
        motion,
        found,
        motion.rotation[pair.e] @ pair.shape_e.rotation @ contacts.wrench[number, :3],
        on_f=setup.joints[pair.e].degrees_of_freedom == 0 and setup.joints[pair.f].degrees_of_freedom > 0,
        area=float(contacts.area[number]) if has_area else 0.0,
        depth=float(contacts.depth[number]),
        pressure=float(contacts.pressure[number]) if has_area else 0.0,
    )
