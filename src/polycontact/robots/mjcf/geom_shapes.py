"""Geoms of a model as shapes of bodies: which of them count, and where their meshes are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polycontact.multibody.rigid_bodies import Shape
from polycontact.robots.mjcf.mesh_surfaces import MeshSurfaces
from polycontact.robots.mjcf.mjcf_model import MESH, MjcfGeom, MjcfMesh, MjcfModel
from polycontact.robots.shape_making import ShapeMaker, ShapeOptions, can_be_drawn
from polycontact.surfaces.reading.source import shown
from polycontact.surfaces.surface import Surface


def chosen_geoms(geoms: tuple[MjcfGeom, ...], contact: str | None) -> tuple[tuple[MjcfGeom, ...], bool]:
    """The geoms of a body that count, and whether they take part in contact; else they are a picture only."""
    touching = tuple(geom for geom in geoms if geom.collides)
    others = tuple(geom for geom in geoms if not geom.collides)
    if contact == "collision" and touching:
        return touching, True
    if contact == "visual":
        return others or touching, True
    return others or touching, False


def needed_meshes(model: MjcfModel, contact: str | None) -> Iterator[MjcfMesh]:
    """The meshes that are read for a model, each once."""
    found: dict[str, None] = {}
    for geoms in (model.world_geoms, *(body.geoms for body in model.bodies.values())):
        chosen, touches = chosen_geoms(geoms, contact)
        meshes = (geom.mesh for geom in chosen if geom.kind == MESH)
        found.update({name: None for name in meshes if touches or can_be_drawn(model.meshes[name].file)})
    return (model.meshes[name] for name in found)


@dataclass(eq=False)
class GeomMeshes:
    """Meshes of a model's geoms, which are its assets."""

    model: MjcfModel
    surfaces: MeshSurfaces

    def written(self, geom: MjcfGeom) -> str:
        """The file of a mesh as the MJCF file has it."""
        return self.model.meshes[geom.mesh].file if geom.kind == MESH else ""

    def surface(self, geom: MjcfGeom) -> Surface:
        """The mesh as it stands in its geom."""
        return self.surfaces.surface(self.model.meshes[geom.mesh])

    def convex(self, geom: MjcfGeom) -> Surface:
        """The convex hull of the mesh, which MuJoCo uses in contact."""
        return self.surfaces.hull(self.model.meshes[geom.mesh])


class GeomShapes:
    """Makes the shapes of a model's bodies; ``left_out`` lists pictures that cannot be."""

    def __init__(self, model: MjcfModel, options: ShapeOptions) -> None:
        self._contact = options.contact
        surfaces = MeshSurfaces(model.file.name, model.mesh_folder, options.repair)
        self._maker = ShapeMaker(model.file.name, options, GeomMeshes(model, surfaces))
        self.left_out = self._maker.left_out

    def shapes_of(self, owner: str, geoms: tuple[MjcfGeom, ...]) -> list[Shape]:
        """Shapes of the body ``owner``."""
        chosen, touches = chosen_geoms(geoms, self._contact)
        return self._maker.shapes_of(f"body {shown(owner)}", chosen, touches)
