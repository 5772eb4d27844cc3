"""What an integrator did: counters that do not depend on the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class IntegratorStatistics:
    """Counters of one integrator from its making on, through all restarts.

    The object of a running integrator keeps counting: `dataclasses.replace(statistics)` takes a snapshot.
    """

    steps: int = 0
    """Accepted steps."""
    evaluations: int = 0
    """All calls of f, those for Jacobians and for first steps included."""
    jacobians: int = 0
    """Jacobians worked out, by finite differences or by the function that was given."""
    jacobian_evaluations: int = 0
    """Calls of f for Jacobians, part of `evaluations`."""
    rejected_steps: int = 0
    """Tried again with a shorter step: the error test failed, or the nonlinear solver did not converge."""
    nonlinear_iterations: int = 0
    """Iterations of the nonlinear solver (Newton or functional); 0 for explicit methods."""
    limited_steps: int = 0
    """Steps cut short by the limit given to `step`, or by the end time."""
    restarts: int = 0
    """Calls of `restart`."""
    last_step: float = 0.0
    """Length of the last accepted step, s."""
    order: int | None = None
    """Order of the last step, where the integrator tells it."""
