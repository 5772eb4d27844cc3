"""What the benchmark aims at. A target that is missed is shown, and is no failure of the command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from polycontact.benchmark.contest import CaseResult
from polycontact.benchmark.overheads import CallCosts, ImportCosts, LargeSurface
from polycontact.benchmark.poses import Family

RATIO_PEER = "coal"
RATIO = "× coal"
MILLION = 1_000_000

COLD_LIMITS = {950: 0.30, 100_000: 0.25}
COHERENT_LIMITS = {950: 0.12, 100_000: 0.06}
NEAR_LIMIT = 1.0
"""Times relative to coal's, by the number of triangles."""

EVALUATE_LIMIT = 25.0
FAR_LIMIT = 3.0
"""µs."""

IMPORT_LIMIT = 0.5
LARGE_LIMIT = 30.0
"""CPU s."""

LARGE_MEMORY = 2000.0
"""MB."""


@dataclass(frozen=True)
class Target:
    """A figure and its limit; ``value`` is None where it was not measured."""

    name: str
    value: float | None
    limit: float
    unit: str

    @property
    def met(self) -> bool | None:
        """Whether the figure is within its limit; None where it was not measured."""
        return None if self.value is None else self.value <= self.limit

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "value": self.value,
            "limit": self.limit,
            "unit": self.unit,
            "met": self.met,
        }


def judge(
    cases: dict[int, list[CaseResult]], calls: CallCosts, imports: ImportCosts, large: LargeSurface
) -> list[Target]:
    """All targets that apply; ``cases`` by the number of triangles that was asked for."""
    targets = [target for n, some in cases.items() for target in _ratios(n, some)]
    targets += [
        Target("evaluate over wrench, 950 triangles", calls.evaluate_overhead, EVALUATE_LIMIT, "µs"),
        Target("wrench far apart", calls.far, FAR_LIMIT, "µs"),
        Target("import polycontact", imports.package, IMPORT_LIMIT, "s"),
    ]
    is_million = large.triangles >= 0.95 * MILLION
    name = "a million triangles loaded, checked, prepared"
    targets.append(Target(name, large.total if is_million else None, LARGE_LIMIT, "s"))
    targets.append(Target(f"{name}: memory", large.peak if is_million else None, LARGE_MEMORY, "MB"))
    return targets


def _ratios(n: int, cases: Iterable[CaseResult]) -> Iterable[Target]:
    """Targets relative to coal for meshes of about ``n`` triangles."""
    for case in cases:
        limit = None
        if case.family is Family.NEAR:
            limit = NEAR_LIMIT
        elif case.family is Family.SLIGHT:
            limit = (COHERENT_LIMITS if case.coherent else COLD_LIMITS).get(n)
        if limit is not None:
            peer = case.peers.get(RATIO_PEER)
            name = f"{case.family.value}, {case.mode}, {n} triangles"
            yield Target(name, None if peer is None else peer.ratio, limit, RATIO)
