"""The quantity of a run that a measured curve is compared with: a column of the run's table, found by its title."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IdentificationError, SimulationError
from polycontact.identification.measured_curve import WITHOUT_UNIT, MeasuredCurve, dimension_of
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.recording.trajectory_table import chosen_columns


@dataclass(frozen=True)
class RunQuantity:
    """A column of a run's table: its whole ``title`` and its ``unit``."""

    title: str
    unit: str

    def values(self, trajectory: Trajectory) -> NDArray[np.float64]:
        """The values of a run, one for each sample."""
        return np.asarray(dict(chosen_columns(trajectory, self.title))[self.title], float)


def find_quantity(trajectory: Trajectory, curve: MeasuredCurve) -> RunQuantity:
    """The column of the run that a curve measures; none, several or another dimension raise an error."""
    try:
        _, *found = [title for title, _ in chosen_columns(trajectory, curve.quantity)]
    except SimulationError as error:
        raise IdentificationError(f"{curve.label}: quantity: {error}") from error
    exact = [title for title in found if _split(title)[0].casefold() == curve.quantity.casefold()]
    if len(exact or found) > 1:
        listed = ", ".join(repr(_split(title)[0]) for title in found[:10])
        more = f" and {len(found) - 10} more" if len(found) > 10 else ""
        raise IdentificationError(f"{curve.label}: quantity {curve.quantity!r} may be any of {listed}{more}; give one")
    title = (exact or found)[0]
    unit = _split(title)[1]
    if dimension_of(unit) != dimension_of(curve.unit):
        given = "without a unit" if curve.unit in WITHOUT_UNIT else f"in {curve.unit}"
        told = "has no unit" if unit in WITHOUT_UNIT else f"is in {unit}"
        raise IdentificationError(f"{curve.label}: measured {given}, but {_split(title)[0]!r} {told}; correct the unit")
    return RunQuantity(title, unit)


def _split(title: str) -> tuple[str, str]:
    """Name and unit of a column's title, such as "ball position z [m]"."""
    name, _, unit = title.rpartition(" [")
    return name, unit.removesuffix("]")
