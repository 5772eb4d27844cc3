"""A coarse base under bodies that bend: how the division of base triangles follows its tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base, PolygonalMethod
from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import Section, paragraph
from polycontact.surfaces.surface import Surface
from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.placing import place
from proof.book.book_page import BookPage, Check, Effort
from proof.book.contact_picture import contact_picture
from proof.book.mesh_ladder import STIFFNESS, balanced
from proof.book.page_parts import check_table, equation, number_table, percent, prose

PLANE = 0.6
TOLERANCES = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
USUAL_LIMIT = 1e-2
"""Error of the force that the default tolerance may leave."""
FINE_LIMIT = 1e-3
"""Error that the finest tolerance may leave; facets of the bodies have their part in it."""


@dataclass(frozen=True)
class Over:
    """A body over a plane of two triangles, which is the base: its height (m) over it, and the exact force, N."""

    name: str
    build: Callable[[], Surface]
    height: float
    exact: float
    colour: int


def contacts() -> tuple[Over, ...]:
    """Bodies whose distance bends: a box at its edges, a ball everywhere, a cone at its axis."""
    length, width, depth = 0.1, 0.06, 2e-3
    radius, tip = 0.1, 0.02
    half_angle = math.radians(30.0)
    return (
        Over(
            "box",
            lambda: shapes.box((length, width, 0.04)),
            0.02 - depth,
            exact.plane_under_box(STIFFNESS, length, width, depth),
            0,
        ),
        Over(
            "ball, u/R = 0.1",
            lambda: balanced(shapes.sphere(radius, 5)),
            0.9 * radius,
            exact.plane_under_sphere(STIFFNESS, radius, 0.1 * radius),
            1,
        ),
        Over(
            "ball, u/R = 0.5",
            lambda: balanced(shapes.sphere(radius, 5)),
            0.5 * radius,
            exact.plane_under_sphere(STIFFNESS, radius, 0.5 * radius),
            2,
        ),
        Over(
            "cone of 30° half-angle",
            lambda: balanced(shapes.cone(0.03 * math.tan(half_angle), 0.03, segments=192)),
            -tip,
            STIFFNESS * math.sin(half_angle) * exact.cone_volume(half_angle, tip),
            3,
        ),
    )


def division(effort: Effort) -> BookPage:
    """Page of the error over the tolerance by which base triangles are divided."""
    usual = PolygonalMethod().tolerance
    tolerances = sorted({*(TOLERANCES[::3] if effort.quick else TOLERANCES), usual}, reverse=True)
    errors: dict[str, list[float]] = {}
    elements: dict[str, list[int]] = {}
    for each in contacts():
        found = [_measure(each, tolerance) for tolerance in tolerances]
        errors[each.name] = [error for error, _ in found]
        elements[each.name] = [n for _, n in found]
    k = tolerances.index(usual)
    checks = [
        *(
            Check(f"error at the default tolerance, {name}", some[k], USUAL_LIMIT, as_percent=True)
            for name, some in errors.items()
        ),
        *(
            Check(f"error at the finest tolerance, {name}", some[-1], FINE_LIMIT, as_percent=True)
            for name, some in errors.items()
        ),
    ]
    lines = [Line(each.name, tolerances, errors[each.name], colour=each.colour) for each in contacts()]
    lines.append(Line(f"default tolerance, {usual:g}", (usual, usual), _range(errors), mark="dashed", colour=6))
    plot = svg(LinePlot(x_label="tolerance", y_label="error of the force", lines=lines, log_x=True, log_y=True))
    rows = [
        [f"{tolerance:g}", *(f"{percent(errors[name][i])} · {elements[name][i]}" for name in errors)]
        for i, tolerance in enumerate(tolerances)
    ]
    sections = (
        Section("problem", "The problem", prose(STORY) + _picture()),
        Section(
            "exact",
            "What is exact",
            equation("F = c (a b u - (a + b) u^2 + \\frac{4}{3} u^3)", "under a box a × b")
            + equation("F = π c (R (R^2 - h^2) - \\frac{2}{3} (R^3 - h^3)), \\quad h = R - u", "under a ball")
            + equation("F = c V \\sin α", "under a cone of half-angle α"),
        ),
        Section(
            "errors",
            "Error against the tolerance",
            plot
            + paragraph("Error of the force · number of elements.", "note")
            + number_table(("tolerance", *errors), rows),
        ),
        Section("limits", "Limits", check_table(checks)),
    )
    worst = max(some[k] for some in errors.values())
    return BookPage(sections, tuple(checks), f"worst error at the default tolerance {percent(worst)}")


STORY = (
    "The plane, of two triangles, is the base; a body of many triangles is the target. The depth $φ$ of a point of "
    "the plane is its distance to the body, which bends within a single triangle of the base. The triangle is "
    "bisected until what a cell may miss is below the option tolerance of the method, as a share of the whole force: "
    "the default is meant for simulations, a smaller one for reference figures."
)


def _measure(contact: Over, tolerance: float) -> tuple[float, int]:
    """Relative error of the force, and number of elements."""
    method = PolygonalMethod(base=Base.F, tolerance=tolerance)
    pairing = ContactPairing(contact.build(), shapes.plane(PLANE), law=LayerLaw(stiffness=STIFFNESS), method=method)
    result = place(pairing, (0.013, 0.021, contact.height), turn=(0.0, 0.0, 0.2))
    return abs(float(result.force[2]) / contact.exact - 1.0), len(result.elements)


def _range(errors: dict[str, list[float]]) -> tuple[float, float]:
    values = [value for some in errors.values() for value in some if value > 0.0]
    return float(np.min(values)), float(np.max(values))


def _picture() -> str:
    return contact_picture(
        shapes.sphere(0.1, 4),
        shapes.plane(0.4),
        (0.013, 0.021, 0.05),
        caption="The ball at u/R = 0.5 over its base, the plane of two triangles",
        stiffness=STIFFNESS,
    )
