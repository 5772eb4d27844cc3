"""What was simulated: bodies, joints, force elements, pairings with their parameters, settings, scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from polycontact.report.document.contact_cards import contact_cards
from polycontact.report.document.markup import (
    fold,
    fold_if_long,
    heading,
    number,
    paragraph,
    table,
)
from polycontact.report.document.named_runs import ReportRun
from polycontact.simulation.recording.records import ForceRecord, RunDescription
from polycontact.simulation.run_options import run_options
from polycontact.wording import counted


def describe_system(run: ReportRun) -> str:
    """Tables of the system of one run."""
    about = run.trajectory.description
    parts = [heading("Bodies"), _bodies(about)]
    joints = [
        (joint.name, joint.kind, joint.parent, joint.child, ", ".join(joint.coordinates) or "–")
        for joint in about.joints
        if joint.coordinates or joint.kind != "fixed"
    ]
    loops = [(loop.name, loop.kind, loop.body_a, loop.body_b) for loop in about.loops]
    forces = [(force.name, _in_words(force.kind), _recorded(force)) for force in about.forces]
    parts += _listed("Joints", ("joint", "kind", "from", "to", "coordinates"), joints)
    parts += _listed("Loops", ("loop", "kind", "from", "to"), loops)
    parts += _listed("Force elements and couplers", ("element", "kind", "acts with"), forces)
    parts += [heading("Contact pairings"), contact_cards(about.pairings)]
    if about.scenario:
        parts.append(fold("Scenario file", f"<pre>{_text(about.scenario)}</pre>"))
    return "".join(parts)


def _listed(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of words under a heading, folded where it is long; nothing where there are no rows."""
    if not rows:
        return []
    body = table(header, rows, numbers_from=len(header))
    return [heading(title), fold_if_long(f"Show the {len(rows)} {title.lower()}", body, len(rows))]


def _in_words(kind: str) -> str:
    """``joint friction`` for JointFriction."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).lower()


def _recorded(force: ForceRecord) -> str:
    """What is recorded of a force element, with units: ``tension, N``."""
    units = [force.unit_of(i) for i in range(len(force.numbers))]
    return "; ".join(
        f"{', '.join(name for name, each in zip(force.numbers, units, strict=True) if each == unit)}, {unit}"
        for unit in dict.fromkeys(units)
    )


def describe_settings(runs: list[ReportRun]) -> str:
    """Settings of all runs side by side."""
    rows = []
    for each in run_options():
        values = [run.trajectory.settings.get(each.name) for run in runs]
        if each.ways.recorded and any(value not in (None, []) for value in values):
            unit = f", {each.about.unit}" if each.about.unit else ""
            rows.append((f"{each.about.title}{unit}", *map(_setting, values)))
    return table(("setting", *(run.label for run in runs)), rows) if rows else paragraph("No settings are recorded.")


def _bodies(about: RunDescription) -> str:
    rows = []
    for body in about.bodies:
        shapes = ", ".join(f"{shape.name}{'' if shape.contact else ' (picture only)'}" for shape in body.shapes)
        triangles = sum(len(shape.triangles) for shape in body.shapes)
        moments = " · ".join(number(float(body.inertia[i, i]), 3) for i in range(3))
        mass = number(body.mass) if body.mass else "–"
        rows.append(
            (
                body.name,
                shapes or "–",
                mass,
                moments if body.mass else "–",
                f"{triangles:,}".replace(",", " "),
            )
        )
    total = sum(body.mass for body in about.bodies)
    triangles = sum(len(shape.triangles) for body in about.bodies for shape in body.shapes)
    rows.append(("all", "", number(total), "", f"{triangles:,}".replace(",", " ")))
    header = ("body", "surfaces", "mass, kg", "inertia xx · yy · zz, kg m²", "triangles")
    return table(header, rows, numbers_from=2, sums=True)


def _setting(value: Any) -> str:
    """A setting in words: of a table its kind and what it says, of many numbers how many they are."""
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        told = [f"{_spaced(key)} {_setting(each)}" for key, each in value.items() if key != "kind" and each is not None]
        kind = _spaced(str(value.get("kind", "")))
        return f"{kind}: {', '.join(told)}" if told else kind
    if isinstance(value, list | tuple):
        if all(isinstance(each, int | float) for each in value):
            return " · ".join(map(_setting, value)) if len(value) <= 3 else counted(len(value), "number")
        return "; ".join(map(_setting, value))
    return number(float(value)) if isinstance(value, int | float) else str(value)


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _text(text: str) -> str:
    from html import escape

    return escape(text)
