"""The integral of the distance to a surface over a solid, finely, for checks of the contact model.

Nothing of the contact model enters: the solid becomes signed tetrahedra, which are bisected where the integral still
changes, and every triangle of the surface that may be nearest is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proof.properties.triangle_distances import distances

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

INNER = 0.25 - 0.05 * np.sqrt(5.0)
"""Barycentric coordinate of the four points of equal weight that integrate quadratics over a tetrahedron exactly.

By symmetry they are (1 - 3a, a, a, a) and its permutations. The product of two coordinates has the mean 1/20 over a
tetrahedron, so that 2 a (1 - 3a) + 2 a² = 4/20.
"""

ROUNDS = 60
"""Bisections at most: a tetrahedron is then 2⁻²⁰ of its size."""

MISTRUST = 0.1
"""A cell is uncertain by this share of the difference between the means of inner points and of corners, at least.

A bend of the distance may cut off a corner and pass by all inner points, of both halves too. Inside a body all bends
but those at re-entrant edges are of one sign: what is missed so would add up.
"""

LARGEST_ROUND = 4_000_000
"""Pairs of a point and a triangle that are looked at together, for memory."""


@dataclass(frozen=True)
class FineIntegral:
    """The ``value`` (m⁴) of an integral, what is ``uncertain`` of it (m⁴), and the number of ``cells`` it took."""

    value: float
    uncertain: float
    cells: int


@dataclass(frozen=True, eq=False)
class _Cells:
    """Tetrahedra (n, 4, 3) m, the ``sign`` (n,) with which each counts, and the triangles that may be nearest to it.

    Those of cell i are ``near[start[i]:start[i + 1]]``.
    """

    corners: Array
    sign: Array
    near: Ints
    start: Ints

    def __len__(self) -> int:
        return len(self.corners)

    @property
    def owner(self) -> Ints:
        """Cell of each entry of ``near``."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def chosen(self, rows: Ints) -> _Cells:
        """The cells with these numbers, with what lies near them."""
        counts = np.diff(self.start)[rows]
        start = np.concatenate(([0], np.cumsum(counts)))
        places = np.arange(start[-1]) + np.repeat(self.start[rows] - start[:-1], counts)
        return _Cells(self.corners[rows], self.sign[rows], self.near[places], start)


def integrate_distance(vertices: Array, triangles: Ints, target: Array, *, accuracy: float = 1e-2) -> FineIntegral:
    """∫ d dV over the solid inside a closed mesh, d(x) the distance of x to the nearest triangle of ``target``.

    ``vertices`` (n, 3) m, ``triangles`` (m, 3) outward, ``target`` (k, 3, 3) m. Bisection ends where what it may still
    change, added up without regard to signs, is below ``accuracy`` times the integral. As cells err to both sides and
    the last bisection is included, the error is a few hundredths of that.
    """
    if not len(triangles):
        return FineIntegral(0.0, 0.0, 0)
    cells = _first_cells(*_signed_tetrahedra(vertices, triangles), target)
    rough, _ = _integrals(cells, target)
    value = uncertain = 0.0
    looked_at = len(cells)
    for _ in range(ROUNDS):
        if not len(cells):
            break
        halves = _near_only(_bisected(cells), target)
        fine, bend = _integrals(halves, target)
        looked_at += len(halves)
        both = fine[0::2] + fine[1::2]
        change = np.maximum(np.abs(both - rough), MISTRUST * (bend[0::2] + bend[1::2]))
        order = np.argsort(change)
        total = value + float(both.sum())
        # A fortieth a round: most rounds use none of it, as most of the cells are settled in a few.
        is_settled = np.cumsum(change[order]) <= accuracy / 40.0 * abs(total)
        settled, open_cells = order[is_settled], np.sort(order[~is_settled])
        value += float(both[settled].sum())
        uncertain += float(change[settled].sum())
        rows = np.stack((2 * open_cells, 2 * open_cells + 1), axis=1).reshape(-1)
        cells, rough = halves.chosen(rows), fine[rows]
    value += float(rough.sum()) if len(cells) else 0.0
    return FineIntegral(value, uncertain, looked_at)


def excess(vertices: Array, triangles: Ints) -> float:
    """How much of space is counted, with either sign, over the volume of a solid: the more, the more work it is."""
    corners, sign = _signed_tetrahedra(vertices, triangles)
    volume = np.abs(_volumes(corners))
    return float(volume.sum() / max(abs(sign @ volume), np.finfo(float).tiny))


def _signed_tetrahedra(vertices: Array, triangles: Ints) -> tuple[Array, Array]:
    """Tetrahedra (n, 4, 3) m with signs that add up to the solid: prisms from its triangles to a plane through it.

    The plane is the one the solid is flattest about, so that little is counted twice with opposite signs. Prisms of
    neighbours meet in the same diagonal, as all are divided by the order of their vertices' numbers.
    """
    middle = vertices.mean(axis=0)
    normal = np.linalg.svd(vertices - middle, full_matrices=False)[2][2]
    feet = vertices - ((vertices - middle) @ normal)[:, None] * normal
    order = np.argsort(triangles, axis=1)
    ranked = np.take_along_axis(triangles, order, axis=1)
    is_even = np.isin(order @ np.array([9, 3, 1]), [5, 15, 19])  # 012, 120, 201
    a, b, c = ranked.T
    prisms = np.stack(
        (
            np.stack((vertices[a], feet[a], feet[b], feet[c]), axis=1),
            np.stack((vertices[a], vertices[b], feet[c], feet[b]), axis=1),
            np.stack((vertices[a], vertices[b], vertices[c], feet[c]), axis=1),
        ),
        axis=1,
    ).reshape(-1, 4, 3)
    volume = _volumes(prisms) * np.repeat(np.where(is_even, -1.0, 1.0), 3)
    counts = np.abs(volume) > 0.0
    return prisms[counts], np.sign(volume[counts])


def _volumes(corners: Array) -> Array:
    sides = corners[:, 1:] - corners[:, :1]
    return np.asarray(np.einsum("ni,ni->n", np.cross(sides[:, 0], sides[:, 1]), sides[:, 2]) / 6.0)


def _first_cells(corners: Array, sign: Array, target: Array) -> _Cells:
    """Cells with the triangles that may be nearest to them, by balls around both."""
    middle, radius = _balls(corners)
    centre, size = _balls(target)
    near, counts = [], []
    step = max(1, LARGEST_ROUND // len(target))
    for first in range(0, len(corners), step):
        rows = slice(first, first + step)
        away = np.linalg.norm(middle[rows, None] - centre, axis=2)
        reach = (away + size).min(axis=1) + 2.0 * radius[rows]
        found = away - size <= reach[:, None]
        near.append(np.nonzero(found)[1])
        counts.append(found.sum(axis=1))
    start = np.concatenate(([0], np.cumsum(np.concatenate(counts))))
    return _near_only(_Cells(corners, sign, np.concatenate(near), start), target)


def _near_only(cells: _Cells, target: Array) -> _Cells:
    """The cells, without triangles that are nearest to none of their points.

    In a ball of radius ρ the distance is at most d(m) + ρ, m its middle, and to a triangle at least its distance to m
    less ρ.
    """
    middle, radius = _balls(cells.corners)
    distance = distances(middle, target, cells.near, cells.start)
    owner = cells.owner
    reach = np.minimum.reduceat(distance, cells.start[:-1]) + 2.0 * radius
    kept = distance <= reach[owner] * (1.0 + 1e-12)
    start = np.concatenate(([0], np.cumsum(np.bincount(owner[kept], minlength=len(cells)))))
    return _Cells(cells.corners, cells.sign, cells.near[kept], start)


def _balls(corners: Array) -> tuple[Array, Array]:
    """Middles and radii of balls around simplices (n, k, 3)."""
    middle = corners.mean(axis=1)
    return middle, np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)


def _integrals(cells: _Cells, target: Array) -> tuple[Array, Array]:
    """Signed integral (n,) m⁴ of the distance over each cell by the rule of four points; how far corners are off."""

    def mean(rule: Array) -> Array:
        total = np.zeros(len(cells))
        for weights in rule:
            points = np.einsum("c,ncx->nx", weights, cells.corners)
            total += np.minimum.reduceat(distances(points, target, cells.near, cells.start), cells.start[:-1])
        return total / len(rule)

    volume = np.abs(_volumes(cells.corners))
    inner = mean(np.full((4, 4), INNER) + (1.0 - 4.0 * INNER) * np.eye(4))
    return inner * volume * cells.sign, np.abs(inner - mean(np.eye(4))) * volume


def _bisected(cells: _Cells) -> _Cells:
    """Both halves of each cell, one after the other, cut at the middle of its longest edge."""
    n = len(cells)
    ends = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    edges = cells.corners[:, ends[:, 0]] - cells.corners[:, ends[:, 1]]
    longest = ends[np.einsum("nex,nex->ne", edges, edges).argmax(axis=1)]
    rows = np.arange(n)
    middle = 0.5 * (cells.corners[rows, longest[:, 0]] + cells.corners[rows, longest[:, 1]])
    twice = cells.chosen(np.repeat(rows, 2))
    corners = twice.corners.copy()
    for half in (0, 1):
        corners[2 * rows + half, longest[:, half]] = middle
    return _Cells(corners, twice.sign, twice.near, twice.start)
