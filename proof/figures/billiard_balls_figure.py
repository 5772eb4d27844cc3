"""Fig. 3 of the source: three equal balls in a row, the first hits the other two, no energy is lost (S2.21)."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.responses.figure_sheet import FigureSheet
from polycontact.comparison.responses.finding import Finding, sentence_case
from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.report.document.markup import heading, number, paragraph, table
from polycontact.simulation.responses.response import ImpulseResponse, MultiplierResponse

Runs = Sequence[ResponseRun]
Array = NDArray[np.float64]

PROPAGATION, SIMULTANEOUS = np.array([0.0, 0.0, 1.0]), np.array([-1.0, 2.0, 2.0]) / 3.0
"""Velocities afterwards, in those of the first ball: impulse by impulse, and both at once."""
SAME = 1e-3
"""Velocities that differ by less, in those of the first ball, are the same."""

_COLOURS = ("#d62728", "#f2f2f2", "#e8b610")


def findings(runs: Runs) -> list[Finding]:
    """What these runs say of the figure."""
    made = [each for each in runs if each.trajectory is not None]
    return [*_updates(made), *_others(made), *_energies(made), _UNKNOWN]


_UNKNOWN = Finding(
    "cannot be told",
    "The source draws its result and gives no velocities, and of its balls it says no more than that they are "
    "identical and lose no kinetic energy. Whether its numbers are those of the closed forms cannot be read from it.",
)


def _updates(made: Runs) -> list[Finding]:
    by_update = {each.response.update: each for each in made if isinstance(each.response, ImpulseResponse)}
    known = {"propagation": PROPAGATION, "simultaneous": SIMULTANEOUS}
    found = []
    if len(by_update) == 2:
        one, other = (shares(each) for each in by_update.values())
        far = float(np.abs(one - other).max())
        found.append(
            Finding(
                "agrees" if far > SAME else "differs",
                f"Propagation and simultaneous update {'differ' if far > SAME else 'do not differ'}; the source says "
                f"that with several contacts they do: by up to {number(far, 3)} of the first ball's velocity.",
            )
        )
    for update, each in by_update.items():
        off = float(np.abs(shares(each) - known[update]).max())
        words = "0, 0, 1" if update == "propagation" else "−1/3, 2/3, 2/3"
        found.append(
            Finding(
                "own",
                f"Impulses, {update}: {_told(shares(each))} of the first ball's velocity; the closed form is {words}, "
                f"the greatest difference {number(off, 2)}.",
            )
        )
    return found


def _others(made: Runs) -> list[Finding]:
    found = []
    for each in made:
        if isinstance(each.response, ImpulseResponse):
            continue
        found.append(Finding("own", f"{sentence_case(each.label)}: {_told(shares(each))}; {_likeness(each)}."))
    return found


def _likeness(made: ResponseRun) -> str:
    end = shares(made)
    for known, update in ((PROPAGATION, "propagation"), (SIMULTANEOUS, "simultaneous update")):
        if np.abs(end - known).max() < SAME:
            if isinstance(made.response, MultiplierResponse):
                return f"in steps of {1e3 * made.response.step:g} ms it comes to what {update} gives"
            return f"what {update} gives"
    if made.is_compliant:
        return (
            "neither of both: while the first two balls are pressed together the third is pushed away already, and how "
            "much is a matter of how force grows with depth, not of how stiff the balls are"
        )
    return "neither of both"


def _energies(made: Runs) -> list[Finding]:
    changes = []
    for each in made:
        kinetic = each.recorded.energies["kinetic"]
        changes.append(abs(float(kinetic[-1] / kinetic[0]) - 1.0))
    if not changes:
        return []
    worst = max(changes)
    if worst < SAME:
        return [Finding("agrees", f"Kinetic energy is kept in every run, to {number(worst, 1)} of it.")]
    return [Finding("differs", f"Kinetic energy is not kept: a run changes it by {number(worst, 2)} of it.")]


def shares(made: ResponseRun) -> Array:
    """Velocities of the balls at the end along the row, in that of the first ball at the start."""
    velocities = [made.recorded.body(name).velocity[:, 0] for name in made.recorded.bodies]
    return np.asarray(np.array([each[-1] for each in velocities]) / velocities[0][0])


def _told(values: Array) -> str:
    return ", ".join(number(float(round(each, 4)) + 0.0, 4) for each in values)


def draw(sheet: FigureSheet) -> str:
    """Balls with arrows before and after, a table of their velocities, and these over time."""
    if not sheet.runs:
        return paragraph("No run left anything to show.")
    bodies = sheet.runs[0].recorded.bodies
    rows = [("before", *(number(each) for each in _start(sheet.runs[0])))]
    rows += [(each.label, *(number(round(float(v), 6) + 0.0) for v in _end(each))) for each in sheet.runs]
    pictures = [_row("before", _start(sheet.runs[0])), *(_row(each.label, _end(each)) for each in sheet.runs)]
    curves = [
        (each, k, 0, each.recorded.body(name).velocity[:, 0]) for each in sheet.runs for k, name in enumerate(bodies)
    ]
    return (
        f'<figure class="balls">{"".join(pictures)}</figure>'
        + table(["velocity along the row, m/s", *bodies], rows)
        + heading("Over time")
        + sheet.chart("balls", bodies, ["velocity, m/s"], curves)
    )


def _start(made: ResponseRun) -> Array:
    return np.array([made.recorded.body(name).velocity[0, 0] for name in made.recorded.bodies])


def _end(made: ResponseRun) -> Array:
    return np.asarray(shares(made) * _start(made)[0])


def _row(label: str, velocities: Array) -> str:
    """Three balls with arrows as long as their velocities; the longest is 90 for 1 m/s."""
    scale = 90.0
    parts = [f'<text x="0" y="34">{escape(label)}</text>']
    apart = label == "before"
    for k, (v, colour) in enumerate(zip(velocities.tolist(), _COLOURS, strict=True)):
        x = 250.0 + 130.0 * k
        if apart and k:
            x = 250.0 + 130.0 + 36.0 * (k - 1)
        parts.append(f'<circle cx="{x:.0f}" cy="30" r="18" fill="{colour}"/>')
        if abs(v) > 5e-3:
            tip = x + scale * v
            back = -7.0 if v > 0 else 7.0
            parts.append(f'<path d="M{x:.0f} 30H{tip:.1f}M{tip + back:.1f} 24L{tip:.1f} 30L{tip + back:.1f} 36"/>')
    return f'<svg viewBox="0 0 720 60" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
