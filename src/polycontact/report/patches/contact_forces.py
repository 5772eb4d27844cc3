"""Contact forces of a recorded run at any time: where they act and how large they are, of pairings or of patches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.result import ContactResult
from polycontact.report.patches.moments import Moment
from polycontact.report.view.run_pairings import RunPairing, evaluate_again
from polycontact.report.view.run_patches import centre_of_pressure
from polycontact.simulation.recording.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class ContactForce:
    """A ``force`` (3,) N that acts at ``point`` (3,) m, in the world; ``pairing``: its number."""

    point: NDArray[np.float64]
    force: NDArray[np.float64]
    pairing: int = 0


def forces_at(
    trajectory: Trajectory,
    pairings: Iterable[RunPairing],
    moment: Moment,
    moves: NDArray[np.bool_],
    *,
    by_patch: bool = False,
) -> tuple[ContactForce, ...]:
    """Forces of pairings that touch, on E, or on F where E never ``moves`` and F does.

    Of a pairing it is the force that was recorded, where the moment is a sample; of patches, and between samples, it is
    worked out anew, without what contact laws remember.
    """
    found = []
    for pair in pairings:
        result = evaluate_again(pair, moment.motion)
        sign = -1.0 if moves[pair.f] and not moves[pair.e] else 1.0
        rotation, position = moment.place(pair.e, pair.shape_e)
        if by_patch and result is not None and result.patches:
            found += [
                ContactForce(position + rotation @ point, sign * (rotation @ force), pair.number)
                for point, force in _patch_forces(result)
            ]
            continue
        point = None if result is None else _centre(result)
        place = moment.place(pair.f, pair.shape_f)[1] if point is None else position + rotation @ point
        if moment.sample is not None:
            force = np.array(trajectory.array("wrenches")[moment.sample, pair.number, :3])
        elif result is not None:
            force = rotation @ result.force
        else:
            continue
        found.append(ContactForce(place, sign * force, pair.number))
    return tuple(found)


def _patch_forces(result: ContactResult) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Points (3,) m and forces (3,) N of patches in frame E; where both surfaces are the base, a patch is on both."""
    first, second = ([patch for patch in result.patches if patch.side == side] for side in (0, 1))
    points, forces = [patch.centroid for patch in first], [patch.force.copy() for patch in first]
    for patch in second:
        if not first:
            points.append(patch.centroid)
            forces.append(patch.force)
            continue
        other = int(np.argmin(np.linalg.norm(np.array([each.centroid for each in first]) - patch.centroid, axis=1)))
        forces[other] += patch.force
    return list(zip(points, forces, strict=True))


def _centre(result: ContactResult) -> NDArray[np.float64] | None:
    elements = result.elements
    return centre_of_pressure(elements.position, elements.pressure * elements.area)
