"""What a caller chooses of a response, and what the kernels answer, as whole numbers."""

from __future__ import annotations

from enum import IntEnum


class Hypothesis(IntEnum):
    """What a coefficient of restitution e means, after whom."""

    ENERGETIC = 0
    """Stronge: the normal impulse gives back e² of the work that it took."""
    NEWTON = 1
    """The normal velocity turns round, times e."""
    POISSON = 2
    """The normal impulse of restitution is e times that of compression."""


class Update(IntEnum):
    """How several impacts at one instant are resolved (S2.20)."""

    PROPAGATION = 0
    """One contact at a time, the fastest first."""
    SIMULTANEOUS = 1
    """All contacts at once."""


class Solver(IntEnum):
    """Who solves a problem of contacts with friction, and who has answered."""

    AUTO = 0
    """Sweeps, then alternating directions with Newton's method, and pivots where a small problem stays unsolved."""
    SWEEPS = 1
    """Sweeps over circular cones."""
    LEMKE = 2
    """Pivots on a friction pyramid, polished by the others."""
    NEWTON = 3
    """Newton's method, which sweeps or alternating directions led to; only ever an answer, not a choice."""


class LcpStatus(IntEnum):
    """How complementary pivoting ended."""

    SOLVED = 0
    RAY = 1
    """No row blocks the entering variable: Lemke's method finds no solution, as for an infeasible problem."""
    LIMIT = 2
    """Unsolved after the given number of pivots, or the problem does not fit into the memory."""
    BAD_NUMBERS = 3
    """A number of the problem is not finite."""


class ImpactEnd(IntEnum):
    """How the resolution of impacts ended."""

    RESOLVED = 0
    """No contact approaches any more."""
    WITHOUT_RESTITUTION = 1
    """Contacts still approached after the given number of rounds, or could not be resolved otherwise; these were
    stopped without restitution."""
    UNSOLVED = 2
    """A contact still approaches: the problem has no solution, or none was found within the limits."""
    BAD_NUMBERS = 3
    """A number of the problem is not finite; the impulses are zero."""
    NO_ROOM = 4
    """The memory is too small for so many contacts; the impulses are zero."""
