"""3MF: the objects of the build, with components and transforms, in the unit that the model declares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from polycontact.surfaces.reading.limits import MAX_NESTING
from polycontact.surfaces.reading.package import Package
from polycontact.surfaces.reading.parts import Placement, place_parts, refuse_too_many_instances
from polycontact.surfaces.reading.raw import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource, shown
from polycontact.surfaces.reading.threemf_model import UNITS, Model, ModelObject, ModelParser, ObjectId, Use
from polycontact.surfaces.reading.xml_events import Attributes, XmlEvents

_RELATIONS = "_rels/.rels"
_MODEL_RELATION = "/3dmodel"


def read_threemf(source: MeshSource) -> RawMesh:
    """Read all build items of a 3MF package; the vertices stay in the unit of the model."""
    package = Package(source)
    root = _root_part(package)
    models = _Models(package)
    items = models[root].items
    if not items:
        source.fail(f"{root}: the build has no items, nothing is placed; export the mesh again")
    placed = _expand(models, items)
    numbers = {use.object: i for i, use in enumerate(placed)}
    parts = {number: models.find(object_id).as_part() for object_id, number in numbers.items()}
    placements = [Placement(numbers[use.object], use.matrix) for use in placed]
    vertices, triangles = place_parts(source, parts, placements)
    unit = models[root].unit
    notes = (
        f"unit of the file: {unit}, {UNITS[unit]:g} m",
        f"{len(parts)} meshes placed {len(placements)} times",
    )
    return RawMesh(vertices, triangles, source.path, MeshFormat.THREEMF, unit=UNITS[unit], notes=notes)


def _root_part(package: Package) -> str:
    """Name of the model part that the package begins with, in lower case."""
    targets: list[str] = []

    def on_start(_: str, attributes: Attributes) -> None:
        if attributes.get("Type", "").endswith(_MODEL_RELATION):
            targets.append(attributes.get("Target", ""))

    if _RELATIONS in package:
        XmlEvents(package.source, _RELATIONS).parse(package.chunks(_RELATIONS), on_start)
    targets += [name for name in package.names() if name.endswith(".model")]
    if not targets:
        package.source.fail("the package has no 3D model; it is no 3MF file or damaged: export it again")
    return targets[0].lstrip("/").lower()


class _Models(dict[str, Model]):
    """Model parts of a package by name, parsed when they are first asked for."""

    def __init__(self, package: Package) -> None:
        super().__init__()
        self.package = package

    def __missing__(self, part: str) -> Model:
        self[part] = ModelParser(self.package.source, part).parse(self.package.chunks(part))
        return self[part]

    def find(self, object_id: ObjectId) -> ModelObject:
        """The object with this id."""
        objects = self[object_id.part].objects
        if object_id.id not in objects:
            self.package.source.fail(
                f"{object_id.part}: object {shown(object_id.id)} is referred to but missing; export the mesh again"
            )
        return objects[object_id.id]


class _Visit(NamedTuple):
    """A use whose components still have to be followed, and the objects that contain it."""

    use: Use
    ancestors: tuple[ObjectId, ...]


def _expand(models: _Models, items: list[Use]) -> list[Use]:
    """All meshes of the build with their matrices, components followed to the bottom."""
    source = models.package.source
    placed: list[Use] = []
    waiting = [_Visit(use, ()) for use in reversed(items)]
    visits = 0
    while waiting:
        (object_id, matrix), ancestors = waiting.pop()
        visits += 1
        refuse_too_many_instances(source, visits)
        if object_id in ancestors:
            source.fail(f"{object_id.part}: object {shown(object_id.id)} contains itself; export the mesh again")
        if len(ancestors) >= MAX_NESTING:
            source.fail(f"{object_id.part}: components are nested deeper than {MAX_NESTING}; export the mesh again")
        found = models.find(object_id)
        if found.corners:
            placed.append(Use(object_id, matrix))
        inside = (*ancestors, object_id)
        for use in reversed(found.components):
            with np.errstate(all="ignore"):
                waiting.append(_Visit(Use(use.object, matrix @ use.matrix), inside))
    return placed
