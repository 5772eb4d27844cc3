"""A page about one closed form: problem, picture, formulas, errors on finer and finer meshes with their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.markup import Section, heading, number, paragraph, table
from polycontact.surfaces.surface import Surface
from polycontact.verification.book.book_page import BookPage, Effort, check_table, equation, prose
from polycontact.verification.book.mesh_ladder import (
    BALANCED,
    DISTANCE,
    Aim,
    climb,
    ladder_checks,
    ladder_plot,
    ladder_table,
)

SECOND_ORDER = 1.8
"""Least order where facets lie inside a round body: 2, less what the border makes of it as it cuts triangles."""
BALANCED_ORDER = 2.0
"""Least order on balanced surfaces, in the worst orientation; 4 in the mean."""


@dataclass(frozen=True, kw_only=True)
class ClosedForm:
    """A contact with a closed form.

    ``story``: the contact in words, with formulas between $ signs; ``formulas``: what is exact, with what it is for;
    ``given``: names and values with units; ``bodies`` at a level, of which the first is the base; ``forces`` (N) in
    several orientations; ``length`` (m) and its name scale the edges of triangles.
    """

    story: str
    formulas: tuple[tuple[str, str], ...]
    given: tuple[tuple[str, str], ...]
    picture: Callable[[], str]
    bodies: Callable[[int], tuple[Surface, Surface]]
    forces: Callable[[ContactPairing], list[float]]
    n_orientations: int
    aims: tuple[Aim, ...]
    levels: tuple[int, ...]
    length: float
    length_name: str
    remark: str = ""


def closed_form_page(form: ClosedForm, effort: Effort) -> BookPage:
    """Measure the contact on all meshes and lay out the page."""
    levels = effort.levels(*form.levels)
    ladder = climb(form.bodies, form.forces, form.aims, levels, form.length)
    checks = ladder_checks(ladder, full=levels == form.levels)
    turns = f"The worst of {form.n_orientations} orientations counts." if form.n_orientations > 1 else ""
    note = f"Errors of the force, relative to the closed form of each model. {turns}"
    sections = (
        Section("problem", "The problem", prose(form.story) + form.picture() + _given(form)),
        Section("exact", "What is exact", "".join(equation(tex, words) for tex, words in form.formulas)),
        Section(
            "errors",
            "Error against mesh size",
            ladder_plot(ladder, form.length_name)
            + paragraph(note, "note")
            + ladder_table(ladder, form.length_name)
            + (prose(form.remark) if form.remark else ""),
        ),
        Section("limits", "Limits", check_table(checks)),
    )
    return BookPage(sections, tuple(checks), _figure(ladder.rungs, ladder.order))


def _given(form: ClosedForm) -> str:
    rows = [*form.given, *((f"exact force, {aim.model.name}", f"{number(aim.exact, 6)} N") for aim in form.aims)]
    return heading("Given") + table(("", ""), rows)


def _figure(rungs: object, order: Callable[..., float]) -> str:
    """Errors on the finest mesh with their orders, of the default and of balanced surfaces."""
    parts = []
    for rung in rungs:  # type: ignore[attr-defined]
        if rung.aim.model in (DISTANCE, BALANCED):
            name = "balanced" if rung.aim.model is BALANCED else "default"
            parts.append(f"{name} {number(rung.errors[-1], 2)}, order {order(rung):.1f}")
    return "; ".join(parts)
