"""Masses, centres and inertias of the segments of a man of 75 kg, after Dempster (1955).

The fractions are those that Winter gives in his table of anthropometric data (Biomechanics and Motor Control of
Human Movement) from Dempster's measurements: the mass of a segment as a part of the body's, its centre of mass
and its radius of gyration about a transverse axis through it as parts of the segment's length. The table has no
radius of gyration about the long axis: it is that of the segment's own surface, filled with uniform density. For
pelvis and torso the table has no radius at all: their whole inertia is that of their surfaces.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.surface import Surface
from tools.pedestrian.landmarks import HAND_LENGTH, ORIGINS, SEGMENTS, SIDES
from tools.pedestrian.segments import segment_surfaces

BODY_MASS: Final = 75.0
"""Mass of the man, kg."""

_EAR: Final = (-0.005, 0.0, 1.628)
"""The ear canal, where Dempster's head ends, in the standing man, m."""

_KNUCKLE: Final = 0.75
"""Distance of the middle knuckle of the middle finger, where Dempster's hand ends, in lengths of the hand."""

_METATARSAL: Final = (0.125, 0.088, 0.020)
"""Head of the second metatarsal bone, where Dempster's foot ends, in the standing man, m."""


class _Dempster(NamedTuple):
    """A row of the table: mass / body mass, centre / length from the proximal end, radius of gyration / length."""

    mass: float
    centre: float
    gyration: float | None


_TABLE: Final = {
    "pelvis": _Dempster(0.142, 0.105, None),  # from the lumbar joint to the hips
    "torso": _Dempster(0.355, 0.63, None),  # thorax and abdomen, from the neck to the lumbar joint
    "head": _Dempster(0.081, 1.0, 0.495),  # with the neck, to the ear canal
    "upper arm": _Dempster(0.028, 0.436, 0.322),
    "forearm": _Dempster(0.016, 0.430, 0.303),
    "hand": _Dempster(0.006, 0.506, 0.297),
    "thigh": _Dempster(0.100, 0.433, 0.323),
    "shank": _Dempster(0.0465, 0.433, 0.302),
    "foot": _Dempster(0.0145, 0.500, 0.475),
}


@dataclass(frozen=True, eq=False)
class SegmentInertia:
    """Inertia of a segment, in its frame; arrays are read-only.

    ``mass`` kg, ``centre`` (3,) of mass from the proximal joint in m, ``inertia`` (3, 3) about it in kg m².
    """

    name: str
    mass: float
    centre: NDArray[np.float64]
    inertia: NDArray[np.float64]


@cache
def segment_inertias() -> Mapping[str, SegmentInertia]:
    """Mass, centre and inertia of each of the `SEGMENTS` by name.

    Dempster's fractions are divided by their sum, so that the masses add up to `BODY_MASS`.
    """
    total = math.fsum(_TABLE[_kind(name)].mass for name in SEGMENTS)
    surfaces = segment_surfaces()
    return MappingProxyType({name: _inertia(name, surfaces[name], total) for name in SEGMENTS})


def _inertia(name: str, surface: Surface, total: float) -> SegmentInertia:
    row = _TABLE[_kind(name)]
    start, end = _ends(name)
    mass = BODY_MASS * row.mass / total
    centre = start + row.centre * (end - start)
    solid = surface.mass_properties()
    per_mass = solid.inertia / solid.mass
    if row.gyration is not None:
        length = float(np.linalg.norm(end - start))
        axis = (end - start) / length
        along = np.outer(axis, axis)
        per_mass = (row.gyration * length) ** 2 * (np.eye(3) - along) + float(axis @ per_mass @ axis) * along
    inertia = mass * per_mass
    for array in (centre, inertia):
        array.flags.writeable = False
    return SegmentInertia(name, mass, centre, inertia)


def _kind(name: str) -> str:
    """The name of a segment without its side."""
    side, _, rest = name.partition(" ")
    return rest if side in SIDES else name


def _ends(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where Dempster's segment begins and ends, in the segment's frame, m."""
    origin = np.array(ORIGINS[name])
    side, _, _ = name.partition(" ")
    ends = {
        "pelvis": (ORIGINS["torso"], ORIGINS["pelvis"]),
        "torso": (ORIGINS["head"], ORIGINS["torso"]),
        "head": (ORIGINS["head"], _EAR),
        "upper arm": (origin, ORIGINS.get(f"{side} forearm")),
        "forearm": (origin, ORIGINS.get(f"{side} hand")),
        "hand": (origin, origin - (0.0, 0.0, _KNUCKLE * HAND_LENGTH)),
        "thigh": (origin, ORIGINS.get(f"{side} shank")),
        "shank": (origin, ORIGINS.get(f"{side} foot")),
        "foot": (origin, np.array(_METATARSAL) * (1.0, np.sign(origin[1]), 1.0)),
    }
    start, end = ends[_kind(name)]
    return np.array(start, dtype=float) - origin, np.array(end, dtype=float) - origin
