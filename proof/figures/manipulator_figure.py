"""Figs. 6 and 7 of the source: the tool of a manipulator presses on a plate, or also slides along it (S2.23)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.responses.figure_sheet import FigureSheet, OutsideRun
from polycontact.comparison.responses.finding import Finding, sentence_case
from polycontact.comparison.responses.response_runs import ResponseRun
from polycontact.comparison.responses.run_figures import normal_force, tangential_force
from polycontact.report.document.markup import count, heading, number, paragraph, table
from polycontact.robots.manipulator_model import PLATE_HEIGHT, TIP, TIP_RADIUS, TaskName
from polycontact.simulation.responses.response import MultiplierResponse
from proof.figures import mujoco_models
from proof.figures.press import VORTEX_LIMIT, Press

Runs = Sequence[ResponseRun]
Array = NDArray[np.float64]

CONTACT, TOOL = "tool", "hand"
NEARLY = 0.05
"""Forces that differ by less than this part are nearly the same."""
SLIDES = 5e-3
"""Way (m) along the plate above which the tool slides."""
BEFORE, AFTER = 0.1, 0.02
"""Times (s) before and after the tool comes down within which steps are counted."""
_UP = np.array([0.0, 0.0, 1.0])


def press_of(made: ResponseRun) -> Press:
    """Contact force (N) and position (m) of the tool's tip over the time of a run."""
    run = made.recorded
    hand = run.body(TOOL)
    tip = hand.position + hand.rotation @ np.array(TIP)
    return Press(
        run.time,
        normal_force(run, CONTACT, _UP),
        tangential_force(run, CONTACT, _UP),
        tip[:, 2] - TIP_RADIUS - PLATE_HEIGHT,
        tip[:, 0] - tip[0, 0],
    )


def findings(task: TaskName, runs: Runs) -> list[Finding]:
    """What these runs say of the figure of a task."""
    made = [(each, press_of(each)) for each in runs if each.trajectory is not None]
    compliant = [(run, press) for run, press in made if run.is_compliant and np.isfinite(press.held)]
    rigid = [(run, press) for run, press in made if _is_rigid(run)]
    yielding = {run.stiffness: press for run, press in made if _yields(run)}
    found: list[Finding] = []
    found += _alike(compliant, yielding)
    found += _beside_mujoco(compliant, _outside(task, compliant))
    found += _springs(compliant, rigid)
    found += _friction(made)
    found += _steps(compliant)
    found += _iterations(rigid)
    if rigid and compliant and not yielding:
        found.append(_SAME_FOR_ALL)
    return [*found, _UNKNOWN]


_UNKNOWN = Finding(
    "cannot be told",
    "The source tells ε = 0.8 and the four stiffnesses; its arm's masses, gains and path it does not tell, and its "
    "curves have no numbers in the text. Arm and path here are ours, so that forces cannot be compared in newtons.",
)
_SAME_FOR_ALL = Finding(
    "differs",
    "The source gives its program with multipliers the plate's stiffness too. Here multipliers belong to rigid bodies: "
    "the right-hand side is one run, the same in every row, and the limit of an ever stiffer plate.",
)


def _is_rigid(made: ResponseRun) -> bool:
    return isinstance(made.response, MultiplierResponse) and not made.response.yielding


def _yields(made: ResponseRun) -> bool:
    return isinstance(made.response, MultiplierResponse) and made.response.yielding


def _alike(compliant: list[tuple[ResponseRun, Press]], yielding: dict[float | None, Press]) -> list[Finding]:
    """Forces of laws and multipliers of the same stiffness."""
    both = [
        (run.stiffness, press.held, yielding[run.stiffness].held)
        for run, press in compliant
        if run.stiffness in yielding
    ]
    if not both:
        return []
    off = [abs(other / one - 1.0) for _, one, other in both]
    listed = ", ".join(f"{number(one, 4)} and {number(other, 4)} N at {s:g} N/m" for s, one, other in both if s)
    return [
        Finding(
            "agrees" if max(off) < NEARLY else "differs",
            f"Different assumptions, says the source, lead to the same or nearly the same results. Held force of the "
            f"law and of multipliers that yield by the same stiffness: {listed}; at most {number(100 * max(off), 2)} % "
            f"apart.",
        )
    ]


def _outside(task: TaskName, compliant: list[tuple[ResponseRun, Press]]) -> dict[float, Press]:
    """The same task in MuJoCo on plates of the same stiffnesses (N/m); nothing where it is not installed."""
    if not mujoco_models.is_installed():
        return {}
    from proof.figures.manipulator_in_mujoco import arm_in_mujoco

    return {run.stiffness: arm_in_mujoco(task, run.stiffness) for run, _ in compliant if run.stiffness}


def _beside_mujoco(compliant: list[tuple[ResponseRun, Press]], outside: dict[float, Press]) -> list[Finding]:
    """Forces of the law beside those of an engine that nobody here wrote."""
    both = [(run.stiffness, press, outside[run.stiffness]) for run, press in compliant if run.stiffness in outside]
    if not both:
        return []
    off = [abs(other.held / press.held - 1.0) for _, press, other in both]
    listed = ", ".join(
        f"{number(press.held, 4)} and {number(other.held, 4)} N at {s:g} N/m" for s, press, other in both if s
    )
    text = (
        f"An outside engine beside ours, as the source has one beside its own: the same arm in MuJoCo, whose contact "
        f"is a soft constraint of the same stiffness. Held force here and there: {listed}; at most "
        f"{number(100 * max(off), 2)} % apart, the tip at the same height to "
        f"{number(1e6 * max(abs(press.held_height - other.held_height) for _, press, other in both), 2)} µm."
    )
    if any(press.slid > SLIDES for _, press, _ in both):
        text += (
            " While the tool slides MuJoCo presses harder than the plate's spring: in its convex friction the damper "
            "of the contact also resists μ times the slip, which counts most where the plate is soft."
        )
    return [Finding("agrees" if max(off) < NEARLY else "own", text)]


def _springs(compliant: list[tuple[ResponseRun, Press]], rigid: list[tuple[ResponseRun, Press]]) -> list[Finding]:
    """Plate and arm are springs in series: 1/F = 1/(K δ) + 1/(S δ)."""
    known = [(run.stiffness, press.held) for run, press in compliant if run.stiffness and press.held > 0.0]
    if len(known) < 3:
        return []
    S, F = (np.array(column) for column in zip(*known, strict=True))
    # Relative errors count alike: weights F.
    slope, intercept = np.linalg.lstsq(np.column_stack([F / S, F]), np.ones(len(F)), rcond=None)[0]
    off = float(np.abs(F * (slope / S + intercept) - 1.0).max())
    listed = ", ".join(f"{number(f, 3)} N at {s:g} N/m" for s, f in known)
    text = f"Held force: {listed}. "
    if not (slope > 0.0 and intercept > 0.0 and off < 0.2):
        return [
            Finding("own", text + "It does not follow the rule of two springs in series: motors reach their limits.")
        ]
    arm, depth, limit = slope / intercept, 1.0 / slope, 1.0 / intercept
    text += (
        f"Plate and arm are springs in series: with {number(1e-3 * arm, 3)} kN/m for the arm and a way of "
        f"{number(1e3 * depth, 3)} mm all forces follow to {number(100 * off, 1)} %. "
    )
    for run, press in rigid[:1]:
        if press.held > 0.0:
            text += (
                f"Extrapolated to a rigid plate that is {number(limit, 3)} N; {run.label} hold it with "
                f"{number(press.held, 3)} N, {number(100 * abs(press.held / limit - 1.0), 2)} % off; a motor at its "
                f"limit is no spring."
            )
    return [Finding("own", text.rstrip())]


def _friction(made: list[tuple[ResponseRun, Press]]) -> list[Finding]:
    slides = [(run, press) for run, press in made if press.slid > SLIDES and press.held > 0.0]
    if len(slides) < 2:
        return []
    ratios = [press.rubbed for _, press in slides]
    return [
        Finding(
            "agrees",
            f"While the tool slides, tangential over normal force is {number(min(ratios), 3)} to "
            f"{number(max(ratios), 3)} in {count(len(ratios), 'run')}, friction being "
            f"0.3: Coulomb's law, by equation (2) of the source or by multipliers.",
        )
    ]


def _steps(compliant: list[tuple[ResponseRun, Press]]) -> list[Finding]:
    """Steps per second before and after the tool comes down."""
    rates = []
    for run, press in compliant:
        touching = np.flatnonzero(press.normal > 0.0)
        if len(touching):
            steps, down = run.recorded.array("steps"), float(press.time[touching[0]])
            counted = np.interp([down - BEFORE, down, down + AFTER], press.time, steps)
            rates.append((run, (counted[1] - counted[0]) / BEFORE, (counted[2] - counted[1]) / AFTER))
    if not rates:
        return []
    listed = "; ".join(f"{run.label}: {before:.0f} before, {after:.0f} after" for run, before, after in rates)
    agrees = all(after > before for _, before, after in rates)
    return [
        Finding(
            "agrees" if agrees else "differs",
            f"The source says that steps must be shorter in contact. Steps per second in the {1e3 * BEFORE:g} ms "
            f"before and the {1e3 * AFTER:g} ms after the tool comes down: {listed}.",
        )
    ]


def _iterations(rigid: list[tuple[ResponseRun, Press]]) -> list[Finding]:
    found = []
    for run, _ in rigid:
        told = (run.run.statistics.response if run.run else None) or {}
        most, alone = told.get("most_sweeps", 0), told.get("most_points", 0) <= 1
        found.append(
            Finding(
                "own",
                f"The source blames imprecise forces of its program with multipliers on a first-order method and on "
                f"{VORTEX_LIMIT} iterations at most. {sentence_case(run.label)} here are of first order in contact "
                f"too; {count(told.get('problems', 0), 'problem')} took {count(most, 'sweep')} at most, "
                f"{told.get('unsolved') or 'none'} stayed unsolved, the largest residual is "
                f"{told.get('worst_residual', 0.0):.0e} m/s"
                f"{': with one contact there is little to iterate' if alone else ''}.",
            )
        )
    return found


def draw(task: TaskName, sheet: FigureSheet) -> str:
    """A row for each stiffness: compliant on the left, multipliers on the right, and MuJoCo where it is installed."""
    made = [(each, press_of(each)) for each in sheet.runs]
    left = [each for each, _ in made if each.is_compliant]
    rigid = next((each for each, _ in made if _is_rigid(each)), None)
    beside = {each.stiffness: each for each, _ in made if _yields(each)}
    outside = _outside(task, [(each, press) for each, press in made if each.is_compliant])
    if not made:
        return paragraph("No run left anything to show.")
    presses = dict(made)
    parts = [_table([*((each.label, press) for each, press in made), *_labelled(outside)])]
    for i, run in enumerate(left or [None]):
        right = rigid if run is None else beside.get(run.stiffness, rigid)
        pair: list[tuple[ResponseRun | OutsideRun, Press]] = [
            (each, presses[each]) for each in (run, right) if each is not None
        ]
        title = "Rigid" if run is None else sentence_case(run.label)
        if run is not None and right is not None:
            title = f"{title} (left), {right.label} (right)"
        if run is not None and run.stiffness in outside:
            press = outside[run.stiffness]
            pair.append((sheet.add(OutsideRun(_in_mujoco(run.stiffness), press.time)), press))
            title += ", MuJoCo (third)"
        charts = "".join(_chart(sheet, f"press{i}{side}", *each) for side, each in enumerate(pair))
        parts.append(heading(title) + f'<div class="pair">{charts}</div>')
    return "".join(parts)


def _in_mujoco(stiffness: float) -> str:
    return f"MuJoCo, {stiffness:g} N/m"


def _labelled(outside: dict[float, Press]) -> list[tuple[str, Press]]:
    return [(_in_mujoco(stiffness), press) for stiffness, press in outside.items()]


def _chart(sheet: FigureSheet, key: str, run: ResponseRun | OutsideRun, press: Press) -> str:
    items, rows = ["normal force", "normal position"], ["force, N", "height, mm"]
    curves = [(run, 0, 0, press.normal), (run, 1, 1, 1e3 * press.height)]
    if press.slid > SLIDES:
        items, rows = [*items, "tangential force", "tangential position"], [*rows, "way, mm"]
        curves += [(run, 2, 0, press.tangential), (run, 3, 2, 1e3 * press.along)]
    return sheet.chart(key, items, rows, curves)


def _table(made: list[tuple[str, Press]]) -> str:
    rows = [
        (
            label,
            number(press.held, 4),
            number(float(press.normal.max()), 4),
            number(1e3 * press.held_height, 3),
            number(press.rubbed, 3),
            str(press.touches),
        )
        for label, press in made
    ]
    header = ["response", "held force, N", "peak force, N", "height of the tip while held, mm"]
    return table([*header, "tangential over normal while held", "times it came down"], rows)
