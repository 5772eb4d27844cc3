"""The contact method for convex shapes, and the names of these shapes in files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polycontact.contact.kinds import described
from polycontact.surfaces import convex

if TYPE_CHECKING:
    from polycontact.contact.description import ContactDescription
    from polycontact.contact.methods import PreparedPair

SHAPES = {
    "convex_sphere": convex.Sphere,
    "convex_ellipsoid": convex.Ellipsoid,
    "convex_box": convex.Box,
    "convex_cylinder": convex.Cylinder,
    "convex_cone": convex.Cone,
    "convex_capsule": convex.Capsule,
    "convex_mesh": convex.ConvexMesh,
    "convex_user": convex.SupportShape,
}
"""Convex shapes by the kinds under which files know them."""

for _kind, _shape in SHAPES.items():
    described(_kind)(_shape)


@described("convex", part="method")
@dataclass(frozen=True, kw_only=True)
class ConvexMethod:
    """One contact point for each pair of convex shapes, by their signed distance (S4: GJK and penetration depth).

    Shapes are those of `polycontact.convex`, or surfaces that are convex. A point has the area 1: the stiffness of a
    law is then in N/m and its damping in N s/m.
    """

    def prepare(self, e: Any, f: Any, description: ContactDescription, name: str) -> PreparedPair:
        """Set-up of two convex shapes."""
        from polycontact.contact.convex_pair_setup import prepare_convex

        return prepare_convex(e, f, description, name)

    def margin(self, e: Any, f: Any) -> float:
        """Contact begins where shapes meet."""
        return 0.0
