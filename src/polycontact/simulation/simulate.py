"""`simulate`: a system and the options of a run in; a trajectory, statistics and an energy ledger out.

Signature, list of options and call are written by ``python -m tools.run_signature`` from `RunOptions`, where every
option stands once: change them there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.simulation.integrators import JacobianFunction
from polycontact.simulation.responses.response import Response
from polycontact.simulation.run_options import RunOptions
from polycontact.simulation.run_result import Progress, Run
from polycontact.simulation.run_system import run_system
from polycontact.simulation.stepper import Stepper
from polycontact.simulation.stop_conditions import StopCondition


def simulate(
    system: MultibodySystem,
    *,
    end_time: float,
    start_time: float = 0.0,
    start: str = "as_given",
    integrator: str = "cvode-bdf",
    stepper: Stepper | None = None,
    response: Response | Mapping[str, Any] | str = "compliant",
    rtol: float = 0.0001,
    atol: float | None = None,
    velocity_atol: float | None = None,
    max_step: float | None = None,
    first_step: float | None = None,
    output_step: float | None = None,
    output_times: Sequence[float] | None = None,
    contact_events: bool | Literal["restart"] = False,
    step_limit: bool = True,
    stop_when: Sequence[StopCondition] = (),
    jacobian: JacobianFunction | None = None,
    workers: int = 1,
    record: str | Path | None = None,
    elements: bool = False,
    maps: bool = False,
    reactions: bool | None = None,
    progress: Callable[[Progress], None] | bool | None = None,
    profile: bool = False,
    continue_from: str | Path | None = None,
    scenario: str | None = None,
    scenario_folder: str | None = None,
) -> Run:
    """Integrate the motion of a system until ``end_time``.

    - ``end_time`` (s): when the run ends.
    - ``start_time`` (s): when the run begins.
    - ``start``: where the run begins: as_given by coordinates and speeds, or equilibrium, at rest where the system
      rests under its loads at the start time, see `equilibrium`; not used by impulses and multipliers.
    - ``integrator``: method of integration, one of cvode-bdf, cvode-adams, ida, lsoda, dopri5, auto; not used by
      multipliers and steppers of your own.
    - ``stepper``: a `Stepper` of your own, which takes the place of the integrator; not used by impulses and
      multipliers.
    - ``response``: what contacts do: compliant (forces of laws), impulses (rigid bodies whose speeds jump at
      collisions) or multipliers (rigid bodies in time steps, without the integrator); friction coefficients of the
      contacts count for all of them; with options of its own an `ImpulseResponse` or a `MultiplierResponse`.
    - ``rtol``: relative tolerance of the local error; not used by multipliers.
    - ``atol`` (m or rad): absolute tolerance of positions; if left out 1e-4, or the depth to which a stiffer contact
      yields under the weight of its lighter body; not used by multipliers.
    - ``velocity_atol`` (m/s or rad/s): absolute tolerance of velocities, as atol if left out; where friction matters
      keep it below a tenth of the friction law's velocity; not used by multipliers.
    - ``max_step`` (s): longest step of the integrator; not used by multipliers.
    - ``first_step`` (s): first step of the integrator; not used by multipliers.
    - ``output_step`` (s): time between samples, 300 in all if left out.
    - ``output_times`` (s): increasing times of the samples, instead of output_step.
    - ``contact_events``: locate when each contact starts and ends, as a root of the signed distance where the method
      knows one; "restart": also begin the integration anew there, so that no step goes across.
    - ``step_limit``: make no step so long that a body could move through another.
    - ``stop_when``: conditions that end the run before its end time, with status "ended" and a message that says which
      one held; each a `TiltedBeyond`, `BelowHeight` or `FartherThan`.
    - ``jacobian``: a function (t, y, out) that writes df/dy into ``out`` (n, n), which holds zeros, or returns it; one
      row and one column for each state, in the order of ``system.compile().state_names``; rows of the ledger may stay
      zero; for "cvode-bdf", "ida" and "lsoda", which otherwise take differences, an evaluation for each state; used by
      compliant contacts only.
    - ``workers``: threads that evaluate contacts; the results are the same bits.
    - ``record``: an HDF5 file to write as the run goes.
    - ``elements``: record the contact elements of every sample too.
    - ``maps``: keep maps of what the surfaces go through, on the triangles of the shapes in contact: greatest pressure,
      contact time, sliding distance, friction energy and wear, added up in every step; costs two evaluations or more a
      step; a run that goes on in its file does as before; used by compliant contacts only.
    - ``reactions``: samples also hold forces and torques in joints, loops and force elements, what drives joints,
      accelerations and centres of pressure; if left out where that is at most 5,000 numbers a sample, and a run that
      goes on in its file does as before.
    - ``progress``: called after steps with a `Progress`; without it, terminals and notebooks show a line with the time
      left where the run takes longer than a second; False: never, True: always.
    - ``profile``: measure where the time goes; contacts and dynamics apart for compliant contacts only.
    - ``continue_from``: go on from the end of a recorded run of the same system; into the same file where ``record`` is
      None or that file.
    - ``scenario``: text of the scenario, which the run file keeps.
    - ``scenario_folder``: folder to which the paths in the scenario are relative.

    Ctrl-C ends the run with status "stopped". So does a request to end (SIGTERM), after which ``SystemExit`` is raised
    with the status 143, unless the program listens to that signal itself. A run that cannot go on raises
    `IntegrationError`, which carries what was computed as ``run``; nothing recorded is lost.
    """
    options = RunOptions(
        end_time=end_time,
        start_time=start_time,
        start=start,
        integrator=integrator,
        stepper=stepper,
        response=response,
        rtol=rtol,
        atol=atol,
        velocity_atol=velocity_atol,
        max_step=max_step,
        first_step=first_step,
        output_step=output_step,
        output_times=output_times,
        contact_events=contact_events,
        step_limit=step_limit,
        stop_when=stop_when,
        jacobian=jacobian,
        workers=workers,
        record=record,
        elements=elements,
        maps=maps,
        reactions=reactions,
        progress=progress,
        profile=profile,
        continue_from=continue_from,
        scenario=scenario,
        scenario_folder=scenario_folder,
    )
    return run_system(system, options)
