"""The method of a contact that asks for none: it follows from the geometries of the two bodies."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import getattr_static
from typing import Any

from polycontact.contact.convex_kinds import ConvexMethod
from polycontact.contact.description import METHOD_OPTIONS, chosen_method
from polycontact.contact.methods import ContactMethod, PenetrationLines, PolygonalMethod
from polycontact.contact.node_block_options import NodeBlockMethod
from polycontact.contact.smooth_methods import ImplicitMethod, ParametricMethod
from polycontact.errors import ContactError
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.surface import Surface

_METHODS: Mapping[frozenset[str], type[ContactMethod]] = {
    frozenset(("mesh",)): PolygonalMethod,
    frozenset(("convex",)): ConvexMethod,
    frozenset(("parametric",)): ParametricMethod,
    frozenset(("parametric", "implicit")): ParametricMethod,
    frozenset(("implicit",)): ImplicitMethod,
}

_GEOMETRIES_OF_METHOD: Mapping[type, tuple[str, ...]] = {
    PolygonalMethod: ("mesh",),
    PenetrationLines: ("mesh",),
    NodeBlockMethod: ("mesh",),
    ConvexMethod: ("convex", "mesh"),
    ParametricMethod: ("parametric", "implicit"),
    ImplicitMethod: ("implicit",),
}
"""Geometries that each method of this package takes; a mesh for `ConvexMethod` must be convex."""


def geometry_name(geometry: Geometry) -> str | None:
    """ "mesh", "convex", "parametric" or "implicit"; None for a geometry of another kind."""
    if isinstance(geometry, Surface):
        return "mesh"
    # Their packages bring every such surface, which bodies with meshes do not need.
    from polycontact.surfaces.implicit.implicit_geometry import ImplicitGeometry
    from polycontact.surfaces.parametric.parametric_geometry import ParametricGeometry

    if isinstance(geometry, ParametricGeometry):
        return "parametric"
    if isinstance(geometry, ImplicitGeometry):
        return "implicit"
    return "convex" if getattr_static(geometry, "convex_core", None) is not None else None


def fitting_method(e: Geometry, f: Geometry) -> ContactMethod:
    """The usual method for two geometries, with its default options; `ContactError` where there is none for both."""
    own, other = geometry_name(e), geometry_name(f)
    if own is None or other is None:
        return PolygonalMethod()  # says itself what it expects
    found = _METHODS.get(frozenset((own, other)))
    if found is None:
        also = ', or, where the mesh is convex, take the method "convex"' if {own, other} == {"mesh", "convex"} else ""
        raise ContactError(
            f"{e.name} takes part in contact as {own}, {f.name} as {other}, and no method fits both; "
            f"give both the same geometry{also}"
        )
    return found()


def refuse_misfit(method: object, e: Geometry, f: Geometry) -> None:
    """Refuse a geometry that a method of this package does not take, before anything is prepared."""
    takes = _GEOMETRIES_OF_METHOD.get(type(method))
    for geometry in (e, f):
        name = geometry_name(geometry)
        if takes is not None and name is not None and name not in takes:
            raise ContactError(
                f"{type(method).__name__} takes {' and '.join(takes)} geometries, and {geometry.name} takes part in "
                f"contact as {name}; give it another geometry, or leave the method out, which then follows from the "
                f"geometries"
            )


def with_fitting_method(e: Geometry, f: Geometry, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a contact, see `describe_contact`, with the method itself: the fitting one where they ask for none."""
    if options.get("description") is not None:
        return dict(options)
    names = ("method", "generator", *METHOD_OPTIONS)
    found = chosen_method(**{name: options[name] for name in names if name in options})
    others = {name: value for name, value in options.items() if name not in names}
    return {**others, "method": fitting_method(e, f) if found is None else found}
