"""What the benchmark aims at. A target that is missed is shown, and is no failure of the command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from proof.bench.contest import CaseResult
from proof.bench.overheads import CallCosts, ImportCosts, LargeSurface
from proof.bench.pose_families import Family
from proof.bench.simulations import SimulationCost

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

FACTOR_LIMITS = {"bubbles": 0.5, "pedestrian, v_ε = 0.01 m/s": 1.5}
"""CPU seconds per simulated second."""

FAR_BODY_LIMIT = 3.0
"""µs a body."""


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
        """Plain values for JSON, with ``met``."""
        return {
            "name": self.name,
            "value": self.value,
            "limit": self.limit,
            "unit": self.unit,
            "met": self.met,
        }


def judge(
    cases: dict[int, list[CaseResult]],
    calls: CallCosts | None,
    imports: ImportCosts | None,
    large: LargeSurface | None,
) -> list[Target]:
    """Targets of the force element that apply; ``cases`` by the number of triangles that was asked for."""
    targets = [target for n, some in cases.items() for target in _ratios(n, some)]
    if calls is None or imports is None or large is None:
        return targets
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


def judge_simulations(costs: list[SimulationCost], far_body: float | None, run_time: float | None) -> list[Target]:
    """Targets of the simulations; real-time factors are judged of whole runs only."""
    targets = []
    for cost in costs:
        limit = FACTOR_LIMITS.get(cost.name)
        if limit is not None:
            value = cost.real_time_factor if run_time is None else None
            targets.append(Target(f"real-time factor, {cost.name}", value, limit, "CPU s/s"))
    if costs:
        targets.append(Target("evaluation, a body far from all others", far_body, FAR_BODY_LIMIT, "µs"))
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
