"""Sheets: what joins smoothly around a vertex, with one normal. A sharp edge parts two, the corner of a box three."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.balancing.edge_bends import EdgeBends
from polycontact.surfaces.balancing.flat_regions import CURVED
from polycontact.surfaces.surface import Surface
from polycontact.surfaces.vertex_normals import corner_groups, sphere_weighted_normals

SMALL_TRIANGLE_SHARE: Final = 0.5
"""Triangles of less than this share of the largest at a vertex are left out of its second normal."""

SECOND_NORMAL_RATIO: Final = 2.0 / 3.0
"""The second normal is taken where it leaves less than this share of the disagreement that the first one leaves."""


@dataclass(frozen=True)
class Sheets:
    """The sheets of a surface.

    ``of_corner`` (n_triangles, 3): sheet of each corner. ``vertex`` (n,): vertex of each sheet. ``normal`` (n, 3): unit
    normal of the smooth body there. ``cosine`` (n_triangles, 3): of the angle between the sheet's normal and the
    triangle's. ``is_curved`` (n_triangles,): triangles that are no part of a flat face. ``is_inner`` (n,): the sheet
    surrounds its vertex, which lies on no sharp edge and no border. ``is_tip`` (n,): the triangles of the sheet are
    farther from its normal than the feature angle, as at the tip of a cone. ``is_held`` (n,): the sheet stays where it
    is.
    """

    of_corner: NDArray[np.int64]
    vertex: NDArray[np.int64]
    normal: NDArray[np.float64]
    cosine: NDArray[np.float64]
    is_curved: NDArray[np.bool_]
    is_inner: NDArray[np.bool_]
    is_tip: NDArray[np.bool_]
    is_held: NDArray[np.bool_]

    def total(self, of_corners: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum (n,) over the corners of each sheet of a value (n_triangles, 3)."""
        return sums_by(self.of_corner, of_corners, len(self.vertex))


def sums_by(sheet: NDArray[np.int64], values: NDArray[np.float64], n_sheets: int) -> NDArray[np.float64]:
    """Sum (n_sheets,) of the ``values`` that belong to each ``sheet``, two arrays of one shape."""
    return np.asarray(np.bincount(sheet.ravel(), weights=values.ravel(), minlength=n_sheets), dtype=np.float64)


def find_sheets(surface: Surface, bends: EdgeBends, faces: NDArray[np.int64], feature_angle: float) -> Sheets:
    """The sheets of ``surface``: flat faces are sheets of their own.

    Held are flat faces, sheets that join one smoothly (its plane is their tangent plane), tips and borders.
    """
    triangles, neighbours = surface.triangles, surface.half_edges.neighbours
    joined = bends.is_smooth & (faces[:, None] == faces[neighbours])
    of_corner = corner_groups(triangles, surface.half_edges, joined).reshape(-1, 3)
    n_sheets = int(of_corner.max()) + 1
    vertex = np.empty(n_sheets, dtype=np.int64)
    vertex[of_corner.ravel()] = triangles.ravel()

    normal = _normals(surface, of_corner, n_sheets)
    tangent = _tangent_planes(surface, bends, faces, of_corner, n_sheets)
    is_tangent = tangent.any(axis=1)
    normal[is_tangent] = _unit(tangent[is_tangent])
    cosine = np.einsum("tij,tj->ti", normal[of_corner], surface.normals)

    is_tip = np.zeros(n_sheets, dtype=bool)
    is_tip[of_corner[cosine < np.cos(feature_angle)]] = True
    on_border = _on_border(surface)[vertex]
    is_held = is_tangent | is_tip | on_border
    is_held[of_corner[faces != CURVED]] = True
    return Sheets(
        of_corner=of_corner,
        vertex=vertex,
        normal=normal,
        cosine=cosine,
        is_curved=faces == CURVED,
        is_inner=~on_border & (np.bincount(vertex)[vertex] == 1),
        is_tip=is_tip,
        is_held=is_held,
    )


def _normals(surface: Surface, of_corner: NDArray[np.int64], n_sheets: int) -> NDArray[np.float64]:
    """Unit normals (n, 3), of two estimates that one with which neighbours agree better.

    Max's weights are exact on a sphere, however irregular its mesh. They suppose that a long edge spans a long arc,
    so that beside a fillet of small triangles they tilt the normals of a long straight wall. There the mean over the
    large triangles alone is right, and neighbouring normals then agree on the bend of the edges between them.
    """
    weighted = sphere_weighted_normals(surface.vertices, surface.triangles)
    largest = np.zeros(n_sheets)
    np.maximum.at(largest, of_corner, np.broadcast_to(surface.areas[:, None], of_corner.shape))
    is_large = surface.areas[:, None] >= SMALL_TRIANGLE_SHARE * largest[of_corner]
    estimates = [_sums(each, of_corner, n_sheets) for each in (weighted, weighted * is_large[:, :, None])]
    of_all, of_large = (_disagreement(surface, each, of_corner) for each in estimates)
    return np.where((of_large < SECOND_NORMAL_RATIO * of_all)[:, None], estimates[1], estimates[0])


def _sums(weighted: NDArray[np.float64], of_corner: NDArray[np.int64], n_sheets: int) -> NDArray[np.float64]:
    return _unit(np.stack([sums_by(of_corner, weighted[:, :, axis], n_sheets) for axis in range(3)], axis=1))


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=1)
    return np.asarray(vectors / np.maximum(length, np.finfo(float).tiny)[:, None])


def _disagreement(surface: Surface, normal: NDArray[np.float64], of_corner: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum (n,) over the edges of a sheet of the angles, rad, by which the bends seen from their two ends differ."""
    corners = surface.vertices[surface.triangles]
    side = np.roll(corners, -1, axis=1) - corners
    both = normal[of_corner] + normal[np.roll(of_corner, -1, axis=1)]
    angle = np.abs(np.einsum("tij,tij->ti", both, side)) / np.linalg.norm(side, axis=2)
    following = np.roll(of_corner, -1, axis=1)
    return sums_by(of_corner, angle, len(normal)) + sums_by(following, angle, len(normal))


def _tangent_planes(
    surface: Surface, bends: EdgeBends, faces: NDArray[np.int64], of_corner: NDArray[np.int64], n_sheets: int
) -> NDArray[np.float64]:
    """Sum (n, 3) of the normals of flat faces that a curved sheet joins smoothly; zero where there is none."""
    neighbours = surface.half_edges.neighbours
    triangle, side = np.nonzero(bends.is_smooth & (faces == CURVED)[:, None] & (faces[neighbours] != CURVED))
    beyond = surface.normals[neighbours[triangle, side]]
    found = np.zeros((n_sheets, 3))
    for end in (side, (side + 1) % 3):
        np.add.at(found, of_corner[triangle, end], beyond)
    return found


def _on_border(surface: Surface) -> NDArray[np.bool_]:
    on_border = np.zeros(len(surface.vertices), dtype=bool)
    on_border[surface.half_edges.edges[surface.half_edges.border_edges]] = True
    return on_border
