"""Meshes that are so large beside all else in a scenario that they may be in millimetres: asked about, once each."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

from polycontact.errors import SurfaceWarning
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema.shape_keys import Mesh
from polycontact.surfaces.geometry import size_of
from polycontact.tolerances import LARGEST_BESIDE, LARGEST_IN_METRES


def ask_about_sizes(model: ScenarioModel, system: MultibodySystem) -> None:
    """Warn of mesh files without a unit that are out of all proportion."""
    doubtful: dict[str, float] = {}
    others = [math.hypot(*place) for place in _places(model)]
    for body in model.bodies:
        for shape, built in zip(body.all_shapes, system.bodies[body.name].shapes, strict=True):
            size = size_of(built.surface)
            if isinstance(shape, Mesh) and shape.unit is None and shape.scale is None and size > LARGEST_IN_METRES:
                doubtful[shape.file] = size
            else:
                others.append(size)
    largest = max(others, default=0.0)
    for file, size in doubtful.items():
        if 0.0 < LARGEST_BESIDE * largest < size:
            warnings.warn(
                f"{file}: the mesh is {size:.3g} m large, all else in the scenario at most {largest:.3g} m; is it in "
                'millimetres? then write unit = "mm" in its shape, or unit = "m" if it is as large as that',
                SurfaceWarning,
                stacklevel=4,
            )


def _places(model: ScenarioModel) -> Iterator[tuple[float, ...]]:
    """Positions (m) of all bodies, shapes, joints and markers, as the file gives them."""
    for body in model.bodies:
        yield body.position
        yield from (shape.position for shape in body.all_shapes)
    yield from (place for joint in model.joints for place in (joint.at, joint.child_at))
    yield from (marker.position for marker in model.markers)
