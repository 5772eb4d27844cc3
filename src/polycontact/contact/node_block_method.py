"""The node–block method as a user sees it: its options (S3.1–S3.10)."""

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

    One element a vertex of the base that lies inside the target, with its distance to the target's surface as depth.
    Quick where the base has few vertices; a base much coarser than the target may miss it between its vertices.
    """

    base: Base = field(
        default=Base.E,
        metadata=option('whose vertices hit: "E" the first body, "F" the second, "both" averaged; the other defends'),
    )
    areas: Literal["facing", "whole"] = field(
        default="facing",
        metadata=option(
            'area with which a vertex counts: "facing", a third of the triangles around it as far as they face the '
            'target, so that flanks do not count, or "whole", so that the force has an exact potential'
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
        """Set-up of two surfaces."""
        from polycontact.contact.node_pair import prepare_nodes

        check_surfaces(name, e, f)
        return prepare_nodes(self, e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """Nodes touch an open target also where the whole body is behind it."""
        targets = [surface for base, surface in ((Base.F, e), (Base.E, f)) if self.base in (base, Base.BOTH)]
        return 0.0 if all(surface.is_closed for surface in targets) else self.deepest(e, f)

    def deepest(self, e: Surface, f: Surface) -> float:
        """How deep behind an open surface vertices touch, m: as given, or by the thickness of both."""
        return default_length(e, f) if self.max_penetration is None else float(self.max_penetration)
