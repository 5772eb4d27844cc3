"""How long and how precisely a scenario is simulated."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from polycontact.scenario.schema.base import OneOf, Positive, Switch, Table, at_most, optional, required
from polycontact.scenario.schema.described_keys import PartTable
from polycontact.scenario.schema.stop_keys import StopTable
from polycontact.simulation.integrators import INTEGRATORS
from polycontact.simulation.responses.response import RESPONSES

Integrator = Annotated[str, OneOf(INTEGRATORS)]


class Simulation(Table):
    """The settings of `simulate`; what is left out has its default."""

    end_time: Positive = required("end of the simulation, which starts at 0", "s")
    integrator: Integrator = optional("method of integration", "", "cvode-bdf")
    response: Annotated[Any, PartTable("response", or_name=True)] | None = optional(
        f"what contacts do, one of {', '.join(RESPONSES)}, or a table with options; compliant if left out"
    )
    rtol: Annotated[Positive, Field(le=0.1)] | None = optional("relative tolerance; 1e-4 if left out")
    atol: Annotated[Positive, Field(le=1.0)] | None = optional(
        "absolute tolerance of positions; 1e-4 if left out", "m or rad"
    )
    velocity_atol: Positive | None = optional("absolute tolerance of velocities; atol if left out", "m/s or rad/s")
    max_step: Positive | None = optional("largest step of the integrator", "s")
    first_step: Positive | None = optional("first step of the integrator", "s")
    output_step: Positive | None = optional("time between recorded samples", "s")
    contact_events: Switch | None = optional("true: find out when each contact starts and ends")
    step_limit: Switch | None = optional("false: steps may jump over short contacts")
    reactions: Switch | None = optional(
        "true: record reactions and drives of joints; by default where they are not many"
    )
    workers: Annotated[int, Field(strict=True, ge=1, le=256)] | None = optional("threads for contact evaluations")
    stop_when: Annotated[tuple[StopTable, ...], at_most(1000)] = optional(
        "conditions that end the run before its end time", "", ()
    )

    def settings(self) -> dict[str, Any]:
        """Keyword arguments of `simulate`."""
        given = self.model_dump(exclude_none=True, exclude={"stop_when"})
        return given | ({"stop_when": tuple(each.build() for each in self.stop_when)} if self.stop_when else {})
