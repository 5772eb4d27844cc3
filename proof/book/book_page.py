"""A page of the book as data: what was asked, what was measured, and which limits it had to keep."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from polycontact.report.document.markup import Section


@dataclass(frozen=True)
class Check:
    """A figure and its limit, in ``unit``: at most that much, or with ``at_least`` no less.

    ``as_percent``: both are shares, shown in per cent.
    """

    what: str
    value: float
    limit: float
    unit: str = ""
    at_least: bool = False
    as_percent: bool = False

    @property
    def ok(self) -> bool:
        """Whether the limit is kept; what is no number does not keep it."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def share(self) -> float:
        """How much of what is allowed is used: above 1 where the limit is not kept."""
        if math.isnan(self.value):
            return math.inf
        used, allowed = (self.limit, self.value) if self.at_least else (self.value, self.limit)
        if used == allowed:
            return 1.0 if used else 0.0
        return used / allowed if allowed > 0.0 else math.inf


@dataclass(frozen=True)
class BookPage:
    """A page that was made: ``checks`` decide on its verdict; ``figure``: its main result in a few words."""

    sections: tuple[Section, ...]
    checks: tuple[Check, ...]
    figure: str

    @property
    def ok(self) -> bool:
        """Whether all limits are kept."""
        return all(check.ok for check in self.checks)

    @property
    def worst(self) -> float:
        """The greatest share of a limit that is used."""
        return max((check.share for check in self.checks), default=0.0)


@dataclass(frozen=True)
class Effort:
    """How much is measured: everything, or with ``quick`` coarser meshes and fewer pairs."""

    quick: bool = False

    def levels(self, *levels: int) -> tuple[int, ...]:
        """Levels of meshes, coarse to fine: the quick ones leave out the two finest, but keep two."""
        return levels[: max(2, len(levels) - 2)] if self.quick else levels

    def count(self, n: int) -> int:
        """A number of pairs or values: a fifth of it, and at least two, where it must be quick."""
        return max(2, n // 5) if self.quick else n


@dataclass(frozen=True)
class Problem:
    """A page to be made: ``key`` names its file, ``about`` says in a sentence what is asked."""

    key: str
    group: str
    title: str
    about: str
    make: Callable[[Effort], BookPage]
