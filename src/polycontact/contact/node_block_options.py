"""The node–block method as a user sees it: its options (S3.1–S3.6, S3.10)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from polycontact.contact.kinds import described
from polycontact.contact.line_length import default_length
from polycontact.contact.methods import Base, PreparedPair, check_surfaces
from polycontact.contact.options import check_options, option
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.contact.description import ContactDescription


@described("node_block", part="method")
@dataclass(frozen=True, kw_only=True)
class NodeBlockMethod:
    """Nodes of the hitting body against the defence surface, whose box is divided into blocks (Cho and others, 2007).

    A vertex of the base that lies inside the target has its distance to the target's surface as depth, and a third of
    the triangles around it as area: one element, or one for each smooth sheet that meets there. A base whose vertices
    are far apart may miss the target between them.
    """

    base: Base = field(
        default=Base.AUTO,
        metadata=option(
            'whose vertices hit: "E" the first body, "F" the second, "both" averaged, "auto" the one with the finer '
            "mesh, or of two that are about as fine the sharper body; the other defends"
        ),
    )
    normal: Literal["base", "target"] = field(
        default="base",
        metadata=option(
            'direction of the forces: "base", along the normals of the smooth sheets that meet at a vertex, so that a '
            'box lies on its bottom and the work around closed paths goes to zero with finer meshes, or "target", '
            "along those of the target, with the whole area around a vertex, so that the force has an exact potential"
        ),
    )
    block_size: float | None = field(
        default=None,
        metadata=option(
            "side of the blocks into which the box of the target is divided; if left out about a mean edge of the "
            "target's triangles, with at least some 4,000 blocks and at most some sixteen a triangle",
            "m",
            above=0.0,
        ),
    )
    max_penetration: float | None = field(
        default=None,
        metadata=option(
            "how far behind an open target vertices touch; if left out two volumes over the area of the base, its "
            "thickness (a quarter of the root of the smaller area where both are open); a closed target pushes "
            "vertices out however deep they are",
            "m",
            above=0.0,
        ),
    )

    def __post_init__(self) -> None:
        check_options(self)

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Data of the pair of triangle meshes that all evaluations share; other surfaces raise an error."""
        from polycontact.contact.node_pair import prepare_nodes

        check_surfaces(name, e, f)
        return prepare_nodes(self, e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """Nodes touch an open target also where the whole body is behind it."""
        from polycontact.contact.base_choice import with_base

        chosen = with_base(self, e, f)[0].base
        targets = [surface for base, surface in ((Base.F, e), (Base.E, f)) if chosen in (base, Base.BOTH)]
        return 0.0 if all(surface.is_closed for surface in targets) else self.deepest(e, f)

    def deepest(self, e: Surface, f: Surface) -> float:
        """How deep behind an open surface vertices touch, m: as given, or by the thickness of both."""
        return default_length(e, f) if self.max_penetration is None else float(self.max_penetration)
