"""Fig. 8 of the source: normal forces under the feet of a six-legged robot that stands and then walks (S2.24)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.responses.figure_sheet import FigureSheet, OutsideRun
from polycontact.comparison.responses.finding import Finding, sentence_case
from polycontact.comparison.responses.response_choice import has_stiffness
from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.comparison.responses.run_figures import normal_force
from polycontact.report.document.markup import count, heading, number, paragraph, table
from polycontact.robots.hexapod_model import SEGMENTS, TRUNK
from proof.figures import mujoco_models
from proof.figures.press import VORTEX_LIMIT

Runs = Sequence[ResponseRun]
Array = NDArray[np.float64]

STANDS = (0.7, 1.0)
"""Time (s) during which the robot stands, settled, before it begins to walk."""
SIDES = ("left", "right")
STANDS_AGAIN = (3.3, 3.5)
"""Time (s) during which it stands again, after the walk."""
SMALL = 0.02
"""Part of the weight by which feet may differ and still share it alike."""
GRAVITY = 9.81
"""Of the scenario, m/s²."""
_UP = np.array([0.0, 0.0, 1.0])


def findings(runs: Runs) -> list[Finding]:
    """What these runs say of the figure."""
    made = [each for each in runs if each.trajectory is not None]
    return [*_weight(made), *_sharing(made), *_stopped_early(made), *_landing(made), *_way(made), _UNKNOWN]


_UNKNOWN = Finding(
    "cannot be told",
    "The source tells the structure of its robot and that it makes four steps in tripod gait, no masses, sizes, gains "
    "or times. The robot here is ours after that description; heights of the curves cannot be compared.",
)


def feet_of(made: ResponseRun) -> dict[str, Array]:
    """Normal force (n,) N under each foot, by leg."""
    run = made.recorded
    return {leg: normal_force(run, f"{leg} foot", _UP) for leg in _LEGS if f"{leg} foot" in run.pairings}


_LEGS = ("front left", "front right", "middle left", "rear left", "middle right", "rear right")
"""In an order that gives the left ones the colours of the source: front blue, middle green, rear red."""


def standing(made: ResponseRun) -> dict[str, float]:
    """Mean force (N) under each foot while the robot stands; nothing where the run ended before."""
    return _means(made, *STANDS)


def at_rest(made: ResponseRun) -> dict[str, float]:
    """Mean force (N) under each foot when the robot stands again; nothing where the run ended before."""
    return _means(made, *STANDS_AGAIN)


def _means(made: ResponseRun, start: float, end: float) -> dict[str, float]:
    time = made.recorded.time
    if time[-1] < end - 1e-9:
        return {}
    there = (time >= start) & (time <= end)
    return {leg: float(force[there].mean()) for leg, force in feet_of(made).items()}


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
    """How six feet share the load, before and after the walk, beside compliant ones."""
    first = next((each for each in made if each.is_compliant and at_rest(each)), None)
    others = [each for each in made if not each.is_compliant and at_rest(each)]
    if first is None or not others:
        return []
    weight = weight_of(first)
    rigid = [each for each in others if not has_stiffness(each.response)]
    off = {each.label: _farthest(standing(each), standing(first)) / weight for each in others}
    later = {each.label: _farthest(at_rest(each), at_rest(first)) / weight for each in others}
    text = (
        "Legs in contact close loops, and there, says the source, its program with multipliers shares the load "
        f"wrongly. Standing, compliant feet share it so: {_shares(first, standing(first))} of the weight; after the "
        f"walk: {_shares(first, at_rest(first))}. With other responses the foot that differs most does so, of the "
        f"weight: standing {_listed(off)}; after the walk {_listed(later)}. "
    )
    if all(max(off[each.label], later[each.label]) < SMALL for each in rigid):
        return [Finding("differs", text + "What the source saw is not seen here: every leg has joints that give way.")]
    low, high = _depths(first)
    return [
        Finding(
            "own",
            text
            + f"Compliant feet sink in by {number(1e3 * low, 2)} to {number(1e3 * high, 2)} mm, rigid ones do not, "
            "and the controllers of the legs turn heights into forces; multipliers that yield have a depth too.",
        )
    ]


def _stopped_early(made: Runs) -> list[Finding]:
    """What the source saw of a solver that iterates over joints and contacts together, and stops early."""
    if not mujoco_models.is_installed() or not made:
        return []
    from proof.figures.hexapod_in_mujoco import SETTLED, standing_in_mujoco

    early, whole = (standing_in_mujoco(limit).shares for limit in (VORTEX_LIMIT, None))
    off = max(abs(early[leg] / whole[leg] - 1.0) for leg in whole)
    told = [(each.run.statistics.response or {}) if each.run else {} for each in made if not each.is_compliant]
    most = max((each.get("most_sweeps", 0) for each in told), default=0)
    ours = f" Here joints are solved exactly in each step, and {count(most, 'iteration')} at most settle the contacts."
    return [
        Finding(
            "agrees",
            f"A limit of {VORTEX_LIMIT} iterations, says the source, and closed loops make forces wrong, because the "
            f"load is redistributed between joints and contacts. It is so where joints are part of the iteration: the "
            f"standing robot in MuJoCo, its links separate bodies and its joints constraints. With {VORTEX_LIMIT} "
            f"iterations of projected Gauss–Seidel a step its feet have, in the mean after {SETTLED:g} s, "
            f"{number(min(early.values()), 3)} to {number(max(early.values()), 3)} N, up to "
            f"{number(100 * off, 2)} % off, and together still {number(sum(early.values()), 4)} N. Solved by Newton's "
            f"method each of the same feet has {number(max(whole.values()), 3)} N.{ours if most else ''}",
        )
    ]


def _early_chart(sheet: FigureSheet) -> str:
    """Feet of a solver that is stopped early, beside those of the same problem solved."""
    from proof.figures.hexapod_in_mujoco import standing_in_mujoco

    parts, rows = [], []
    for key, limit, label in (
        ("early", VORTEX_LIMIT, f"MuJoCo, {VORTEX_LIMIT} iterations"),
        ("whole", None, "MuJoCo, Newton's method"),
    ):
        stood = standing_in_mujoco(limit)
        run = sheet.add(OutsideRun(label, stood.time))
        curves = [(run, k, 0, stood.feet[leg]) for k, leg in enumerate(_LEGS)]
        parts.append(sheet.chart(key, _LEGS, ["normal force, N"], curves))
        shares = stood.shares
        rows.append((label, *(number(shares[leg], 4) for leg in _LEGS), number(sum(shares.values()), 4)))
    title = f"A solver stopped after {VORTEX_LIMIT} iterations (left), the same problem solved (right)"
    note = (
        "The robot stands; links are bodies of their own, and joints, which stand still, are constraints. On the left "
        "the forces jump and drift apart; the table has their means at the end."
    )
    charts = f'<div class="pair">{"".join(parts)}</div>'
    return heading(title) + paragraph(note, "note") + charts + table(["normal force, N", *_LEGS, "all feet"], rows)


def _depths(made: ResponseRun) -> tuple[float, float]:
    """Least and greatest depth (m) of a foot while the robot stands."""
    run = made.recorded
    there = (run.time >= STANDS[0]) & (run.time <= STANDS[1])
    depths = [float(run.pairing(f"{leg} foot").depth[there].mean()) for leg in feet_of(made)]
    return min(depths), max(depths)


def _farthest(one: dict[str, float], other: dict[str, float]) -> float:
    return max(abs(one[leg] - other[leg]) for leg in other)


def _shares(made: ResponseRun, forces: dict[str, float]) -> str:
    weight = weight_of(made)
    shares = {segment: sum(forces[f"{segment} {side}"] for side in SIDES) / weight for segment in SEGMENTS}
    return ", ".join(f"{segment} {number(100 * share, 3)} %" for segment, share in shares.items())


def _listed(shares: dict[str, float]) -> str:
    return "; ".join(f"{label} {number(100 * share, 2)} %" for label, share in shares.items())


def _landing(made: Runs) -> list[Finding]:
    peaks = [(each.label, max(float(force.max()) for force in feet_of(each).values())) for each in made]
    if not peaks:
        return []
    listed = ", ".join(f"{label} {number(peak, 3)} N" for label, peak in peaks)
    return [
        Finding(
            "own",
            f"Greatest force under a foot: {listed}. A landing takes time only where feet are compliant; multipliers "
            f"spread its impulse over one step, so that their peaks grow as the step shrinks. An impact of the family "
            f"of impulses has no duration: the curves show the steps that follow it, in which contacts are held.",
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
        parts.append(heading(sentence_case(each.label)))
        parts.append(sheet.chart(f"feet{i}", _LEGS, ["normal force, N"], curves, chosen=left))
    if mujoco_models.is_installed():
        parts.append(_early_chart(sheet))
    return "".join(parts)


def _table(runs: Runs) -> str:
    rows = []
    for when, read in (("standing", standing), ("after the walk", at_rest)):
        for each in runs:
            forces = read(each)
            if forces:
                cells = (number(forces[leg], 4) for leg in _LEGS)
                rows.append((when, each.label, *cells, number(sum(forces.values()), 4)))
    return table(["normal force, N", "response", *_LEGS, "all feet"], rows, numbers_from=2)
