"""A surface that has lost a layer by wear: its vertices moved in by what a map on its triangles tells.

In: a depth for each triangle. Out: the same triangles with other vertices. Around a vertex the triangles that join
smoothly are one sheet, which moves in by the mean depth of its triangles, weighted by their areas, so that the volume
that is lost is the integral of the map; a vertex on a sharp edge moves so that each of its sheets moves by its own
depth: the sides of a block stay where they are when its bottom wears.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.inspection.self_intersections import find_self_intersections
from polycontact.surfaces.surface import Surface
from polycontact.surfaces.vertex_normals import corner_groups
from polycontact.tolerances import FEATURE_ANGLE, PARALLEL_SHEETS, WELD_TOLERANCE

Array = NDArray[np.float64]


def worn_surface(surface: Surface, depth: ArrayLike) -> Surface:
    """``surface`` without a layer of ``depth`` (n_triangles,), m; see `Surface.worn`."""
    depths = _checked(surface, depth)
    if not depths.any():
        return surface
    try:
        moved = surface.with_vertices(surface.vertices - _motion(surface, depths))
    except SurfaceError as error:
        raise _too_deep(surface, depths, f"triangles lose all their area ({error})") from error
    _refuse_flipped(surface, moved, depths)
    _refuse_new_crossings(surface, moved, depths)
    moved.is_balanced = surface.is_balanced
    return moved


def _checked(surface: Surface, depth: ArrayLike) -> Array:
    """Depths as an array, refused where they are none of this surface."""
    depths = np.asarray(depth, dtype=np.float64)
    if depths.shape != (surface.n_triangles,):
        raise SurfaceError(
            f"{surface.name}: depths have shape {depths.shape}, the surface has {surface.n_triangles} triangles; give "
            f"the map of a run with this mesh, such as run.maps['cam'].wear"
        )
    wrong = np.flatnonzero(~(np.isfinite(depths) & (depths >= 0.0)))
    if len(wrong):
        raise SurfaceError(
            f"{surface.name}: the depth of triangle {int(wrong[0])} is {depths[wrong[0]]:.6g} m; give zero or a "
            f"positive number for each"
        )
    return depths


def _motion(surface: Surface, depths: Array) -> Array:
    """How far each vertex moves in (n, 3), m: the shortest motion that moves each of its sheets by its depth."""
    neighbours = surface.half_edges.neighbours
    bend = np.einsum("ti,tki->tk", surface.normals, surface.normals[neighbours])
    joined = (neighbours >= 0) & (bend > np.cos(FEATURE_ANGLE))
    sheet = corner_groups(surface.triangles, surface.half_edges, joined).reshape(-1, 3)
    n_sheets = int(sheet.max()) + 1
    vertex = np.empty(n_sheets, dtype=np.int64)
    vertex[sheet.ravel()] = surface.triangles.ravel()
    normal = np.zeros((n_sheets, 3))
    np.add.at(normal, sheet, np.broadcast_to((surface.areas[:, None] * surface.normals)[:, None, :], (*sheet.shape, 3)))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    cosine = np.einsum("tkj,tj->tk", normal[sheet], surface.normals)
    lost = np.bincount(sheet.ravel(), weights=np.repeat(surface.areas * depths, 3), minlength=n_sheets)
    swept = np.bincount(sheet.ravel(), weights=(surface.areas[:, None] * cosine).ravel(), minlength=n_sheets)
    amount = lost / swept
    n = len(surface.vertices)
    motion, normals = np.zeros((n, 3)), np.zeros((n, 3, 3))
    np.add.at(motion, vertex, amount[:, None] * normal)
    np.add.at(normals, vertex, normal[:, :, None] * normal[:, None, :])
    several = np.flatnonzero((np.bincount(vertex, minlength=n) > 1) & motion.any(axis=1))
    inverse = np.linalg.pinv(normals[several], rcond=PARALLEL_SHEETS, hermitian=True)
    motion[several] = np.einsum("nij,nj->ni", inverse, motion[several])
    return motion


def _refuse_flipped(surface: Surface, moved: Surface, depths: Array) -> None:
    """Refuse a result in which a triangle has turned over."""
    flipped = np.flatnonzero(~(np.einsum("ij,ij->i", surface.normals, moved.normals) > 0.0))
    if len(flipped):
        raise _too_deep(surface, depths, f"{len(flipped)} triangles turn over, the first is triangle {int(flipped[0])}")


def _refuse_new_crossings(surface: Surface, moved: Surface, depths: Array) -> None:
    """Refuse a result in which parts of the surface cross that did not before: a wall that is worn through."""
    new = sorted(_crossings(moved) - _crossings(surface))
    if new:
        a, b = new[0]
        raise _too_deep(surface, depths, f"{len(new)} pairs of triangles cross, the first is {a} and {b}")


def _crossings(surface: Surface) -> set[tuple[int, int]]:
    """Pairs of triangles that cross."""
    found = find_self_intersections(surface.vertices, surface.triangles.astype(np.int64), WELD_TOLERANCE * surface.size)
    return {(int(a), int(b)) for a, b in found.pairs}


def _too_deep(surface: Surface, depths: Array, what: str) -> SurfaceError:
    return SurfaceError(
        f"{surface.name}: worn by up to {depths.max():.4g} m, {what}; wear less between two runs, or take larger "
        f"triangles"
    )
