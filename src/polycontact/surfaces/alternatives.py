"""As what a shape can take part in contact: its mesh, or the same body as a convex, parametric or implicit geometry.

One shape, by its kind and dimensions, for every method: `geometry_of` makes the geometry, `alternatives_of` says which
there are. Dimensions and axes are those of ``polycontact.shapes``.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from polycontact.errors import SurfaceError
from polycontact.lazy_names import homes
from polycontact.surfaces import shapes
from polycontact.surfaces.geometry import Geometry

if TYPE_CHECKING:
    from polycontact.surfaces.surface import Surface

MESH: Final = "mesh"
GEOMETRIES: Final = (MESH, "convex", "parametric", "implicit")
"""As what shapes can take part in contact; each has its method."""

BOX_EXPONENT: Final = 20.0
"""Exponent of boxes and cylinders as implicit surfaces (S4.25)."""

KINDS: Final = (*sorted(homes(shapes.__name__)), MESH)
"""The shapes there are: functions of ``polycontact.shapes``, and "mesh" for a file."""

Make = Callable[..., Geometry]


def alternatives_of(kind: str) -> tuple[str, ...]:
    """Geometries that a shape of this ``kind`` can have in contact: "mesh" first, then others of `GEOMETRIES`."""
    _check_kind(kind)
    return tuple(geometry for geometry in GEOMETRIES if _maker(kind, geometry) is not None)


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
    found = _maker(kind, geometry)
    if found is None:
        hint = _HINTS.get((kind, geometry), f"or a shape that can: {_quoted(_exact(geometry))}")
        raise SurfaceError(f"{kind} cannot be {geometry}; take geometry = {_quoted(alternatives_of(kind))}, {hint}")
    return found


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise SurfaceError(f"there is no shape {kind!r}; give one of {_quoted(KINDS)}")


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


def _maker(kind: str, geometry: str) -> Make | None:
    """The function that makes a shape as a geometry; None where there is no such shape."""
    if geometry == MESH:
        return mesh_file if kind == MESH else getattr(shapes, kind)
    return _exact(geometry).get(kind)


def _exact(geometry: str) -> Mapping[str, Make]:
    """What makes a geometry that is no mesh, by kinds of shapes; imported when it is asked for."""
    makers: Mapping[str, Make] = import_module(f"polycontact.surfaces.exact_{geometry}").MAKERS
    return makers


def mesh_file(
    file: str | os.PathLike[str],
    unit: str | None = None,
    scale: float = 1.0,
    flip: bool = False,
    subdivisions: int = 0,
) -> Surface:
    """The shape "mesh": what a file holds, each triangle divided into 4^subdivisions."""
    from polycontact.surfaces.mesh_loading import load_surface

    surface = load_surface(file, unit=unit, scale=scale, flip=flip)
    return surface.subdivided(subdivisions) if subdivisions else surface


_HINTS: Final[Mapping[tuple[str, str], str]] = {
    ("plane", "convex"): 'or a "box" whose upper side lies in the plane',
    ("disc", "convex"): 'or a flat "cylinder" in its place',
    ("table", "convex"): "or a box for the top and one for each leg, as shapes of one body",
}
