"""Laws side by side: each carries the same force in this pose, and differs in how stiff it is there."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polycontact.comparison.measuring import Row, evaluate_trial
from polycontact.comparison.stiffness import Scale
from polycontact.comparison.subjects import Subject
from polycontact.contact.laws import (
    ContactLaw,
    HertzPoint,
    HuntCrossley,
    LayerLaw,
    RestitutionLaw,
    SpringDamperLaw,
)
from polycontact.errors import ContactWarning, PolycontactError

STEP = 1e-3
"""Share of the depth by which bodies are moved for the stiffness."""


@dataclass(frozen=True, eq=False)
class LawRow:
    """A law on the method ``on``: ``parameter`` and its value, force (N) and stiffness dF/du (N/m) in this pose.

    ``reason``: why it does not fit; then force and stiffness are nan.
    """

    label: str
    on: str
    parameter: str
    force: float = math.nan
    stiffness: float = math.nan
    reason: str = ""


Make = Callable[[float], ContactLaw]


def compare_laws(subject: Subject, scale: Scale, rows: Sequence[Row]) -> tuple[LawRow, ...]:
    """Laws on the first method for areas and on the first with a point, each set to carry what that carries."""
    found: list[LawRow] = []
    radius = _radius(subject)
    for is_point in (False, True):
        row = next((each for each in rows if each.trial.is_point == is_point and each.magnitude > 0.0), None)
        if row is None:
            continue
        unit = "N/m" if is_point else "N/m³"
        linear: tuple[tuple[str, Make], ...] = (
            ("layer", lambda x: LayerLaw(stiffness=x)),
            ("spring–damper", lambda x: SpringDamperLaw(stiffness=x)),
            ("restitution", lambda x: RestitutionLaw(stiffness=x)),
            ("Hunt–Crossley, n = 1", lambda x: HuntCrossley(coefficient=x, exponent=1.0)),
        )
        found += [_row(name, make, unit, row, subject) for name, make in linear]
        unit = "N/m^1.5" if is_point else "N/m^3.5"
        found.append(
            _row("Hunt–Crossley, n = 3/2", lambda x: HuntCrossley(coefficient=x, exponent=1.5), unit, row, subject)
        )
        if radius is None:
            reason = "it is for round bodies, and the bodies tell no radius"
            found.append(LawRow("Hertz", row.label, "", reason=reason))
            continue
        found.append(_row("Hertz", lambda x: HertzPoint(modulus=x, radius=radius), "Pa", row, subject))
        if is_point and subject.exact is not None:
            coefficient = math.pi * scale.c * radius
            law = HuntCrossley(coefficient=coefficient, exponent=2.0)
            found.append(_as_given("Hunt–Crossley, n = 2, k = π c R", law, f"{coefficient:.4g} N/m²", row, subject))
    return tuple(found)


def _row(label: str, make: Make, unit: str, on: Row, subject: Subject) -> LawRow:
    """A law whose parameter is set so that it carries the force of the row; it is proportional to it."""
    try:
        probe = evaluate_trial(on.trial, make(1.0), subject.pose, subject.name)
        value = on.magnitude / probe.magnitude
        return _as_given(label, make(value), f"{value:.4g} {unit}", on, subject)
    except PolycontactError as error:
        return LawRow(label, on.label, "", reason=str(error).removeprefix(f"{subject.name}: "))


def _as_given(label: str, law: ContactLaw, parameter: str, on: Row, subject: Subject) -> LawRow:
    row = evaluate_trial(on.trial, law, subject.pose, subject.name)
    R, r, v, w = row.pose.arrays()
    step = STEP * on.depth
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        more, less = (row.pairing.wrench(R, r + s * step * row.normal, v, w)[:3] for s in (1.0, -1.0))
    stiffness = float((more - less) @ row.normal / (2.0 * step))
    return LawRow(label, on.label, parameter, row.magnitude, stiffness)


def _radius(subject: Subject) -> float | None:
    """Effective radius of a ball on a plane, or of two balls, m; None of other bodies."""
    if subject.exact is not None:
        return subject.exact.radius
    balls = [side.arguments["radius"] for side in (subject.e, subject.f) if side.kind == "sphere"]
    flat = [side for side in (subject.e, subject.f) if side.kind in ("plane", "box", "disc")]
    if len(balls) + len(flat) < 2 or not balls:
        return None
    return float(1.0 / np.sum(1.0 / np.array(balls)))
