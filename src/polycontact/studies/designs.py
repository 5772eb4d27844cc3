"""Which points of the space of parameters a study runs: a full grid, a sample of it, or points of the user's own."""

from __future__ import annotations

import csv
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import StudyError
from polycontact.scenario.file_problems import shown
from polycontact.scenario.key_paths import setting_of
from polycontact.studies.parameters import StudyParameter
from polycontact.studies.sensitivity_runs import one_at_a_time, paired_samples, rows_of

KINDS: Final = ("grid", "latin_hypercube", "sobol", "random", "points", "sensitivity", "tornado")

WITHOUT_NUMBER: Final = ("grid", "points", "tornado")
"""Kinds whose number of runs follows from the parameters, and in which nothing is left to chance."""

MOST_POINTS: Final = 10_000_000
"""Largest number of runs of a study; its points are held in memory."""

MOST_NUMBERS: Final = 100_000_000
"""Points times parameters: 0.8 GB, and as much again while they are put together."""


@dataclass(frozen=True)
class StudyDesign:
    """``parameters`` and how their values are combined.

    ``kind``: "grid" (every combination; ranges need ``steps``), "latin_hypercube", "sobol" (scrambled; a power of 2
    fills space best) or "random", each with a ``number`` of points and a ``seed``; "points": rows of levels, made by
    `StudyDesign.points` or `StudyDesign.from_csv`. For how much each parameter matters: "sensitivity", the runs for
    indices of Sobol', with ``number`` n, rounded up to a power of 2, of n (number of parameters + 2) runs; "tornado",
    each parameter at the ends of its range (the first and the last of its values), the others in the middle.
    """

    parameters: tuple[StudyParameter, ...]
    kind: str = "latin_hypercube"
    number: int | None = None
    seed: int = 0
    rows: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(self.parameters))
        if self.kind not in KINDS:
            raise StudyError(f"design: its kind is {shown(self.kind)}; allowed is one of {', '.join(KINDS)}")
        if not self.parameters:
            raise StudyError("design: there is no parameter; name at least one key to vary")
        for each in self.parameters:
            if not isinstance(each, StudyParameter):
                raise StudyError(f"design: {each!r} is no parameter; give StudyParameter(key, range=(…, …))")
        names = [each.name for each in self.parameters]
        if doubled := next((name for name in names if names.count(name) > 1), None):
            raise StudyError(f"design: two parameters are called {shown(doubled)}; give them different names")
        self._check_number()

    def _check_number(self) -> None:
        if self.kind in WITHOUT_NUMBER:
            if self.number is not None:
                raise StudyError(f"design: a design of kind {self.kind} has no number; leave it out")
        elif self.number is None:
            raise StudyError(f"design: a design of kind {self.kind} needs a number of points; give 1 or more")
        elif isinstance(self.number, bool) or not isinstance(self.number, int) or self.number < 1:
            raise StudyError(f"design: its number of points is {self.number}; give 1 or more")
        elif self.number > MOST_POINTS:
            raise StudyError(f"design: {self.number} points; allowed are {MOST_POINTS}")
        elif self.kind == "sensitivity":
            rows_of(self.number, len(self.parameters), "design: number")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise StudyError(f"design: its seed is {self.seed}; give a whole number from 0")
        if self.kind == "points" and not self.rows:
            raise StudyError("design: it has no points; give at least one")

    @classmethod
    def points(cls, points: Sequence[Mapping[str, Any]]) -> StudyDesign:
        """A design of points of your own: for each the values by key, the same keys in all of them."""
        if not points:
            raise StudyError("design: it has no points; give at least one")
        keys = list(points[0])
        for i, point in enumerate(points):
            if list(point) != keys and set(point) != set(keys):
                raise StudyError(f"design: point {i} has other keys than the first; give each point {', '.join(keys)}")
        columns = {key: [point[key] for point in points] for key in keys}
        return cls.from_columns(columns)

    @classmethod
    def from_columns(cls, columns: Mapping[str, Sequence[Any]]) -> StudyDesign:
        """A design of points from a column of values for each key."""
        parameters, levels = [], []
        for key, column in columns.items():
            texts = [repr(each) for each in column]
            first = {text: i for i, text in reversed(list(enumerate(texts)))}
            order = {text: i for i, text in enumerate(dict.fromkeys(texts))}
            parameters.append(StudyParameter(key, values=tuple(column[first[text]] for text in order)))
            levels.append([float(order[text]) for text in texts])
        return cls(tuple(parameters), "points", rows=tuple(zip(*levels, strict=True)))

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str]) -> StudyDesign:
        """A design of the points in a CSV file: keys in the first line, the values of a point in each other one."""
        file = Path(path)
        try:
            with file.open(newline="", encoding="utf-8-sig") as stream:
                lines = [line for line in csv.reader(stream) if any(cell.strip() for cell in line)]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise StudyError(f"{file}: the points cannot be read: {error}; give a CSV file") from error
        if len(lines) < 2:
            raise StudyError(f"{file}: it has no points; give keys in the first line, a point in each other one")
        keys = [cell.strip() for cell in lines[0]]
        if len(set(keys)) < len(keys):
            raise StudyError(f"{file}: a key stands twice in the first line; leave one out")
        for number, line in enumerate(lines, start=1):
            if len(line) != len(keys) or not all(cell.strip() for cell in line):
                raise StudyError(f"{file}: line {number} of the points has gaps; each needs {len(keys)} values")
        rows = [[setting_of(f"value={cell}")[1] for cell in line] for line in lines[1:]]
        return cls.from_columns({key: [row[i] for row in rows] for i, key in enumerate(keys)})

    def levels(self) -> NDArray[np.float64]:
        """The points, (n, number of parameters): of a range its value, of values their index."""
        if self.kind == "points":
            return np.array(self.rows, dtype=float)
        self._refuse_too_many()
        if self.kind == "grid":
            return _grid([each.grid_levels() for each in self.parameters])
        if self.kind == "tornado":
            return one_at_a_time(*np.column_stack([each.tornado_levels() for each in self.parameters]))
        shares = _shares(self.kind, int(self.number or 0), len(self.parameters), self.seed)
        return np.column_stack([each.from_share(shares[:, i]) for i, each in enumerate(self.parameters)])

    def _refuse_too_many(self) -> None:
        """Raise an error, before any memory is taken, where there are more points or numbers than can be held."""
        n = self.number or 1
        if self.kind == "grid":
            n = math.prod(each.n_grid_levels for each in self.parameters)
        if n > MOST_POINTS:
            raise StudyError(
                f"design: the grid has {n} points; allowed are {MOST_POINTS}: take fewer steps, or a sample"
            )
        if n * len(self.parameters) > MOST_NUMBERS:
            raise StudyError(
                f"design: {n} points of {len(self.parameters)} parameters are {n * len(self.parameters):.3g} numbers; "
                f"allowed are {MOST_NUMBERS:.0e}: take fewer points"
            )

    def to_plain(self) -> dict[str, Any]:
        """Plain values, for JSON; the points themselves are stored beside."""
        return {
            "kind": self.kind,
            "number": self.number,
            "seed": self.seed,
            "parameters": [each.to_plain() for each in self.parameters],
        }


def values_of(parameters: Sequence[StudyParameter], levels: NDArray[np.float64]) -> dict[str, Any]:
    """What stands in the scenario, by key, at the point with ``levels``."""
    values: dict[str, Any] = {}
    for each, level in zip(parameters, levels.tolist(), strict=True):
        values |= each.set_to(each.value(level))
    return values


def _grid(levels: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.stack([each.ravel() for each in np.meshgrid(*levels, indexing="ij")], axis=1)


def _shares(kind: str, n: int, dimensions: int, seed: int) -> NDArray[np.float64]:
    """A sample of the unit cube, (n, dimensions); for sensitivities there are more rows, see `paired_samples`."""
    if kind == "sensitivity":
        return paired_samples(n, dimensions, seed)
    if kind == "random":
        return np.random.default_rng(seed).random((n, dimensions))
    from scipy.stats import qmc

    rng = np.random.default_rng(seed)
    if kind == "latin_hypercube":
        return np.asarray(qmc.LatinHypercube(dimensions, seed=rng).random(n), dtype=float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of numbers that are no power of 2, which the documentation tells
        return np.asarray(qmc.Sobol(dimensions, seed=rng).random(n), dtype=float)
