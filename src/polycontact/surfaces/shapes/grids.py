"""Gridded quadrilaterals, each split into two triangles: what flat-sided shapes are built from.

In: grid lines along the axes and which of the cells between them are solid. Out: the triangles of their
common boundary, with shared vertices. Diagonals alternate like a chessboard, so that no direction is
preferred.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.shapes import arguments as check

ROUNDING: Final = 1e-12
"""Relative error of a length that still counts as a multiple of the spacing: it must not add a part."""


class Lattice(NamedTuple):
    """Triangles on the points of a lattice: ``points`` (n, 3) integer indices, ``triangles`` (m, 3)."""

    points: NDArray[np.int64]
    triangles: NDArray[np.int64]


def rectangle_quads(
    u: NDArray[np.int64], v: NDArray[np.int64], strides: tuple[int, int], offset: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Quads (n, 4) of keys ``offset + u * strides[0] + v * strides[1]``, and which diagonal each has."""
    first, second = (each.ravel() for each in np.meshgrid(u[:-1], v[:-1], indexing="ij"))
    corner = offset + first * strides[0] + second * strides[1]
    steps = (0, strides[0], strides[0] + strides[1], strides[1])
    return np.stack([corner + step for step in steps], axis=1), (first + second) % 2 == 1


def split_quads(quads: NDArray[np.int64], other: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Two triangles for each quad (n, 4), along the diagonal from corner 0, from 1 where ``other``."""
    turned = np.where(other[:, None], np.roll(quads, -1, axis=1), quads)
    return np.concatenate((turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]))


def cell_boundary(shape: str, solid: NDArray[np.bool_], divisions: Sequence[NDArray[np.int64]]) -> Lattice:
    """Outward triangles around the cells that are ``solid`` (nx, ny, nz).

    ``divisions`` gives for each axis into how many parts each interval is split. Solid cells must meet in
    faces, not in edges or corners only.
    """
    faces = _exposed_faces(solid)
    n_triangles = sum(2.0 * divisions[f.u_axis][f.u] * divisions[f.v_axis][f.v] for f in faces)
    check.refuse_too_many(shape, n_triangles, "lower the divisions or raise the spacing")
    lines = [np.concatenate(([0], np.cumsum(each))) for each in divisions]
    sizes = [int(each[-1]) + 1 for each in lines]
    strides = (sizes[1] * sizes[2], sizes[2], 1)
    keys, triangles = np.unique(
        np.concatenate([_face_triangles(face, lines, strides) for face in faces]), return_inverse=True
    )
    x, rest = np.divmod(keys, strides[0])
    y, z = np.divmod(rest, strides[1])
    return Lattice(np.stack((x, y, z), axis=1), triangles.reshape(-1, 3))


class _Face(NamedTuple):
    """A face between a solid and an empty cell: across ``axis`` at ``line``, in cell (u, v) of the others."""

    axis: int
    line: int
    u: int
    v: int
    outward: bool

    @property
    def u_axis(self) -> int:
        return (self.axis + 1) % 3

    @property
    def v_axis(self) -> int:
        return (self.axis + 2) % 3


def _exposed_faces(solid: NDArray[np.bool_]) -> list[_Face]:
    padded = np.pad(solid, 1).astype(np.int8)
    faces = []
    for axis in range(3):
        change = np.diff(padded, axis=axis)
        for at in np.argwhere(change != 0).tolist():
            u, v = at[(axis + 1) % 3] - 1, at[(axis + 2) % 3] - 1
            faces.append(_Face(axis, at[axis], u, v, outward=bool(change[tuple(at)] < 0)))
    return faces


def _face_triangles(
    face: _Face, lines: Sequence[NDArray[np.int64]], strides: tuple[int, int, int]
) -> NDArray[np.int64]:
    u_lines, v_lines = lines[face.u_axis], lines[face.v_axis]
    u = np.arange(u_lines[face.u], u_lines[face.u + 1] + 1)
    v = np.arange(v_lines[face.v], v_lines[face.v + 1] + 1)
    offset = int(lines[face.axis][face.line]) * strides[face.axis]
    triangles = split_quads(*rectangle_quads(u, v, (strides[face.u_axis], strides[face.v_axis]), offset))
    return triangles if face.outward else triangles[:, ::-1]


def intervals(shape: str, extent: float, spacing: float) -> int:
    """Number of equal parts of at most ``spacing`` on an ``extent``, at least one."""
    check.refuse_too_many(shape, 2.0 * extent / spacing, "raise the spacing or lower the number of segments")
    return max(1, math.ceil(extent / spacing * (1.0 - ROUNDING)))


def grid_lines(breaks: NDArray[np.float64], divisions: NDArray[np.int64]) -> NDArray[np.float64]:
    """Coordinates of all grid lines between ``breaks``, with each interval split into equal ``divisions``."""
    parts = [
        np.linspace(low, high, int(n) + 1)[:-1] for low, high, n in zip(breaks[:-1], breaks[1:], divisions, strict=True)
    ]
    return np.append(np.concatenate(parts), breaks[-1])
