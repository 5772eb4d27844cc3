"""A comparison of responses with the figure of the source that its scenario repeats."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from polycontact.comparison.responses.response_comparison import ResponseComparison, compare_responses
from polycontact.comparison.responses.source_studies import STUDIES, SourceFigure
from polycontact.errors import SimulationError
from polycontact.robots.manipulator_model import TaskName
from proof.figures import billiard_balls_figure as balls
from proof.figures import hexapod_figure as hexapod
from proof.figures import manipulator_figure as manipulator


def _arm(task: TaskName) -> SourceFigure:
    return SourceFigure(partial(manipulator.findings, task), partial(manipulator.draw, task))


_WALK = SourceFigure(hexapod.findings, hexapod.draw)
FIGURES = {
    "billiard_balls": SourceFigure(balls.findings, balls.draw),
    "manipulator_normal": _arm("normal"),
    "manipulator_free": _arm("free"),
    "hexapod": _WALK,
    "hexapod_polygonal": _WALK,
}
"""Figures by the name of their scenario."""


def repeat_figure(scenario: str, **options: Any) -> ResponseComparison:
    """Run a built-in scenario with every response, as `compare_responses` does, and compare it with its figure."""
    if scenario not in FIGURES:
        raise SimulationError(f"{scenario}: no figure of the source has this scenario; choose {', '.join(FIGURES)}")
    return with_figure(compare_responses(scenario, **options))


def with_figure(found: ResponseComparison) -> ResponseComparison:
    """A comparison that has the figure and the findings of its scenario."""
    return replace(found, study=replace(STUDIES[found.name], figure=FIGURES[found.name]))
