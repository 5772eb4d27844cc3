"""Fig. 8 of the source: normal forces under the feet of a six-legged robot that stands and then walks (S2.24)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.responses.figure_sheet import FigureSheet
from polycontact.comparison.responses.finding import Finding
from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.comparison.responses.run_figures import normal_force
from polycontact.report.document.markup import heading, number, paragraph, table
from polycontact.robots.hexapod import SEGMENTS, TRUNK

Runs = Sequence[ResponseRun]
Array = NDArray[np.float64]

STANDS = (0.7, 1.0)
"""Time (s) during which the robot stands, settled, before it begins to walk."""
SIDES = ("left", "right")
SMALL = 0.02
"""Part of the weight that does not matter in the words below."""
GRAVITY = 9.81
"""Of the scenario, m/s²."""
_UP = np.array([0.0, 0.0, 1.0])


def findings(runs: Runs) -> list[Finding]:
    """What these runs say of the figure."""
    made = [each for each in runs if each.trajectory is not None]
    return [*_weight(made), *_sharing(made), *_landing(made), *_way(made), _UNKNOWN]


_UNKNOWN = Finding(
    "cannot be told",
    "The source tells the structure of its robot and that it makes four steps in tripod gait, no masses, sizes, gains "
    "or times. The robot here is ours after that description; heights of the curves cannot be compared.",
)


def feet_of(made: ResponseRun) -> dict[str, Array]:
    """Normal force (n,) N under each foot, by leg."""
    run = made.recorded
    return {leg: normal_force(run, f"{leg} foot", _UP) for leg in _LEGS if f"{leg} foot" in run.pairings}


_LEGS = tuple(f"{segment} {side}" for segment in SEGMENTS for side in SIDES)


def standing(made: ResponseRun) -> dict[str, float]:
    """Mean force (N) under each foot while the robot stands; nothing where the run ended before."""
    time = made.recorded.time
    there = (time >= STANDS[0]) & (time <= STANDS[1])
    return {leg: float(force[there].mean()) for leg, force in feet_of(made).items()} if there.any() else {}


def weight_of(made: ResponseRun) -> float:
    """Weight (N) of the robot."""
    return GRAVITY * sum(body.mass for body in made.recorded.description.bodies if body.name != "ground")


def _weight(made: Runs) -> list[Finding]:
    off = [abs(sum(stood.values()) / weight_of(each) - 1.0) for each in made if (stood := standing(each))]
    if not off:
        return []
    return [
        Finding(
            "own",
            f"While the robot stands, its feet together bear its weight of {number(weight_of(made[0]), 4)} N in every "
            f"run, to {number(100 * max(off), 1)} %.",
        )
    ]


def _sharing(made: Runs) -> list[Finding]:
    """How six feet share the load while the robot stands."""
    first = next((each for each in made if each.is_compliant and standing(each)), None)
    others = [each for each in made if not each.is_compliant and standing(each)]
    if first is None or not others:
        return []
    own, weight = standing(first), weight_of(first)
    off = {each.label: max(abs(standing(each)[leg] - own[leg]) for leg in own) / weight for each in others}
    worst = max(off.values())
    shares = ", ".join(
        f"{segment} {number(100 * sum(own[f'{segment} {side}'] for side in SIDES) / weight, 3)} %"
        for segment in SEGMENTS
    )
    listed = ", ".join(f"{label} {number(100 * share, 2)} %" for label, share in off.items())
    text = (
        f"Legs in contact close loops, and there, says the source, its program with multipliers shares the load "
        f"wrongly. Compliant feet share it so: {shares} of the weight. Rigid ones put any foot off by at most, of the weight: "
        f"{listed}. "
    )
    if worst < SMALL:
        text += "The legs' controllers give way, and that decides; multipliers have nothing left to share out."
    else:
        text += "Rigid feet stand higher by what compliant ones sink in, which the legs' controllers turn into other forces."
    return [Finding("differs", text)]


def _landing(made: Runs) -> list[Finding]:
    peaks = [(each.label, max(float(force.max()) for force in feet_of(each).values())) for each in made]
    if not peaks:
        return []
    listed = ", ".join(f"{label} {number(peak, 3)} N" for label, peak in peaks)
    return [
        Finding(
            "own",
            f"Greatest force under a foot: {listed}. A landing takes time only where feet are compliant; multipliers "
            f"spread its impulse over one step, so that their peaks grow as the step shrinks, and impulses leave it "
            f"out of the curves altogether.",
        )
    ]


def _way(made: Runs) -> list[Finding]:
    ways = []
    for each in made:
        x = each.recorded.body(TRUNK).position[:, 0]
        ways.append((each.label, float(x[-1] - x[0])))
    listed = ", ".join(f"{label} {number(way, 3)} m" for label, way in ways)
    return [Finding("own", f"Way of the trunk: {listed}.")] if ways else []


def draw(sheet: FigureSheet) -> str:
    """A chart for each response, as in the source: front, middle and rear feet."""
    if not sheet.runs:
        return paragraph("No run left anything to show.")
    parts = [_table(sheet.runs), paragraph("Feet of the left side; those of the right can be switched on.", "note")]
    left = tuple(_LEGS.index(f"{segment} left") for segment in SEGMENTS)
    for i, each in enumerate(sheet.runs):
        curves = [(each, _LEGS.index(leg), 0, force) for leg, force in feet_of(each).items()]
        parts.append(heading(each.label.capitalize()))
        parts.append(sheet.chart(f"feet{i}", _LEGS, ["normal force, N"], curves, chosen=left))
    return "".join(parts)


def _table(runs: Runs) -> str:
    rows = []
    for each in runs:
        stood, peak = standing(each), feet_of(each)
        rows.append(
            (
                each.label,
                *(number(stood[leg], 3) if stood else "–" for leg in _LEGS),
                number(sum(stood.values()), 4) if stood else "–",
                number(max(float(force.max()) for force in peak.values()), 4),
            )
        )
    return table(["standing, N", *_LEGS, "all feet", "greatest force in the run"], rows)
