"""Couplers that depend on each other: redundant ones, whose efforts cannot be told, and such that contradict others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polycontact.errors import MultibodyError
from polycontact.tolerances import DEPENDENT_CONSTRAINT

if TYPE_CHECKING:
    from polycontact.multibody.system_setup import SystemSetup


def refuse_dependent(setup: SystemSetup) -> None:
    """Refuse the first coupler whose sum is one of those before it, up to joints whose motion is prescribed, and gears
    that block each other.
    """
    free = {name for name, joint in setup.system.joints.items() if not joint.motions}
    coupled = dict.fromkeys((each.joint, each.coordinate) for terms in setup.couplers.values() for each in terms)
    columns = {key: i for i, key in enumerate(coupled)}
    kept: list[str] = []
    rows = np.zeros((0, len(columns)))
    for name, terms in setup.couplers.items():
        row = np.zeros(len(columns))
        for each in terms:
            row[columns[each.joint, each.coordinate]] = each.factor if each.joint in free else 0.0
        if len(rows):
            shares, *_ = np.linalg.lstsq(rows.T, row, rcond=None)
            rest = np.linalg.norm(row - shares @ rows)
            if rest**2 <= DEPENDENT_CONSTRAINT * float(row @ row):
                others = [repr(other) for other, share in zip(kept, shares, strict=True) if abs(share) > 1e-9]
                owner = setup.system.couplers[name].owner
                raise MultibodyError(
                    f"{owner} follows from {', '.join(others)}, or contradicts it: both couple the same free joints in "
                    f"the same way; leave one out, or change its ratio"
                )
        rows, kept = np.vstack([rows, row]), [*kept, name]
    _refuse_blocking(setup, free)


def _refuse_blocking(setup: SystemSetup, free: set[str]) -> None:
    """Refuse couplers of free joints that are as many as the coordinates that they couple, as gears in a ring are."""
    trains: list[tuple[list[str], set[tuple[str, int]]]] = []
    for name, terms in setup.couplers.items():
        names, coordinates = [name], {(each.joint, each.coordinate) for each in terms}
        for train in [train for train in trains if train[1] & coordinates]:
            trains.remove(train)
            names, coordinates = [*train[0], *names], train[1] | coordinates
        trains.append((names, coordinates))
    for names, coordinates in trains:
        joints = [joint for joint, _ in sorted(coordinates)]
        couples = all(len(setup.couplers[name]) > 1 for name in names)
        if couples and len(names) >= len(coordinates) and free.issuperset(joints):
            raise MultibodyError(
                f"couplers {', '.join(map(repr, names))} block each other: they leave no motion to joints "
                f"{', '.join(map(repr, dict.fromkeys(joints)))}; leave one out, or make the ratios fit"
            )
