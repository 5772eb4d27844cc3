"""One run for each response and stiffness of the contacts, whatever becomes of the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polycontact.comparison.responses.response_choice import has_stiffness
from polycontact.contact.options import is_number
from polycontact.errors import IntegrationError, PolycontactError, SimulationError
from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.scenario.parsing import Scenario
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.responses.response import CompliantResponse, Response
from polycontact.simulation.run_options import without_unused
from polycontact.simulation.run_result import Progress, Run
from polycontact.simulation.simulate import simulate

SAMPLES = 4000
"""Samples of a run at least, so that its samples catch an impact of a thousandth of it."""

NOT_BEGUN = "not begun: stopped by the user before"

Report = Callable[[str, Progress], None]
"""Is told which run goes on, and where it stands."""


@dataclass(frozen=True, eq=False)
class ResponseRun:
    """What became of a response: its run, whole or in part, and the ``reason`` where it is not whole.

    ``stiffness`` (N/m, or N/m³ for areas): of the contacts, where it was varied.
    """

    label: str
    response: Response
    stiffness: float | None
    run: Run | None
    reason: str = ""

    @property
    def trajectory(self) -> Trajectory | None:
        """The recorded run; None where nothing was recorded."""
        return self.run.trajectory if self.run is not None and len(self.run.trajectory) else None

    @property
    def recorded(self) -> Trajectory:
        """The same, of a run that left something."""
        if self.trajectory is None:
            raise SimulationError(f"{self.label}: nothing was recorded: {self.reason}")
        return self.trajectory

    @property
    def is_compliant(self) -> bool:
        """Whether contact forces follow from the depth, as a compliant response has it."""
        return isinstance(self.response, CompliantResponse)


def run_responses(
    scenario: Scenario,
    responses: dict[str, Response],
    stiffnesses: tuple[float, ...],
    unit: str,
    options: dict[str, Any],
    progress: Report | None,
) -> Iterator[ResponseRun]:
    """Runs in the order of the responses; those that have a stiffness with each of them (``unit``).

    A run that the user stops is the last one.
    """
    stopped = False
    for name, response in responses.items():
        varied: tuple[float | None, ...] = (None,)
        if has_stiffness(response) and stiffnesses:
            varied = stiffnesses
        for stiffness in varied:
            label = name if stiffness is None else f"{name}, {stiffness:g} {unit}"
            if stopped:
                yield ResponseRun(label, response, stiffness, None, NOT_BEGUN)
                continue
            made = _run(scenario, label, response, stiffness, options, progress)
            stopped = made.reason.startswith("stopped")
            yield made


def _run(
    scenario: Scenario,
    label: str,
    response: Response,
    stiffness: float | None,
    options: dict[str, Any],
    progress: Report | None,
) -> ResponseRun:
    try:
        system = scenario.build()
        if stiffness is not None:
            set_stiffness(system, stiffness)
        told = None if progress is None else lambda now: progress(label, now)
        run = simulate(
            system,
            progress=told,
            scenario=scenario.source,
            scenario_folder=str(scenario.folder),
            **without_unused({**scenario.settings, "response": response} | options | {"profile": True}),
        )
    except IntegrationError as error:
        return ResponseRun(label, response, stiffness, error.run if isinstance(error.run, Run) else None, str(error))
    except PolycontactError as error:
        return ResponseRun(label, response, stiffness, None, str(error))
    except KeyboardInterrupt:
        return ResponseRun(label, response, stiffness, None, "stopped by the user before it began")
    whole = run.status == "finished"  # stopped: by the user; ended: by a condition of the scenario
    return ResponseRun(label, response, stiffness, run, "" if whole else run.message)


def check_stiffnesses(given: Sequence[float]) -> tuple[float, ...]:
    """The stiffnesses, or an error that names the first that is none."""
    for each in given:
        if not (is_number(each) and math.isfinite(each) and each > 0.0):
            raise SimulationError(f"stiffness is {each!r}; give positive numbers, N/m for points, N/m³ for areas")
    return tuple(dict.fromkeys(float(each) for each in given))


def set_stiffness(system: MultibodySystem, stiffness: float) -> None:
    """Give the law of every contact a ``stiffness`` (N/m for points, N/m³ for areas); before the system is compiled."""
    if not system.contacts:
        raise SimulationError("stiffness: the scenario has no contacts")
    system.contacts.update({name: _with(contact, stiffness) for name, contact in system.contacts.items()})


def _with(contact: Contact, stiffness: float) -> Contact:
    description = contact.description
    if getattr(description.law, "stiffness", None) is None:
        raise SimulationError(
            f"contact {contact.name!r}: its law, {type(description.law).__name__}, has no stiffness of its own that "
            f"could be varied; leave stiffness out"
        )
    law = replace(description.law, stiffness=stiffness)  # type: ignore[type-var]
    return replace(contact, description=replace(description, law=law))
