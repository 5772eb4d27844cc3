"""What a run cost: counters that do not depend on the machine, and CPU time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from polycontact.wording import short_repr

SUMS = (
    "simulated_time",
    "steps",
    "evaluations",
    "jacobians",
    "jacobian_evaluations",
    "rejected_steps",
    "limited_steps",
    "restarts",
    "events",
    "samples",
    "cpu_seconds",
)
"""What adds up where a run goes on."""


@dataclass(frozen=True, repr=False)
class RunStatistics:
    """Counters and times of a run.

    ``evaluations`` of the right-hand side by the integrator, those of finite-difference Jacobians included;
    ``mean_step`` s; ``cpu_seconds`` of the run without compilation; ``real_time_factor`` CPU seconds per simulated
    second; ``time_per_evaluation`` s of CPU; ``samples`` recorded, each with an evaluation of its own; ``profile``:
    seconds spent in contacts, dynamics, recording and the integrator, where it was asked for; ``response``: what
    impulses and multipliers did, see `ResponseStatistics`, where contacts are rigid. Of a run that was continued in its
    file: of all its parts, but for the response.

    ``stiff_since``: time (s) from which on stability limited the steps of an explicit integrator; from shortly after
    then on "auto" works with the formulas of cvode-bdf. None where none has noticed that.

    ``atol_from``: the contact whose depth under a weight is the absolute tolerance, in words; empty where the tolerance
    is given or the usual one.

    ``continued_at``: times (s) at which the run was continued. The integrator begins anew there: it knows the state,
    but not its earlier steps. From then on the motion is as accurate as that of a run in one go and differs from it by
    about the errors of both, which the tolerances govern.
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
    continued_at: tuple[float, ...] = ()
    stiff_since: float | None = None
    atol_from: str = ""

    __repr__ = short_repr

    def after(self, earlier: Mapping[str, Any]) -> RunStatistics:
        """Those of a run in two parts: counters and times of the ``earlier`` one, as `to_dict` gave them, are added.

        Where the earlier part left none, because its process was killed, they are those of the last part.
        """
        if not all(isinstance(earlier.get(name), int | float) for name in SUMS):
            return self
        sums = {name: getattr(self, name) + earlier[name] for name in SUMS}
        sums["samples"] -= 1  # the one where the parts meet
        before, profile = earlier.get("profile"), self.profile
        if profile is not None and before is not None:
            profile = {name: seconds + before.get(name, 0.0) for name, seconds in profile.items()}
        first = str(earlier.get("integrator", self.integrator))
        simulated, cpu = sums["simulated_time"], sums["cpu_seconds"]
        return replace(
            self,
            **sums,
            integrator=self.integrator if first == self.integrator else f"{first}, {self.integrator}",
            mean_step=simulated / max(sums["steps"], 1),
            real_time_factor=cpu / simulated if simulated > 0 else 0.0,
            time_per_evaluation=cpu / max(sums["evaluations"], 1),
            profile=profile,
            stiff_since=self.stiff_since if earlier.get("stiff_since") is None else earlier["stiff_since"],
            atol_from=self.atol_from or str(earlier.get("atol_from", "")),
            continued_at=(*earlier.get("continued_at", ()), *self.continued_at),
        )

    def to_dict(self) -> dict[str, Any]:
        """The counters by name, as plain values for JSON."""
        return asdict(self) | {"continued_at": list(self.continued_at)}
