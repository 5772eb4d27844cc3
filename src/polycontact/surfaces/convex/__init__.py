"""Convex shapes by their support mappings, for `ConvexMethod`; use them as ``polycontact.convex``.

Lengths are in m, axes as those of ``polycontact.shapes``. With an ``edge_radius`` shapes are rounded by spheres where
they touch; picture and mass are those of the shape without it.
"""

from __future__ import annotations

from polycontact.surfaces.convex.convex_mesh import ConvexMesh
from polycontact.surfaces.convex.primitives import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from polycontact.surfaces.convex.stand_ins import gearwheel, pipe, spring
from polycontact.surfaces.convex.user_shape import SupportShape, support_mapping

__all__ = [
    "Box",
    "Capsule",
    "Cone",
    "ConvexMesh",
    "Cylinder",
    "Ellipsoid",
    "Sphere",
    "SupportShape",
    "gearwheel",
    "pipe",
    "spring",
    "support_mapping",
]
