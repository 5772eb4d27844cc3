"""Finer meshes of a scenario, as values of its keys: generated shapes by their parameters, files by subdivision.

Each level halves the edges of all meshes that may touch.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from polycontact.errors import PolycontactError, ScenarioError
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.scenario.parsing import Scenario
from polycontact.scenario.schema.shape_keys import CosineSurface, PlateWithHole, ShapeTable, TableShape
from polycontact.surfaces import shapes
from polycontact.surfaces.alternatives import MESH
from polycontact.surfaces.surface import Surface

MOST_TRIANGLES: Final = 1_000_000
"""Triangles of all meshes of a level: beyond it a run would mostly wait for memory."""

DOUBLED: Final = ("segments", "tube_segments", "rings", "cap_rings", "meridians", "flank_edges", "divisions")
"""Parameters that count edges. Where one is left out and its default is no number, it fits the others by itself."""

FIXED: Final = ("container",)
"""Shapes without a parameter for the mesh."""


@dataclass(frozen=True)
class MeshLevels:
    """``values`` of keys for each level, the given meshes first; ``n_triangles`` of each level, about; ``notes`` on
    what stays as it is.
    """

    values: tuple[dict[str, Any], ...]
    n_triangles: tuple[int, ...]
    notes: tuple[str, ...]


def mesh_levels(scenario: Scenario, system: MultibodySystem, touching: Iterable[str], n: int) -> MeshLevels:
    """``n`` levels of the meshes of the bodies named ``touching``, fewer where they would become too large."""
    names = set(touching)
    notes = []
    shapes_by_key: dict[str, ShapeTable] = {}
    for body in scenario.model.bodies:
        if body.name in names:
            own = {f"bodies.{_quoted(body.name)}.shape": body.shape} if body.shape is not None else {}
            own |= {f"bodies.{_quoted(body.name)}.shapes[{i}]": each for i, each in enumerate(body.shapes)}
            shapes_by_key |= {key: shape for key, shape in own.items() if is_refined(shape)}
    own_bodies = {body.name for body in scenario.model.bodies}
    brought = sorted(names - own_bodies)
    if brought:
        notes.append(f"meshes of {', '.join(brought[:3])} come with a robot or an assembly and stay as they are")
    kept = [key for key, shape in shapes_by_key.items() if shape.kind in FIXED]
    if kept:
        notes.append(f"{', '.join(kept)}: a shape of this kind has one mesh only, which stays as it is")
    counts = _triangles(system, names & own_bodies)
    levels: list[dict[str, Any]] = [{}]
    sizes = [counts]
    for level in range(1, n):
        values: dict[str, Any] = {}
        for key, shape in shapes_by_key.items():
            values |= {f"{key}.{name}": value for name, value in _finer(shape, level).items()}
        if not values:
            break
        if counts * 4**level > MOST_TRIANGLES:
            notes.append(
                f"meshes of {counts * 4**level:,} triangles, edges divided by {2**level}, are beyond the limit of "
                f"{MOST_TRIANGLES:,}"
            )
            break
        try:
            scenario.with_values(values)
        except ScenarioError as error:
            notes.append(f"edges divided by {2**level}: {'; '.join(error.problems)}")
            break
        levels.append(values)
        sizes.append(counts * 4**level)
    return MeshLevels(tuple(levels), tuple(sizes), tuple(notes))


def is_refined(shape: ShapeTable) -> bool:
    """Whether a shape takes part in contact as a mesh."""
    return shape.geometry == MESH and shape.contact is not False


def _finer(shape: ShapeTable, level: int) -> dict[str, Any]:
    """Parameters of a shape whose edges are 2^level times shorter."""
    factor = 2**level
    given = shape.arguments()
    if shape.kind == MESH:
        return {"subdivisions": int(given.get("subdivisions") or 0) + level}
    if shape.kind in FIXED:
        return {}
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(getattr(shapes, shape.kind)).parameters.items():
        value: Any = given.get(name, None if parameter.default is inspect.Parameter.empty else parameter.default)
        if name == "subdivisions":
            found[name] = int(value) + level
        elif name == "n_triangles":
            found[name] = int(value) * factor**2
        elif name in ("spacing", "divisions") and value is None:
            found |= _left_out(shape, factor)
        elif name == "spacing":
            found[name] = float(value) / factor
        elif name in DOUBLED and value is not None:
            found[name] = [factor * each for each in value] if isinstance(value, list | tuple) else factor * value
    return found


def _left_out(shape: ShapeTable, factor: int) -> dict[str, Any]:
    """Finer edges of shapes that choose theirs by their size where a parameter is left out, as the schema says how.

    Other shapes leave their flat faces as coarse as they can be.
    """
    if isinstance(shape, PlateWithHole):
        return {"spacing": min(shape.size) / 12.0 / factor} if shape.spacing is None else {}
    if isinstance(shape, TableShape):
        return {"spacing": (shape.leg_width or 0.06) / factor}
    if isinstance(shape, CosineSurface):
        return {"divisions": [math.ceil(18.0 * each / shape.wavelength) * factor for each in shape.size or (2.0, 1.0)]}
    return {}


def _triangles(system: MultibodySystem, names: set[str]) -> int:
    """Triangles of the meshes of bodies."""
    total = 0
    for name in names:
        try:
            body = system.bodies[name]
        except (KeyError, PolycontactError):
            continue
        total += sum(len(each.surface.triangles) for each in body.shapes if isinstance(each.surface, Surface))
    return total


def _quoted(name: str) -> str:
    return f'"{name}"' if any(each in name for each in '.[]"*') else name
