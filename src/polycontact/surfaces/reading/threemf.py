"""The 3MF format, read by trimesh after a look at the outline of the package.

The outline is its unit and how many triangles the build places. The XML is scanned once without building a tree (3MF
Core Specification 1.3, chapters 3 and 4; references to objects in other parts are those of the Production Extension).
So neither a zip bomb nor exponential instancing reaches trimesh, and what trimesh leaves out shows when its triangles
are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from polycontact.surfaces.reading.cad_extra import require_cad_packages
from polycontact.surfaces.reading.cad_scene import PlacedParts, load_placed_parts
from polycontact.surfaces.reading.face_polygons import refuse_too_many
from polycontact.surfaces.reading.limits import MAX_NESTING, MAX_OBJECTS
from polycontact.surfaces.reading.package import Package
from polycontact.surfaces.reading.parts import place_parts, refuse_too_many_instances
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource, shown
from polycontact.surfaces.reading.xml_events import Attributes, XmlEvents
from polycontact.wording import counted


def read_threemf(source: MeshSource) -> RawMesh:
    """Read all build items of a 3MF package; the vertices stay in the unit of the model."""
    placed, metres, unit_note = load_threemf(source)
    vertices, triangles = place_parts(source, placed.parts, placed.placements)
    notes = (
        unit_note,
        f"{counted(len(placed.parts), 'mesh', 'meshes')} placed {counted(len(placed.placements), 'time')}",
    )
    return RawMesh(vertices, triangles, source.path, MeshFormat.THREEMF, unit=metres, notes=notes)


def load_threemf(source: MeshSource) -> tuple[PlacedParts, float, str]:
    """Parts of the build with their placements in units of the model, the length of one in m, and a note of that."""
    require_cad_packages(source, MeshFormat.THREEMF)
    outline = outline_threemf(source)
    # Without post-processing: it renames the bodies of some CAD programs and can lose one on the way.
    placed = load_placed_parts(source, "3mf", postprocess=False)
    if placed.n_triangles != outline.n_triangles:
        source.fail(
            f"trimesh places {placed.n_triangles} of its {outline.n_triangles} triangles (objects in several parts of "
            "the package, or with meshes and components at once); export each object once, or as STL, OBJ or PLY"
        )
    metres = UNITS[outline.unit]
    return placed, metres, f"unit of the file: {outline.unit}, {metres:g} m"


UNITS = {
    "micron": 1e-6,
    "millimeter": 1e-3,
    "centimeter": 1e-2,
    "meter": 1.0,
    "inch": 0.0254,
    "foot": 0.3048,
}
"""Length of each unit of the format, m."""

_ROOT = "3d/3dmodel.model"  # the part that trimesh begins with
_CORE = "/3dmanufacturing/core/"
_PRODUCTION = "/3dmanufacturing/production/"
_HARMLESS = ("/3dmanufacturing/material/", _PRODUCTION, "/3dmanufacturing/trianglesets/", _CORE)


class ThreemfOutline(NamedTuple):
    """The unit by name, and the triangles of all objects that the build places."""

    unit: str
    n_triangles: int


class _ObjectId(NamedTuple):
    """An object of a package: the name of its model part in lower case, and its id there."""

    part: str
    id: str


class _Copies(NamedTuple):
    """What one use of an object places: meshes and triangles."""

    meshes: int
    triangles: int


@dataclass
class _ModelObject:
    """Number of triangles of an object, and the objects that it is made of."""

    triangles: int = 0
    components: list[_ObjectId] = field(default_factory=list)


def outline_threemf(source: MeshSource) -> ThreemfOutline:
    """Unit and placed triangles of a package; what is damaged, too large or endless is refused."""
    package = Package(source)
    root = next((name for name in package.names() if _ROOT in name), None)
    if root is None:
        source.fail("the package has no 3D model, 3D/3dmodel.model; it is no 3MF file or damaged: export it again")
    models = _Models(package)
    model = models[root]
    if not model.items:
        source.fail(f"{root}: the build has no items, nothing is placed; export the mesh again")
    copies = [models.count(item, ()) for item in model.items]
    n_triangles = sum(each.triangles for each in copies)
    refuse_too_many_instances(source, sum(each.meshes for each in copies))
    refuse_too_many(source, n_triangles)
    if n_triangles == 0:
        source.fail("places no triangles; export the mesh again as triangles, with build items")
    return ThreemfOutline(model.unit, n_triangles)


class _Models(dict[str, "_ModelScan"]):
    """Model parts of a package by name, scanned when they are first asked for."""

    def __init__(self, package: Package) -> None:
        super().__init__()
        self._package = package
        self._counted: dict[_ObjectId, _Copies] = {}

    def __missing__(self, part: str) -> _ModelScan:
        self[part] = _ModelScan(self._package, part)
        return self[part]

    def count(self, object_id: _ObjectId, ancestors: tuple[_ObjectId, ...]) -> _Copies:
        """What one use of an object places, components followed to the bottom, each object once."""
        source = self._package.source
        if object_id in ancestors:
            source.fail(f"{object_id.part}: object {shown(object_id.id)} contains itself; export the mesh again")
        if len(ancestors) >= MAX_NESTING:
            source.fail(f"{object_id.part}: components are nested deeper than {MAX_NESTING}; export the mesh again")
        if object_id not in self._counted:
            found = self[object_id.part].objects.get(object_id.id)
            if found is None:
                source.fail(
                    f"{object_id.part}: object {shown(object_id.id)} is referred to but missing; export the mesh again"
                )
            inside = [self.count(component, (*ancestors, object_id)) for component in found.components]
            self._counted[object_id] = _Copies(
                1 + sum(each.meshes for each in inside), found.triangles + sum(each.triangles for each in inside)
            )
            refuse_too_many_instances(source, self._counted[object_id].meshes)
        return self._counted[object_id]


class _ModelScan:
    """The objects, build items and unit of one model part, from its XML."""

    def __init__(self, package: Package, part: str) -> None:
        self.unit = ""
        self.objects: dict[str, _ModelObject] = {}
        self.items: list[_ObjectId] = []
        self._part = part
        self._object: _ModelObject | None = None
        self._events = XmlEvents(package.source, part)
        self._events.parse(package.chunks(part), self._on_start)

    def _on_start(self, name: str, attributes: Attributes) -> None:
        local = name.rpartition(" ")[2]
        if not self.unit:
            self._begin_model(local, attributes)
        elif local == "object":
            self._begin_object(attributes)
        elif local == "item":
            self.items.append(self._reference(attributes))
        elif local == "component" and self._object is not None:
            self._object.components.append(self._reference(attributes))
        elif local == "triangle" and self._object is not None:
            self._object.triangles += 1

    def _begin_model(self, local: str, attributes: Attributes) -> None:
        if local != "model":
            self._events.fail(f"the first tag is {shown(local)}; expected the 'model' of 3MF")
        for prefix in attributes.get("requiredextensions", "").split():
            uri = self._events.namespaces.get(prefix, prefix)
            if not any(known in uri for known in _HARMLESS):
                self._events.fail(f"requires the extension {shown(uri)}, which is not supported")
        self.unit = attributes.get("unit", "millimeter")
        if self.unit not in UNITS:
            self._events.fail(f"unit {shown(self.unit)} is unknown; expected one of {', '.join(UNITS)}")

    def _begin_object(self, attributes: Attributes) -> None:
        object_id = self._attribute(attributes, "id")
        if object_id in self.objects:
            self._events.fail(f"two objects have the id {shown(object_id)}")
        if len(self.objects) >= MAX_OBJECTS:
            self._events.fail(f"more than {MAX_OBJECTS} objects")
        self._object = self.objects[object_id] = _ModelObject()

    def _reference(self, attributes: Attributes) -> _ObjectId:
        paths = [value for name, value in attributes.items() if _PRODUCTION in name and name.endswith(" path")]
        part = paths[0].lstrip("/").lower() if paths else self._part
        return _ObjectId(part, self._attribute(attributes, "objectid"))

    def _attribute(self, attributes: Attributes, name: str) -> str:
        if name not in attributes:
            self._events.fail(f"a tag has no attribute {name!r}")
        return attributes[name]
