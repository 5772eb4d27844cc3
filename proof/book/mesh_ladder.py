"""The error of a contact on finer and finer meshes, for each way to make elements; its order is fitted to the runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base, PolygonalMethod
from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import number, table
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import EPS
from polycontact.verification.orientations import worst
from proof.book.book_page import Check
from proof.book.page_parts import percent

STIFFNESS = 1e7
"""c of all ladders, N/m³: forces are proportional to it."""
LAW = LayerLaw(stiffness=STIFFNESS)


@dataclass(frozen=True)
class Model:
    """A way to make elements: options of the pairing, and whether the meshes are balanced before."""

    name: str
    options: tuple[tuple[str, Any], ...]
    colour: int
    balanced: bool = False

    def pair(self, e: Surface, f: Surface) -> ContactPairing:
        """The pairing of two surfaces, the first of which is the base."""
        bodies = (balanced(e), balanced(f)) if self.balanced else (e, f)
        options: dict[str, Any] = {"method": PolygonalMethod(base=Base.E, **dict(self.options))}
        return ContactPairing(*bodies, law=LAW, **options)


WHOLE = Model("whole triangles, depth along the base's normal", (("depth", "base_normal"), ("elements", "whole")), 3)
CLIPPED = Model("clipped triangles, depth along the base's normal", (("depth", "base_normal"),), 1)
DISTANCE = Model("depth as a distance (default)", (), 0)
BALANCED = Model("the same on balanced surfaces, tolerance 5e-4", (("tolerance", 5e-4),), 2, balanced=True)
"""With the usual tolerance the integration would miss as much as the finest of these meshes do."""


@lru_cache(8)
def balanced(surface: Surface) -> Surface:
    """The balanced surface of a closed one; a plane piece is what it is."""
    return surface.balanced() if surface.is_closed else surface


@dataclass(frozen=True)
class Aim:
    """What a model must reach: the ``exact`` force, an error of ``limit`` on the finest mesh, an ``order``."""

    model: Model
    exact: float
    limit: float
    order: float


@dataclass(frozen=True)
class Rung:
    """Errors of one model: relative to what is exact, one for each mesh."""

    aim: Aim
    errors: tuple[float, ...]


@dataclass(frozen=True)
class Ladder:
    """Meshes from coarse to fine: triangles of the base, their mean edge over a length of the body, and errors."""

    triangles: tuple[int, ...]
    edges: tuple[float, ...]
    rungs: tuple[Rung, ...]

    def order(self, rung: Rung) -> float:
        """Order p of errors ~ hᵖ: the slope of the straight line that fits them best."""
        x = [math.log(edge) for edge in self.edges]
        y = [math.log(max(error, EPS)) for error in rung.errors]
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        spread = sum((a - mean_x) ** 2 for a in x)
        return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread


def climb(
    bodies: Callable[[int], tuple[Surface, Surface]],
    forces: Callable[[ContactPairing], list[float]],
    aims: Sequence[Aim],
    levels: Sequence[int],
    length: float,
) -> Ladder:
    """Measure ``forces`` (N, in several orientations) of two bodies at each level; ``length`` (m) scales edges."""
    errors: dict[Model, list[float]] = {aim.model: [] for aim in aims}
    triangles, edges = [], []
    for level in levels:
        e, f = bodies(level)
        triangles.append(e.n_triangles)
        edges.append(mean_edge(e) / length)
        for aim in aims:
            found = worst(forces(aim.model.pair(e, f)), aim.exact)
            errors[aim.model].append(abs(found - aim.exact) / abs(aim.exact))
    return Ladder(tuple(triangles), tuple(edges), tuple(Rung(aim, tuple(errors[aim.model])) for aim in aims))


def mean_edge(surface: Surface) -> float:
    """Edge, m, of an equilateral triangle with the mean area."""
    return math.sqrt(4.0 / math.sqrt(3.0) * float(surface.areas.mean()))


def ladder_plot(ladder: Ladder, length_name: str) -> str:
    """Errors over the mesh size, both logarithmic, with the slope of second order beside."""
    lines = [
        Line(_legend(ladder, rung), ladder.edges, rung.errors, colour=rung.aim.model.colour) for rung in ladder.rungs
    ]
    top = max(max(rung.errors) for rung in ladder.rungs)
    edges = ladder.edges
    second = [2.5 * top * (edge / edges[0]) ** 2 for edge in edges]
    lines.append(Line("slope of order 2", edges, second, mark="dashed", colour=6))
    return svg(
        LinePlot(
            x_label=f"mean edge of the base's triangles / {length_name}",
            y_label="error of the force",
            lines=lines,
            log_x=True,
            log_y=True,
        )
    )


def ladder_table(ladder: Ladder, length_name: str) -> str:
    """Errors of all models and meshes; the last row has the fitted orders."""
    header = ["triangles", f"edge / {length_name}", *(rung.aim.model.name for rung in ladder.rungs)]
    rows = [
        [f"{n:,}".replace(",", " "), number(edge, 2), *(percent(rung.errors[k]) for rung in ladder.rungs)]
        for k, (n, edge) in enumerate(zip(ladder.triangles, ladder.edges, strict=True))
    ]
    rows.append(["fitted order", "", *(f"{ladder.order(rung):.2f}" for rung in ladder.rungs)])
    return table(header, rows, sums=True)


def ladder_checks(ladder: Ladder, *, full: bool) -> list[Check]:
    """Limits of each model; those of the error are meant for the finest mesh of the ``full`` ladder."""
    checks = []
    for rung in ladder.rungs:
        name = rung.aim.model.name
        if full:
            checks.append(Check(f"error on the finest mesh, {name}", rung.errors[-1], rung.aim.limit, as_percent=True))
        checks.append(Check(f"order of convergence, {name}", ladder.order(rung), rung.aim.order, at_least=True))
    return checks


def _legend(ladder: Ladder, rung: Rung) -> str:
    return f"{rung.aim.model.name}: order {ladder.order(rung):.1f}"
