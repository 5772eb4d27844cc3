"""Shapes of a robot's links: which elements of a link count, and where their meshes are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polycontact.multibody.rigid_bodies import Shape
from polycontact.robots.mesh_shelf import MeshShelf
from polycontact.robots.shape_making import ShapeMaker, ShapeOptions, can_be_drawn
from polycontact.robots.urdf.mesh_files import Packages, check_packages, find_mesh
from polycontact.robots.urdf.urdf_robot import UrdfLink, UrdfRobot, UrdfShape
from polycontact.surfaces.alternatives import MESH
from polycontact.surfaces.reading.source import shown
from polycontact.surfaces.surface import Surface


def chosen_shapes(link: UrdfLink, contact: str | None) -> tuple[tuple[UrdfShape, ...], bool]:
    """The elements of a link that count, and whether they take part in contact; else they are a picture only."""
    if contact == "collision" and link.collisions:
        return link.collisions, True
    if contact == "visual":
        return link.visuals, True
    seen = any(can_be_drawn(shape.file) for shape in link.visuals)
    return link.visuals if seen or not link.collisions else link.collisions, False


def needed_meshes(robot: UrdfRobot, contact: str | None) -> Iterator[UrdfShape]:
    """The mesh files, as written, that are read for a robot."""
    for link in robot.links.values():
        chosen, touches = chosen_shapes(link, contact)
        yield from (shape for shape in chosen if shape.kind == MESH and (touches or can_be_drawn(shape.file)))


@dataclass(eq=False)
class LinkMeshes:
    """Meshes of a robot's links, looked for beside its file and in ``packages``, folders by name."""

    robot: UrdfRobot
    packages: Packages | None
    shelf: MeshShelf

    def written(self, shape: UrdfShape) -> str:
        """The file of a mesh as the URDF file has it."""
        return shape.file

    def surface(self, shape: UrdfShape) -> Surface:
        """The mesh with its scale."""
        return self.shelf.surface(find_mesh(self.robot, shape, self.packages), shape.scale)

    def convex(self, shape: UrdfShape) -> Surface:
        """The mesh itself, which must be convex."""
        return self.surface(shape)


class LinkShapes:
    """Makes the shapes of a robot's bodies; ``left_out`` lists pictures that cannot be."""

    def __init__(self, robot: UrdfRobot, options: ShapeOptions, packages: Packages | None = None) -> None:
        check_packages(packages)
        self._contact = options.contact
        meshes = LinkMeshes(robot, packages, MeshShelf(options.repair))
        self._maker = ShapeMaker(robot.file.name, options, meshes)
        self.left_out = self._maker.left_out

    def shapes_of(self, link: UrdfLink) -> list[Shape]:
        """Shapes of the body of a link; those without a colour have that of its first visual element with one."""
        chosen, touches = chosen_shapes(link, self._contact)
        colour = next((shape.colour for shape in link.visuals if shape.colour is not None), None)
        return self._maker.shapes_of(f"link {shown(link.name)}", chosen, touches, colour)
