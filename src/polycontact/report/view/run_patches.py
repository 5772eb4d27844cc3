"""Contact of a run at one sample, as it is drawn: patches, intersection polygons and forces.

Where the file holds contact elements, their values are shown; their shapes, and all values where it holds none, come
from evaluating the pairing at the recorded pose.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.methods import Base
from polycontact.contact.result import ContactResult
from polycontact.report.areal_pairings import areal_pairings
from polycontact.report.view.element_shapes import (
    ElementShapes,
    element_shapes,
    element_values_on,
    means,
    triangle_groups,
)
from polycontact.report.view.patch_parts import borders, patch_forces, patch_numbers
from polycontact.report.view.run_pairings import Motion, RunPairing, evaluate_again
from polycontact.report.view.viewer_scene import ContactMark, LinePiece, PatchForce, PatchPiece, SceneFrame
from polycontact.simulation.recording.records import ElementRecord, ShapeRecord
from polycontact.simulation.recording.sample_quantities import CONTACT_COLUMNS
from polycontact.simulation.recording.trajectory import Trajectory

AREA = CONTACT_COLUMNS.index("area")

_NO_ELEMENTS = np.zeros(0, dtype=np.int64)


class ContactFrames:
    """Makes the frames of a run, one after the other.

    ``moves`` (nb,): bodies that are not at rest all the time; ``most``: contacts of a frame whose patches are worked
    out, those with the greatest forces.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        pairings: tuple[RunPairing, ...],
        moves: NDArray[np.bool_],
        most: int | None = None,
    ) -> None:
        self._trajectory = trajectory
        self._most = most
        self._pairings = {pair.number: pair for pair in pairings}
        self._moves = moves
        self._areal = areal_pairings(trajectory.description)

    def frame(self, sample: int) -> SceneFrame:
        """Patches, arrows and marks of the contacts at a sample; empty where nothing touches."""
        trajectory = self._trajectory
        rows = [row for row in trajectory.contacts.at(sample) if row["contact"][AREA] > 0.0]
        touching = {int(row["pairing"]): row for row in rows if int(row["pairing"]) in self._pairings}
        if not touching:
            return SceneFrame()
        motion = Motion.at(trajectory, sample)
        recorded = {}
        if trajectory.has_elements:
            recorded = {record.pairing: record for record in trajectory.elements(sample)}
        patches: list[PatchPiece] = []
        polygons: list[LinePiece] = []
        contacts: list[ContactMark] = []
        forces = {number: float(np.linalg.norm(row["wrenches"][:3])) for number, row in touching.items()}
        shown = set(sorted(forces, key=lambda number: -forces[number])[: self._most])
        for number, row in touching.items():
            pair = self._pairings[number]
            if number in shown:
                found = look_at(pair, motion, recorded.get(pair.number))
            else:
                found = Found([], [], _recorded_centre(row))
            patches += found.patches
            polygons += found.polygons
            contacts.append(self._mark(pair, motion, row, found))
        return SceneFrame(tuple(patches), tuple(polygons), tuple(contacts))

    def _mark(self, pair: RunPairing, motion: Motion, recorded: Any, found: Found) -> ContactMark:
        """The force, drawn on E; on F where E never moves and F does. ``recorded``: its row of the contacts."""
        on_f = bool(self._moves[pair.f] and not self._moves[pair.e])
        force = recorded["wrenches"][:3]
        row = dict(zip(CONTACT_COLUMNS, recorded["contact"], strict=True))
        has_area = self._areal[pair.number]
        return placed_mark(
            pair,
            motion,
            found,
            force,
            on_f=on_f,
            area=float(row["area"]) if has_area else 0.0,
            depth=float(row["depth"]),
            pressure=float(row["pressure"]) if has_area else 0.0,
        )


def _recorded_centre(row: Any) -> NDArray[np.float64] | None:
    """Centre of pressure in a row of the table of contacts, where there is one."""
    if "centres_of_pressure" not in (row.dtype.names or ()) or not np.isfinite(row["centres_of_pressure"]).all():
        return None
    return np.array(row["centres_of_pressure"])


def placed_mark(
    pair: RunPairing,
    motion: Motion,
    found: Found,
    force: NDArray[np.float64],
    *,
    on_f: bool,
    area: float,
    depth: float,
    pressure: float,
) -> ContactMark:
    """The mark of a pairing on E or on F: ``force`` (3,) N on E in world axes, and those of its patches."""
    body, sign = (pair.f, -1.0) if on_f else (pair.e, 1.0)
    R_E = motion.rotation[pair.e] @ pair.shape_e.rotation

    def onto(point: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(motion.rotation[body].T @ (point - motion.position[body]))

    def from_e(point: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(motion.rotation[pair.e] @ place(point, pair.shape_e) + motion.position[pair.e])

    centre = found.centre
    if centre is None:
        centre = motion.position[pair.f] + motion.rotation[pair.f] @ pair.shape_f.position
    known = found.result is not None and np.isfinite(force).all()
    parts = patch_forces(found.result, found.number, R_E.T @ force) if known and found.result is not None else ()
    patches = tuple(PatchForce(onto(from_e(part.point)), sign * (R_E @ part.force), part.area) for part in parts)
    return ContactMark(pair.number, body, onto(centre), sign * np.asarray(force), area, depth, pressure, patches)


class Found(NamedTuple):
    """What is drawn of one pairing; ``centre`` of pressure (3,) m in the world, None where nothing presses.

    ``result``: of its evaluation, None where it could not be evaluated; ``number`` (n,) of the patch of each element.
    """

    patches: list[PatchPiece]
    polygons: list[LinePiece]
    centre: NDArray[np.float64] | None
    result: ContactResult | None = None
    number: NDArray[np.int64] = _NO_ELEMENTS


def look_at(pair: RunPairing, motion: Motion, record: ElementRecord | None = None) -> Found:
    """What is drawn of a pairing, evaluated at a motion, with values of elements from a record where there is one."""
    result = evaluate_again(pair, motion)
    if pair.pairing is None or result is None:
        return Found([], [], None) if record is None else _from_record(pair, motion, record)
    elements = result.elements
    # In both-sided mode each side carries half of the load; what is shown is the pressure in the contact.
    sides = 2.0 if pair.pairing.base is Base.BOTH else 1.0
    columns = (elements.pressure, elements.depth, elements.slip)
    if record is not None and len(record) == len(elements):
        columns = (record.pressure, record.depth, record.slip)
    values = means(element_values(columns[0] * sides, *columns[1:]), elements.area, result._pieces.piece)
    number = patch_numbers(result)
    patches = [
        piece
        for side, (body, shape) in enumerate(pair.sides)
        for piece in patch_pieces(
            body, pair.number, placed(element_shapes(pair.pairing, result, side), shape), values, number
        )
    ]
    polygons = [replace(line, segments=place(line.segments, pair.shape_e)) for line in borders(result, number, pair.e)]
    centre = centre_of_pressure(elements.position, elements.pressure * elements.area)
    R_E = motion.rotation[pair.e]
    on_e = None if centre is None else place(centre, pair.shape_e)
    in_world = None if on_e is None else R_E @ on_e + motion.position[pair.e]
    return Found(patches, polygons, in_world, result, number)


def _from_record(pair: RunPairing, motion: Motion, record: ElementRecord) -> Found:
    """Whole base triangles of meshes, where the pairing cannot be made again."""
    group = triangle_groups(record.side, record.base_triangle)
    values = means(element_values(record.pressure, record.depth, record.slip), record.area, group)
    is_first = np.zeros(len(record), dtype=bool)
    is_first[np.unique(group, return_index=True)[1]] = True
    patches = []
    for side, (body, shape) in enumerate(pair.sides):
        in_mesh = (record.base_triangle >= 0) & (record.base_triangle < len(shape.triangles))
        rows = np.flatnonzero(is_first & (record.side == side) & in_mesh & (shape.geometry is None))
        corners = shape.vertices[shape.triangles[record.base_triangle[rows]]]
        if len(rows):
            shapes = placed(ElementShapes(corners, rows, np.ones(len(rows))), shape)
            patches.append(PatchPiece(body, pair.number, shapes.triangles, element_values_on(shapes, values)))
    return Found(patches, [], centre_of_pressure(record.position, record.pressure * record.area))


def element_values(
    pressure: NDArray[np.float64], depth: NDArray[np.float64], slip: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Columns that patches can be coloured by: pressure Pa, depth m, slip speed m/s."""
    values = np.column_stack((pressure, depth, np.linalg.norm(slip, axis=1)))
    return np.asarray(np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0))


def centre_of_pressure(position: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Mean position (3,) weighted by normal forces; None where nothing presses."""
    weight = np.maximum(weight, 0.0)
    total = float(weight.sum())
    return np.asarray(weight @ position / total) if total > 0.0 else None


def place(points: NDArray[np.float64], shape: ShapeRecord) -> NDArray[np.float64]:
    """Points of a shape's frame in the frame of its body."""
    return np.asarray(points @ shape.rotation.T + shape.position)


def placed(shapes: ElementShapes, shape: ShapeRecord) -> ElementShapes:
    """Shapes of elements in the frame of the body."""
    return shapes._replace(triangles=place(shapes.triangles, shape))


def patch_pieces(
    body: int, pairing: int, shapes: ElementShapes, values: NDArray[np.float64], number: NDArray[np.int64]
) -> list[PatchPiece]:
    """Shapes of elements on a body, patch by patch; ``values`` and ``number`` of the patch: of all elements."""
    shown, patch = element_values_on(shapes, values), number[shapes.element]
    return [
        PatchPiece(body, pairing, shapes.triangles[patch == k], shown[patch == k], k) for k in np.unique(patch).tolist()
    ]
