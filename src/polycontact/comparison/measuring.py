"""Evaluations of all trials in one pose, and what each costs, in rounds in which all take turns."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.bounds import Expected
from polycontact.comparison.clock import Clock, no_collection
from polycontact.comparison.compared_body import moved, torque_moved
from polycontact.comparison.trials import Trial
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import ContactLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.errors import ContactWarning

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Row:
    """A trial and what came out, in frame E at the origin of shape F.

    ``force`` (3,) N and ``torque`` (3,) N m on E; ``area`` m², nan of a point; greatest ``depth`` m; ``normal`` (3,):
    mean direction into E; ``centre`` (3,) m of pressure; ``elements``: their number; ``status``: what was special;
    ``time``: median CPU time of an evaluation, s; ``expected``: force along the normal with its bounds where it is
    known beforehand, or why it is not.
    """

    trial: Trial
    law: ContactLaw
    force: Array
    torque: Array
    area: float
    depth: float
    normal: Array
    centre: Array
    elements: int
    status: str
    time: float
    pairing: ContactPairing
    pose: RelativeKinematics
    expected: Expected | str = ""

    @property
    def label(self) -> str:
        """Method and options in a few words."""
        return self.trial.label

    @property
    def magnitude(self) -> float:
        """Magnitude of the contact force, N."""
        return float(np.linalg.norm(self.force))

    def difference(self, reference: Array) -> float:
        """Magnitude of the difference of the force from a reference (N), as a share of the reference."""
        return float(np.linalg.norm(self.force - reference) / np.linalg.norm(reference))


def evaluate_trial(trial: Trial, law: ContactLaw, pose: RelativeKinematics, name: str) -> Row:
    """The contact of a trial in the pose of the shapes; errors are those of the pairing."""
    pairing = ContactPairing(trial.e.geometry, trial.f.geometry, method=trial.method, law=law, name=name)
    own_pose = moved(pose, trial.e, trial.f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)  # the status tells it
        result = pairing.evaluate(own_pose)
    torque = torque_moved(result.force, result.torque, pose, trial.f)
    return Row(
        trial=trial,
        law=law,
        force=result.force,
        torque=torque,
        area=float("nan") if trial.is_point else result.area,
        depth=float(result.elements.peak_depth.max(initial=0.0)),
        normal=_direction(result),
        centre=_centre(result) + np.array(trial.e.origin),
        elements=len(result.elements),
        status=(result.status.name or "").replace("_", " ").lower().replace("normal", ""),
        time=float("nan"),
        pairing=pairing,
        pose=own_pose,
    )


def _direction(result: ContactResult) -> Array:
    """Mean of the normals into E, weighted by pressure and area; nan where nothing presses."""
    elements = result.elements
    into_e = np.where(elements.side == 0, 1.0, -1.0)[:, None] * elements.normal
    total = (elements.pressure * elements.area) @ into_e
    length = float(np.linalg.norm(total))
    return np.asarray(total / length) if length > 0.0 else np.full(3, np.nan)


def _centre(result: ContactResult) -> Array:
    """Mean position weighted by normal forces; nan where nothing presses."""
    elements = result.elements
    weight = elements.pressure * elements.area
    total = float(weight.sum())
    return np.asarray(weight @ elements.position / total) if total > 0.0 else np.full(3, np.nan)


def with_times(rows: Sequence[Row], rounds: int, longest: float = 2.0) -> list[Row]:
    """The rows with median times of an evaluation; fewer rounds where ``rounds`` would take longer than that (s)."""
    clock = Clock()
    calls = [partial(row.pairing.wrench, *row.pose.arrays()) for row in rows]
    times: list[list[float]] = [[] for _ in rows]
    with warnings.catch_warnings(), no_collection():
        warnings.simplefilter("ignore", ContactWarning)
        spent = sum(clock.time([call])[0] for call in calls)  # µs; the first also enlarges buffers
        for _ in range(max(3, min(rounds, int(1e6 * longest / max(spent, 1.0))))):
            for own, call in zip(times, calls, strict=True):
                own.append(clock.time([call])[0])
    return [replace(row, time=1e-6 * statistics.median(own)) for row, own in zip(rows, times, strict=True)]
