"""Settings of a simulation, checked before anything runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinds import to_plain
from polycontact.errors import SimulationError, UnitError
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.joint_types import JointKind
from polycontact.simulation.integrators import INTEGRATORS, IntegratorSettings
from polycontact.simulation.responses.response import CompliantResponse, Response
from polycontact.simulation.stop_conditions import StopCondition
from polycontact.surfaces.geometry import size_of
from polycontact.units import quantity

SHORTEST_RUN = 1e-100
"""Simulated time that a run must exceed, s."""

TIME_RESOLUTION = 1e-9
"""Simulated time relative to the time itself that a run must exceed: far above rounding."""

DEFAULT_SAMPLES = 300
"""Samples of a run whose output times are not given."""


@dataclass(frozen=True, kw_only=True)
class SimulationSettings:
    """What `simulate` is asked for; times in s, tolerances in m and rad, or m/s and rad/s.

    ``own_stepper``: a stepper of the user's own takes the place of the integrator, and ``integrator`` is its name.
    ``response``: of contacts.
    """

    end_time: float
    start_time: float = 0.0
    integrator: str = "cvode-bdf"
    own_stepper: bool = False
    response: Response = field(default_factory=CompliantResponse)
    rtol: float = 1e-4
    atol: float = 1e-4
    velocity_atol: float | None = None
    max_step: float | None = None
    first_step: float | None = None
    output_step: float | None = None
    output_times: Sequence[float] | None = None
    contact_events: bool | Literal["restart"] = False
    step_limit: bool = True
    workers: int = 1
    elements: bool = False
    stop_when: tuple[StopCondition, ...] = ()
    reactions: bool | None = None

    def __post_init__(self) -> None:
        for name in ("end_time", "start_time", "max_step", "first_step", "output_step"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, _seconds(name, getattr(self, name)))
        for name in ("end_time", "start_time"):
            value = getattr(self, name)
            if not _is_number(value) or not math.isfinite(value):
                raise SimulationError(f"{name} is {value!r} s; give a finite number")
        if not self.end_time > self.start_time:
            raise SimulationError(
                f"end_time {self.end_time} s is not after the start at {self.start_time} s; give a later one"
            )
        span = self.end_time - self.start_time
        if not span > max(SHORTEST_RUN, TIME_RESOLUTION * max(abs(self.start_time), abs(self.end_time))):
            raise SimulationError(
                f"from {self.start_time} s to {self.end_time} s is too short a time to tell steps apart; give a later "
                f"end_time"
            )
        if self.integrator not in INTEGRATORS and not self.own_stepper:
            raise SimulationError(f"there is no integrator {self.integrator!r}; choose one of {', '.join(INTEGRATORS)}")
        for name in ("rtol", "atol", "velocity_atol", "max_step", "first_step", "output_step"):
            value = getattr(self, name)
            if value is None and name not in ("rtol", "atol"):
                continue
            if not _is_number(value) or not 0.0 < value < math.inf:
                unit = " s" if name.endswith("step") else ""
                raise SimulationError(f"{name} is {value!r}{unit}; give a positive, finite number")
        if self.contact_events not in (True, False, "restart"):
            raise SimulationError(f"contact_events is {self.contact_events!r}; give True, False or 'restart'")
        if self.reactions not in (True, False, None):
            raise SimulationError(
                f"reactions is {self.reactions!r}; give True, False or None, which is True unless big"
            )
        if isinstance(self.workers, bool) or not isinstance(self.workers, int) or self.workers < 1:
            raise SimulationError(f"workers is {self.workers!r}; give a whole number from 1 on")
        if self.output_times is not None:
            object.__setattr__(self, "output_times", _checked_times(self.output_times))
        self.sample_times()

    @property
    def steps_are_own(self) -> bool:
        """Whether steps are made by other means than an integrator of the rates with compliant contacts."""
        return self.own_stepper or not isinstance(self.response, CompliantResponse)

    def sample_times(self) -> NDArray[np.float64]:
        """Times of the samples: increasing, the start and the end among them, s."""
        if self.output_times is not None and self.output_step is not None:
            raise SimulationError("both output_times and output_step are given; leave one out")
        span = self.end_time - self.start_time
        if self.output_times is not None:
            times = np.array(self.output_times)
            if len(times) and not (times[0] >= self.start_time and times[-1] <= self.end_time):
                raise SimulationError(
                    f"output_times reach from {times[0]} s to {times[-1]} s; the run goes from {self.start_time} s to "
                    f"{self.end_time} s"
                )
            inside = times[(times > self.start_time) & (times < self.end_time)]
        else:
            step = span / DEFAULT_SAMPLES if self.output_step is None else self.output_step
            if span / step > 1e7:
                raise SimulationError(f"an output_step of {step} s gives {span / step:.3g} samples; give a longer one")
            inside = self.start_time + step * np.arange(1.0, math.ceil(span / step - 1e-9))
        return np.concatenate([[self.start_time], inside, [self.end_time]])

    def for_integrator(self, compiled: CompiledSystem, start: Evaluation) -> IntegratorSettings:
        """Tolerances of each state: positions, velocities, users' states, and the ledger by the energy at the start."""
        n_q, n_v = compiled.n_coordinates, compiled.n_speeds
        velocity_atol = self.atol if self.velocity_atol is None else self.velocity_atol
        atol = np.full(compiled.n_states, self.atol)
        atol[compiled.ledger :] = self._energy_tolerance(compiled, start, velocity_atol)
        atol[n_q : n_q + n_v] = velocity_atol
        return IntegratorSettings(
            rtol=self.rtol,
            atol=atol,
            max_step=math.inf if self.max_step is None else self.max_step,
            first_step=self.first_step,
        )

    def _energy_tolerance(self, compiled: CompiledSystem, start: Evaluation, velocity_atol: float) -> float:
        """Tolerance of the ledger (J): ``rtol`` of an energy that the run may turn over.

        That is the energy of the start, a fall by the system's size and a crossing of it; not less than all mass has
        at a speed that does not count. So the ledger is no reason for steps shorter than the motion needs.
        """
        moving = [joint.child for joint in compiled.setup.joints if joint.kind is not JointKind.FIXED]
        mass = sum(compiled.system.bodies[name].mass for name in moving)
        if not mass > 0.0:
            return self.rtol
        size = _size(compiled, start)
        speed = size / (self.end_time - self.start_time)
        fall = float(np.linalg.norm(compiled.system.gravity)) * size
        energy = start.energies.kinetic + start.energies.springs + start.energies.contact
        return max(self.rtol * (energy + mass * (fall + 0.5 * speed**2)), mass * velocity_atol**2)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a file."""
        plain = asdict(replace(self, stop_when=()))
        conditions = [condition.to_plain() for condition in self.stop_when]
        return plain | {"response": to_plain(self.response), "stop_when": conditions}


def _size(compiled: CompiledSystem, start: Evaluation) -> float:
    """Size of a system (m) at the start: how far its bodies lie apart, and the largest of them."""
    places = start.bodies.position[1:]
    bodies = compiled.system.bodies.values()
    sizes = [size_of(shape.surface) for body in bodies for shape in body.shapes]
    sizes += [
        float(np.linalg.norm(body.centre)) + math.sqrt(0.5 * float(np.trace(body.inertia)) / body.mass)
        for body in bodies
        if body.mass > 0.0
    ]
    return float(np.linalg.norm(np.ptp(places, axis=0))) + max(sizes, default=0.0)


def _checked_times(given: Sequence[float]) -> tuple[float, ...]:
    try:
        times = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        times = np.full((1, 1), math.nan)
    if times.ndim != 1 or not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        raise SimulationError(f"output_times are {given!r}; give increasing, finite numbers in s")
    return tuple(times.tolist())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)


def _seconds(name: str, text: str) -> float:
    try:
        return quantity(text, "s")
    except UnitError as error:
        raise SimulationError(f"{name} is {text!r}; {error}") from None
