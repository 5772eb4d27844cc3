"""Settings and memory of the response kernels: what a caller sets once, and where they work."""

from __future__ import annotations

from polycontact.kernels.response.codes import Solver
from polycontact.kernels.views import View, count, doubles, longs, nested, number
from polycontact.tolerances import RESPONSE_RESIDUAL


class SolverSettings(View):
    """How problems of contacts with friction are solved."""

    solver = count("a code of `Solver`")
    sweeps = count("sweeps, and steps of alternating directions, at most")
    pivots = count("pivots at most")
    rounds = count("impacts of all contacts at one instant, or single impacts per contact, at most")
    facets = count("sides of the friction pyramid, 3 or more")
    tolerance = number("residual that is small enough", unit="m/s")
    compliance = number("added to the diagonal of W, so that redundant contacts share as equal springs do", unit="1/kg")


class Pivoting(View):
    """Memory of complementary pivoting."""

    room = count("complementary pairs that fit")
    columns = count("2 room + 2: w, z, the artificial variable and the right-hand side")
    M = doubles("room", "room", doc="matrix of the problem")
    q = doubles("room", doc="its right-hand side")
    z = doubles("room", doc="its solution")
    tableau = doubles("room", "columns", doc="rows of the basic variables")
    basis = longs("room", doc="basic variable of each row: w, then z, then the artificial one")
    n_pivots = count("pivots of the last problem")


class Factors(View):
    """Memory of Newton's method and of alternating directions."""

    width = count("impulses that fit, three for a contact")
    matrix = doubles("width", "width", doc="equations of all contacts")
    step = doubles("width", doc="right-hand side, then the step", unit="N s")
    here = doubles("width", doc="impulses where the next step begins", unit="N s")
    trial = doubles("width", doc="impulses that are tried", unit="N s")
    kept = doubles("width", doc="impulses of alternating directions while Newton's method is tried", unit="N s")
    best = doubles("width", doc="the best impulses so far", unit="N s")
    cholesky = doubles("width", "width", doc="lower factor of W and the weight")
    multipliers = doubles("width", doc="velocities, the normal ones raised by friction times slip", unit="m/s")
    own = doubles("width", doc="of each contact, its own compliance; 0 between fixed bodies", unit="1/kg")
    weight = number("of the distance of both copies of the impulses, relative to each contact's own compliance")


class ImpactReport(View):
    """Rounds and sweeps that impacts took, and what is left of residual and energy."""

    rounds = count("single impacts in propagation, impacts of all contacts at once otherwise")
    sweeps = count("sweeps of all problems together")
    residual = number("largest residual of a problem of all contacts", unit="m/s")
    energy_added = number("change of the kinetic energy, negative where it falls", unit="J")


class ResponseMemory(View):
    """Memory of the response kernels for a number of contacts."""

    room = count("contacts that fit")
    width = count("3 room")
    start = doubles("width", doc="impulses before another solver is tried", unit="N s")
    velocity = doubles("width", doc="relative velocities while impacts are resolved", unit="m/s")
    shifted = doubles("width", doc="right-hand side of a problem of impacts", unit="m/s")
    compression = doubles("width", doc="impulses of compression", unit="N s")
    restitution = doubles("width", doc="impulses of restitution", unit="N s")
    floor = doubles("room", doc="least normal impulses", unit="N s")
    pivoting = nested(Pivoting)
    factors = nested(Factors)
    report = nested(ImpactReport)


LARGEST_PIVOTED = 12
"""Contacts with friction up to which `response_memory` makes room for pivots: their cost grows with the cube."""

LARGEST_FACTORED = 100
"""Contacts up to which `response_memory` makes room for methods that factorise, for the same reason."""


def solver_settings(
    solver: Solver = Solver.AUTO,
    sweeps: int = 500,
    pivots: int = 2000,
    rounds: int = 100,
    facets: int = 8,
    tolerance: float = RESPONSE_RESIDUAL,
    compliance: float = 0.0,
) -> SolverSettings:
    """Settings of a solver; tolerance in m/s, compliance in 1/kg."""
    settings = SolverSettings()
    settings.solver, settings.sweeps, settings.pivots, settings.facets = int(solver), sweeps, pivots, facets
    settings.rounds, settings.tolerance, settings.compliance = rounds, tolerance, compliance
    return settings


def response_memory(
    n: int, facets: int = 8, pivoted: int = LARGEST_PIVOTED, factored: int = LARGEST_FACTORED
) -> ResponseMemory:
    """Memory for n contacts, with room for pivots of ``pivoted`` of them and for factors of ``factored``.

    Where more contacts have to be solved than these have room for, they are solved by sweeps alone.
    """
    memory = ResponseMemory()
    memory.reserve(room=n, width=3 * n)
    pairs = min(n, pivoted) * (facets + 2)
    memory.pivoting.reserve(room=pairs, columns=2 * pairs + 2)
    memory.factors.reserve(width=3 * min(n, factored))
    return memory
