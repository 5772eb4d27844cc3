"""The absolute tolerance of a run that is not told one: no coarser than what its contacts yield under their bodies.

An error of a step by δ presses bodies in contact as a contact of depth δ does. Where that is much more than they weigh,
steps shake what lies still, or throw it. So δ is at most the depth at which the stiffest contact carries the lighter of
its two bodies, by the estimate of `contact.load_depth`: m g / (c A) for a flat face of area A. Forces without gravity
are taken as large as weights on earth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from polycontact.contact.load_depth import depth_under_load
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.moved_masses import lighter_mass, moved_masses
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.simulation.recording.run_peaks import ContactPeaks
from polycontact.simulation.run_options import DEFAULT_ATOL
from polycontact.surfaces.geometry import Geometry, size_of

WEIGHT_WITHOUT_GRAVITY: Final = 9.81
"""Acceleration, m/s², by which a load is estimated where there is no gravity."""

FINEST_SHARE: Final = 1e-6
"""Part of the smaller body's size below which the tolerance does not follow: the largest flat face of a body, by which
a contact is judged, need not be the one that touches, and steps stay sound for a few times its depth."""

COARSE_DEPTHS: Final = 5.0
"""Tolerances above so many of the depths that a contact really had are told: a ball that bounces bears three."""


@dataclass(frozen=True)
class ContactTolerance:
    """The tolerance ``atol`` (m) that a contact asks for, as it carries ``load`` (N) at a ``depth`` (m)."""

    atol: float
    contact: str
    load: float
    depth: float

    def told(self) -> str:
        """In words, for reports."""
        words = f"{self.contact!r} carries {self.load:.3g} N at {1e6 * self.depth:.3g} µm"
        return f"{words}; a millionth of the body is fine enough" if self.depth < self.atol else words


def tolerance_of_contacts(compiled: CompiledSystem) -> ContactTolerance | None:
    """The finest tolerance that a contact of the system asks for, where that is below the usual one.

    It depends on neither order, names nor poses of bodies; of contacts that ask for the same the first name is told.
    """
    system = compiled.system
    strength = _strength(compiled)
    moved = moved_masses(system)
    found: dict[tuple[object, ...], tuple[float, float]] = {}
    worst: ContactTolerance | None = None
    for contact in compiled.contacts:
        load = strength * lighter_mass(system, contact, moved)
        key = (*contact.shared_key(system.bodies), load)
        if key not in found:
            e, f = _geometries(system, contact)
            depth = depth_under_load(contact.description, e, f, load)
            depth = DEFAULT_ATOL if depth is None else depth
            found[key] = max(depth, FINEST_SHARE * min(size_of(e), size_of(f))), depth
        atol, depth = found[key]
        if atol < DEFAULT_ATOL and (worst is None or (atol, contact.name) < (worst.atol, worst.contact)):
            worst = ContactTolerance(atol, contact.name, load, depth)
    return worst


def default_atol(compiled: CompiledSystem) -> float:
    """The absolute tolerance (m or rad) of a run of the system that is not told one."""
    finest = tolerance_of_contacts(compiled)
    return DEFAULT_ATOL if finest is None else finest.atol


def told_coarse(compiled: CompiledSystem, peaks: Mapping[str, ContactPeaks], atol: float) -> str:
    """The warning of a tolerance (m) far above the depth that a contact had in a run; empty where there is none.

    It counts only where the error presses with more than the lighter body weighs, others touch so lightly that it does
    not matter; and where the depth under that weight is as small, so that a damper alone does not make it so.
    """
    system, strength, moved = compiled.system, _strength(compiled), moved_masses(compiled.system)
    coarse = []
    for contact in compiled.contacts:
        most = peaks.get(contact.name)
        weight = strength * lighter_mass(system, contact, moved)
        if most is None or not most.depth.value > 0.0 or not weight > 0.0:
            continue
        depths = atol / most.depth.value
        expected = depth_under_load(contact.description, *_geometries(system, contact), weight)
        is_stiff = expected is None or atol > COARSE_DEPTHS * expected
        if is_stiff and depths > COARSE_DEPTHS and depths * most.force.value > COARSE_DEPTHS * weight:
            coarse.append((-depths, contact.name, most, weight))
    if not coarse:
        return ""
    depths, name, most, weight = min(coarse)
    others = f" (and {len(coarse) - 1} more)" if len(coarse) > 1 else ""
    return (
        f"atol is {atol:.3g} m, but contact {name!r}{others} was at most {most.depth.value:.3g} m deep, under "
        f"{most.force.value:.3g} N: an error of atol there presses with some {-depths * most.force.value:.2g} N, and "
        f"the lighter body weighs {weight:.3g} N; leave atol out, or set it to {most.depth.value:.1g} m or less"
    )


def _geometries(system: MultibodySystem, contact: Contact) -> tuple[Geometry, Geometry]:
    """The geometries of both sides of a contact."""
    e, f = system.bodies[contact.e], system.bodies[contact.f]
    return e.shapes[contact.shape_e].surface, f.shapes[contact.shape_f].surface


def _strength(compiled: CompiledSystem) -> float:
    return float(np.linalg.norm(compiled.system.gravity)) or WEIGHT_WITHOUT_GRAVITY
