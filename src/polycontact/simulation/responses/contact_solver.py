"""Settings and memory of the solvers of rigid contact, and counters of what they did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.response.contact_system import ContactSystem
from polycontact.kernels.response.envelope import lay_out
from polycontact.kernels.response.response_views import ResponseMemory, response_memory, solver_settings
from polycontact.kernels.response.step_views import Solves
from polycontact.simulation.responses.response import RigidResponse
from polycontact.simulation.responses.unsolved import UnsolvedProblems

Array = NDArray[np.float64]


@dataclass
class ResponseStatistics:
    """What a response did: counters of a run.

    ``problems`` of complementarity that were solved, with ``sweeps`` in all and ``most_sweeps`` of one; ``unsolved``:
    those whose residual stayed above the tolerance, ``worst_residual`` (m/s) of all, and ``worst_share``: of the
    unsolved ones, as a share of the speed that the contacts had to change; ``most_points`` of contact at once.
    ``impacts``: instants at which speeds jumped, ``energy_added`` (J) by them (restitution after Newton or Poisson can,
    with friction), ``stopped``: those that ended without restitution, after too many rounds; ``held_time`` (s) during
    which multipliers held bodies together; ``shortened``: steps that were shorter than asked for, to follow bodies in
    contact; ``energy_made`` (J): what steps have made by themselves in bodies that turn, when it was greatest, below
    zero where they took it. Sweeps are steps of Newton's methods.
    """

    problems: int = 0
    sweeps: int = 0
    most_sweeps: int = 0
    unsolved: int = 0
    worst_residual: float = 0.0
    worst_share: float = 0.0
    most_points: int = 0
    impacts: int = 0
    energy_added: float = 0.0
    stopped: int = 0
    held_time: float = 0.0
    shortened: int = 0
    energy_made: float = 0.0

    def with_steps(self, solves: Solves, shortened: int, energy_made: float) -> ResponseStatistics:
        """These, and what the solver did in steps, of which ``shortened`` were shorter than asked for.

        ``energy_made`` (J): by the steps in bodies that turn.
        """
        return replace(
            self,
            problems=self.problems + solves.problems,
            sweeps=self.sweeps + solves.sweeps,
            most_sweeps=max(self.most_sweeps, solves.most_sweeps),
            unsolved=self.unsolved + solves.unsolved,
            worst_residual=max(self.worst_residual, solves.worst_residual),
            worst_share=max(self.worst_share, solves.worst_share),
            most_points=max(self.most_points, solves.most_points),
            shortened=self.shortened + shortened,
            energy_made=self.energy_made + energy_made,
        )

    def to_dict(self) -> dict[str, Any]:
        """The counters by name, as plain numbers for JSON."""
        return asdict(self)


class ContactSolver:
    """Settings of the solver for steps; memory for impacts, which grows; counters, and what was not solved."""

    def __init__(self, response: RigidResponse, names: Sequence[str]) -> None:
        self.settings = solver_settings(steps=response.sweeps, tolerance=response.tolerance)
        self._memory = response_memory(16, 48, 1000)
        self.statistics = ResponseStatistics()
        self.unsolved = UnsolvedProblems(names, response.tolerance)

    def memory_for(self, system: ContactSystem) -> ResponseMemory:
        """Memory for the contacts at hand; it grows when needed and is used again."""
        memory = self._memory
        if system.n > memory.room or system.width > memory.width:
            n, width = max(2 * system.n, memory.room), max(2 * system.width, memory.width)
            self._memory = memory = response_memory(n, width, memory.work.envelope.size)
        needed = lay_out(system, memory.work.envelope)
        if needed > memory.work.envelope.size:
            memory.work.envelope.reserve(size=2 * needed)
        return memory

    def note_unsolved(self, t: float, residual: float, b: Array, pair: int) -> None:
        """Count a problem at t (s) that was left with a residual (m/s), and tell of it.

        b (3n,): velocities without impulses, m/s; ``pair``: where the residual is.
        """
        counted, share = self.statistics, residual / float(np.abs(b).max())
        counted.unsolved += 1
        counted.worst_share = max(counted.worst_share, share)
        self.unsolved.note(t, residual, share, pair)


def one_contact() -> ContactSystem:
    """A contact with one group of one speed, along its normal: the smallest system."""
    system = ContactSystem()
    system.reserve(room=1, triple=3, most=1)
    system.n = system.n_groups = system.width = system.n_columns[0] = 1
    system.group[:] = ((0, -1),)
    system.rows[0] = 1.0
    return system
