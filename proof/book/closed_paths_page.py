"""Work around closed paths: a contact with a potential gives back what it took."""

from __future__ import annotations

from typing import Any

import numpy as np

from polycontact.contact.methods import PolygonalMethod
from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import Section, paragraph
from proof.book.book_page import BookPage, Check, Effort
from proof.book.page_parts import check_table, equation, number_table, percent, prose
from proof.book.pair_picture import pair_picture
from proof.book.random_pairs import LAW, Touching, touching_pairs
from proof.properties.path_work import random_path, work_around

N_PAIRS = 25
SEED = 7
POINTS = 160
"""Places on a path."""
REACH = 0.8
"""Half of the way along a path, in depths of the contact."""
TOLERANCES = (3e-2, 1e-2, 3e-3, 1e-3, 3e-4)
MEDIAN_LIMIT, WORST_LIMIT = 1e-3, 1e-2
"""Of the default tolerance, relative to the energy that goes in and out."""


def closed_paths(effort: Effort) -> BookPage:
    """Page of the work along closed paths, at tolerances that ``effort`` chooses."""
    usual = PolygonalMethod().tolerance
    tolerances = sorted({*(TOLERANCES[1::2] if effort.quick else TOLERANCES), usual}, reverse=True)
    pairs = list(touching_pairs(effort.count(N_PAIRS), SEED))
    work = {tolerance: _works(pairs, tolerance=tolerance) for tolerance in tolerances}
    paper = _works(pairs, depth="base_normal")
    medians = [float(np.nanmedian(work[tolerance])) for tolerance in tolerances]
    worst = [float(np.nanmax(work[tolerance])) for tolerance in tolerances]
    k = tolerances.index(usual)
    checks = [
        Check("median at the default tolerance", medians[k], MEDIAN_LIMIT, as_percent=True),
        Check("worst pair at the default tolerance", worst[k], WORST_LIMIT, as_percent=True),
        Check("median at the finest over that at the coarsest tolerance", medians[-1] / medians[0], 0.5),
    ]
    rows = [
        [f"distance, tolerance {tolerance:g}{' (default)' if tolerance == usual else ''}", percent(m), percent(w)]
        for tolerance, m, w in zip(tolerances, medians, worst, strict=True)
    ]
    rows.append(
        ["depth along the base's normal", percent(float(np.nanmedian(paper))), percent(float(np.nanmax(paper)))]
    )
    header = ("depth", f"median of {len(pairs)} pairs", "worst pair")
    sections = (
        Section("problem", "The problem", prose(STORY) + _picture(pairs[int(np.nanargmax(work[usual]))])),
        Section("exact", "What is exact", equation("\\int F · d r + \\int M · d θ = 0", "around a closed path")),
        Section(
            "work",
            "Work that is left over",
            _plot(tolerances, medians, worst, paper)
            + paragraph("Work around the path over half of all work exchanged on it.", "note")
            + number_table(header, rows),
        ),
        Section("limits", "Limits", check_table(checks)),
    )
    return BookPage(sections, tuple(checks), f"default: median {percent(medians[k])}, worst {percent(worst[k])}")


STORY = (
    "Two bodies that touch are led around a closed path, slowly: the one is shifted along an ellipse by most of the "
    "depth and turned about a changing axis, until all is as it was. If force and torque are derivatives of an "
    "energy, the work along the path is zero, whatever the shapes, edges and corners included. What is left over "
    "comes from the division of base triangles and falls with its tolerance. The depth along the base's normal has no "
    "potential: it is shown for comparison and need not keep a limit."
)


def _works(pairs: list[Touching], **options: Any) -> list[float]:
    """Relative work around one path of each pair; the same paths for all options. Not a number: nothing touches."""
    rng = np.random.default_rng(SEED)
    found = []
    for pair in pairs:
        path = random_path(rng, pair.R, pair.position, REACH * pair.depth)
        method = PolygonalMethod(base=pair.base, **options)
        found.append(work_around(ContactPairing(pair.e, pair.f, law=LAW, method=method), path, POINTS).left_over)
    return found


def _picture(pair: Touching) -> str:
    words = f"{pair.names[0].capitalize()} and {pair.names[1]}: the pair with the most work left over at the default"
    return pair_picture(pair, words)


def _plot(tolerances: list[float], medians: list[float], worst: list[float], paper: list[float]) -> str:
    ends = (tolerances[0], tolerances[-1])
    lines = [
        Line("distance, worst pair", tolerances, worst, colour=1),
        Line("distance, median", tolerances, medians, colour=0),
        Line("along the base's normal, worst pair", ends, [float(np.nanmax(paper))] * 2, mark="dashed", colour=3),
        Line("along the base's normal, median", ends, [float(np.nanmedian(paper))] * 2, mark="dashed", colour=6),
    ]
    return svg(
        LinePlot(
            x_label="tolerance of the division",
            y_label="work left over / energy exchanged",
            lines=lines,
            log_x=True,
            log_y=True,
        )
    )
