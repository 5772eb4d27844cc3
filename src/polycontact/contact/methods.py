"""Contact methods: how two bodies become a table of contact elements.

A method is one class with its options, and `prepare`, which makes the set-up of a pair once. What it leaves behind, a
report and a table of elements, is the same for all, so nothing else knows which method a pair has.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from polycontact.contact.kinds import described
from polycontact.contact.line_length import default_length
from polycontact.contact.options import check_options, option
from polycontact.errors import ContactError
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.contact.contact_memory import LawMemories
    from polycontact.contact.description import ContactDescription
    from polycontact.kernels.contact.contact_report import ContactReport
    from polycontact.kernels.contact.element_table import ElementTable


class Base(enum.Enum):
    """The surface whose triangles become contact elements (the paper's master), or both, averaged.

    AUTO: the sharper, finer or smaller of the two surfaces, see `base_choice`.
    """

    E = "E"
    F = "F"
    BOTH = "both"
    AUTO = "auto"


class EvaluationMemory(Protocol):
    """Memory of one evaluation. Several may share the set-up of a pair; each is used by one thread at a time."""

    @property
    def address(self) -> int:
        """Address of the row that the method's entry gets; it does not change."""

    @property
    def report(self) -> ContactReport:
        """Results of the last evaluation, at the start of the row."""

    @property
    def elements(self) -> ElementTable:
        """Contact elements of the last evaluation."""

    def grow(self, status: int) -> None:
        """Enlarge the memory that was too small, as the bits of ``status`` say."""

    def commit(self) -> None:
        """The last evaluation belongs to an accepted step: what laws remember changes now."""

    def leave(self) -> None:
        """The bodies are far apart: what laws do not keep of elements that have left is forgotten."""

    def remembered(self) -> LawMemories:
        """Copies of what the contact laws remember of elements."""

    def remember(self, remembered: LawMemories) -> None:
        """Take over what `remembered` gave; other laws remember nothing."""


class PreparedPair(Protocol):
    """The set-up of a pair: it never changes.

    A method that knows the derivative of its wrench offers it as ``wrench_derivative(R, r, v, w)``, see
    `ContactPairing.wrench_derivative`; one that knows the distance of its bodies as ``distance(R, r)``, which returns a
    `Distance`. One that knows it in compiled code, cheaply and with the sign that decides about contact, offers its
    address as ``gap_entry``: called as `entry` is, it writes the signed distance (m) as the first of the six numbers,
    however far apart the bodies are, and events are found as its roots. Where ``shares_work`` is true, `make_memory`
    takes a `SharedWork` that memories of one thread have in common.
    """

    @property
    def entry(self) -> int:
        """Address of compiled code (row, kinematics, wrench; by addresses) that evaluates and returns a status."""

    def make_memory(self) -> EvaluationMemory:
        """Memory for one evaluation at a time."""


@runtime_checkable
class ContactMethod(Protocol):
    """How contact elements are found.

    A method with states of its own says how many by an attribute ``n_states``; they are integrated with the system.
    """

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Set-up of a pair of geometries; errors begin with ``name``."""

    def margin(self, e: Any, f: Any) -> float:
        """How far beyond its geometry a body already takes part in contact, m."""


_BASE = option(
    'whose triangles become contact elements: "E" the first body, "F" the second, "both" averaged, "auto" the sharper '
    "body, or of two that are about as sharp the one with the finer mesh"
)
_SAMPLED_BASE = option(
    'whose triangles become contact elements: "E" the first body, "F" the second, "both" averaged, "auto" the one with '
    "the finer mesh, or of two that are about as fine the sharper body"
)
_DIRECTION = (
    '"base_normal" along the base\'s normal, with flanks faded out, as the paper has it; "target_normal" projected on '
    "the target's normal, without fading"
)
_LINE_DEPTH = option(f"direction of the depth: {_DIRECTION}")
_DEPTH = option(
    'how the depth is measured: "distance" to the nearest point of the target, so that the force has a potential and '
    f"is right at edges and corners too; {_DIRECTION}"
)


def check_surfaces(name: str, e: object, f: object) -> None:
    """Raise an error if ``e`` or ``f`` is not a `Surface`."""
    for what, surface in (("e", e), ("f", f)):
        if not isinstance(surface, Surface):
            raise ContactError(f"{name}: {what} is {surface!r}; expected a Surface, see load_surface")


@described("polygonal", part="method")
@dataclass(frozen=True, kw_only=True)
class PolygonalMethod:
    """Intersection polygons, active areas and elements on the triangles of the base (the PCM paper, section 3)."""

    base: Base = field(default=Base.AUTO, metadata=_BASE)
    elements: Literal["clipped", "whole"] = field(
        default="clipped",
        metadata=option(
            'boundary triangles: "clipped" at the intersection polygon, so that the force is continuous in the pose '
            "(with depths along normals it jumps where an element slides past a sharp edge of the target: let the body "
            'with sharp edges be the base then), or "whole", as in the paper'
        ),
    )
    depth: Literal["distance", "base_normal", "target_normal"] = field(default="distance", metadata=_DEPTH)
    tolerance: float = field(
        default=5e-3,
        metadata=option(
            'for the depth "distance" only: what the integration over all elements together may miss, as a share of '
            "the load (the integral of the pressure over the area)",
            above=0.0,
        ),
    )
    containment: Literal["warn", "error"] = field(
        default="warn",
        metadata=option(
            '"warn" or "error" if a body lies wholly inside the other; with the depth "distance" it is pushed out '
            "towards the nearest surface, with other depths it gets no force"
        ),
    )

    def __post_init__(self) -> None:
        check_options(self)

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Data of the pair of triangle meshes that all evaluations share; other surfaces raise an error."""
        from polycontact.contact.mesh_pair import prepare_polygonal

        check_surfaces(name, e, f)
        return prepare_polygonal(self, e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """Contact begins where surfaces meet."""
        return 0.0


def has_distance_depth(method: object) -> bool:
    """Whether depths are distances to the target: elements are cells of triangles, contained bodies are pushed out."""
    return isinstance(method, PolygonalMethod) and method.depth == "distance"


@described("penetration_lines", part="method")
@dataclass(frozen=True, kw_only=True)
class PenetrationLines:
    """Lines from the barycentres of the base into the body, against the target (the PCM author's way of 2023).

    Tolerates open and imperfect meshes, knows whole triangles only.
    """

    base: Base = field(default=Base.AUTO, metadata=_SAMPLED_BASE)
    depth: Literal["base_normal", "target_normal"] = field(default="base_normal", metadata=_LINE_DEPTH)
    max_penetration: float | None = field(
        default=None,
        metadata=option(
            "length of the lines, deeper contacts are not seen; if left out two volumes over the area of the thinner "
            "body: the thickness of a plate, the radius of a rod, the wall of a pipe, two thirds of the radius of a "
            "ball (an open surface has no thickness; between two of them a quarter of the root of the smaller area)",
            "m",
            above=0.0,
        ),
    )

    def __post_init__(self) -> None:
        check_options(self)

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Data of the pair of triangle meshes that all evaluations share; other surfaces raise an error."""
        from polycontact.contact.mesh_pair import prepare_lines

        check_surfaces(name, e, f)
        return prepare_lines(self, e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """Lines look beyond the surfaces by their length."""
        return self.line_length(e, f)

    def line_length(self, e: Surface, f: Surface) -> float:
        """Length of the lines between two surfaces, m: as given, or by the thickness of both, in any axes and order."""
        return default_length(e, f) if self.max_penetration is None else float(self.max_penetration)
