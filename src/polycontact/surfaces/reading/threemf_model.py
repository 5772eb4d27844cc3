"""The XML of a 3MF model part: objects (a mesh or components), build items and the unit.

3MF Core Specification 1.3, chapters 3 and 4; references to objects in other parts are those of the Production
Extension.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.limits import MAX_INSTANCES, MAX_OBJECTS
from polycontact.surfaces.reading.parts import Part
from polycontact.surfaces.reading.source import MeshSource, shown
from polycontact.surfaces.reading.xml_events import Attributes, XmlEvents
from polycontact.tolerances import MAX_TRIANGLES

UNITS = {
    "micron": 1e-6,
    "millimeter": 1e-3,
    "centimeter": 1e-2,
    "meter": 1.0,
    "inch": 0.0254,
    "foot": 0.3048,
}
"""Length of each unit of the format, m."""

_CORE = "/3dmanufacturing/core/"
_PRODUCTION = "/3dmanufacturing/production/"
_HARMLESS = ("/3dmanufacturing/material/", _PRODUCTION, "/3dmanufacturing/trianglesets/", _CORE)


class ObjectId(NamedTuple):
    """An object of a package: the name of its model part in lower case, and its id there."""

    part: str
    id: str


class Use(NamedTuple):
    """An object used in another or in the build, moved by the 4 x 4 ``matrix`` that acts on columns."""

    object: ObjectId
    matrix: NDArray[np.float64]


@dataclass
class ModelObject:
    """A mesh, or components, or both."""

    coordinates: array[float] = field(default_factory=lambda: array("d"))
    corners: array[int] = field(default_factory=lambda: array("q"))
    components: list[Use] = field(default_factory=list)

    def as_part(self) -> Part:
        """The mesh as arrays; its indices are in range once `ModelParser` is through."""
        vertices = np.array(self.coordinates, dtype=np.float64).reshape(-1, 3)
        return Part(vertices, np.array(self.corners, dtype=np.int64).reshape(-1, 3).astype(np.int32))


@dataclass
class Model:
    """Content of one model part."""

    unit: str = "millimeter"
    objects: dict[str, ModelObject] = field(default_factory=dict)
    items: list[Use] = field(default_factory=list)


class ModelParser:
    """Fills a `Model` from the XML of a model part."""

    def __init__(self, source: MeshSource, part: str) -> None:
        self.model = Model()
        self._part = part
        self._events = XmlEvents(source, part)
        self._object: ModelObject | None = None
        self._object_id = ""
        self._object_name = ""
        self._triangles = 0
        self._uses = 0
        self._on: dict[str, Callable[[Attributes], None]] = {}

    def parse(self, chunks: Iterable[bytes]) -> Model:
        """Parse the whole part."""
        self._events.parse(chunks, self._on_start, self._on_end)
        if not self._on:
            self._events.fail("no 3MF model found")
        return self.model

    def _on_start(self, name: str, attributes: Attributes) -> None:
        if not self._on:
            self._begin_model(name, attributes)
        elif handler := self._on.get(name):
            handler(attributes)

    def _on_end(self, name: str) -> None:
        if name == self._object_name:
            self._end_object()

    def _begin_model(self, name: str, attributes: Attributes) -> None:
        namespace, _, local = name.rpartition(" ")
        if local != "model" or (namespace and _CORE not in namespace):
            self._events.fail(f"the first tag is {shown(name)}; expected the 'model' of 3MF")
        self._check_extensions(attributes.get("requiredextensions", ""))
        self.model.unit = attributes.get("unit", "millimeter")
        if self.model.unit not in UNITS:
            self._events.fail(f"unit {shown(self.model.unit)} is unknown; expected one of {', '.join(UNITS)}")
        prefix = f"{namespace} " if namespace else ""
        self._object_name = prefix + "object"
        self._on = {
            self._object_name: self._begin_object,
            prefix + "vertex": self._add_vertex,
            prefix + "triangle": self._add_triangle,
            prefix + "component": self._add_component,
            prefix + "item": self._add_item,
        }

    def _check_extensions(self, prefixes: str) -> None:
        for prefix in prefixes.split():
            uri = self._events.namespaces.get(prefix, prefix)
            if not any(known in uri for known in _HARMLESS):
                self._events.fail(f"requires the extension {shown(uri)}, which is not supported")

    def _begin_object(self, attributes: Attributes) -> None:
        self._object_id = self._attribute(attributes, "id")
        if self._object_id in self.model.objects:
            self._events.fail(f"two objects have the id {shown(self._object_id)}")
        if len(self.model.objects) >= MAX_OBJECTS:
            self._events.fail(f"more than {MAX_OBJECTS} objects")
        self._object = self.model.objects[self._object_id] = ModelObject()

    def _end_object(self) -> None:
        """Refuse triangles with vertices that the object does not have; the line is that of its end."""
        current, self._object = self._object, None
        if current is None or not current.corners:
            return
        corners = np.frombuffer(current.corners, dtype=np.int64)
        n_vertices = len(current.coordinates) // 3
        bad = np.flatnonzero((corners < 0) | (corners >= n_vertices))
        if len(bad):
            self._events.fail(
                f"object {shown(self._object_id)}, triangle {int(bad[0]) // 3} refers to vertex "
                f"{int(corners[bad[0]])}, but the object has {n_vertices} vertices"
            )

    def _add_vertex(self, attributes: Attributes) -> None:
        try:
            point = (float(attributes["x"]), float(attributes["y"]), float(attributes["z"]))
        except (KeyError, ValueError):
            self._events.fail(f"vertex {shown(attributes)} has no numbers x, y and z")
        self._current().coordinates.extend(point)

    def _add_triangle(self, attributes: Attributes) -> None:
        try:
            corners = (int(attributes["v1"]), int(attributes["v2"]), int(attributes["v3"]))
            self._current().corners.extend(corners)
        except (KeyError, ValueError, OverflowError):
            self._events.fail(f"triangle {shown(attributes)} has no indices v1, v2 and v3")
        self._triangles += 1
        if self._triangles > MAX_TRIANGLES:
            self._events.fail(f"more than {MAX_TRIANGLES} triangles")

    def _add_component(self, attributes: Attributes) -> None:
        self._current().components.append(self._use(attributes))

    def _add_item(self, attributes: Attributes) -> None:
        self.model.items.append(self._use(attributes))

    def _use(self, attributes: Attributes) -> Use:
        self._uses += 1
        if self._uses > MAX_INSTANCES:
            self._events.fail(f"more than {MAX_INSTANCES} components and build items")
        paths = [value for name, value in attributes.items() if _PRODUCTION in name and name.endswith(" path")]
        part = paths[0].lstrip("/").lower() if paths else self._part
        return Use(ObjectId(part, self._attribute(attributes, "objectid")), self._matrix(attributes))

    def _matrix(self, attributes: Attributes) -> NDArray[np.float64]:
        """The transform: twelve numbers, row by row, of a 4 x 3 matrix that acts on rows (x, y, z, 1)."""
        matrix = np.eye(4)
        if "transform" not in attributes:
            return matrix
        text = attributes["transform"]
        try:
            matrix[:3] = np.array([float(word) for word in text.split(None, 12)]).reshape(4, 3).T
        except ValueError:
            self._events.fail(f"transform {shown(text)} does not have 12 numbers")
        if not np.isfinite(matrix).all():
            self._events.fail(f"transform {shown(text)} is not finite")
        return matrix

    def _attribute(self, attributes: Attributes, name: str) -> str:
        if name not in attributes:
            self._events.fail(f"a tag has no attribute {name!r}")
        return attributes[name]

    def _current(self) -> ModelObject:
        if self._object is None:
            self._events.fail("a vertex, triangle or component is outside any object")
        return self._object
