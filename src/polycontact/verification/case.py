"""A closed form as a case: what is expected, how it is measured, how far off it may be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polycontact.tolerances import EPS


@dataclass(frozen=True, kw_only=True)
class VerificationCase:
    """One number of one contact, for which there is a closed form.

    ``group``: the family of cases that it belongs to; ``name`` is unique; ``what`` says which contact and which
    formula; ``expected`` in ``unit``. ``measure`` gives the same number from meshes, at one of ``levels``; from each
    level to the next the edges are halved. The error at the last level, relative to ``scale`` (by default the expected
    value), must not exceed ``limit``; the order of convergence observed over the levels must reach ``rate_limit``,
    where given.
    """

    group: str = ""
    name: str
    what: str
    quantity: str
    unit: str
    expected: float
    measure: Callable[[int], float]
    limit: float
    levels: tuple[int, ...] = (0,)
    rate_limit: float | None = None
    scale: float | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came out of a case: ``got`` and ``relative_error`` at the finest level, the observed ``rate``."""

    group: str
    name: str
    what: str
    quantity: str
    unit: str
    expected: float
    got: float
    relative_error: float
    limit: float
    rate: float | None
    rate_limit: float | None
    ok: bool

    @property
    def share_of_limit(self) -> float:
        """The error over what is allowed; infinite where nothing is allowed and there is an error."""
        if self.relative_error == 0.0:
            return 0.0
        return self.relative_error / self.limit if self.limit > 0.0 else math.inf

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON can hold it: a number that is not finite becomes None."""
        values = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values
        }


def run_case(case: VerificationCase) -> Outcome:
    """Measure a case at all its levels."""
    scale = abs(case.expected) if case.scale is None else case.scale
    values = [case.measure(level) for level in case.levels]
    errors = [abs(value - case.expected) / scale for value in values]
    rate = observed_order(errors) if len(errors) > 1 else None
    converges = case.rate_limit is None or (rate is not None and rate >= case.rate_limit)
    return Outcome(
        group=case.group,
        name=case.name,
        what=case.what,
        quantity=case.quantity,
        unit=case.unit,
        expected=case.expected,
        got=values[-1],
        relative_error=errors[-1],
        limit=case.limit,
        rate=rate,
        rate_limit=case.rate_limit,
        ok=errors[-1] <= case.limit and converges,
    )


def observed_order(errors: list[float]) -> float:
    """Order p of errors ~ hᵖ where h halves from each to the next: the slope of the fitted straight line."""
    n = len(errors)
    middle = 0.5 * (n - 1)
    logarithms = [-math.log2(max(error, EPS)) for error in errors]
    spread = sum((i - middle) ** 2 for i in range(n))
    return sum((i - middle) * value for i, value in enumerate(logarithms)) / spread
