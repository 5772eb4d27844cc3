"""Shapes as convex bodies: how each is made from the arguments of its mesh."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from polycontact.surfaces import convex, shapes
from polycontact.surfaces.alternatives import Make, mesh_file
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.surface import Surface


def _convex_cone(radius: float, height: float, edge_radius: float = 0.0) -> Geometry:
    return convex.Cone(radius, height, edge_radius)


def _full_cylinder(module: float, teeth: int, width: float, edge_radius: float = 0.0) -> Geometry:
    """A gear as the solid cylinder within its tip circle (S4.8)."""
    module = check.length("spur_gear", "module", module)
    tip = module * (0.5 * check.count("spur_gear", "teeth", teeth, 1) + 1.0)
    return convex.gearwheel(tip, check.length("spur_gear", "width", width), edge_radius=edge_radius)


def _convex_of_mesh(make_mesh: Callable[..., Surface]) -> Make:
    """The solid inside a mesh that must be convex; it has the arguments of the mesh, and an edge radius."""

    def make(edge_radius: float = 0.0, **arguments: Any) -> Geometry:
        return convex.ConvexMesh(make_mesh(**arguments), edge_radius)

    own = inspect.signature(make_mesh)
    rounding = inspect.Parameter("edge_radius", inspect.Parameter.KEYWORD_ONLY, default=0.0)
    make.__signature__ = own.replace(parameters=[*own.parameters.values(), rounding])  # type: ignore[attr-defined]
    return make


MAKERS: Final[Mapping[str, Make]] = {
    "box": convex.Box,
    "sphere": convex.Sphere,
    "ellipsoid": convex.Ellipsoid,
    "capsule": convex.Capsule,
    "cylinder": convex.Cylinder,
    "cone": _convex_cone,
    "spur_gear": _full_cylinder,
    "extrude": _convex_of_mesh(shapes.extrude),
    "revolve": _convex_of_mesh(shapes.revolve),
    "mesh": _convex_of_mesh(mesh_file),
}
"""What makes the exact convex shape, for each kind of shape that has one."""
