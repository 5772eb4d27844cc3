"""Raw meshes for the tests of check and repair: arrays made by trimesh, joined and welded."""

from __future__ import annotations

import numpy as np
import trimesh
from numpy.typing import NDArray

Arrays = tuple[NDArray[np.float64], NDArray[np.int64]]


def box(centre: tuple[float, float, float] = (0, 0, 0), size: float = 1.0) -> Arrays:
    mesh = trimesh.creation.box(extents=(size, size, size))
    return np.array(mesh.vertices) + np.array(centre), np.array(mesh.faces, dtype=np.int64)


def sphere(subdivisions: int = 2) -> Arrays:
    mesh = trimesh.creation.icosphere(subdivisions=subdivisions)
    return np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64)


def joined(*meshes: Arrays) -> Arrays:
    offsets = np.cumsum([0] + [len(v) for v, _ in meshes])
    return (
        np.concatenate([v for v, _ in meshes]),
        np.concatenate([t + k for (_, t), k in zip(meshes, offsets, strict=False)]),
    )


def welded(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> Arrays:
    distinct, index = np.unique(np.round(vertices, 9), axis=0, return_inverse=True)
    return distinct, index.ravel()[triangles]


def moebius_band(n: int = 30) -> Arrays:
    angle = 2 * np.pi * np.arange(n) / n
    rows = []
    for side in (-0.2, 0.2):
        r = 1 + side * np.cos(angle / 2)
        rows.append(np.stack((r * np.cos(angle), r * np.sin(angle), side * np.sin(angle / 2)), axis=1))
    k = np.arange(n - 1)
    triangles = [np.stack((k, k + 1, k + n), axis=1), np.stack((k + 1, k + n + 1, k + n), axis=1)]
    last = np.array([[n - 1, n, 2 * n - 1], [n, 0, 2 * n - 1]])
    return np.concatenate(rows), np.concatenate((*triangles, last))
