"""The contact method for convex shapes, and the names of these shapes in files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polycontact.contact.kinds import described, described_in

if TYPE_CHECKING:
    from polycontact.contact.description import ContactDescription
    from polycontact.contact.methods import PreparedPair

_SHAPES = "polycontact.surfaces.convex"

described_in(
    {
        "convex_sphere": f"{_SHAPES}.primitives:Sphere",
        "convex_ellipsoid": f"{_SHAPES}.primitives:Ellipsoid",
        "convex_box": f"{_SHAPES}.primitives:Box",
        "convex_cylinder": f"{_SHAPES}.primitives:Cylinder",
        "convex_cone": f"{_SHAPES}.primitives:Cone",
        "convex_capsule": f"{_SHAPES}.primitives:Capsule",
        "convex_mesh": f"{_SHAPES}.convex_mesh:ConvexMesh",
        "convex_user": f"{_SHAPES}.user_shape:SupportShape",
    }
)


@described("convex", part="method")
@dataclass(frozen=True, kw_only=True)
class ConvexMethod:
    """Contact points of convex shapes, by their signed distance (S4: GJK and penetration depth).

    One point, or where a face or an edge lies on a face the corners of what they share. Shapes are those of
    `polycontact.convex`, or surfaces that are convex. A point has the area 1: the stiffness of a law is then in N/m
    and its damping in N s/m. Corners near to each other share the area of a point.
    """

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Data of the pair of convex shapes that all evaluations share."""
        from polycontact.contact.convex_pair_setup import prepare_convex

        return prepare_convex(e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """0: contact begins where the shapes meet."""
        return 0.0
