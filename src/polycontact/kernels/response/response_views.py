"""Settings and memory of the response kernels: what a caller sets once, and where they work."""

from __future__ import annotations

from polycontact.kernels.response.envelope import Envelope
from polycontact.kernels.views import View, count, doubles, nested, number
from polycontact.tolerances import RESPONSE_RESIDUAL

MOST_INDEPENDENT = 24
"""Contacts up to which it is looked whether they are independent: beyond that looking would cost more than it saves."""


class SolverSettings(View):
    """How problems of contacts with friction are solved."""

    steps = count("steps of Newton's method at most")
    rounds = count("impacts of all contacts at one instant, or single impacts per contact, at most")
    tolerance = number("residual that is small enough", unit="m/s")


class SolverWork(View):
    """A problem of contacts with friction, and where its solver stands."""

    room = count("contacts that fit")
    triple = count("3 room")
    width = count("coordinates that fit")
    b = doubles("triple", doc="velocities without impulses", unit="m/s")
    mu = doubles("room", doc="coefficients of friction")
    floor = doubles("room", doc="least normal impulses", unit="N s")
    raised = doubles("room", doc="how much the normal velocities are raised: friction times slip", unit="m/s")
    softness = doubles("room", doc="price of a contact's distance from the impulse that is kept", unit="1/kg")
    share = number("of a contact's own yielding that this price is")
    kept = doubles("triple", doc="impulses that the price is measured from", unit="N s")
    impulse = doubles("triple", doc="impulses at hand, in their cones", unit="N s")
    trial = doubles("triple", doc="step of the impulses", unit="N s")
    here = doubles("triple", doc="impulses where the step begins", unit="N s")
    swept = doubles("triple", doc="impulses of the last sweeps, zero before", unit="N s")
    best = doubles("triple", doc="the best impulses so far", unit="N s")
    residual = number("of the best impulses", unit="m/s")
    velocity = doubles("triple", doc="at contacts, by the coordinates at hand", unit="m/s")
    change = doubles("triple", doc="its change by a step", unit="m/s")
    z = doubles("width", doc="coordinates at hand")
    other = doubles("width", doc="coordinates of the impulses at hand, or those tried")
    step = doubles("width", doc="right-hand side, then the step of the coordinates")
    room_of_gram = count("rows of A that are looked at whether they are independent")
    gram = doubles("room_of_gram", "room_of_gram", doc="W of these, then its Cholesky factor")
    envelope = nested(Envelope)


class ImpactReport(View):
    """Rounds and steps that impacts took, and what is left of residual and energy."""

    rounds = count("single impacts in propagation, impacts of all contacts at once otherwise")
    steps = count("steps of Newton's method of all problems together")
    residual = number("largest residual of a problem of all contacts", unit="m/s")
    energy_added = number("change of the kinetic energy, negative where it falls", unit="J")


class ResponseMemory(View):
    """Memory of the response kernels for a number of contacts."""

    room = count("contacts that fit")
    triple = count("3 room")
    width = count("coordinates that fit")
    velocity = doubles("triple", doc="relative velocities while impacts are resolved", unit="m/s")
    shifted = doubles("triple", doc="right-hand side of a problem of impacts", unit="m/s")
    compression = doubles("triple", doc="impulses of compression", unit="N s")
    restitution = doubles("triple", doc="impulses of restitution", unit="N s")
    scaled = doubles("triple", doc="impulses of compression times restitution", unit="N s")
    floor = doubles("room", doc="least normal impulses", unit="N s")
    z = doubles("width", doc="coordinates of impulses, or energies of them")
    other = doubles("width", doc="coordinates of other impulses")
    work = nested(SolverWork)
    report = nested(ImpactReport)


def solver_settings(steps: int = 500, rounds: int = 100, tolerance: float = RESPONSE_RESIDUAL) -> SolverSettings:
    """Settings of a solver; tolerance in m/s."""
    settings = SolverSettings()
    settings.steps, settings.rounds, settings.tolerance = steps, rounds, tolerance
    return settings


def response_memory(n: int, width: int, envelope: int) -> ResponseMemory:
    """Memory for n contacts on ``width`` coordinates whose envelope has so many entries."""
    memory = ResponseMemory()
    memory.reserve(room=n, triple=3 * n, width=width)
    memory.work.reserve(room=n, triple=3 * n, width=width)
    memory.work.reserve(room_of_gram=3 * min(n, MOST_INDEPENDENT))
    memory.work.envelope.reserve(size=envelope, room=width)
    return memory
