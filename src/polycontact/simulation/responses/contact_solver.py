"""The solvers of rigid contact, with memory that grows and counters of what they did."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.response.codes import Solver
from polycontact.kernels.response.response_views import ResponseMemory, response_memory, solver_settings
from polycontact.kernels.response.solve_contacts import solve_contacts
from polycontact.simulation.responses.response import RigidResponse

Array = NDArray[np.float64]

SHARING_COMPLIANCE = 1e-8
"""Compliance, as a part of the mean of the Delassus matrix's diagonal, by which redundant contacts share a load."""


@dataclass
class ResponseStatistics:
    """What a response did: counters of a run.

    ``problems`` of complementarity that were solved, with ``sweeps`` in all and ``most_sweeps`` of one; ``unsolved``:
    those whose residual stayed above the tolerance, and ``worst_residual`` (m/s) of all; ``pivoted``: answered by
    Lemke's pivots; ``most_points`` of contact at once. ``impacts``: instants at which speeds jumped, ``energy_added``
    (J) by them (restitution after Newton or Poisson can, with friction), ``stopped``: those that ended without
    restitution, after too many rounds; ``held_time`` (s) during which multipliers held bodies together.
    """

    problems: int = 0
    sweeps: int = 0
    most_sweeps: int = 0
    unsolved: int = 0
    worst_residual: float = 0.0
    pivoted: int = 0
    most_points: int = 0
    impacts: int = 0
    energy_added: float = 0.0
    stopped: int = 0
    held_time: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The counters by name, as plain numbers for JSON."""
        return asdict(self)


class ContactSolver:
    """Solves for impulses at contact points."""

    def __init__(self, response: RigidResponse) -> None:
        self.settings = solver_settings(
            Solver[response.solver.upper()], sweeps=response.sweeps, tolerance=response.tolerance
        )
        self._memory = response_memory(16)
        self.statistics = ResponseStatistics()
        self._last_pair, self._last = np.zeros(0, np.int64), np.zeros(0)
        self._solved(np.eye(3), np.zeros(3), np.zeros(1))  # compiles before the run, not in it

    def memory_for(self, n: int) -> ResponseMemory:
        """Memory for at least n contact points; it grows when needed and is used again."""
        if n > self._memory.room:
            self._memory = response_memory(2 * n)
        return self._memory

    def solve(self, W: Array, b: Array, mu: Array, pair: NDArray[np.int64]) -> Array:
        """Impulses p (N s) with u = W p + b, u_n ≥ 0 ⟂ p_n ≥ 0 and Coulomb friction; counted.

        Where the points belong to the same pairs as the last time, friction starts from the last answer.
        """
        n = len(mu)
        same = np.array_equal(pair, self._last_pair)
        p, sweeps, residual, solver = self._solved(W, b, mu, self._last if same else None)
        self._last_pair, self._last = pair, p.copy()
        counted = self.statistics
        counted.problems += 1
        counted.sweeps += sweeps
        counted.most_sweeps = max(counted.most_sweeps, sweeps)
        counted.most_points = max(counted.most_points, n)
        counted.worst_residual = max(counted.worst_residual, residual)
        counted.unsolved += residual > self.settings.tolerance
        counted.pivoted += solver == Solver.LEMKE
        return p

    def part(self, W: Array, wanted: Array) -> Array:
        """Pushes q ≥ 0 along the normals alone that make points part at least as fast as ``wanted`` (m/s), (n,)."""
        n = len(wanted)
        whole, b = np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
        whole[::3, ::3], b[::3] = W, -wanted
        return self._solved(whole, b, np.zeros(n))[0][::3]

    def _solved(self, W: Array, b: Array, mu: Array, start: Array | None = None) -> tuple[Array, int, float, int]:
        """Impulses, sweeps, residual and who answered; friction begins with that of ``start``.

        The normal impulses begin anew each time, shared evenly: begun with the last ones, redundant contacts would keep
        whatever share they once had.
        """
        p = np.zeros(len(b)) if start is None else start.copy()
        p[::3] = 0.0
        p[::3] = _shared_load(W[::3, ::3], b[::3] + W[::3] @ p)
        sweeps, residual, solver = solve_contacts(W, b, mu, p, self.settings, self.memory_for(len(mu)))
        if not math.isfinite(residual):
            raise FloatingPointError("contact forces are not finite")
        return p, sweeps, residual, solver


def _shared_load(W: Array, b: Array) -> Array:
    """Normal impulses to start from: those that stop all points, shared as equal springs would where many could."""
    compliance = SHARING_COMPLIANCE * float(np.trace(W)) / len(b)
    if not compliance > 0.0:
        return np.zeros(len(b))
    A = W + compliance * np.eye(len(b))
    return np.asarray(np.maximum(np.linalg.solve(A, -b), 0.0))
