"""Hertz beside the foundation: what the model can do and what it cannot, and how to choose the layer stiffness."""

from __future__ import annotations

import math

from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import Section, heading, paragraph
from polycontact.verification import remembered_shapes as shapes
from proof.book.book_page import BookPage, Check, Effort
from proof.book.contact_picture import contact_picture
from proof.book.half_space_runs import (
    Curve,
    Tilt,
    Worked,
    examples,
    force_curve,
    measure_tilt,
    work_out,
)
from proof.book.mesh_ladder import balanced
from proof.book.page_parts import check_table, equation, number_table, percent, prose, short

FORCE_LIMIT = 1e-2
"""Error of a matched force: meshes of some 50 divisions across the contact, and δ against R where it is not small."""
STIFFNESS_LIMIT = 2e-2
EXPONENT_LIMIT = 0.02
"""Difference of the fitted exponent of the runs from that of the foundation."""


def hertz(effort: Effort) -> BookPage:
    """Page that compares layers with Hertz's theory."""
    worked = [work_out(example) for example in examples()]
    curve = force_curve(worked[0].example, effort.count(9))
    tilt = measure_tilt()
    checks = [
        Check("exponent of the runs less 2, ball", abs(curve.exponent - 2.0), EXPONENT_LIMIT),
        *(
            Check(
                f"force with its c, {w.example.name}", abs(w.force / w.point.force - 1.0), FORCE_LIMIT, as_percent=True
            )
            for w in worked
        ),
        *(
            Check(
                f"stiffness with its c, {w.example.name}",
                abs(w.stiffness / w.point.stiffness - 1.0),
                STIFFNESS_LIMIT,
                as_percent=True,
            )
            for w in worked
        ),
        Check(
            "tilt stiffness of the disc over cπa⁴/4, less 1",
            abs(tilt.run / tilt.foundation - 1.0),
            FORCE_LIMIT,
            as_percent=True,
        ),
    ]
    sections = (
        Section("problem", "The problem", prose(STORY) + _picture()),
        Section(
            "ball", "Ball", _ball_formulas() + _force_plot(curve) + _exponents(curve) + _area_plot(curve) + prose(BALL)
        ),
        Section("cylinder", "Cylinder", _cylinder_formulas() + prose(CYLINDER)),
        Section("flat", "Flat", _flat_formulas() + _tilt_words(tilt)),
        Section(
            "table",
            "Worked table",
            prose(TABLE) + _points_table(worked) + _layers_table(worked) + paragraph(MATERIALS, "note"),
        ),
        Section("limits", "Limits", check_table(checks)),
    )
    worst = max(abs(w.force / w.point.force - 1.0) for w in worked)
    figure = f"force ~ δ^{curve.exponent:.2f}, Hertz's δ^1.5; matched forces within {percent(worst)}"
    return BookPage(sections, tuple(checks), figure)


STORY = (
    "Solid bodies of one material are no layers on rigid cores: in a half-space each point feels its neighbours. "
    "Hertz's force of a ball grows with $δ^{3/2}$, that of the foundation with $δ^2$. So one stiffness $c$ cannot "
    "follow Hertz at every load; it can be chosen so that force, or stiffness, or energy is right at one working "
    "point. That is enough where loads stay near it, or where the contact only has to be stiff against the rest of "
    "the machine."
)
BALL = (
    "At the same force and depth the foundation's contact has twice the area, $2 π R δ$ instead of $π R δ$, and two "
    "thirds of the greatest pressure: read pressures of bulky bodies from Hertz's formulas, not from the patch. For "
    "impacts match the energy: the greatest depth is right then, and the greatest force is 6/5 of Hertz's."
)
CYLINDER = (
    "Line contact of half-spaces has no depth of its own: it depends, by a logarithm, on how far away the body is "
    "held, here at the axis of the cylinder, on a rigid flat (Johnson, section 5.6). Force and depth are nearly "
    "proportional, whereas the foundation has $F \\sim δ^{3/2}$: a $c$ for the stiffness is clearly below one for the "
    "force."
)
TABLE = (
    "For each contact the half-space gives the working point: depth $δ$, stiffness $k$, half width $b$ and greatest "
    "pressure at the load. Then the two layer stiffnesses that match it, and what runs with them give: the force at "
    "$δ$ with the first, the stiffness at $δ$ with the second, half width and greatest pressure with the first."
)
MATERIALS = (
    "Steel 210 GPa, ν 0.3; nylon 2.8 GPa, ν 0.4; rubber 5 MPa, ν 0.48. The stiffness of a run is a central difference "
    "over 2 % of the depth. The half-space has an infinite pressure at the rim of a rigid disc."
)


def _ball_formulas() -> str:
    return (
        equation(
            "F = \\frac{4}{3} E^* \\sqrt{R} δ^{3/2}, \\quad k = 2 E^* \\sqrt{R δ}, \\quad a = \\sqrt{R δ}", "Hertz"
        )
        + equation("F = π c R δ^2, \\quad k = 2 π c R δ, \\quad a = \\sqrt{2 R δ}", "foundation, δ ≪ R")
        + equation(
            "c_F = \\frac{4 E^*}{3 π \\sqrt{R δ}}, \\quad c_k = \\frac{E^*}{π \\sqrt{R δ}} = \\frac{3}{4} c_F",
            "for force, for stiffness",
        )
        + equation("c_W = \\frac{8 E^*}{5 π \\sqrt{R δ}} = \\frac{6}{5} c_F", "for the energy down to δ: impacts")
    )


def _cylinder_formulas() -> str:
    return (
        equation(
            "δ = \\frac{F}{π E^* L} (2 \\ln \\frac{4 R}{b} - 1), \\quad k = \\frac{π E^* L}{2 \\ln \\frac{4 R}{b} - 2},"
            "\\quad b = \\sqrt{\\frac{4 F R}{π E^* L}}",
            "Hertz",
        )
        + equation(
            "F = \\frac{4}{3} c L \\sqrt{2 R} δ^{3/2}, \\quad k = 2 c L \\sqrt{2 R δ}, \\quad b = \\sqrt{2 R δ}",
            "foundation",
        )
        + equation(
            "c_F = \\frac{3 F}{4 L \\sqrt{2 R} δ^{3/2}}, \\quad c_k = \\frac{k}{2 L \\sqrt{2 R δ}}",
            "for force, for stiffness",
        )
    )


def _flat_formulas() -> str:
    return (
        equation(
            "F = 2 E^* a δ, \\quad M = \\frac{4}{3} E^* a^3 φ",
            "rigid disc on a half-space (Boussinesq; Borowicka 1943)",
        )
        + equation("F = π a^2 c δ, \\quad M = \\frac{π}{4} a^4 c φ", "foundation")
        + equation("c = \\frac{2 E^*}{π a}", "force and stiffness at every load")
    )


def _force_plot(curve: Curve) -> str:
    um = [1e6 * depth for depth in curve.depths]
    by_stiffness = curve.shape.for_stiffness(curve.point)
    soft = [math.pi * by_stiffness * curve.shape.radius * depth**2 for depth in curve.depths]
    lines = [
        Line("Hertz", um, [curve.shape.force(depth) for depth in curve.depths], mark="line", colour=1),
        Line("runs, c for the force at the working point", um, curve.forces, colour=0),
        Line("foundation, c for the stiffness there", um, soft, mark="dashed", colour=2),
        Line("working point", [1e6 * curve.point.depth], [curve.point.force], mark="points", colour=4),
    ]
    return heading("Force over depth: steel ball, R = 10 mm") + svg(
        LinePlot(x_label="depth δ, µm", y_label="force, N", lines=lines, log_x=True, log_y=True)
    )


def _exponents(curve: Curve) -> str:
    text = f"Exponent fitted to the runs: {curve.exponent:.3f}; of the foundation 2, of Hertz 1.5."
    return paragraph(text, "note")


def _area_plot(curve: Curve) -> str:
    mm2 = [1e6 * area for area in curve.areas]
    hertz_area = [1e6 * math.pi * curve.shape.radius * curve.shape.at(force).depth for force in curve.forces]
    lines = [
        Line("Hertz", curve.forces, hertz_area, mark="line", colour=1),
        Line("runs", curve.forces, mm2, colour=0),
    ]
    return heading("Contact area over force") + svg(
        LinePlot(x_label="force, N", y_label="area, mm²", lines=lines, log_x=True, log_y=True)
    )


def _tilt_words(tilt: Tilt) -> str:
    return prose(
        "A layer that matches the force does not match the tilt: the rim of a punch carries more than the middle, "
        "which the foundation does not know. Tilt stiffness of the rubber disc: half-space "
        f"{short(tilt.half_space)} N m/rad, run {short(tilt.run)} N m/rad, {tilt.run / tilt.half_space:.3f} of it; by "
        "the formulas the share is 3/8. Where tilting counts choose $c$ for it: 8/3 of the one above."
    )


def _points_table(worked: list[Worked]) -> str:
    header = ("contact", "load, N", "depth δ, µm", "stiffness k, N/m", "half width b, mm", "greatest pressure, MPa")
    rows = [
        [
            w.example.name,
            short(w.point.force, 4),
            1e6 * w.point.depth,
            w.point.stiffness,
            1e3 * w.point.half_width,
            1e-6 * w.point.pressure,
        ]
        for w in worked
    ]
    return heading("Half-space: the working point") + number_table(header, rows)


def _layers_table(worked: list[Worked]) -> str:
    header = (
        "contact",
        "c for the force, N/m³",
        "force, N",
        "half width, mm",
        "greatest pressure, MPa",
        "c for the stiffness, N/m³",
        "stiffness, N/m",
    )
    rows = [
        [
            w.example.name,
            w.c_force,
            short(w.force, 4),
            1e3 * w.half_width,
            1e-6 * w.pressure,
            w.c_stiffness,
            w.stiffness,
        ]
        for w in worked
    ]
    return heading("Layer: what to take, and what runs with it give at δ") + number_table(header, rows)


def _picture() -> str:
    radius = 0.03
    return contact_picture(
        balanced(shapes.sphere(radius, 4)),
        shapes.plane(0.1),
        (0.0, 0.0, 0.95 * radius),
        caption="A ball on a flat: the foundation's contact reaches as far as the undeformed shapes overlap",
        stiffness=1e8,
    )
