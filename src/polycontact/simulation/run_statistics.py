"""What a run cost: counters that do not depend on the machine, and CPU time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class RunStatistics:
    """Counters and times of a run.

    ``evaluations`` of the right-hand side by the integrator, those of finite-difference Jacobians included;
    ``mean_step`` s; ``cpu_seconds`` of the run without compilation; ``real_time_factor`` CPU seconds per simulated
    second; ``time_per_evaluation`` s of CPU; ``samples`` recorded, each with an evaluation of its own; ``profile``:
    seconds spent in contacts, dynamics, recording and the integrator, where it was asked for; ``response``: what
    impulses and multipliers did, see `ResponseStatistics`, where contacts are rigid.
    """

    integrator: str
    simulated_time: float
    steps: int
    mean_step: float
    evaluations: int
    jacobians: int
    jacobian_evaluations: int
    rejected_steps: int
    limited_steps: int
    restarts: int
    events: int
    samples: int
    cpu_seconds: float
    real_time_factor: float
    time_per_evaluation: float
    profile: dict[str, float] | None = None
    response: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)
