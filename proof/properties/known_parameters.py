"""Identification where the truth is known: noise is added to curves of a run, and its parameters are sought again.

Of intervals that hold with 95 %, the truth lies in 95 of 100; the number that is found in n repetitions scatters about
that with the binomial distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from polycontact.identification.fit_parameter import FitParameter
from polycontact.identification.identification_result import Identification
from polycontact.identification.identify import identify
from polycontact.identification.measured_curve import MeasuredCurve
from polycontact.identification.scenario_trials import prepare_trials
from polycontact.scenario.changed_values import with_values
from polycontact.scenario.parsing import Scenario, parse_scenario

IMPACT: Final = """
[scenario]
name = "impact"
description = "A ball hits a plate and bounces; spring and damper between them are sought."

[simulation]
end_time = 0.014
integrator = "dopri5"

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.05, geometry = "convex" }
density = 1000.0
position = [0.0, 0.0, 0.0505]
velocity = [0.0, 0.0, -1.5]

[[bodies]]
name = "plate"
shape = { kind = "box", size = [0.4, 0.4, 0.1], geometry = "convex" }
fixed = true
position = [0.0, 0.0, -0.05]

[contact]
law = { kind = "spring_damper", stiffness = 2e4, damping = 10.0 }

[[contact.pairs]]
bodies = ["ball", "plate"]
"""

SLIDE: Final = """
[scenario]
name = "slide"
description = "A block slides over a plate and is slowed down by friction, whose coefficient is sought."

[simulation]
end_time = 0.1
integrator = "dopri5"

[[bodies]]
name = "block"
shape = { kind = "box", size = [0.1, 0.1, 0.04] }
density = 800.0
position = [0.0, 0.0, 0.01996861]
velocity = [1.0, 0.0, 0.0]

[[bodies]]
name = "plate"
shape = { kind = "box", size = [1.0, 0.4, 0.1] }
fixed = true
position = [0.2, 0.0, -0.05]

[contact]
stiffness = 1e7
damping = 1e4
transition_depth = 1e-5
friction = { coefficient = 0.3, velocity = 1e-3 }

[[contact.pairs]]
bodies = ["block", "plate"]
base = "E"
"""


@dataclass(frozen=True)
class KnownCase:
    """A scenario whose curves are known: the ``quantity`` that is measured at ``n_points`` times with ``noise``.

    ``unit`` is that of the quantity and of the noise, ``truth`` has the values by key.
    """

    name: str
    text: str
    quantity: str
    unit: str
    noise: float
    n_points: int
    truth: dict[str, float]
    parameters: tuple[FitParameter, ...]

    def scenario(self) -> Scenario:
        """The scenario with the true values."""
        return with_values(parse_scenario(self.text, file=self.name), self.truth)


_SPRING: Final = (
    FitParameter("contact.law.stiffness", "1 N/mm", "1000 N/mm", "log"),
    FitParameter("contact.law.damping", 0.1, 1000.0, "log"),
)
_TRUE_SPRING: Final = {"contact.law.stiffness": 2e4, "contact.law.damping": 10.0}

CASES: Final = (
    KnownCase("impact, force", IMPACT, "ball–plate force z", "N", 5.0, 40, _TRUE_SPRING, _SPRING),
    KnownCase("impact, position", IMPACT, "ball position z", "mm", 0.1, 40, _TRUE_SPRING, _SPRING),
    KnownCase(
        "sliding block",
        SLIDE,
        "block position x",
        "mm",
        0.2,
        25,
        {"contact.friction.coefficient": 0.3},
        (FitParameter("contact.friction.coefficient", 0.0, 1.0),),
    ),
)
"""Spring and damper of an impact, from its force or from how the ball moved; friction, from how a block slid."""


@dataclass(frozen=True)
class Coverage:
    """How often the truth lay within its interval, by key, in ``n`` repetitions; ``found``: the last identification."""

    name: str
    n: int
    inside: dict[str, int]
    biases: dict[str, float]
    found: Identification


def measure_coverage(case: KnownCase, n: int, *, seed: int = 0, tell: Callable[[int], None] | None = None) -> Coverage:
    """Identify the parameters of a case ``n`` times, each time with other noise."""
    if n < 1:
        raise ValueError(f"{n} repetitions; at least one is needed")
    inside = dict.fromkeys(case.truth, 0)
    errors: dict[str, list[float]] = {key: [] for key in case.truth}
    for i, found in enumerate(repetitions(case, n, seed)):
        for key, truth in case.truth.items():
            inside[key] += found[key].low <= truth <= found[key].high
            errors[key].append((found[key].value - truth) / found[key].standard_error)
        if tell is not None:
            tell(i + 1)
    return Coverage(case.name, n, inside, {key: float(np.mean(each)) for key, each in errors.items()}, found)


def repetitions(case: KnownCase, n: int, seed: int = 0) -> Iterator[Identification]:
    """Identifications from the same curve with noise of its own each; the search begins a third off the truth."""
    scenario = case.scenario()
    times = np.linspace(0.0, float(scenario.settings["end_time"]), case.n_points + 1)[1:]
    clean = MeasuredCurve(times, np.zeros(case.n_points), case.quantity, case.unit)
    _, (exact,) = prepare_trials(scenario, [clean], case.truth)
    parameters = [
        FitParameter(each.key, each.lower, each.upper, each.scale, 1.3 * case.truth[each.key])
        for each in case.parameters
    ]
    for i in range(n):
        noise = np.random.default_rng([seed, i]).normal(0.0, case.noise, case.n_points)
        curve = MeasuredCurve(times, exact / clean.factor + noise, case.quantity, case.unit)
        yield identify(scenario, parameters, curve, starts=0)
