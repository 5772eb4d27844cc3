"""Contact patches of a recorded run at any time, in world axes.

Where contact elements were recorded, a sample shows their values; elsewhere the contact is computed once more from
the recorded motion, which gives the same patches.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.methods import Base
from polycontact.report.patches.contact_forces import ContactForce, forces_at
from polycontact.report.patches.moments import Moment, moment_at
from polycontact.report.patches.patch_mesh import PatchMesh, build_mesh, mesh_of_result
from polycontact.report.view.element_shapes import means, triangle_groups
from polycontact.report.view.run_pairings import RunPairing, evaluate_again, remake_pairings, touching_pairings
from polycontact.simulation.recording.records import ElementRecord
from polycontact.simulation.recording.trajectory import Trajectory


class RunPatches:
    """Patches of a trajectory; pairings that are made for one time are kept for the next."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._trajectory = trajectory
        pairings, _ = remake_pairings(trajectory.description, touching_pairings(trajectory))
        self._pairings = {pair.number: pair for pair in pairings}

    def at(self, time: float) -> PatchMesh:
        """All patches at ``time`` (s)."""
        return self.at_moment(moment_at(self._trajectory, time))

    def at_moment(self, moment: Moment) -> PatchMesh:
        """All patches of a moment of this trajectory."""
        recorded: dict[int, ElementRecord] = {}
        if moment.sample is not None and self._trajectory.has_elements:
            recorded = {record.pairing: record for record in self._trajectory.elements(moment.sample)}
        found = [_patch(pair, moment, recorded.get(pair.number)) for pair in self._pairs(moment)]
        return PatchMesh.joined(mesh for mesh in found if mesh is not None)

    def forces_at(
        self, moment: Moment, moves: NDArray[np.bool_], *, by_patch: bool = False
    ) -> tuple[ContactForce, ...]:
        """All contact forces of a moment, of pairings or of patches; ``moves``: bodies that do not stand still."""
        return forces_at(self._trajectory, self._pairs(moment), moment, moves, by_patch=by_patch)

    def _pairs(self, moment: Moment) -> list[RunPairing]:
        return [self._pairings[i] for i in self._touching(moment).tolist() if i in self._pairings]

    def _touching(self, moment: Moment) -> NDArray[np.int64]:
        """Numbers of pairings that touch, or may touch between two samples."""
        if moment.sample is not None:
            samples = [moment.sample]
        else:
            after = int(np.searchsorted(self._trajectory.time, moment.time))
            samples = [i for i in (after - 1, after) if 0 <= i < len(self._trajectory)]
        rows = np.concatenate([self._trajectory.contacts.at(i) for i in samples])
        return np.unique(rows["pairing"][rows["contact"][:, 0] > 0.0])


def _patch(pair: RunPairing, moment: Moment, recorded: ElementRecord | None) -> PatchMesh | None:
    result = evaluate_again(pair, moment.motion)
    if recorded is not None and (result is None or len(result.elements) != len(recorded)):
        return _whole_triangles(pair, moment, recorded)
    if result is None or not len(result.elements):
        return None
    mesh = mesh_of_result(result, pair.number).placed(*moment.place(pair.e, pair.shape_e))
    return mesh if recorded is None else _with_values(mesh, pair, recorded, result._pieces.piece)


def _whole_triangles(pair: RunPairing, moment: Moment, recorded: ElementRecord) -> PatchMesh:
    """Base triangles of recorded elements, uncut: of contacts that cannot be computed once more."""
    corners, rows = [], []
    group = triangle_groups(recorded.side, recorded.base_triangle)
    is_first = np.zeros(len(recorded), dtype=bool)
    is_first[np.unique(group, return_index=True)[1]] = True
    for side, (body, shape) in enumerate(pair.sides):
        in_mesh = (recorded.base_triangle >= 0) & (recorded.base_triangle < len(shape.triangles))
        row = np.flatnonzero(is_first & (recorded.side == side) & in_mesh & (shape.geometry is None))
        corners.append(moment.vertices(body, shape)[shape.triangles[recorded.base_triangle[row]]])
        rows.append(row)
    return build_mesh(
        np.concatenate(corners),
        np.concatenate(rows),
        means(_whole_pressure(pair, recorded), recorded.area, group),
        means(recorded.depth, recorded.area, group),
        means(recorded.slip, recorded.area, group),
        recorded.side,
        pair.number,
    )


def _with_values(mesh: PatchMesh, pair: RunPairing, recorded: ElementRecord, piece: NDArray[np.int64]) -> PatchMesh:
    """A mesh with the values that were recorded of its elements, which lie on the given pieces (n,) of surface."""
    row, area = mesh.element, recorded.area
    return replace(
        mesh,
        pressure=means(_whole_pressure(pair, recorded), area, piece)[row] * mesh.share,
        depth=means(recorded.depth, area, piece)[row] * mesh.share,
        slip=means(recorded.slip, area, piece)[row],
    )


def _whole_pressure(pair: RunPairing, recorded: ElementRecord) -> NDArray[np.float64]:
    """Pressure (n,) Pa of recorded elements; where both surfaces are the base, each has half of it."""
    is_both = pair.pairing is not None and pair.pairing.base is Base.BOTH
    return (2.0 if is_both else 1.0) * recorded.pressure
