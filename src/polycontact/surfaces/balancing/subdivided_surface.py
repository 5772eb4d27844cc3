"""Finer meshes of the body that a mesh is of: each triangle becomes four, and new vertices go where the body is.

In: a surface whose vertices lie on a round body. Out: four times as many triangles with all their vertices on it, as
far as the normals tell where it is: the middle of a side moves by the sagitta of that side (`chord_lift`). On a sharp
edge it moves by the sagittae of both sheets that meet there, so that the rim of a cylinder becomes rounder within the
plane of its cap. Flat faces, borders between them and tips stay as they are.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.balancing.balance_checks import checked_angle
from polycontact.surfaces.balancing.chord_lift import find_chord_lift
from polycontact.surfaces.balancing.edge_bends import find_edge_bends
from polycontact.surfaces.balancing.flat_regions import find_flat_faces
from polycontact.surfaces.balancing.sheets import Sheets, find_sheets
from polycontact.surfaces.surface import Surface

MOST_SUBDIVISIONS: Final = 6
"""4096 triangles for each: more is a mistake."""

PARALLEL_EIGENVALUE_RATIO: Final = 1e-2
"""Two sheets at an edge count as one where the smaller eigenvalue of their normals is below this share of the larger:
a bend of about eleven degrees. Across a less sharp edge their sagittae are averaged, not added."""


def subdivided_surface(surface: Surface, times: int, feature_angle: float) -> Surface:
    """``surface`` with each triangle divided into 4^times; see `Surface.subdivided`. ``feature_angle`` in rad."""
    if isinstance(times, bool) or not isinstance(times, int) or not 0 <= times <= MOST_SUBDIVISIONS:
        raise SurfaceError(f"{surface.name}: times is {times!r}; give a whole number from 0 to {MOST_SUBDIVISIONS}")
    if surface.is_balanced:
        raise SurfaceError(
            f"{surface.name}: it is balanced, so that its vertices lie outside the body; subdivide the surface as it "
            f"was loaded or made, and balance the finer one"
        )
    feature_angle = checked_angle(surface, feature_angle)
    for _ in range(times):
        surface = _divided(surface, feature_angle)
    return surface


def _divided(surface: Surface, feature_angle: float) -> Surface:
    """Each triangle as four, with vertices in the middle of the body between its corners."""
    triangles = surface.triangles.astype(np.int64)
    sides = np.stack((triangles, np.roll(triangles, -1, axis=1)), axis=2)
    edges, edge_of_side = np.unique(np.sort(sides.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    edge_of_side = edge_of_side.reshape(-1, 3)
    middle = surface.vertices[edges].mean(axis=1)
    vertices = np.concatenate((surface.vertices, middle + _lifts(surface, edge_of_side, len(edges), feature_angle)))
    ab, bc, ca = (len(surface.vertices) + edge_of_side).T
    a, b, c = triangles.T
    corners = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    fine = np.stack([np.stack(each, axis=1) for each in corners], axis=1).reshape(-1, 3)
    return Surface(vertices, fine, name=surface.name)


def _lifts(surface: Surface, edge_of_side: NDArray[np.int64], n_edges: int, angle: float) -> NDArray[np.float64]:
    """How the middle of each edge moves (n_edges, 3), m: the shortest way to the surfaces on both sides of it."""
    bends = find_edge_bends(surface, angle)
    sheets = find_sheets(surface, bends, find_flat_faces(surface, bends), angle)
    sagitta, normal = find_chord_lift(surface, sheets).sagitta, _side_normals(sheets)
    wanted, planes = np.zeros((n_edges, 3)), np.zeros((n_edges, 3, 3))
    np.add.at(wanted, edge_of_side, sagitta[:, :, None] * normal)
    np.add.at(planes, edge_of_side, normal[:, :, :, None] * normal[:, :, None, :])
    inverse = np.linalg.pinv(planes, rcond=PARALLEL_EIGENVALUE_RATIO, hermitian=True)
    return np.asarray(np.einsum("nij,nj->ni", inverse, wanted))


def _side_normals(sheets: Sheets) -> NDArray[np.float64]:
    """Unit normal (n_triangles, 3, 3) of the body at the middle of each side: between those at its ends."""
    normal = sheets.normal[sheets.of_corner]
    both = normal + np.roll(normal, -1, axis=1)
    length = np.linalg.norm(both, axis=2, keepdims=True)
    return np.asarray(both / np.maximum(length, np.finfo(float).tiny))
