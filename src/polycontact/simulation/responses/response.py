"""The families of contact response: forces of compliant bodies, impulses, multipliers (S2.9–S2.12)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from polycontact.contact.kinds import class_of, described, from_plain
from polycontact.contact.options import check_options, option
from polycontact.errors import SimulationError, level_of_the_caller

_RESTITUTION = option(
    "restitution of all contacts, 0 to 1; left out: that of a law that has one, and 0 for the others",
    at_least=0.0,
    at_most=1.0,
)
_REST_SPEED = option(
    "bodies that approach more slowly do not rebound, so that a bouncing ball comes to rest",
    "m/s",
    title="rest speed",
    above=0.0,
)
_STEP = option(
    "length of the time steps; shorter ones, down to a 64th, are made where surfaces in contact turn or bend so "
    "quickly that they would part or collide by the step alone",
    "s",
    above=0.0,
)
_SLOP = option(
    "small depth by which rigid bodies may overlap, so that they touch in every step; left out: 1e-4 of the thickness "
    "of the thinnest body in contact",
    "m",
    above=0.0,
)
_SWEEPS = option(
    "iterations of the solver at most: steps of Newton's method", title="sweep limit", at_least=1, at_most=1_000_000
)
_TOLERANCE = option("residual of the contact conditions at which the solver stops", "m/s", above=0.0)
_SOLVER = option('"auto"; "sweeps" and "lemke" are deprecated and mean the same: one solver answers all problems')


def _tell_deprecated_solver(solver: str) -> None:
    if solver != "auto":
        warnings.warn(
            f"solver={solver!r} is deprecated and means 'auto': one solver answers all problems of rigid contact; "
            f"leave it out",
            DeprecationWarning,
            stacklevel=level_of_the_caller(),
        )


@described("compliant", part="response")
@dataclass(frozen=True, kw_only=True)
class CompliantResponse:
    """Bodies deform in their layers, and forces follow from laws of depth and speed."""


@described("multipliers", part="response")
@dataclass(frozen=True, kw_only=True)
class MultiplierResponse:
    """Rigid bodies: steps of a length, contact forces as multipliers of a complementarity problem.

    Moreau's midpoint rule: in the middle of a step the contact points are found; at its end no point approaches, forces
    only push, and friction is Coulomb's. Stiffness and damping of laws do not matter, unless contacts are ``yielding``;
    the coefficient of friction does.
    The order is one where bodies touch, two where they fly. What the rule itself loses by that is in the column
    ``numerical`` of the energy ledger. Efforts of motors, joint springs and stops are taken
    implicitly, so that stiff controllers do not shake.
    """

    step: float = field(default=1e-3, metadata=_STEP)
    restitution: float | None = field(default=None, metadata=_RESTITUTION)
    rest_speed: float = field(default=0.02, metadata=_REST_SPEED)
    solver: Literal["auto", "sweeps", "lemke"] = field(default="auto", metadata=_SOLVER)
    sweeps: int = field(default=1000, metadata=_SWEEPS)
    tolerance: float = field(default=1e-7, metadata=_TOLERANCE)
    slop: float | None = field(default=None, metadata=_SLOP)
    yielding: bool = field(
        default=False,
        metadata=option(
            "whether contacts give way by the stiffness of their laws, with a damping that gives their restitution, "
            "instead of being rigid"
        ),
    )

    def __post_init__(self) -> None:
        check_options(self, "multiplier response")
        _tell_deprecated_solver(self.solver)


@described("impulses", part="response")
@dataclass(frozen=True, kw_only=True)
class ImpulseResponse:
    """Rigid bodies: collisions are events at which speeds jump, and the integration begins anew.

    Between collisions the integrator works without any contact. Where bodies stay together, with impacts slower than
    the rest speed, multipliers hold them in steps of ``step`` until they part (see `MultiplierResponse`).
    """

    update: Literal["propagation", "simultaneous"] = field(
        default="propagation",
        metadata=option(
            'several contacts at one instant: "propagation" resolves one at a time, the fastest first, until none '
            'approaches; "simultaneous" all together'
        ),
    )
    hypothesis: Literal["energetic", "newton", "poisson"] = field(
        default="energetic",
        metadata=option(
            'what restitution e means: "energetic" the normal impulse gives back e² of the work that it took, "newton" '
            'the normal speed turns round times e, "poisson" the impulse of restitution is e times that of '
            "compression; with friction the last two may add energy, which is reported"
        ),
    )
    restitution: float | None = field(default=None, metadata=_RESTITUTION)
    rest_speed: float = field(default=0.02, metadata=_REST_SPEED)
    step: float = field(default=1e-3, metadata=_STEP)
    solver: Literal["auto", "sweeps", "lemke"] = field(default="auto", metadata=_SOLVER)
    sweeps: int = field(default=1000, metadata=_SWEEPS)
    tolerance: float = field(default=1e-7, metadata=_TOLERANCE)
    slop: float | None = field(default=None, metadata=_SLOP)

    def __post_init__(self) -> None:
        check_options(self, "impulse response")
        _tell_deprecated_solver(self.solver)


RESPONSES = ("compliant", "impulses", "multipliers")
"""Names of the families."""

RigidResponse = MultiplierResponse | ImpulseResponse
Response = CompliantResponse | RigidResponse


def response_of(given: Response | Mapping[str, Any] | str) -> Response:
    """The response given by its name, by a table of a file, or as it is; anything else raises an error."""
    if isinstance(given, CompliantResponse | MultiplierResponse | ImpulseResponse):
        return given
    content = given if isinstance(given, Mapping) else {"kind": given}
    cls = class_of(content.get("kind"))
    if cls not in (CompliantResponse, MultiplierResponse, ImpulseResponse):
        raise SimulationError(
            f"response is {given!r}; give one of {', '.join(map(repr, RESPONSES))}, or an ImpulseResponse(…) or "
            f"MultiplierResponse(…)"
        )
    made: Response = from_plain(content)
    return made
