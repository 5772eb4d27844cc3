"""How a surface bends across its edges: not at all, smoothly, or sharply."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.surface import Surface
from polycontact.tolerances import SAME_BEND, WELD_TOLERANCE


@dataclass(frozen=True)
class EdgeBends:
    """The bend across each side of each triangle, all arrays (n_triangles, 3); both triangles of an edge agree.

    ``angle``: rad between the two normals, π at a border. ``is_flat``: both triangles lie in one plane, as far as
    files can tell. ``is_smooth``: the bend is less than the feature angle; flat edges are smooth too.
    """

    angle: NDArray[np.float64]
    is_flat: NDArray[np.bool_]
    is_smooth: NDArray[np.bool_]


def find_edge_bends(surface: Surface, feature_angle: float) -> EdgeBends:
    """Bends across all edges of ``surface``; those of ``feature_angle`` (rad) or more are sharp."""
    neighbours = surface.half_edges.neighbours
    inner = neighbours >= 0
    normal, other = surface.normals[:, None, :], surface.normals[neighbours]
    sine = np.linalg.norm(np.cross(normal, other), axis=2)
    angle = np.where(inner, np.arctan2(sine, np.einsum("tij,tij->ti", normal, other)), np.pi)
    is_smooth = angle < feature_angle * (1.0 - SAME_BEND)
    return EdgeBends(angle=angle, is_flat=is_smooth & _in_one_plane(surface), is_smooth=is_smooth)


def _in_one_plane(surface: Surface) -> NDArray[np.bool_]:
    """Sides (n, 3) beyond which the neighbour's third corner lies in the plane, seen from both triangles."""
    triangles, edges = surface.triangles.astype(np.int64), surface.half_edges
    inner = edges.neighbours >= 0
    apex = triangles[edges.neighbours].sum(axis=2) - triangles - np.roll(triangles, -1, axis=1)
    away = surface.vertices[np.where(inner, apex, 0)] - surface.vertices[triangles]
    height = np.abs(np.einsum("tij,tj->ti", away, surface.normals))
    near = inner & (height < WELD_TOLERANCE * surface.size)
    seen = np.bincount(edges.triangle_edges.ravel(), weights=near.ravel(), minlength=len(edges.edges))
    return np.asarray(near & (seen[edges.triangle_edges] == 2))
