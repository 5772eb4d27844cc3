"""Shapes of a model file as shapes of bodies: what touches, what is only seen, and as what geometry.

Formats differ in which of their elements count and where their meshes are; all else is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from polycontact.contact.laws import ContactProperties
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.materials import Material
from polycontact.errors import PolycontactError, RobotError, SurfaceError
from polycontact.multibody.rigid_bodies import Shape
from polycontact.robots.model_files import CONTACTS, GEOMETRIES
from polycontact.robots.parent_frames import Frame
from polycontact.surfaces.alternatives import MESH, geometry_of
from polycontact.surfaces.convex import ConvexMesh
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.reading.sniffing import EXTENSIONS
from polycontact.surfaces.reading.source import shown
from polycontact.surfaces.surface import Surface


@dataclass(frozen=True)
class ShapeOptions:
    """How elements of a file become shapes of bodies.

    ``contact``: "collision" or "visual", which elements take part in contact, None for no contact; ``geometry``: as
    what, "mesh" or "convex"; ``layer``, ``material``, ``contact_properties``: of what touches, see `Shape`; ``repair``:
    mend meshes.
    """

    contact: str | None = "collision"
    geometry: str = MESH
    layer: ElasticLayer | None = None
    repair: bool = False
    material: str | Material | None = None
    contact_properties: ContactProperties | None = None

    def __post_init__(self) -> None:
        if self.contact is not None and self.contact not in CONTACTS:
            raise RobotError(f'contact is {self.contact!r}; give "collision", "visual", or None for no contact')
        if self.geometry not in GEOMETRIES:
            raise RobotError(f'geometry is {self.geometry!r}; give "mesh" or "convex"')

    @property
    def of_contacts(self) -> dict[str, Any]:
        """Options of the `Shape` of what touches."""
        return {"layer": self.layer, "material": self.material, "contact_properties": self.contact_properties}


class ShapeElement(Protocol):
    """What formats say alike of a shape."""

    @property
    def kind(self) -> str:
        """A kind of ``polycontact.shapes``, "plane" or "mesh"."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Those of its kind; of a plane, those of the box that it is here."""
        ...

    @property
    def frame(self) -> Frame:
        """Position and rotation of the shape in its body."""
        ...

    @property
    def colour(self) -> str | None:
        """Colour as "#rrggbb"; None where the file gives none."""
        ...

    @property
    def line(self) -> int:
        """Line of the element in the file, for error messages."""
        ...


AnyElement = TypeVar("AnyElement", bound=ShapeElement)
Reads = TypeVar("Reads", bound=ShapeElement, contravariant=True)


class ElementMeshes(Protocol[Reads]):
    """Where a format has the meshes of its elements; equal meshes are one surface, which is kept."""

    def written(self, element: Reads) -> str:
        """The mesh file of an element as the model file has it; empty where it has none."""
        ...

    def surface(self, element: Reads) -> Surface:
        """The mesh of an element, in its frame."""
        ...

    def convex(self, element: Reads) -> Surface:
        """The mesh that it is as a convex body."""
        ...


def can_be_drawn(mesh_file: str) -> bool:
    """Whether a mesh file is in a format that is read here; an element without one always is."""
    return not mesh_file or Path(mesh_file).suffix.lower() in EXTENSIONS


@dataclass(eq=False)
class ShapeMaker(Generic[AnyElement]):
    """Makes the shapes of a model's bodies; equal ones share a geometry. ``left_out`` lists pictures that cannot be.

    ``file`` is the name of the model file.
    """

    file: str
    options: ShapeOptions
    meshes: ElementMeshes[AnyElement]
    left_out: list[str] = field(default_factory=list)
    _made: dict[str, Geometry] = field(default_factory=dict)

    def shapes_of(
        self, owner: str, elements: Iterable[AnyElement], touches: bool, colour: str | None = None
    ) -> list[Shape]:
        """Shapes of the body that messages call ``owner``; ``colour``: that of elements without one."""
        made = []
        for element in elements:
            picture = self.meshes.written(element)
            if not (touches or can_be_drawn(picture)):
                self.left_out.append(f"line {element.line}: {owner}: the picture {shown(picture)}")
                continue
            with self._told_at(element.line, owner):
                geometry = self._geometry(element, self.options.geometry if touches else MESH)
            R, r = element.frame
            own = self.options.of_contacts if touches else {}
            made.append(Shape(geometry, r, R, contact=touches, colour=element.colour or colour, **own))
        return made

    def _geometry(self, element: AnyElement, geometry: str) -> Geometry:
        if element.kind != MESH:
            kind = "box" if element.kind == "plane" else element.kind
            key = f"{kind} {geometry} {element.arguments!r}"
            return self._once(key, lambda: geometry_of(kind, element.arguments, geometry))
        if geometry == MESH:
            return self.meshes.surface(element)
        mesh = self.meshes.convex(element)
        return self._once(f"convex {id(mesh)}", lambda: ConvexMesh(mesh))

    def _once(self, key: str, make: Callable[[], Geometry]) -> Geometry:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    @contextmanager
    def _told_at(self, line: int, owner: str) -> Iterator[None]:
        """Errors within get the line and the owner, unless they name a place already."""
        try:
            yield
        except RobotError:
            raise
        except PolycontactError as error:
            mendable = isinstance(error, SurfaceError) and not self.options.repair
            mend = "; repair=True mends what can be mended" if mendable else ""
            raise RobotError(f"{self.file}: line {line}: {owner}: {error}{mend}") from error
