"""Shapes of a robot's links as shapes of bodies: what touches, what is only seen, and as what geometry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from polycontact.contact.layers import ElasticLayer
from polycontact.errors import PolycontactError, RobotError, SurfaceError
from polycontact.multibody.rigid_bodies import Shape
from polycontact.robots.mesh_shelf import MeshShelf
from polycontact.robots.urdf.description import UrdfLink, UrdfRobot, UrdfShape
from polycontact.robots.urdf.mesh_files import Packages, check_packages, find_mesh
from polycontact.surfaces.alternatives import MESH, geometry_of
from polycontact.surfaces.convex import ConvexMesh
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.reading.sniffing import EXTENSIONS
from polycontact.surfaces.reading.source import shown

CONTACTS: Final = ("collision", "visual")
"""Elements of links that can take part in contact."""

GEOMETRIES: Final = (MESH, "convex")
"""As what they can."""


@dataclass(frozen=True)
class ShapeOptions:
    """How shapes of links become shapes of bodies.

    ``contact``: "collision" or "visual", which elements take part in contact, None for no contact; ``geometry``: as
    what, "mesh" or "convex"; ``layer``: their elastic layer; ``packages``: folders by name; ``repair``: mend meshes.
    """

    contact: str | None = "collision"
    geometry: str = MESH
    layer: ElasticLayer | None = None
    packages: Packages | None = None
    repair: bool = False

    def __post_init__(self) -> None:
        if self.contact is not None and self.contact not in CONTACTS:
            raise RobotError(f'contact is {self.contact!r}; give "collision", "visual", or None for no contact')
        if self.geometry not in GEOMETRIES:
            raise RobotError(f'geometry is {self.geometry!r}; give "mesh" or "convex"')
        check_packages(self.packages)


def chosen_shapes(link: UrdfLink, contact: str | None) -> tuple[tuple[UrdfShape, ...], bool]:
    """The elements of a link that count, and whether they take part in contact; else they are a picture only."""
    if contact == "collision" and link.collisions:
        return link.collisions, True
    if contact == "visual":
        return link.visuals, True
    seen = any(_can_be_drawn(shape) for shape in link.visuals)
    return link.visuals if seen or not link.collisions else link.collisions, False


def needed_meshes(robot: UrdfRobot, contact: str | None) -> Iterator[UrdfShape]:
    """The mesh files, as written, that are read for a robot."""
    for link in robot.links.values():
        chosen, touches = chosen_shapes(link, contact)
        yield from (shape for shape in chosen if shape.kind == MESH and (touches or _can_be_drawn(shape)))


def _can_be_drawn(shape: UrdfShape) -> bool:
    return shape.kind != MESH or Path(shape.file).suffix.lower() in EXTENSIONS


@dataclass(eq=False)
class ShapeMaker:
    """Makes the shapes of a robot's bodies; equal ones share a geometry. ``left_out`` lists pictures that cannot be."""

    robot: UrdfRobot
    options: ShapeOptions
    left_out: list[str] = field(default_factory=list)
    _made: dict[str, Geometry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._meshes = MeshShelf(self.options.repair)

    def shapes_of(self, link: UrdfLink) -> list[Shape]:
        """Shapes of the body of a link."""
        chosen, touches = chosen_shapes(link, self.options.contact)
        colour = next((shape.colour for shape in link.visuals if shape.colour is not None), None)
        made = []
        for shape in chosen:
            geometry = self._geometry(link, shape, touches)
            if geometry is not None:
                made.append(
                    Shape(
                        geometry,
                        shape.frame.position,
                        shape.frame.rotation,
                        contact=touches,
                        layer=self.options.layer if touches else None,
                        colour=shape.colour or colour,
                    )
                )
        return made

    def _geometry(self, link: UrdfLink, shape: UrdfShape, touches: bool) -> Geometry | None:
        """The geometry of a shape; None for a picture in a format that nobody here reads."""
        kind = self.options.geometry if touches else MESH
        where = f"{self.robot.file.name}: line {shape.line}: link {shown(link.name)}"
        try:
            if shape.kind != MESH:
                made = f"{shape.kind} {kind} {shape.arguments!r}"
                return self._once(made, lambda: geometry_of(shape.kind, shape.arguments, kind))
            if not (touches or _can_be_drawn(shape)):
                self.left_out.append(f"line {shape.line}: link {shown(link.name)}: the picture {shown(shape.file)}")
                return None
            mesh = self._meshes.surface(find_mesh(self.robot, shape, self.options.packages), shape.scale)
            return mesh if kind == MESH else self._once(f"convex {id(mesh)}", lambda: ConvexMesh(mesh))
        except SurfaceError as error:
            mend = "" if self.options.repair else "; repair=True mends what can be mended"
            raise RobotError(f"{where}: {error}{mend}") from error
        except RobotError:
            raise
        except PolycontactError as error:
            raise RobotError(f"{where}: {error}") from error

    def _once(self, key: str, make: Callable[[], Geometry]) -> Geometry:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]
