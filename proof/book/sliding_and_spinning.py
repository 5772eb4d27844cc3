"""A flat disc that slides and spins at once: the coupled friction of Coulomb, and what regularisation makes of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import Section, paragraph
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.placing import wrench_on_body
from proof.book.book_page import BookPage, Check, Effort
from proof.book.contact_picture import contact_picture
from proof.book.page_parts import (
    check_table,
    equation,
    given_table,
    number_table,
    percent,
    prose,
    side_by_side,
)
from proof.properties.disc_friction import FrictionShares, coulomb_shares, regularised_shares

RADIUS, THICKNESS, DEPTH = 0.05, 0.02, 1e-5
STIFFNESS, FRICTION = 1e10, 0.3
SHARP = 1e-6
"""v_ε over the speed of motion that counts as Coulomb's law."""
SOFT = (0.5, 1.0, 2.0)
"""v_ε over the speed of motion, for the regularised curves."""
ANGLES = tuple(math.radians(10.0 * k) for k in range(10))
"""arctan of v/(Rω): from spinning only to sliding only."""
SEGMENTS = 96
LIMIT = 4e-3
"""Of a share: 96 sides lack 7e-4 of the force and 1.5 times that of the torque, friction is taken at barycentres, and
walls that are submerged by 2e-4 of the radius rub too."""


def sliding_and_spinning(effort: Effort) -> BookPage:
    """Page of friction of a disc that slides and spins."""
    angles = ANGLES[:: 3 if effort.quick else 1]
    sharp = [_measured(angle, SHARP) for angle in angles]
    exact = [coulomb_shares(_ratio(angle)) for angle in angles]
    soft = {share: [_measured(angle, share) for angle in angles] for share in SOFT}
    smooth = {share: [_regularised(angle, share) for angle in angles] for share in SOFT}
    checks = [
        Check("force, worst difference from the exact curve", _worst(sharp, exact, 0), LIMIT),
        Check("torque, worst difference from the exact curve", _worst(sharp, exact, 1), LIMIT),
        *(Check(f"force, v_ε = {s:g} V", _worst(soft[s], smooth[s], 0), LIMIT) for s in SOFT),
        *(Check(f"torque, v_ε = {s:g} V", _worst(soft[s], smooth[s], 1), LIMIT) for s in SOFT),
    ]
    rows = [
        [f"{math.degrees(angle):.0f}°", f"{e.force:.4f}", f"{m.force:.4f}", f"{e.torque:.4f}", f"{m.torque:.4f}"]
        for angle, e, m in zip(angles, exact, sharp, strict=True)
    ]
    header = ("arctan v/(Rω)", "F/μN exact", "run", "M exact", "run")
    sections = (
        Section("problem", "The problem", prose(STORY) + side_by_side(_picture(), _given())),
        Section("exact", "What is exact", _formulas()),
        Section(
            "curve",
            "Force against torque",
            _force_torque_plot(angles, sharp, soft)
            + paragraph("Points: runs. M: torque over its greatest value, two thirds of μNR.", "note")
            + number_table(header, rows),
        ),
        Section(
            "breakaway", "A disc that spins is easily pushed", prose(BREAKAWAY) + _breakaway_plot(angles, sharp, soft)
        ),
        Section("limits", "Limits", check_table(checks)),
    )
    figure = f"worst difference from the exact curves {percent(max(checks[0].value, checks[1].value))}"
    return BookPage(sections, tuple(checks), figure)


STORY = (
    "A flat disc under even pressure slides at $v$ and spins at $ω$ on a plane. Each point rubs against its own slip, "
    "so that force and torque are coupled: spinning takes away from the force that resists sliding, and the other way "
    "round. Nothing of this is in the law of an element; it comes from summing over the patch."
)
BREAKAWAY = (
    "At a small $v$ the force of a spinning disc is proportional to $v/(R ω)$: dry friction acts like a viscous one. "
    "Regularised friction adds a viscous range of its own, of the width $v_ε$; with $v_ε$ below half of the "
    "speed of motion the curves are hardly apart."
)


def _formulas() -> str:
    return (
        equation(
            "F = \\frac{4 μ N}{3 π ε} ((ε^2 + 1) E - (1 - ε^2) K), \\quad ε = \\frac{v}{R ω} \\le 1",
            "K(ε), E(ε): complete elliptic integrals",
        )
        + equation(
            "M = \\frac{4 μ N R}{9 π} ((4 - 2 ε^2) E - (1 - ε^2) K)", "Farkas et al., Phys. Rev. Lett. 90 (2003) 248302"
        )
        + equation("F = \\frac{4 μ N}{3 π} ((ε^2 + 1) E - (ε^2 - 1) K), \\quad ε \\ge 1", "K(1/ε), E(1/ε)")
        + equation("M = \\frac{4 μ N R ε}{9 π} ((4 - 2 ε^2) E + (2 ε^2 - 5 + 3 ε^{-2}) K)")
        + equation(
            "F_t = μ F_n s (2 - s), \\quad s = \\frac{v_t}{v_ε} \\le 1", "regularised, by quadrature over the disc"
        )
    )


def _given() -> str:
    return given_table(
        (
            ("radius R", RADIUS, "m"),
            ("depth", DEPTH, "m"),
            ("coefficient of friction μ", FRICTION, ""),
            ("speed V of motion, √(v² + R²ω²)", 1.0, "m/s"),
            ("v_ε that counts as Coulomb's law", SHARP, "m/s"),
        )
    )


def _ratio(angle: float) -> float:
    return math.inf if angle > math.radians(89.9) else math.tan(angle)


def _measured(angle: float, velocity: float) -> FrictionShares:
    """Shares of a run: the disc slides at sin and its rim spins at cos of ``angle``, in m/s."""
    disc = shapes.cylinder(RADIUS, THICKNESS, segments=SEGMENTS)
    pairing = ContactPairing(
        disc,
        shapes.plane(0.3),
        law=LayerLaw(stiffness=STIFFNESS),
        friction=RegularisedCoulomb(coefficient=FRICTION, velocity=velocity),
    )
    wrench = wrench_on_body(
        pairing,
        (0.0, 0.0, 0.5 * THICKNESS - DEPTH),
        velocity=(math.sin(angle), 0.0, 0.0),
        angular_velocity=(0.0, 0.0, math.cos(angle) / RADIUS),
    )
    most = FRICTION * STIFFNESS * DEPTH * math.pi * RADIUS**2
    return FrictionShares(-float(wrench.force[0]) / most, -float(wrench.torque[2]) / (2.0 / 3.0 * most * RADIUS))


def _regularised(angle: float, velocity: float) -> FrictionShares:
    return regularised_shares(math.sin(angle), math.cos(angle), velocity)


def _worst(got: Sequence[FrictionShares], right: Sequence[FrictionShares], which: int) -> float:
    return max(abs(a[which] - b[which]) for a, b in zip(got, right, strict=True))


def _fine() -> list[float]:
    return [math.radians(1.5 * k) for k in range(61)]


def _force_torque_plot(
    angles: Sequence[float], sharp: list[FrictionShares], soft: dict[float, list[FrictionShares]]
) -> str:
    curve = [coulomb_shares(_ratio(angle)) for angle in _fine()]
    lines = [
        Line("Coulomb, exact", [p.force for p in curve], [p.torque for p in curve], mark="line", colour=0),
        Line("", [p.force for p in sharp], [p.torque for p in sharp], mark="points", colour=0),
    ]
    for k, share in enumerate(SOFT, start=1):
        curve = [_regularised(angle, share) for angle in _fine()]
        lines.append(
            Line(
                f"v_ε = {share:g} V, by quadrature",
                [p.force for p in curve],
                [p.torque for p in curve],
                mark="line",
                colour=k,
            )
        )
        lines.append(Line("", [p.force for p in soft[share]], [p.torque for p in soft[share]], mark="points", colour=k))
    return svg(LinePlot(x_label="force / μN", y_label="torque / (⅔ μNR)", lines=lines))


def _breakaway_plot(
    angles: Sequence[float], sharp: list[FrictionShares], soft: dict[float, list[FrictionShares]]
) -> str:
    def part(values: Sequence[float]) -> list[float]:
        return [value for value in values if math.degrees(value) < 72.0]

    fine, coarse = part(_fine()), part(angles)
    lines = [
        Line(
            "Coulomb, exact",
            [math.tan(a) for a in fine],
            [coulomb_shares(_ratio(a)).force for a in fine],
            mark="line",
            colour=0,
        ),
        Line("", [math.tan(a) for a in coarse], [p.force for p in sharp[: len(coarse)]], mark="points", colour=0),
    ]
    for k, share in enumerate(SOFT, start=1):
        values = [_regularised(a, share).force for a in fine]
        lines.append(Line(f"v_ε = {share:g} V", [math.tan(a) for a in fine], values, mark="line", colour=k))
        lines.append(
            Line(
                "",
                [math.tan(a) for a in coarse],
                [p.force for p in soft[share][: len(coarse)]],
                mark="points",
                colour=k,
            )
        )
    return svg(LinePlot(x_label="v / (Rω)", y_label="force / μN", lines=lines))


def _picture() -> str:
    return contact_picture(
        shapes.cylinder(RADIUS, THICKNESS, segments=SEGMENTS),
        shapes.plane(0.16),
        (0.0, 0.0, 0.5 * THICKNESS - DEPTH),
        caption="The disc on its plane; the pressure is even, and seen from above through the disc",
        stiffness=STIFFNESS,
        view="-52,30",
    )
