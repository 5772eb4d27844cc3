"""Outlines of contact elements as they are cut, from the kernels, worked out when asked for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.mesh_pair import MeshMemory
from polycontact.contact.methods import PolygonalMethod
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


def element_outlines(
    pairing: ContactPairing, kinematics: RelativeKinematics, elements: ContactElements
) -> tuple[Loops, ...]:
    """The border of each element: the triangle itself, or the part of it inside the target where it is clipped.

    Elements of methods that know no triangles have none.
    """
    surfaces = meshes_of(pairing)
    if surfaces is None:
        return ((),) * len(elements)
    R, r, _, _ = kinematics.arrays()
    clipped: dict[tuple[int, int, int], list[NDArray[np.float64]]] = {}
    method = pairing.method
    if isinstance(method, PolygonalMethod) and method.elements == "clipped" and len(elements):
        clipped = _clipped_loops(pairing, surfaces, kinematics)
    found = []
    for side, triangle, part in zip(
        elements.side.tolist(), elements.base_triangle.tolist(), elements.part.tolist(), strict=True
    ):
        loops = clipped.get((side, triangle, part))
        if loops is None:
            corners = surfaces[side].vertices[surfaces[side].triangles[triangle]]
            loops = [corners @ R.T + r if side else np.array(corners)]
        found.append(tuple(loops))
    return tuple(found)


def _clipped_loops(
    pairing: ContactPairing, surfaces: tuple[Surface, Surface], kinematics: RelativeKinematics
) -> dict[tuple[int, int, int], list[NDArray[np.float64]]]:
    """Loops by (side, user's triangle, part) of all cut triangles."""
    with pairing.borrowed_memory() as memory, warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # said already when the result was made
        assert isinstance(memory, MeshMemory)
        pairing._run(memory, *kinematics.arrays(), np.empty(6))
        return _loops_of(surfaces, memory.evaluation)


def _loops_of(
    surfaces: tuple[Surface, Surface], evaluation: Evaluation
) -> dict[tuple[int, int, int], list[NDArray[np.float64]]]:
    found: dict[tuple[int, int, int], list[NDArray[np.float64]]] = {}
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
