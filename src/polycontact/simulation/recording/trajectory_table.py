"""A trajectory as one wide table: a column for each number, with its unit in the title."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.replacing import replacing
from polycontact.simulation.recording.histories import DASHES, no_such
from polycontact.simulation.recording.sample_quantities import (
    CONTACT_COLUMNS,
    CONTACT_UNITS,
    acceleration_unit,
    effort_unit,
    variable_unit,
)
from polycontact.unit_choice import SI, UnitChoice

if TYPE_CHECKING:
    from polycontact.simulation.recording.trajectory import Trajectory

XYZ, WXYZ = "xyz", "wxyz"

CSV_ROWS = 256
"""Rows turned to text at a time."""

MOST_PAIRINGS = 1000
"""Pairings of a run up to which a table has columns for all of them, also for those that never touch."""

Column = tuple[str, NDArray[Any]]


def columns(trajectory: Trajectory, words: Sequence[str] | None = None) -> Iterator[Column]:
    """Title and values of each column, time first.

    ``words``: pairings whose columns cannot begin with one of them are left out. Without words, those that never touch
    are left out where pairings are very many.
    """
    yield "time [s]", trajectory.time
    yield from _body_columns(trajectory)
    yield from _joint_columns(trajectory)
    yield from _pairing_columns(trajectory, _pairings_in(trajectory, words))
    if trajectory.has_reactions:
        yield from _reaction_columns(trajectory)
        yield from _force_columns(trajectory)
    for name, values in trajectory.energies.items():
        yield f"{name} energy [J]", values
    yield "evaluations [1]", trajectory.array("evaluations")
    yield "steps [1]", trajectory.array("steps")


def chosen_columns(trajectory: Trajectory, words: str | Sequence[str] | None) -> list[Column]:
    """Time, and the columns whose titles begin with one of ``words``; all of them for None. Any dash is as good."""
    words = [words] if isinstance(words, str) else words
    first, *others = columns(trajectory, words)
    if words is None:
        return [first, *others]
    chosen = []
    for word in words:
        found = [column for column in others if _plain(column[0]).startswith(_plain(word))]
        if not found:
            raise no_such("column", word, [title for title, _ in columns(trajectory, None)][1:], "table")
        chosen += found
    return [first, *dict(chosen).items()]


def _plain(title: str) -> str:
    return re.sub(DASHES, "-", title).casefold()


def in_units(titled: list[Column], units: UnitChoice) -> list[Column]:
    """Columns in the units that were chosen, which their titles name."""
    shown = [(*units.title(title), values) for title, values in titled]
    return [(title, values if factor == 1.0 else factor * values) for title, factor, values in shown]


def build_data_frame(trajectory: Trajectory, words: str | Sequence[str] | None = None, units: UnitChoice = SI) -> Any:
    """A pandas data frame of all columns, or of those that begin with ``words``, time as its index."""
    try:
        import pandas as pd
    except ImportError as error:
        raise SimulationError(
            "to_pandas needs the package pandas, which is not installed; get it with 'pip install pandas', or write a "
            "table with to_csv"
        ) from error
    (title, time), *others = in_units(chosen_columns(trajectory, words), units)
    return pd.DataFrame(dict(others), index=pd.Index(time, name=title))


def write_csv(
    trajectory: Trajectory,
    path: str | os.PathLike[str],
    words: str | Sequence[str] | None = None,
    units: UnitChoice = SI,
) -> None:
    """Write all columns, or those that begin with ``words``, as comma separated values in UTF-8.

    Numbers have the digits that give back the same ones.
    """
    titled = in_units(chosen_columns(trajectory, words), units)
    try:
        with replacing(Path(path)) as part, part.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow([title for title, _ in titled])
            for start in range(0, len(trajectory), CSV_ROWS):
                block = [values[start : start + CSV_ROWS].tolist() for _, values in titled]
                writer.writerows(zip(*block, strict=True))
    except OSError as error:
        raise SimulationError(
            f"{path}: cannot be written: {error.strerror}; check the folder, its access rights and the space left"
        ) from error


def _body_columns(trajectory: Trajectory) -> Iterator[Column]:
    for name in trajectory.bodies:
        body = trajectory.body(name)
        yield from _vector(f"{name} position", body.position, XYZ, "m")
        yield from _vector(f"{name} quaternion", body.quaternion, WXYZ, "1")
        yield from _vector(f"{name} velocity", body.velocity, XYZ, "m/s")
        yield from _vector(f"{name} angular velocity", body.angular_velocity, XYZ, "rad/s")
        if trajectory.has_reactions:
            yield from _vector(f"{name} acceleration", body.acceleration, XYZ, "m/s²")
            yield from _vector(f"{name} angular acceleration", body.angular_acceleration, XYZ, "rad/s²")


def _joint_columns(trajectory: Trajectory) -> Iterator[Column]:
    for name in trajectory.joints:
        joint = trajectory.joint(name)
        for names, values in (
            (joint.record.coordinates, joint.coordinates),
            (joint.record.speeds, joint.speeds),
        ):
            for i, variable in enumerate(names):
                yield f"{name} {variable} [{variable_unit(variable)}]", values[:, i]


def _reaction_columns(trajectory: Trajectory) -> Iterator[Column]:
    """Accelerations, reactions and drives of joints; free ones carry nothing. Reactions of loops."""
    for name in trajectory.joints:
        joint = trajectory.joint(name)
        for i, speed in enumerate(joint.record.speeds):
            yield f"{name} acceleration of {speed} [{acceleration_unit(speed)}]", joint.accelerations[:, i]
            if joint.record.driven:
                yield f"{name} drive of {speed} [{effort_unit(speed)}]", joint.drive[:, i]
    for name in trajectory.reacting:
        reaction = trajectory.reaction(name)
        yield from _vector(f"{name} reaction force", reaction.force, XYZ, "N")
        yield from _vector(f"{name} reaction torque", reaction.torque, XYZ, "N m")


def _force_columns(trajectory: Trajectory) -> Iterator[Column]:
    for record in trajectory.description.forces:
        for i, number in enumerate(record.numbers):
            yield f"{record.name} {number} [{record.unit_of(i)}]", trajectory.force(record.name)[:, i]


def _pairings_in(trajectory: Trajectory, words: Sequence[str] | None) -> tuple[str, ...]:
    """Pairings that ``words`` name; without words all, or those that touched where there are many."""
    if words is None:
        return trajectory.pairings if len(trajectory.pairings) <= MOST_PAIRINGS else trajectory.touched
    plain = [_plain(word) for word in words]
    titles = ((name, _plain(name)) for name in trajectory.pairings)
    return tuple(name for name, title in titles if any(title.startswith(w) or w.startswith(title) for w in plain))


def _pairing_columns(trajectory: Trajectory, names: Sequence[str]) -> Iterator[Column]:
    for name in names:
        pairing = trajectory.pairing(name)
        yield from _vector(f"{name} force", pairing.force, XYZ, "N")
        yield from _vector(f"{name} torque", pairing.torque, XYZ, "N m")
        for column, unit in zip(CONTACT_COLUMNS, CONTACT_UNITS, strict=True):
            if pairing.finds_points and column in ("area", "pressure"):  # points have neither
                continue
            yield f"{name} {column.replace('_', ' ')} [{unit}]", getattr(pairing, column)
        if trajectory.has_reactions:
            yield from _vector(f"{name} centre of pressure", pairing.centre_of_pressure, XYZ, "m")


def _vector(title: str, values: NDArray[np.float64], axes: str, unit: str) -> Iterator[Column]:
    for i, axis in enumerate(axes):
        yield f"{title} {axis} [{unit}]", values[:, i]
