"""Couplers that depend on each other: redundant ones, whose efforts cannot be told, and such that contradict others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polycontact.errors import MultibodyError
from polycontact.tolerances import DEPENDENT_CONSTRAINT

if TYPE_CHECKING:
    from polycontact.multibody.system_setup import SystemSetup


def refuse_dependent(setup: SystemSetup) -> None:
    """Refuse the first coupler whose sum is one of those before it, up to joints whose motion is prescribed."""
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
