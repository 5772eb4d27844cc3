"""Geoms of a model as shapes of bodies: what touches, what is only seen, and as what geometry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from polycontact.contact.layers import ElasticLayer
from polycontact.errors import PolycontactError, RobotError, SurfaceError
from polycontact.multibody.rigid_bodies import Shape
from polycontact.robots.mjcf.description import MESH, PLANE, MjcfGeom, MjcfMesh, MjcfModel
from polycontact.robots.mjcf.mesh_surfaces import MeshSurfaces
from polycontact.surfaces.alternatives import geometry_of
from polycontact.surfaces.convex import ConvexMesh
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.reading.sniffing import EXTENSIONS
from polycontact.surfaces.reading.source import shown


@dataclass(frozen=True)
class GeomOptions:
    """How geoms become shapes: see `add_mjcf`."""

    contact: str | None = "collision"
    geometry: str = MESH
    layer: ElasticLayer | None = None
    repair: bool = False

    def __post_init__(self) -> None:
        if self.contact is not None and self.contact not in ("collision", "visual"):
            raise RobotError(f'contact is {self.contact!r}; give "collision", "visual", or None for no contact')
        if self.geometry not in (MESH, "convex"):
            raise RobotError(f'geometry is {self.geometry!r}; give "mesh" or "convex"')


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
        found.update(
            {geom.mesh: None for geom in chosen if geom.kind == MESH and (touches or can_be_drawn(model, geom))}
        )
    return (model.meshes[name] for name in found)


def can_be_drawn(model: MjcfModel, geom: MjcfGeom) -> bool:
    """Whether its mesh, if it has one, is in a format that is read here."""
    if geom.kind != MESH or not model.meshes[geom.mesh].file:
        return True
    return Path(model.meshes[geom.mesh].file).suffix.lower() in EXTENSIONS


@dataclass(eq=False)
class GeomShapes:
    """Makes the shapes of a model's bodies; equal ones share a geometry. ``left_out`` lists pictures that cannot be."""

    model: MjcfModel
    options: GeomOptions
    left_out: list[str] = field(default_factory=list)
    _made: dict[str, Geometry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._surfaces = MeshSurfaces(self.model.file.name, self.model.mesh_folder, self.options.repair)

    def shapes_of(self, owner: str, geoms: tuple[MjcfGeom, ...]) -> list[Shape]:
        """Shapes of the body ``owner``."""
        chosen, touches = chosen_geoms(geoms, self.options.contact)
        made = []
        for geom in chosen:
            if not (touches or can_be_drawn(self.model, geom)):
                file = self.model.meshes[geom.mesh].file
                self.left_out.append(f"line {geom.line}: body {shown(owner)}: the picture {shown(file)}")
                continue
            geometry = self._geometry(owner, geom, self.options.geometry if touches else MESH)
            R, r = geom.frame
            layer = self.options.layer if touches else None
            made.append(Shape(geometry, r, R, contact=touches, layer=layer, colour=geom.colour))
        return made

    def _geometry(self, owner: str, geom: MjcfGeom, geometry: str) -> Geometry:
        where = f"{self.model.file.name}: line {geom.line}: body {shown(owner)}"
        kind = "box" if geom.kind == PLANE else geom.kind
        try:
            if kind != MESH:
                key = f"{kind} {geometry} {geom.arguments!r}"
                return self._once(key, lambda: geometry_of(kind, geom.arguments, geometry))
            mesh = self.model.meshes[geom.mesh]
            if geometry == MESH:
                return self._surfaces.surface(mesh)
            return self._once(f"convex {geom.mesh}", lambda: ConvexMesh(self._surfaces.hull(mesh)))
        except RobotError:
            raise
        except SurfaceError as error:
            mend = "" if self.options.repair else "; repair=True mends what can be mended"
            raise RobotError(f"{where}: {error}{mend}") from error
        except PolycontactError as error:
            raise RobotError(f"{where}: {error}") from error

    def _once(self, key: str, make: Callable[[], Geometry]) -> Geometry:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]
