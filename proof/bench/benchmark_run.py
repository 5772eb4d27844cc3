"""The whole benchmark: settings in, one record of all figures out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from polycontact.comparison.clock import Clock
from polycontact.errors import SurfaceError
from proof.bench.contest import CaseResult, run_case
from proof.bench.far_bodies import time_far_bodies
from proof.bench.figure3 import CullingCounts, count_culling
from proof.bench.overheads import (
    CallCosts,
    ImportCosts,
    LargeSurface,
    measure_calls,
    measure_import,
    measure_large_surface,
)
from proof.bench.peers import PEER_NAMES
from proof.bench.pose_families import COHERENT_POSES, Family
from proof.bench.simulations import RestPhase, SimulationCost, measure_rest, measure_simulations
from proof.bench.targets import MILLION, Target, judge, judge_simulations
from proof.bench.thread_costs import ThreadCost, measure_threads

NOTE = (
    "Ours: force and torque with the paper's depth, friction and damping. Peers: all intersecting pairs of triangles "
    "and no force. Ratios: our time ÷ theirs."
)
FEWEST_TRIANGLES = 100
PARTS = ("contact", "simulation")
MANY_BODIES = 200
REST_TIME = 4.0
"""s; the man lies still after about 3 s."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How much is measured.

    ``triangles``: sizes of the bubbles, about; ``work``: number of cold poses times triangles, within
    ``cold`` (fewest, most) poses; ``coherent`` poses; ``compared``: about how many wrenches of a case are
    compared with those of fresh pairings; ``samples`` of calls and imports; ``threads``: poses of a nut on its
    bolt; ``large``: triangles of the large surface; ``runs`` of each simulation, until ``run_time`` (s; None: to
    its end); ``parts`` of the benchmark.
    """

    triangles: tuple[int, ...] = (950, 10_000, 100_000)
    cold: tuple[int, int] = (40, 200)
    work: int = 4_000_000
    coherent: int = COHERENT_POSES
    compared: int = COHERENT_POSES
    samples: int = 21
    threads: int = 50
    large: int = MILLION
    runs: int = 5
    run_time: float | None = None
    parts: tuple[str, ...] = PARTS

    def __post_init__(self) -> None:
        for n in (*self.triangles, self.large):
            if n < FEWEST_TRIANGLES:
                raise SurfaceError(
                    f"benchmark: bubbles of {n} triangles asked for; allowed is {FEWEST_TRIANGLES} or more"
                )

    def n_cold(self, n_triangles: int) -> int:
        """Number of cold poses at a size."""
        fewest, most = self.cold
        return max(fewest, min(most, self.work // n_triangles))


QUICK = Settings(
    triangles=(950,), cold=(20, 20), coherent=40, compared=10, samples=3, threads=5, large=20_000, runs=1, run_time=0.1
)
"""Some seconds of work: to see that the benchmark runs; its figures are rough."""


@dataclass(frozen=True)
class BenchmarkResult:
    """All figures; ``versions`` of the peers, None if not installed; ``cases`` by number of triangles."""

    settings: Settings
    clock: str
    clock_step: float
    versions: dict[str, str | None]
    cases: dict[int, list[CaseResult]]
    calls: CallCosts | None
    imports: ImportCosts | None
    large: LargeSurface | None
    threads: list[ThreadCost]
    simulations: list[SimulationCost]
    rest: list[RestPhase]
    far_body: float | None
    culling: CullingCounts | None
    targets: list[Target]

    @property
    def missing(self) -> list[str]:
        """Peers that are not installed."""
        return [name for name, installed in self.versions.items() if installed is None]

    def to_dict(self) -> dict[str, Any]:
        """For JSON: case and call times in µs, import and large surface in s, memory in MB."""
        return {
            "note": NOTE,
            "settings": asdict(self.settings),
            "clock": {"name": self.clock, "step": self.clock_step},
            "peers": self.versions,
            "cases": [{"size": n, **case.to_dict()} for n, some in self.cases.items() for case in some],
            "calls": None if self.calls is None else self.calls.to_dict(),
            "imports": None if self.imports is None else asdict(self.imports),
            "large_surface": None if self.large is None else asdict(self.large),
            "threads": [cost.to_dict() for cost in self.threads],
            "simulations": [cost.to_dict() for cost in self.simulations],
            "rest": [asdict(phase) for phase in self.rest],
            "far_body": self.far_body,
            "culling": None if self.culling is None else self.culling.to_dict(),
            "targets": [target.to_dict() for target in self.targets],
        }


def settings_for(quick: bool, triangles: tuple[int, ...] | None, parts: tuple[str, ...] | None = None) -> Settings:
    """Full or quick settings, with other sizes or parts where they are given."""
    settings = QUICK if quick else Settings()
    if triangles:
        settings = replace(settings, triangles=tuple(dict.fromkeys(triangles)))
    return replace(settings, parts=parts) if parts else settings


def run_benchmark(settings: Settings, progress: Callable[[str], None]) -> BenchmarkResult:
    """Measure everything; ``progress`` is told what comes next."""
    clock = Clock()
    cases: dict[int, list[CaseResult]] = {}
    calls = imports = large = culling = far_body = None
    threads: list[ThreadCost] = []
    simulations: list[SimulationCost] = []
    rest: list[RestPhase] = []
    if "contact" in settings.parts:
        cases = _run_cases(settings, clock, progress)
        progress("calls")
        calls = measure_calls(clock, settings.samples)
        progress("import")
        imports = measure_import(min(5, settings.samples))
        progress(f"surface of {settings.large} triangles")
        large = measure_large_surface(settings.large)
        progress("nut on bolt")
        threads = measure_threads(clock, settings.threads)
    if "simulation" in settings.parts:
        simulations = measure_simulations(settings.runs, settings.run_time, progress)
        rest = measure_rest(REST_TIME if settings.run_time is None else settings.run_time, progress)
        progress(f"{MANY_BODIES} bodies apart from each other")
        far_body = time_far_bodies(clock, MANY_BODIES, settings.samples)
        culling = count_culling()
    return BenchmarkResult(
        settings=settings,
        clock=clock.name,
        clock_step=clock.step,
        versions={name: _version(name, cases) for name in PEER_NAMES} if cases else {},
        cases=cases,
        calls=calls,
        imports=imports,
        large=large,
        threads=threads,
        simulations=simulations,
        rest=rest,
        far_body=far_body,
        culling=culling,
        targets=judge(cases, calls, imports, large) + judge_simulations(simulations, far_body, settings.run_time),
    )


def _run_cases(settings: Settings, clock: Clock, progress: Callable[[str], None]) -> dict[int, list[CaseResult]]:
    cases: dict[int, list[CaseResult]] = {}
    for n in settings.triangles:
        cases[n] = []
        for family, coherent in _cases():
            progress(f"{n} triangles: {family.value}, {'coherent' if coherent else 'cold'}")
            n_poses = settings.coherent if coherent else settings.n_cold(n)
            cases[n].append(run_case(family, n, n_poses, clock, coherent=coherent, n_compared=settings.compared))
    return cases


def _cases() -> list[tuple[Family, bool]]:
    """Families with their mode: False for cold, True for coherent."""
    cases = [(family, False) for family in Family]
    cases.insert(cases.index((Family.SLIGHT, False)) + 1, (Family.SLIGHT, True))
    return cases


def _version(peer: str, cases: dict[int, list[CaseResult]]) -> str | None:
    """Version of a peer that took part."""
    if not any(peer in case.peers for some in cases.values() for case in some):
        return None
    try:
        return version(peer)
    except PackageNotFoundError:
        return "unknown"
