"""Any source of a mesh (file, arrays, surface) as unchecked arrays."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.surfaces.reading.raw_mesh import RawMesh

SurfaceSource: TypeAlias = "str | os.PathLike[str] | Surface | RawMesh | tuple[ArrayLike, ArrayLike]"
"""What can be checked and repaired: a file, a surface, a mesh as read, or (vertices, triangles)."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices (n, 3) float64 in m and triangles (m, 3) int64 in which nothing has been judged yet."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    name: str = "surface"
    notes: tuple[str, ...] = ()


def mesh_from(source: SurfaceSource) -> Mesh:
    """The arrays of ``source``; a `SurfaceError` where it cannot be read or is no mesh at all."""
    if isinstance(source, Surface):
        return Mesh(source.vertices, source.triangles.astype(np.int64), source.name)
    if isinstance(source, (str, os.PathLike)):
        from polycontact.surfaces.reading import read_mesh

        return _from_raw(read_mesh(source))
    if isinstance(source, (tuple, list)):
        if len(source) != 2:
            raise SurfaceError(f"a mesh as a tuple is (vertices, triangles), not {len(source)} items")
        return Mesh(_vertex_array(source[0]), _triangle_array(source[1]))
    if hasattr(source, "vertices") and hasattr(source, "triangles"):
        return _from_raw(source)
    raise SurfaceError(
        f"cannot make a mesh of a {type(source).__name__}; give a path, a Surface or (vertices, triangles)"
    )


def _from_raw(raw: RawMesh) -> Mesh:
    scale = 1.0 if raw.unit is None else raw.unit
    return Mesh(_vertex_array(raw.vertices) * scale, _triangle_array(raw.triangles), raw.name, tuple(raw.notes))


def _vertex_array(values: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SurfaceError(f"vertices are not an array of numbers: {error}") from error
    return _three_columns(array, "vertices")


def _triangle_array(values: ArrayLike) -> NDArray[np.int64]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise SurfaceError(f"triangles are not an array of integers: {error}") from error
    if array.size and array.dtype.kind not in "iu":
        raise SurfaceError(f"triangles have type {array.dtype}; expected integers, indices of vertices")
    return _three_columns(array.astype(np.int64), "triangles")


def _three_columns(array: NDArray[Any], what: str) -> NDArray[Any]:
    if array.size == 0:
        return array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise SurfaceError(f"{what} have shape {array.shape}; expected (n, 3)")
    return array
