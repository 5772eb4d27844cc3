"""Give every vertex one fan and every edge at most two triangles; the shape stays.

At an edge with four triangles two parts touch, or one part touches itself. The triangles are paired so that
each pair bounds one piece of solid; then corners that are not connected across paired edges get vertices of
their own. Where that leaves both ends of such an edge in common, the edge gets a middle for each pair.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import HalfEdges, build_half_edges
from polycontact.surfaces.inspection.links import corner_fans, linked_half_edges
from polycontact.surfaces.mending.draft import Draft

ANGLE_DIGITS = 9
"""Digits to which angles about an edge (rad) are compared: the two sides of a wall have the same one."""

MAX_ROUNDS = 20
"""Each round frees at least one edge of every triangle at a pinched edge; a few are enough."""


def separate_parts(draft: Draft) -> Draft:
    """Copy vertices so that parts that only touch are apart; edges that cannot be paired up stay as they are.

    Neighbours across edges of two triangles have to agree on the orientation.
    """
    for _ in range(MAX_ROUNDS):
        half_edges = build_half_edges(draft.triangles.astype(np.int32))
        first, second = linked_half_edges(half_edges)
        manifold = half_edges.counts[half_edges.triangle_edges.ravel()[first]] == 2
        first, second = first[manifold], second[manifold]
        crowded = _pair_up(draft, half_edges, connected_labels(len(draft.triangles), first // 3, second // 3))
        extra = np.array([pair for pairs in crowded for pair in pairs], dtype=np.int64).reshape(-1, 2)
        first, second = np.concatenate((first, extra[:, 0])), np.concatenate((second, extra[:, 1]))
        apart = _split_fans(draft, corner_fans(draft.triangles, first, second))
        draft = _split_pinched_edges(apart, crowded)
        if len(draft.triangles) == len(apart.triangles):
            break
    return draft


def _pair_up(draft: Draft, half_edges: HalfEdges, patches: NDArray[np.int64]) -> list[list[tuple[int, int]]]:
    """Pairs of half-edges at each edge with more than two triangles."""
    return [_paired(draft, edge, patches) for edge in _half_edges_at(half_edges, half_edges.non_manifold_edges)]


def _half_edges_at(half_edges: HalfEdges, edges: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Half-edges at each of ``edges``."""
    edge = half_edges.triangle_edges.ravel()
    order = np.argsort(edge, kind="stable")
    begin = np.searchsorted(edge[order], edges, side="left")
    end = np.searchsorted(edge[order], edges, side="right")
    return [order[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]


def _paired(draft: Draft, half_edges: NDArray[np.int64], patches: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Pairs of half-edges at one edge between which the surface goes on.

    Two triangles of one patch belong together whichever way it faces; others by the solid between them. Where
    neither decides, all stay connected, so that nothing is torn open.
    """
    corners = draft.triangles.ravel()
    forward = corners[half_edges] < corners[half_edges - half_edges % 3 + (half_edges + 1) % 3]
    patch = patches[half_edges // 3]
    pairs: list[tuple[int, int]] = []
    rest = np.ones(len(half_edges), dtype=bool)
    for p in np.unique(patch).tolist():
        own = np.flatnonzero(patch == p)
        if len(own) == 2 and forward[own[0]] != forward[own[1]]:
            pairs.append((int(half_edges[own[0]]), int(half_edges[own[1]])))
            rest[own] = False
    left = half_edges[rest]
    if len(left) == 0:
        return pairs
    wedges = _solid_wedges(_angles(draft, left), forward[rest])
    if wedges is None:
        return list(pairwise(half_edges.tolist()))
    return pairs + [(int(left[a]), int(left[b])) for a, b in wedges]


def _angles(draft: Draft, half_edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Angle of each triangle about their common edge, counted from the first; the edge runs from low to
    high vertex."""
    triangle, side = half_edges // 3, half_edges % 3
    corners = draft.triangles[triangle]
    rows = np.arange(len(half_edges))
    a, b, c = (draft.points[corners[rows, (side + k) % 3]] for k in range(3))
    swap = corners[rows, side] > corners[rows, (side + 1) % 3]
    origin = b[0] if swap[0] else a[0]
    axis = (a[0] if swap[0] else b[0]) - origin
    axis /= np.linalg.norm(axis)
    across = c - origin
    across -= (across @ axis)[:, None] * axis
    reference = across[0] / np.linalg.norm(across[0])
    return np.asarray(np.arctan2(across @ np.cross(axis, reference), across @ reference))


def _solid_wedges(angles: NDArray[np.float64], forward: NDArray[np.bool_]) -> list[tuple[int, int]] | None:
    """Pairs of triangles about an edge with solid between them; None where solid and void do not alternate.

    A triangle that runs forward along the edge has solid before it (at smaller angles), one that runs
    backward behind it. So each backward one is followed by the forward one that bounds the same wedge of
    solid; at equal angles, the two sides of a wall, forward comes first.
    """
    backward = np.flatnonzero(~forward)
    if 2 * len(backward) != len(angles):
        return None
    turned = np.round(np.mod(angles - angles[backward[0]], 2.0 * np.pi), ANGLE_DIGITS)
    full = np.round(2.0 * np.pi, ANGLE_DIGITS)
    turned[forward & (turned == 0.0)] = full
    turned[~forward & (turned == full)] = 0.0
    order = np.lexsort((~forward, turned))
    if np.any(forward[order[0::2]]) or not np.all(forward[order[1::2]]):
        return None
    return list(zip(order[0::2].tolist(), order[1::2].tolist(), strict=True))


def _split_fans(draft: Draft, fans: NDArray[np.int64]) -> Draft:
    """A vertex of its own for each fan; the first fan of each vertex keeps it."""
    n_fans = int(fans.max(initial=-1)) + 1
    vertex = np.empty(n_fans, dtype=np.int64)
    vertex[fans] = draft.triangles
    _, keeps = np.unique(vertex, return_index=True)
    copies = np.setdiff1d(np.arange(n_fans), keeps)
    number = vertex.copy()
    number[copies] = len(draft.points) + np.arange(len(copies))
    chosen = np.concatenate((np.arange(len(draft.points)), vertex[copies]))
    return draft.with_vertices(chosen).with_triangles(
        number[fans], "copied {vertices} where parts only touch", len(copies)
    )


def _split_pinched_edges(draft: Draft, crowded: list[list[tuple[int, int]]]) -> Draft:
    """Split edges of which both ends are still shared by several pairs: a middle for each pair.

    ``crowded``: for each edge its pairs of half-edges. The first pair keeps the edge. A triangle is split
    once; the caller repeats the step.
    """
    corners = draft.triangles.ravel()
    split: dict[int, tuple[int, int]] = {}
    ends: list[tuple[int, int]] = []
    for pairs in crowded:
        if len({h for pair in pairs for h in pair}) < 2 * len(pairs):
            continue  # undecided: all in one chain
        seen = set()
        for pair in pairs:
            a, b = sorted(int(corners[h]) for h in (pair[0], _end(pair[0])))
            if (a, b) in seen and not any(h // 3 in split for h in pair):
                split.update({h // 3: (h % 3, len(draft.points) + len(ends)) for h in pair})
                ends.append((a, b))
            seen.add((a, b))
    kept = np.delete(draft.triangles, list(split), axis=0)
    halves = [half for t, (side, middle) in split.items() for half in _halves(draft.triangles[t], side, middle)]
    return draft.with_middles(np.array(ends, dtype=np.int64).reshape(-1, 2)).with_triangles(
        np.concatenate((kept, np.array(halves, dtype=np.int64).reshape(-1, 3))),
        "split {triangles} where parts touch along an edge",
        len(split),
    )


def _end(half_edge: int) -> int:
    """The corner at which a half-edge ends, as an index into the flattened triangles."""
    return half_edge - half_edge % 3 + (half_edge + 1) % 3


def _halves(corners: NDArray[np.int64], side: int, middle: int) -> list[list[int]]:
    """The two triangles into which one falls when its ``side`` is split at the vertex ``middle``."""
    a, b, c = (int(corners[(side + k) % 3]) for k in range(3))
    return [[a, middle, c], [middle, b, c]]
