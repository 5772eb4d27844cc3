"""How good the triangles of a surface are, counted without the package."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.surface import Surface


def quality(surface: Surface) -> NDArray[np.float64]:
    """Area over the sum of squared edges of each triangle, 1 if it is equilateral, 0 if it is flat."""
    corners = surface.vertices[surface.triangles]
    edges = np.roll(corners, -1, axis=1) - corners
    return np.asarray(4.0 * math.sqrt(3.0) * surface.areas / (edges**2).sum(axis=(1, 2)))


def smallest_angles(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    corners = points[triangles]
    ahead, back = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    cross = ahead[..., 0] * back[..., 1] - ahead[..., 1] * back[..., 0]
    return np.asarray(np.arctan2(cross, (ahead * back).sum(axis=2)).min(axis=1))


def self_intersections(surface: Surface) -> int:
    """Pairs of triangles where an edge of one passes through the other, or which are folded onto each other.

    By brute force over overlapping boxes, so that it shares nothing with the code under test.
    """
    corners = surface.vertices[surface.triangles]
    low, high = corners.min(axis=1), corners.max(axis=1)
    n = surface.n_triangles
    first, second = [], []
    for rows in np.array_split(np.arange(n), max(1, n // 256)):
        meet = np.arange(n)[None, :] != rows[:, None]
        for axis in range(3):
            meet &= low[None, :, axis] <= high[rows, None, axis]
            meet &= high[None, :, axis] >= low[rows, None, axis]
        i, j = np.nonzero(meet)
        first.append(rows[i])
        second.append(j)
    i, j = np.concatenate(first), np.concatenate(second)
    same = (surface.triangles[i][:, :, None] == surface.triangles[j][:, None, :]).any(axis=2)
    folded = (same.sum(axis=1) == 2) & (np.einsum("ij,ij->i", surface.normals[i], surface.normals[j]) < -0.99)
    crossing = np.zeros(len(i), dtype=bool)
    for k in range(3):
        separate = np.flatnonzero(~same[:, k] & ~same[:, (k + 1) % 3])
        a, b = corners[i[separate], k], corners[i[separate], (k + 1) % 3]
        crossing[separate] |= pierced(a, b, corners[j[separate]])
    return int((folded | crossing).sum())


def pierced(a: NDArray[np.float64], b: NDArray[np.float64], triangles: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which segments from a to b pass through the interior of their triangle (Möller and Trumbore)."""
    p, q, r = np.moveaxis(triangles, 1, 0)
    direction, u_axis, v_axis, start = b - a, q - p, r - p, a - p
    normal = np.cross(u_axis, v_axis)
    along = -np.einsum("ij,ij->i", direction, normal)
    scale = np.linalg.norm(direction, axis=1) * np.linalg.norm(normal, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.einsum("ij,ij->i", start, normal) / along
        turned = np.cross(start, direction)
        u = np.einsum("ij,ij->i", v_axis, turned) / along
        v = -np.einsum("ij,ij->i", u_axis, turned) / along
        inside = (t > 1e-9) & (t < 1 - 1e-9) & (u > 1e-9) & (v > 1e-9) & (u + v < 1 - 1e-9)
    return np.asarray(inside & (np.abs(along) > 1e-12 * scale))
