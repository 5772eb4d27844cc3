"""What refining a scenario shows: of each result how it changes, what it tends to, and whether it is to be believed."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from polycontact.convergence.aspects import Aspect
from polycontact.convergence.extrapolation import COURSES, Limit, limit_of
from polycontact.errors import StudyError
from polycontact.replacing import write_whole
from polycontact.scenario.file_problems import listed, suggestion

if TYPE_CHECKING:
    from polycontact.scenario.parsing import Scenario

VERDICTS: Final = {
    "believable": "to be believed",
    "off": "off by more than allowed; take the extrapolated value or finer settings",
    "open": "not known well enough; refine further",
}
"""What may be said of a result."""


@dataclass(frozen=True)
class LevelRun:
    """A level of an aspect: its ``label``, the ``values`` of keys, each result by name (not a number where the run
    failed), why it failed, and CPU time, s.
    """

    label: str
    values: Mapping[str, Any]
    results: Mapping[str, float]
    failed: str = ""
    cpu_seconds: float = 0.0


@dataclass(frozen=True)
class Change:
    """How a result changes with one aspect: ``values`` on its levels, and their ``limit``.

    ``correction``: limit less the first value. Of a choice it is the value of another choice farthest from the first.
    """

    aspect: Aspect
    labels: tuple[str, ...]
    values: tuple[float, ...]
    limit: Limit
    correction: float

    @property
    def size(self) -> float:
        """How much the aspect matters: the correction and its uncertainty."""
        return abs(self.correction) + (0.0 if self.aspect.is_choice else self.limit.uncertainty)

    def remedy(self, allowed: float) -> int | None:
        """The first level from which on all are within ``allowed`` of the limit; None where none is known to be."""
        far = [i for i, value in enumerate(self.values) if abs(value - self.limit.value) > allowed]
        level = far[-1] + 1 if far else 0
        return level if level < len(self.values) and self.limit.uncertainty <= allowed else None


@dataclass(frozen=True)
class ResultConvergence:
    """A result: as ``given``, the ``estimate`` ± ``uncertainty`` of what it is with all errors gone.

    ``within``: relative error that is allowed; ``changes`` by aspect. The ``uncertainty`` is the sum of those of the
    aspects; the base counts in neither.
    """

    name: str
    unit: str
    given: float
    estimate: float
    uncertainty: float
    within: float
    changes: Mapping[str, Change]

    @property
    def error(self) -> float:
        """Of the given value, as estimated: given less the estimate."""
        return self.given - self.estimate

    @property
    def scale(self) -> float:
        """What relative errors are relative to."""
        return max(abs(self.estimate), abs(self.given))

    @property
    def verdict(self) -> str:
        """Whether the given value is to be believed, one of `VERDICTS`."""
        allowed = self.within * self.scale
        if abs(self.error) + self.uncertainty <= allowed:
            return "believable"
        return "off" if abs(self.error) - self.uncertainty > allowed else "open"

    @property
    def matters_most(self) -> str:
        """Aspect, without the base, that the error and its uncertainty come from most; empty where nothing changes."""
        sizes = {name: each.size for name, each in self.changes.items() if not each.aspect.is_choice}
        name = max(sizes, key=lambda each: sizes[each], default="")
        return name if name and sizes[name] > 0.0 else ""

    @property
    def base_change(self) -> float:
        """How far another base puts the result off; 0 where none was tried."""
        return abs(self.changes["base"].correction) if "base" in self.changes else 0.0

    def told(self) -> str:
        """The verdict in a sentence."""
        if self.scale == 0.0 and self.uncertainty == 0.0:
            return f"{self.name}: 0 on all levels, so that there is nothing to tell; is it what you want to know?"
        most = self.matters_most
        of = f"; {self.changes[most].aspect.title} matter most" if most else ""
        percent = _percent(abs(self.error) + self.uncertainty, self.scale)
        if self.verdict == "believable":
            return f"{self.name}: to be believed within {percent}{of}{self._told_of_base()}"
        if self.verdict == "off":
            off = f"off by {_percent(abs(self.error), self.scale)}"
            return f"{self.name}: {off}, more than {100 * self.within:g} %{of}{self._told_of_base()}"
        return f"{self.name}: not known better than within {percent}{of}{self._told_of_base()}"

    def _told_of_base(self) -> str:
        if self.base_change <= self.within * self.scale:
            return ""
        return f"; another base changes it by {_percent(self.base_change, self.scale)}: see that the base is right"

    def to_plain(self) -> dict[str, Any]:
        """Plain values for JSON; what is no finite number is None."""
        return {
            "name": self.name,
            "unit": self.unit,
            "given": plain_number(self.given),
            "estimate": plain_number(self.estimate),
            "uncertainty": plain_number(self.uncertainty),
            "error": plain_number(self.error),
            "verdict": self.verdict,
            "told": self.told(),
            "matters_most": self.matters_most,
            "aspects": {name: _plain_change(each) for name, each in self.changes.items()},
        }


@dataclass(frozen=True)
class Convergence:
    """What `converge` found: each result by name, the runs on all levels, and ``notes`` on what was left out."""

    scenario: Scenario
    results: Mapping[str, ResultConvergence]
    levels: Mapping[str, tuple[LevelRun, ...]]
    given: LevelRun
    within: float
    notes: tuple[str, ...]
    runs: int
    recorded: int

    def __getitem__(self, name: str) -> ResultConvergence:
        if name not in self.results:
            known = listed(self.results)
            raise StudyError(f"there is no result {name!r}{suggestion(name, self.results)}; there are {known}")
        return self.results[name]

    @property
    def ok(self) -> bool:
        """Whether all results are to be believed."""
        return all(each.verdict == "believable" for each in self.results.values())

    @property
    def matters_most(self) -> str:
        """The aspect that matters most to the result that is known worst; empty where nothing changes."""
        worst = max(self.results.values(), key=lambda each: (abs(each.error) + each.uncertainty) / (each.scale or 1.0))
        return worst.matters_most

    @property
    def remedies(self) -> dict[str, Any]:
        """Values of keys with which results that are off would be within half of what is allowed; see `beyond`.

        Of an aspect of which no level is fine enough for a result, the finest.
        """
        found: dict[str, Any] = {}
        for name, levels in self.levels.items():
            needed = [
                len(each.changes[name].values) - 1 if level is None else level
                for each, level in self._needed(name)
                if each.verdict != "believable"
            ]
            if needed and max(needed) > 0:
                found |= levels[max(needed)].values
        return found

    @property
    def beyond(self) -> tuple[str, ...]:
        """Names of the results for which some aspect has no level that is fine enough."""
        short = [each.name for name in self.levels for each, level in self._needed(name) if level is None]
        return tuple(name for name, each in self.results.items() if name in short and each.verdict != "believable")

    def _needed(self, aspect: str) -> list[tuple[ResultConvergence, int | None]]:
        """The level of an aspect that each result needs; None where no level is fine enough."""
        return [
            (each, each.changes[aspect].remedy(0.5 * each.within * each.scale))
            for each in self.results.values()
            if aspect in each.changes and not each.changes[aspect].aspect.is_choice
        ]

    def told_remedies(self) -> str:
        """What to do about results that are not to be believed; empty where all are."""
        settings = " ".join(f'--set "{key}={value}"' for key, value in self.remedies.items())
        if self.ok or not (settings or self.beyond):
            return ""
        if not self.beyond:
            return f"fine enough: {settings}"
        of = ", ".join(self.beyond)
        return f"not fine enough for {of}: {settings or 'the finest levels'}; go on from there, or take more levels"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "ok": self.ok,
            "scenario": self.scenario.name,
            "within": self.within,
            "matters_most": self.matters_most,
            "results": [each.to_plain() for each in self.results.values()],
            "remedies": self.remedies,
            "beyond": list(self.beyond),
            "notes": list(self.notes),
            "runs": self.runs,
            "levels": {
                name: [
                    {
                        "label": each.label,
                        "values": dict(each.values),
                        "failed": each.failed,
                        "cpu_seconds": each.cpu_seconds,
                    }
                    for each in levels
                ]
                for name, levels in self.levels.items()
            },
        }

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict` as JSON."""
        write_whole(path, json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")

    def save_page(self, path: str | os.PathLike[str]) -> int:
        """Write an HTML page that needs nothing else: verdicts, tables and plots; returns its length in bytes."""
        from polycontact.convergence.convergence_page import write_convergence

        return write_convergence(path, self)


def change_of(aspect: Aspect, runs: tuple[LevelRun, ...], name: str, noise: float) -> Change | None:
    """How a result changes with an aspect; None where no second level has it.

    Levels after one without the result do not count.
    """
    values = [each.results[name] for each in runs]
    if not math.isfinite(values[0]):
        return None
    if aspect.is_choice:
        others = [value for value in values[1:] if math.isfinite(value)]
        if not others:
            return None
        correction = max((value - values[0] for value in others), key=abs)
        limit = Limit(values[0], 0.0, None, "one level")
        kept = [i for i, value in enumerate(values) if math.isfinite(value)]
        return Change(aspect, *_kept(runs, values, kept), limit, correction)
    n = next((i for i, value in enumerate(values) if not math.isfinite(value)), len(values))
    if n < 2:
        return None
    limit = limit_of(values[:n], aspect.ratio, aspect.order, noise)
    correction = 0.0 if limit.course == "unchanged" else limit.value - values[0]
    return Change(aspect, *_kept(runs, values, list(range(n))), limit, correction)


def plain_number(value: float) -> float | None:
    """The number for JSON, None where it is not finite."""
    return value if math.isfinite(value) else None


def _kept(
    runs: tuple[LevelRun, ...], values: list[float], kept: list[int]
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    return tuple(runs[i].label for i in kept), tuple(values[i] for i in kept)


def _plain_change(change: Change) -> dict[str, Any]:
    limit = change.limit
    found = {
        "levels": [{"label": label, "value": value} for label, value in zip(change.labels, change.values, strict=True)],
        "change": plain_number(change.correction),
    }
    if change.aspect.is_choice:
        return found
    return found | {
        "limit": plain_number(limit.value),
        "uncertainty": plain_number(limit.uncertainty),
        "order": limit.order,
        "expected_order": change.aspect.order,
        "course": limit.course,
        "told": COURSES[limit.course],
    }


def _percent(value: float, scale: float) -> str:
    return f"{100.0 * value / scale:.2g} %" if scale > 0.0 else "0 %"
