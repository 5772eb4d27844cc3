"""Patches, polygons, active areas and overlap volume of an evaluation, worked out when asked for.

The same pose is evaluated once more, in memory of its own, which gives the same bits.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.element_parts import parts_of_elements, parts_of_segments
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.mesh_pair import MeshMemory
from polycontact.contact.methods import Base, PolygonalMethod, has_distance_depth
from polycontact.contact.result import ContactElements, ContactPatch, IntersectionPolygon
from polycontact.contact.table import meshes_of
from polycontact.errors import ContactWarning
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.contact.evaluation_view import Evaluation, Side
from polycontact.kernels.contact.overlap_volume import overlap_volume
from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.contact_data import ContactData
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing


@dataclass(frozen=True)
class ContactDetails:
    """What is derived from an evaluation on request."""

    patches: tuple[ContactPatch, ...]
    polygons: tuple[IntersectionPolygon, ...]
    volume: float
    active_triangles: tuple[NDArray[np.int32], NDArray[np.int32]]


_NO_TRIANGLES = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True)
class _Side:
    """Active area of one surface, in leaf order."""

    data: ContactData
    cut: NDArray[np.int32]
    state: NDArray[np.int32]
    inner: NDArray[np.int32]
    segment_part: NDArray[np.int32]
    corner_part: NDArray[np.int32]

    @property
    def active(self) -> NDArray[np.int32]:
        """Users' ids of the active triangles."""
        return np.sort(self.data.order[np.concatenate((self.cut, self.inner))])


@dataclass(frozen=True)
class _Segments:
    """Intersection segments: triangles (of E, of F), kinds and points of start and end."""

    triangles: NDArray[np.int32]
    kinds: NDArray[np.int32]
    ends: NDArray[np.float64]


def work_out_details(
    pairing: ContactPairing, kinematics: RelativeKinematics, elements: ContactElements
) -> ContactDetails:
    """Evaluate again at the same pose, and read the patches, segments and volumes that `evaluate` does not keep."""
    with _evaluated_again(pairing, kinematics) as evaluation:
        if evaluation is None:
            return ContactDetails((), (), float("nan"), (_NO_TRIANGLES, _NO_TRIANGLES))
        return _read_details(pairing, kinematics, elements, evaluation)


def work_out_polygons(pairing: ContactPairing, kinematics: RelativeKinematics) -> tuple[IntersectionPolygon, ...]:
    """The intersection polygons alone, which take much less than all details."""
    with _evaluated_again(pairing, kinematics) as evaluation:
        surfaces = meshes_of(pairing)
        if evaluation is None or surfaces is None:
            return ()
        return link_polygons(_copy_segments(evaluation), surfaces[0].contact_data, surfaces[1].contact_data)[0]


@contextmanager
def _evaluated_again(pairing: ContactPairing, kinematics: RelativeKinematics) -> Iterator[Evaluation | None]:
    """The memory of an evaluation at a pose; None where the pairing is none of meshes."""
    with pairing.borrowed_memory() as memory:
        if not isinstance(memory, MeshMemory) or meshes_of(pairing) is None:
            yield None
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContactWarning)  # said already when the result was made
            pairing._run(memory, *kinematics.arrays(), np.empty(6))
        yield memory.evaluation


def _read_details(
    pairing: ContactPairing, kinematics: RelativeKinematics, elements: ContactElements, evaluation: Evaluation
) -> ContactDetails:
    """Derive the details from the memory of an evaluation."""
    segments = _copy_segments(evaluation)
    surfaces = meshes_of(pairing)
    assert surfaces is not None
    e, f = surfaces[0].contact_data, surfaces[1].contact_data
    pushed_out = has_distance_depth(pairing.method)
    sides = (
        _copy_side(e, evaluation.e, f.triangle_edges, evaluation, pushed_out),
        _copy_side(f, evaluation.f, e.triangle_edges, evaluation, pushed_out),
    )
    volume = _volume(pairing, surfaces, segments, evaluation)
    polygons, polygon_of = link_polygons(segments, e, f)
    parts = parts_of_elements(pairing, elements, surfaces, evaluation)
    patches: list[ContactPatch] = []
    for number in (0, 1):
        groups = _connected_parts(sides[number], segments, number, elements)
        patches += _collect_patches(elements, parts, groups, sides[number], number, segments, polygon_of, kinematics)
    return ContactDetails(tuple(patches), polygons, volume, (sides[0].active, sides[1].active))


def _copy_segments(evaluation: Evaluation) -> _Segments:
    segments = evaluation.segments
    order = segments.order[: segments.n]
    return _Segments(triangles=segments.triangles[order], kinds=segments.kinds[order], ends=segments.ends[order])


def _copy_side(
    data: ContactData, side: Side, their_edges: NDArray[np.int32], evaluation: Evaluation, pushed_out: bool
) -> _Side:
    """``pushed_out``: components that lie wholly inside the other surface carry elements."""
    segment_part, corner_part = parts_of_segments(side, their_edges, evaluation)
    contained = np.zeros(0, dtype=np.int32)
    if pushed_out:
        contained = np.flatnonzero(side.contained[side.mesh.triangle_component] == 1).astype(np.int32)
    return _Side(
        data=data,
        cut=side.cut[: side.n_cut].copy(),
        state=side.cut_state[: side.n_cut].copy(),
        inner=np.union1d(side.inner[: side.n_inner], contained),
        segment_part=segment_part,
        corner_part=corner_part,
    )


def _volume(
    pairing: ContactPairing, surfaces: tuple[Surface, Surface], segments: _Segments, evaluation: Evaluation
) -> float:
    """Overlap volume, m³; nan where it is not defined."""
    e, f = evaluation.e, evaluation.f
    method = pairing.method
    if not all(surface.is_closed for surface in surfaces) or not isinstance(method, PolygonalMethod):
        return float("nan")
    volume = 0.0
    if len(segments.ends):
        origin = tuple(segments.ends[:, :3].mean(axis=0).tolist())
        volume = float(overlap_volume(e, f, evaluation.header.pose, evaluation.segments, origin))
    inside = ((Status.E_INSIDE_F, Base.E, e, surfaces[0]), (Status.F_INSIDE_E, Base.F, f, surfaces[1]))
    for bit, base, side, surface in inside:
        # As a base with the depth as a distance their triangles are among the inner ones.
        counted = len(segments.ends) > 0 and has_distance_depth(method) and method.base in (base, Base.BOTH)
        if evaluation.header.report.status & bit and not counted:
            volume += float(surface.contact_data.component_volumes[side.contained == 1].sum())
    return volume


def _node(segments: _Segments, k: int, which: int, e: ContactData, f: ContactData) -> tuple[int, int, int]:
    """Identity of the start (0) or end (1) of segment k: which surface's edge, the edge, the other's triangle."""
    kind = int(segments.kinds[k, which])
    t, s = (int(i) for i in segments.triangles[k])
    return (0, int(e.triangle_edges[t, kind]), s) if kind < 3 else (1, int(f.triangle_edges[s, kind - 3]), t)


def link_polygons(
    segments: _Segments, e: ContactData, f: ContactData
) -> tuple[tuple[IntersectionPolygon, ...], NDArray[np.int64]]:
    """Join segments at their common nodes to polygons (S0.35–S0.39); also the polygon of each segment.

    Nodes are recognised by identity (edge of one surface, triangle of the other), not by distance.
    """
    n = len(segments.triangles)
    begins = {_node(segments, k, 0, e, f): k for k in range(n)}
    follower = np.array([begins.get(_node(segments, k, 1, e, f), -1) for k in range(n)], dtype=np.int64)
    has_predecessor = np.zeros(n, dtype=bool)
    has_predecessor[follower[follower >= 0]] = True
    polygon_of = np.full(n, -1, dtype=np.int64)
    polygons: list[IntersectionPolygon] = []
    for start in [*np.flatnonzero(~has_predecessor), *range(n)]:
        if polygon_of[start] >= 0:
            continue
        chain = []
        k = int(start)
        while k >= 0 and polygon_of[k] < 0:
            polygon_of[k] = len(polygons)
            chain.append(k)
            k = int(follower[k])
        polygons.append(_polygon(segments, chain, k == start, e, f))
    return tuple(polygons), polygon_of


def _polygon(
    segments: _Segments, chain: list[int], is_closed: bool, e: ContactData, f: ContactData
) -> IntersectionPolygon:
    points = segments.ends[chain, :3]
    if not is_closed:
        points = np.vstack((points, segments.ends[chain[-1], 3:]))
    t, s = segments.triangles[chain].T
    return IntersectionPolygon(points, is_closed, np.column_stack((e.order[t], f.order[s])))


class _Groups:
    """Groups of (triangle, part) that are joined in pairs."""

    def __init__(self) -> None:
        self._number: dict[tuple[int, int], int] = {}
        self._joins: list[tuple[int, int]] = []

    def join(self, a: tuple[int, int], b: tuple[int, int]) -> None:
        """Make one group of two; before any is looked up."""
        self._joins.append((self._number_of(a), self._number_of(b)))

    def find(self, key: tuple[int, int]) -> int:
        """Number of the group of a key; one of its own where it was never joined."""
        number = self._number_of(key)
        return int(self._labels[number]) if number < len(self._labels) else number

    def _number_of(self, key: tuple[int, int]) -> int:
        return self._number.setdefault(key, len(self._number))

    @cached_property
    def _labels(self) -> NDArray[np.int64]:
        joins = np.array(self._joins, dtype=np.int64).reshape(-1, 2)
        return connected_labels(len(self._number), joins[:, 0], joins[:, 1])


def _connected_parts(side: _Side, segments: _Segments, number: int, elements: ContactElements) -> _Groups:
    """Groups of (triangle, part) that are connected on one surface through inside stretches of their sides."""
    groups = _Groups()
    if not np.any(elements.side == number):
        return groups
    inside = set(side.inner.tolist())
    at_corner = {}
    for t, state, parts in zip(side.cut.tolist(), side.state.tolist(), side.corner_part.tolist(), strict=True):
        at_corner[t] = (state, parts)

    def part_at(t: int, i: int) -> int | None:
        """Part of triangle t along its whole side i, if that side is wholly inside."""
        if t in inside:
            return 0
        state, parts = at_corner.get(t, (0, [0, 0, 0]))
        both = (1 << i) | (1 << ((i + 1) % 3))
        return int(parts[i]) if (state & both) == both and not state & (8 << i) else None

    neighbours = side.data.neighbours
    for t in [*at_corner, *inside]:
        for i in range(3):
            s = int(neighbours[t, i])
            part = part_at(t, i)
            if s < 0 or part is None:
                continue
            other = part_at(s, int(np.flatnonzero(neighbours[s] == t)[0]))
            if other is not None:
                groups.join((t, part), (s, other))
    _join_at_nodes(groups, side, segments, number)
    return groups


def _join_at_nodes(groups: _Groups, side: _Side, segments: _Segments, number: int) -> None:
    """Join parts of neighbouring triangles that share a crossing of their common side."""
    seen: dict[tuple[int, int], tuple[int, int]] = {}
    first_kind = 3 * number
    for k in range(len(segments.triangles)):
        t, other = int(segments.triangles[k, number]), int(segments.triangles[k, 1 - number])
        here = (t, int(side.segment_part[k]))
        for which in (0, 1):
            kind = int(segments.kinds[k, which]) - first_kind
            if 0 <= kind < 3:
                node = (int(side.data.triangle_edges[t, kind]), other)
                groups.join(here, seen.setdefault(node, here))


def _collect_patches(
    elements: ContactElements,
    parts: NDArray[np.int32],
    groups: _Groups,
    side: _Side,
    number: int,
    segments: _Segments,
    polygon_of: NDArray[np.int64],
    kinematics: RelativeKinematics,
) -> list[ContactPatch]:
    """Patches of one side, in the order of their first element."""
    leaf_of = np.empty_like(side.data.order)
    leaf_of[side.data.order] = np.arange(len(leaf_of), dtype=np.int32)
    members: dict[int, list[int]] = {}
    for k in np.flatnonzero(elements.side == number).tolist():
        key = groups.find((int(leaf_of[elements.base_triangle[k]]), int(parts[k])))
        members.setdefault(key, []).append(k)
    borders: dict[int, set[int]] = {}
    for k in range(len(segments.triangles)):
        key = groups.find((int(segments.triangles[k, number]), int(side.segment_part[k])))
        borders.setdefault(key, set()).add(int(polygon_of[k]))
    return [
        _patch(elements, np.array(rows), number, len(borders.get(key, ())), kinematics) for key, rows in members.items()
    ]


def _patch(
    elements: ContactElements,
    rows: NDArray[np.int64],
    number: int,
    n_borders: int,
    kinematics: RelativeKinematics,
) -> ContactPatch:
    area, position, force = elements.area[rows], elements.position[rows], elements.force[rows]
    spin = (1.0 if number == 0 else -1.0) * elements.spin_torque[rows] @ elements.normal[rows]
    return ContactPatch(
        side=number,
        elements=rows,
        area=float(area.sum()),
        centroid=area @ position / area.sum(),
        force=force.sum(axis=0),
        torque=np.cross(position - kinematics.arrays()[1], force).sum(axis=0) + spin,
        n_borders=n_borders,
        max_pressure=float(elements.peak_pressure[rows].max()),
        max_depth=float(elements.peak_depth[rows].max()),
    )
