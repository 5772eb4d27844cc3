"""What shapes of a scenario have for their contacts: material, elastic layer and contact properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from polycontact.contact.laws import ContactProperties
from polycontact.contact.layers import ElasticLayer
from polycontact.scenario.schema.body_keys import Body, Material
from polycontact.scenario.schema.shape_keys import ShapeTable


@dataclass(frozen=True)
class SurfaceData:
    """What contacts of a shape follow from; None where the file says nothing of it."""

    material: str | None = None
    layer: ElasticLayer | None = None
    contact_properties: ContactProperties | None = None

    def options(self) -> dict[str, Any]:
        """The same as options of a `Shape`."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


class SurfaceDataStore:
    """The data of materials by name, each made once, so that contacts of like shapes can share their set-up."""

    def __init__(self, materials: Mapping[str, Material]) -> None:
        self._materials = materials
        self._made: dict[str, SurfaceData] = {}

    def of_material(self, name: str | None) -> SurfaceData:
        """The data of a material; none of no material."""
        if name is None:
            return SurfaceData()
        if name not in self._made:
            self._made[name] = _of_material(name, self._materials[name])
        return self._made[name]

    def of_shape(self, shape: ShapeTable, body: Body | None = None) -> SurfaceData:
        """The data of a shape: its own contact properties, else those of its body, else those of the material."""
        holders: list[ShapeTable | Body] = [shape] if body is None else [shape, body]
        data = self.of_material(next((each.material for each in holders if each.material is not None), None))
        own = next((each.contact_properties for each in holders if each.contact_properties is not None), None)
        return data if own is None else replace(data, contact_properties=own.build())


def _of_material(name: str, material: Material) -> SurfaceData:
    properties = None if material.contact_properties is None else material.contact_properties.build()
    return SurfaceData(name, material.layer(), properties)
