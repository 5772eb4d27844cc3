"""As what a shape can take part in contact: its mesh, or the same body as a convex, parametric or implicit geometry.

One shape, by its kind and dimensions, for every method: `geometry_of` makes the geometry, `alternatives_of` says which
there are. Dimensions and axes are those of ``polycontact.shapes``.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from polycontact.errors import SurfaceError
from polycontact.surfaces import convex, implicit, parametric, shapes
from polycontact.surfaces.geometry import Geometry
from polycontact.surfaces.mesh_loading import load_surface
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.surface import Surface

MESH: Final = "mesh"
GEOMETRIES: Final = (MESH, "convex", "parametric", "implicit")
"""As what shapes can take part in contact; each has its method."""

BOX_EXPONENT: Final = 20.0
"""Exponent of boxes and cylinders as implicit surfaces (S4.25)."""

Make = Callable[..., Geometry]


def alternatives_of(kind: str) -> tuple[str, ...]:
    """As what a shape of this ``kind`` can take part in contact: "mesh" first, then others of `GEOMETRIES`."""
    _check_kind(kind)
    return tuple(geometry for geometry in GEOMETRIES if kind in _makers(geometry))


def geometry_of(kind: str, arguments: Mapping[str, Any], geometry: str = MESH) -> Geometry:
    """A shape as "mesh", "convex", "parametric" or "implicit" ``geometry``, in the frame of ``polycontact.shapes``.

    ``kind``: a function of ``polycontact.shapes``, or "mesh" for a ``file``. ``arguments``: those of this function, and
    ``edge_radius`` (m) of convex geometries or ``exponent`` of boxes and cylinders as implicit ones. What only says how
    fine the mesh is (subdivisions, segments, …) changes nothing else. A `SurfaceError` says what the shape can be.
    """
    check_choice(kind, arguments, geometry)
    make, known = _make(kind, geometry), keys_of(kind, geometry)
    given = {key: value for key, value in arguments.items() if key in known}
    missing = [key for key in known if key not in given and _parameters(make)[key].default is inspect.Parameter.empty]
    if missing:
        raise SurfaceError(f"{kind}: {' and '.join(missing)} missing; it has {', '.join(known)}")
    return make(**given)


def check_choice(kind: str, arguments: Iterable[str], geometry: str) -> None:
    """Refuse a ``geometry`` that a shape cannot be, and names of ``arguments`` that mean nothing to it."""
    known = keys_of(kind, geometry)
    meaningless = [key for key in arguments if key not in known and key not in keys_of(kind, MESH)]
    if meaningless:
        raise SurfaceError(f"{kind}: {_misfit(kind, geometry, meaningless[0])}; it has {', '.join(known)}")


def keys_of(kind: str, geometry: str) -> tuple[str, ...]:
    """Arguments of a shape that count for a ``geometry``."""
    return tuple(_parameters(_make(kind, geometry)))


def has_own_mass(kind: str, geometry: str) -> bool:
    """Whether the mass of the geometry is that of the shape; a gear that is a full cylinder in contact weighs less."""
    return (kind, geometry) != ("spur_gear", "convex")


def _make(kind: str, geometry: str) -> Make:
    _check_kind(kind)
    if geometry not in GEOMETRIES:
        raise SurfaceError(f"{kind}: geometry is {geometry!r}; give one of {_quoted(GEOMETRIES)}")
    found = _makers(geometry).get(kind)
    if found is None:
        hint = _HINTS.get((kind, geometry), f"or a shape that can: {_quoted(_makers(geometry))}")
        raise SurfaceError(f"{kind} cannot be {geometry}; take geometry = {_quoted(alternatives_of(kind))}, {hint}")
    return found


def _check_kind(kind: str) -> None:
    if kind not in _makers(MESH):
        raise SurfaceError(f"there is no shape {kind!r}; give one of {_quoted(_makers(MESH))}")


def _misfit(kind: str, geometry: str, key: str) -> str:
    others = [each for each in alternatives_of(kind) if key in keys_of(kind, each)]
    if others:
        return f'{key} belongs to geometry = {_quoted(others)}, not to "{geometry}"; leave it out, or change geometry'
    return f"as {geometry} it has no {key}; leave it out"


def _quoted(words: Sequence[str] | Mapping[str, Any]) -> str:
    return ", ".join(f'"{word}"' for word in words)


@cache
def _parameters(make: Make) -> dict[str, inspect.Parameter]:
    return {name: each for name, each in inspect.signature(make).parameters.items() if name != "name"}


def _makers(geometry: str) -> Mapping[str, Make]:
    return _MAKERS[geometry]


def _mesh_file(
    file: str | os.PathLike[str], unit: str | None = None, scale: float = 1.0, flip: bool = False
) -> Surface:
    return load_surface(file, unit=unit, scale=scale, flip=flip)


def _convex_cone(radius: float, height: float, edge_radius: float = 0.0) -> Geometry:
    return convex.Cone(radius, height, edge_radius)


def _full_cylinder(module: float, teeth: int, width: float, edge_radius: float = 0.0) -> Geometry:
    """A gear by its tip circle (S4.8)."""
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


def _parametric_sphere(radius: float) -> Geometry:
    return parametric.Ellipsoid(check.lengths("sphere", "radius", radius, 3), "sphere")  # type: ignore[arg-type]


def _implicit_ellipsoid(semi_axes: Sequence[float]) -> Geometry:
    axes = check.lengths("ellipsoid", "semi_axes", semi_axes, 3)
    return implicit.SuperEllipsoid(axes, exponent=2.0, name="ellipsoid")  # type: ignore[arg-type]


def _implicit_box(size: Sequence[float], exponent: float = BOX_EXPONENT) -> Geometry:
    half = tuple(0.5 * each for each in check.lengths("box", "size", size, 3))
    return implicit.SuperEllipsoid(half, exponent=exponent, name="box")  # type: ignore[arg-type]


def _implicit_cylinder(radius: float, length: float, exponent: float = BOX_EXPONENT) -> Geometry:
    radius, length = check.length("cylinder", "radius", radius), check.length("cylinder", "length", length)
    half = (radius, radius, 0.5 * length)
    return implicit.SuperEllipsoid(half, exponent=exponent, cross_exponent=2.0, axis="z", name="cylinder")


def _half_space(size: float | Sequence[float]) -> Geometry:
    x, y = check.lengths("plane", "size", size, 2)
    if x != y:
        raise SurfaceError(
            f'plane: size = {size!r} m; as "implicit" it is a half-space, whose contact is looked for over a '
            f"square: give one length"
        )
    return implicit.HalfSpace(x, 0.5 * x, "plane")


_MAKERS: Final[Mapping[str, Mapping[str, Make]]] = {
    MESH: {name: getattr(shapes, name) for name in shapes.__all__} | {"mesh": _mesh_file},
    "convex": {
        "box": convex.Box,
        "sphere": convex.Sphere,
        "ellipsoid": convex.Ellipsoid,
        "capsule": convex.Capsule,
        "cylinder": convex.Cylinder,
        "cone": _convex_cone,
        "spur_gear": _full_cylinder,
        "extrude": _convex_of_mesh(shapes.extrude),
        "revolve": _convex_of_mesh(shapes.revolve),
        "mesh": _convex_of_mesh(_mesh_file),
    },
    "parametric": {
        "sphere": _parametric_sphere,
        "ellipsoid": parametric.Ellipsoid,
        "plane": parametric.Plane,
        "paraboloid": parametric.Paraboloid,
        "cosine_surface": parametric.CosineSurface,
    },
    "implicit": {
        "sphere": implicit.Sphere,
        "ellipsoid": _implicit_ellipsoid,
        "box": _implicit_box,
        "cylinder": _implicit_cylinder,
        "plane": _half_space,
    },
}

_HINTS: Final[Mapping[tuple[str, str], str]] = {
    ("plane", "convex"): 'or a "box" whose upper side lies in the plane',
    ("disc", "convex"): 'or a flat "cylinder" in its place',
    ("table", "convex"): "or a box for the top and one for each leg, as shapes of one body",
}
