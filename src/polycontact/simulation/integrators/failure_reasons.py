"""Why an integration stops, and what helps."""

from __future__ import annotations

from enum import StrEnum

from polycontact.errors import IntegrationError


class FailureReason(StrEnum):
    """The few ways in which an integration fails."""

    NO_CONVERGENCE = "no convergence"
    ERROR_TEST = "error test"
    STEP_TOO_SMALL = "step too small"
    NOT_FINITE = "not finite"
    TOO_MUCH_WORK = "too much work"


EXPLANATIONS = {
    FailureReason.NO_CONVERGENCE: (
        "the nonlinear solver did not converge, however short the step; look for a jump or a very stiff force in "
        "the model, make it smoother, or try another integrator"
    ),
    FailureReason.ERROR_TEST: (
        "the estimated error stays above the tolerances, however short the step; look for a jump in the model that "
        "should be an event, or loosen rtol and atol"
    ),
    FailureReason.STEP_TOO_SMALL: (
        "the step is so short that time no longer advances; look for a singularity in the model, or loosen rtol "
        "and atol"
    ),
    FailureReason.NOT_FINITE: (
        "the derivative is not a finite number, also for shorter steps; look for a division by zero or an overflow "
        "in the model near this time"
    ),
    FailureReason.TOO_MUCH_WORK: "too many attempts for one step; loosen rtol and atol, or try another integrator",
}


def integration_error(
    name: str, reason: FailureReason, *, time: float, step: float, detail: str = ""
) -> IntegrationError:
    """The error for an integrator `name` that stopped at `time` (s) with its last step `step` (s)."""
    told = f" ({detail})" if detail else ""
    message = f"{name} stopped at {time:.12g} s with a step of {step:.3g} s: {EXPLANATIONS[reason]}{told}"
    return IntegrationError(message, time=time, step=step, reason=str(reason))
