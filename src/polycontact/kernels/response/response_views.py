"""Settings and memory of the response kernels: what a caller sets once, and where they work."""

from __future__ import annotations

from polycontact.kernels.response.codes import Solver
from polycontact.kernels.views import View, count, doubles, longs, nested, number


class SolverSettings(View):
    """How problems of contacts with friction are solved."""

    solver = count("a code of `Solver`")
    sweeps = count("sweeps at most")
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


class ImpactReport(View):
    """What became of impacts."""

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
    report = nested(ImpactReport)


LARGEST_PIVOTED = 12
"""Contacts with friction up to which `response_memory` makes room for pivots: their cost grows with the cube."""


def solver_settings(
    solver: Solver = Solver.AUTO,
    sweeps: int = 500,
    pivots: int = 2000,
    rounds: int = 100,
    facets: int = 8,
    tolerance: float = 1e-10,
    compliance: float = 0.0,
) -> SolverSettings:
    """Settings of a solver; tolerance in m/s, compliance in 1/kg."""
    settings = SolverSettings()
    settings.solver, settings.sweeps, settings.pivots, settings.facets = int(solver), sweeps, pivots, facets
    settings.rounds, settings.tolerance, settings.compliance = rounds, tolerance, compliance
    return settings


def response_memory(n: int, facets: int = 8, pivoted: int = LARGEST_PIVOTED) -> ResponseMemory:
    """Memory for n contacts, with room for pivots of up to ``pivoted`` of them with friction.

    Where more contacts have to be solved than pivots have room for, they are solved by sweeps alone.
    """
    memory = ResponseMemory()
    memory.reserve(room=n, width=3 * n)
    pairs = min(n, pivoted) * (facets + 2)
    memory.pivoting.reserve(room=pairs, columns=2 * pairs + 2)
    return memory
