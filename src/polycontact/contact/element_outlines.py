"""Outlines of contact elements as they are cut, from the kernels, worked out when asked for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.element_parts import parts_of_elements
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.mesh_pair import MeshMemory
from polycontact.contact.methods import PolygonalMethod
from polycontact.contact.node_pair import NodePair
from polycontact.contact.result import ContactElements
from polycontact.contact.table import meshes_of
from polycontact.errors import ContactWarning
from polycontact.kernels.contact.clip_outlines import Outlines, outline_cut_triangles
from polycontact.kernels.contact.evaluation_view import Evaluation
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing

Loops = tuple[NDArray[np.float64], ...]
"""Closed polygons (n, 3) m in frame E: outer ones counter-clockwise seen from outside the base, holes clockwise."""


Key = tuple[int, int, int]
"""Side, triangle and connected part of it."""


class ElementPieces(NamedTuple):
    """Pieces of surface on which elements lie: ``loops`` of each piece, and the ``piece`` (n,) of each element.

    A piece is a triangle or a connected part of it; the cells of the depth "distance" share that of their triangle.
    """

    loops: tuple[Loops, ...]
    piece: NDArray[np.int64]


def element_pieces(pairing: ContactPairing, kinematics: RelativeKinematics, elements: ContactElements) -> ElementPieces:
    """Where elements lie: on the triangle itself, or the part of it inside the target where it is clipped.

    Elements of nodes have pieces of their own, of the triangles around; those of methods that know neither have pieces
    without loops.
    """
    if isinstance(pairing.prepared, NodePair):
        return ElementPieces(_node_loops(pairing.prepared, kinematics, elements), np.arange(len(elements)))
    surfaces = meshes_of(pairing)
    if surfaces is None:
        return ElementPieces(((),) * len(elements), np.arange(len(elements)))
    R, r, _, _ = kinematics.arrays()
    clipped: dict[Key, list[NDArray[np.float64]]] = {}
    parts = elements.part
    if isinstance(pairing.method, PolygonalMethod) and len(elements):
        clipped, parts = _clipped_loops(pairing, surfaces, kinematics, elements)
    number: dict[Key, int] = {}
    found: list[Loops] = []
    piece = np.empty(len(elements), dtype=np.int64)
    keys = zip(elements.side.tolist(), elements.base_triangle.tolist(), parts.tolist(), strict=True)
    for row, key in enumerate(keys):
        piece[row] = number.setdefault(key, len(number))
        if piece[row] < len(found):
            continue
        side, triangle, _ = key
        loops = clipped.get(key)
        if loops is None:
            corners = surfaces[side].vertices[surfaces[side].triangles[triangle]]
            loops = [corners @ R.T + r if side else np.array(corners)]
        found.append(tuple(loops))
    return ElementPieces(tuple(found), piece)


def _node_loops(pair: NodePair, kinematics: RelativeKinematics, elements: ContactElements) -> tuple[Loops, ...]:
    """What each node stands for, as far as it faces against the normal of its element."""
    R, r, _, _ = kinematics.arrays()
    found = []
    for k, (side, vertex, part) in enumerate(
        zip(elements.side.tolist(), elements.base_triangle.tolist(), elements.part.tolist(), strict=True)
    ):
        loops = pair.cells[side].outlines(vertex, None if pair.setup.by_target else part)
        placed = [loop @ R.T + r if side else loop for loop in loops]
        found.append(tuple(loop for loop in placed if _area_vector(loop) @ elements.normal[k] < 0.0))
    return tuple(found)


def _area_vector(loop: NDArray[np.float64]) -> NDArray[np.float64]:
    """Area vector of a quadrilateral (4, 3), m²."""
    return np.asarray(0.5 * np.cross(loop[2] - loop[0], loop[3] - loop[1]))


def _clipped_loops(
    pairing: ContactPairing,
    surfaces: tuple[Surface, Surface],
    kinematics: RelativeKinematics,
    elements: ContactElements,
) -> tuple[dict[Key, list[NDArray[np.float64]]], NDArray[np.int32]]:
    """Loops by (side, user's triangle, part) of all cut triangles where they are clipped, and the part of elements."""
    assert isinstance(pairing.method, PolygonalMethod)
    if pairing.method.elements == "whole":
        return {}, np.zeros_like(elements.part)
    with pairing.borrowed_memory() as memory, warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # said already when the result was made
        assert isinstance(memory, MeshMemory)
        pairing._run(memory, *kinematics.arrays(), np.empty(6))
        evaluation = memory.evaluation
        return _loops_of(surfaces, evaluation), parts_of_elements(pairing, elements, surfaces, evaluation)


def _loops_of(surfaces: tuple[Surface, Surface], evaluation: Evaluation) -> dict[Key, list[NDArray[np.float64]]]:
    found: dict[Key, list[NDArray[np.float64]]] = {}
    outlines = Outlines()
    outlines.reserve(room=2 * evaluation.segments.n + 16)
    data = (surfaces[0].contact_data, surfaces[1].contact_data)
    for number, side in enumerate((evaluation.e, evaluation.f)):
        edges = data[1 - number].triangle_edges
        arguments = (side, edges, evaluation.header.pose, evaluation.segments, evaluation.parts, outlines)
        outline_cut_triangles(*arguments)
        if max(outlines.n_points, outlines.n_loops) > outlines.room:
            outlines.reserve(room=max(outlines.n_points, outlines.n_loops))
            outline_cut_triangles(*arguments)
        starts = np.append(outlines.loops[: outlines.n_loops, 0], outlines.n_points)
        for k in range(outlines.n_loops):
            _, leaf, part = outlines.loops[k].tolist()
            key = (number, int(data[number].order[leaf]), part)
            found.setdefault(key, []).append(outlines.points[starts[k] : starts[k + 1]].copy())
    return found
