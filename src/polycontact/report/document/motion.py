"""Panels of motion: bodies and joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from polycontact.report.document.named_runs import ReportRun
from polycontact.report.document.panels import Curve, Panel, View
from polycontact.simulation.recording.histories import JointHistory
from polycontact.simulation.recording.sample_quantities import variable_unit

MAX_SHOWN_AT_FIRST = 6
"""Items that a chart shows at first."""

FLAT_SPAN_SHARE = 1e-9
"""A curve that spans less than this part of the longest span of its view is flat but for rounding."""

POSES = ("Position", "Orientation")
"""Views whose values may stay as they are; all others are rates, which may stay zero."""

QUANTITIES = (
    ("Position", "position", ("x, m", "y, m", "z, m")),
    ("Velocity", "velocity", ("x, m/s", "y, m/s", "z, m/s")),
    ("Angular velocity", "angular_velocity", ("x, rad/s", "y, rad/s", "z, rad/s")),
    ("Orientation", "quaternion", ("q w", "q x", "q y", "q z")),
)
"""Title, name in the history of a body, and titles of the columns with units."""

ACCELERATIONS = (
    ("Acceleration", "acceleration", ("x, m/s²", "y, m/s²", "z, m/s²")),
    ("Angular acceleration", "angular_acceleration", ("x, rad/s²", "y, rad/s²", "z, rad/s²")),
)
"""The same, of runs that recorded reactions."""

UNIT_TITLES = {
    "m": "displacement, m",
    "rad": "angle, rad",
    "m/s": "speed, m/s",
    "rad/s": "angular speed, rad/s",
    "SI": "SI units",
}


def union(lists: list[tuple[str, ...]]) -> tuple[str, ...]:
    """All names, in the order in which they first occur."""
    return tuple(dict.fromkeys(name for names in lists for name in names))


def body_panel(runs: list[ReportRun]) -> Panel:
    """Motion of the bodies' origins, world axes."""
    items = union([run.trajectory.bodies for run in runs])
    number = {name: i for i, name in enumerate(items)}
    views = []
    recorded = all(run.trajectory.has_reactions for run in runs)
    for title, attribute, rows in QUANTITIES + (ACCELERATIONS if recorded else ()):
        curves = tuple(
            Curve(r, number[name], k, getattr(run.trajectory.body(name), attribute)[:, k])
            for r, run in enumerate(runs)
            for name in run.trajectory.bodies
            for k in range(len(rows))
        )
        views.append(View(title, rows, curves))
    changing = [replace(view, curves=_changing(view)) for view in views]
    views = [view for view in changing if view.curves] or views[:1]
    moving = [i for i, name in enumerate(items) if _moves(runs, name)]
    most = MAX_SHOWN_AT_FIRST if len(runs) == 1 else 3
    return Panel("bodies", items, tuple(moving[:most]) or (0,), tuple(views))


def _changing(view: View) -> tuple[Curve, ...]:
    """Curves of bodies that move, along axes along which any does; the origin of a body on a fixed axis, say, has flat
    ones, and so has a plane motion across its plane."""
    from_zero = () if view.name in POSES else (0.0,)
    bodies: dict[tuple[int, int], float] = {}
    axes: dict[int, float] = {}
    for curve in view.curves:
        span = float(np.ptp(np.append(curve.values, from_zero)))
        span = span if np.isfinite(span) else np.inf
        body = (curve.run, curve.item)
        bodies[body] = max(span, bodies.get(body, 0.0))
        axes[curve.row] = max(span, axes.get(curve.row, 0.0))
    least = FLAT_SPAN_SHARE * max((span for span in bodies.values() if np.isfinite(span)), default=0.0)
    return tuple(curve for curve in view.curves if bodies[curve.run, curve.item] > least and axes[curve.row] > least)


def joint_panel(runs: list[ReportRun]) -> Panel | None:
    """Coordinates and speeds of the joints, a row for each unit; None where there are none but free bodies."""
    joints = [joint for run in runs for joint in run.trajectory.description.joints if joint.coordinates]
    if all(joint.kind == "free" for joint in joints):
        return None
    items = union([tuple(joint.name for joint in joints)])
    views = (_joint_view(runs, items, "Coordinates"), _joint_view(runs, items, "Speeds"))
    kinds = {joint.name: joint.kind for joint in joints}
    inner = [i for i, name in enumerate(items) if kinds[name] != "free"]  # a free one shows what its body does
    most = MAX_SHOWN_AT_FIRST if len(runs) == 1 else 3
    return Panel("joints", items, tuple(inner[:most]), views)


def _joint_view(runs: list[ReportRun], items: tuple[str, ...], title: str) -> View:
    units: list[str] = []
    curves = []
    for r, run in enumerate(runs):
        for name in run.trajectory.joints:
            joint = run.trajectory.joint(name)
            for variable, unit, values in _joint_curves(joint, title.lower()):
                if unit not in units:
                    units.append(unit)
                curves.append(Curve(r, items.index(name), units.index(unit), values, variable.replace("_", " ")))
    return View(title, tuple(UNIT_TITLES.get(unit, unit) for unit in units), tuple(curves))


def _joint_curves(joint: JointHistory, part: str) -> Iterator[tuple[str, str, NDArray[np.float64]]]:
    """Name, unit and values of each curve of a joint; a quaternion is shown as the angle of its rotation."""
    names, values = getattr(joint.record, part), getattr(joint, part)
    for k, variable in enumerate(names):
        unit = variable_unit(variable)
        if variable == "qw":
            yield "rotation", "rad", 2.0 * np.arccos(np.clip(np.abs(values[:, k]), 0.0, 1.0))
        elif unit != "1":
            yield variable, unit, values[:, k]


def _moves(runs: list[ReportRun], name: str) -> bool:
    histories = [run.trajectory.body(name) for run in runs if name in run.trajectory.bodies]
    return any(np.ptp(each.position, axis=0).any() or np.ptp(each.quaternion, axis=0).any() for each in histories)
