"""A page about one closed form: problem, picture, formulas, errors on finer and finer meshes with their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.markup import Section, paragraph
from polycontact.surfaces.surface import Surface
from proof.book.book_page import BookPage, Effort
from proof.book.mesh_ladder import (
    BALANCED,
    DISTANCE,
    Aim,
    Ladder,
    climb,
    ladder_checks,
    ladder_plot,
    ladder_table,
)
from proof.book.page_parts import check_table, equation, given_table, percent, prose, side_by_side

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
    given: tuple[tuple[str, float, str], ...]
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
        Section("problem", "The problem", prose(form.story) + side_by_side(form.picture(), _given(form))),
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
    return BookPage(sections, tuple(checks), _figure(ladder))


def _given(form: ClosedForm) -> str:
    forces = {f"{aim.exact:.12g}": aim for aim in form.aims}.values()
    names = ["depth as a distance" if dict(aim.model.options) == {} else "depth along normals" for aim in forces]
    exact = [(f"exact force, {name}", aim.exact, "N") for name, aim in zip(names, forces, strict=True)]
    return given_table([*form.given, *exact])


def _figure(ladder: Ladder) -> str:
    """Errors on the finest mesh with their orders, of the default and of balanced surfaces."""
    names = {DISTANCE: "default", BALANCED: "balanced"}
    return "; ".join(
        f"{names[rung.aim.model]} {percent(rung.errors[-1])}, order {ladder.order(rung):.1f}"
        for rung in ladder.rungs
        if rung.aim.model in names
    )
