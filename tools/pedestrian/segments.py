"""The skins of the 15 segments of the man: closed surfaces, each in the frame of its segment.

All frames are parallel in the standing man: x forward, y to his left, z up; the origin is the proximal joint. All
together have 20,452 triangles, as in the example of the PCM paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from polycontact.surfaces.surface import Surface
from tools.pedestrian import limbs, trunk
from tools.pedestrian.fields import Solid
from tools.pedestrian.landmarks import LIMBS, ORIGINS, SEGMENTS, SIDES
from tools.pedestrian.skinning import mirrored, skin


class _Build(NamedTuple):
    """A solid of the standing man, and the number of triangles of its skin."""

    solid: Solid
    n_triangles: int


_MIDDLE: Final = {
    "pelvis": _Build(trunk.PELVIS, 1_452),
    "torso": _Build(trunk.TORSO, 2_800),
    "head": _Build(trunk.HEAD, 3_600),
}
_LEFT: Final = {
    "upper arm": _Build(limbs.UPPER_ARM, 800),
    "forearm": _Build(limbs.FOREARM, 800),
    "hand": _Build(limbs.HAND, 1_400),
    "thigh": _Build(limbs.THIGH, 1_150),
    "shank": _Build(limbs.SHANK, 1_050),
    "foot": _Build(limbs.FOOT, 1_100),
}


@cache
def segment_surfaces() -> Mapping[str, Surface]:
    """The surface of each of the `SEGMENTS` by name; right limbs are mirror images of left ones."""
    left, right = SIDES
    surfaces = {name: _in_its_frame(name, build) for name, build in _MIDDLE.items()}
    for name in LIMBS:
        surface = _in_its_frame(f"{left} {name}", _LEFT[name])
        surfaces[surface.name] = surface
        surfaces[f"{right} {name}"] = mirrored(surface, name=f"{right} {name}")
    return MappingProxyType({name: surfaces[name] for name in SEGMENTS})


def _in_its_frame(name: str, build: _Build) -> Surface:
    """The skin of a segment, seen from its proximal joint."""
    surface = skin(build.solid, build.n_triangles, name=name)
    return surface.transformed(position=-np.array(ORIGINS[name]))
