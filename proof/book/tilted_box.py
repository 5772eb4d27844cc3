"""A tilted box on a plane: exact with the depth as a distance, whatever the mesh."""

from __future__ import annotations

import math

from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import Section, paragraph
from polycontact.verification import displacement, flat_faces
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.case import VerificationCase, observed_order, run_case
from polycontact.verification.placing import rotation
from proof.book.book_page import BookPage, Check, Effort
from proof.book.contact_picture import contact_picture
from proof.book.page_parts import check_table, equation, number_table, prose, short

POSES = ((0.1, 1e-3), (1.0, 1e-3), (5.0, 5e-3), (5.0, 1e-3))
"""Tilt, degrees, and depth of the middle of the bottom, m."""
SIZE = (flat_faces.LENGTH, flat_faces.WIDTH, flat_faces.HEIGHT)
TORQUE_ORDER = 1.8
"""With one pressure an element torques have an error of second order."""


def tilted_box(effort: Effort) -> BookPage:
    """Page of the tilted box in a plane: errors and their order."""
    outcomes = [run_case(case) for pose in POSES for case in displacement.tilted_box(*pose)]
    levels = effort.levels(0, 1, 2, 3)
    ladders = {pose: _errors(flat_faces.tilted_box(*pose)[2], levels) for pose in POSES[2:]}
    checks = [
        Check(f"error of the {each.name.removeprefix('tilted box in a plane ')}", each.relative_error, each.limit)
        for each in outcomes
    ]
    checks += [
        Check(
            f"order of the torque, depth along normals, {_words(pose)}",
            observed_order(errors),
            TORQUE_ORDER,
            at_least=True,
        )
        for pose, errors in ladders.items()
    ]
    rows = [
        [each.name.removeprefix("tilted box in a plane "), f"{each.expected:.6g} {each.unit}", each.relative_error]
        for each in outcomes
    ]
    sections = (
        Section(
            "problem",
            "The problem",
            prose(
                "A box of twelve triangles is tilted by $β$ about one of its edges, with the middle of its bottom $h$ "
                "below the plane. On a plane the distance is linear, so that each triangle is integrated exactly: "
                "force, sideways force and torque are those of a floating body, to rounding, on the coarsest mesh "
                "there is."
            )
            + _picture(),
        ),
        Section(
            "exact",
            "What is exact",
            equation(
                "F = c V, \\quad F_x = 0, \\quad M = - x_v c V", "V: displaced volume; its centroid lies aside by xᵥ"
            )
            + equation("φ(x) = \\frac{h + x \\sin β}{\\cos β}", "depth along the normal of the bottom, at x along it"),
        ),
        Section(
            "errors",
            "Depth as a distance, twelve triangles",
            number_table(("pose and quantity", "expected", "error, relative to the load"), rows, digits=2),
        ),
        Section(
            "normals",
            "Torque with the depth along normals",
            _plot(levels, ladders)
            + paragraph(
                "Each element has one depth there, so that forces are exact and torques are of second order.", "note"
            ),
        ),
        Section("limits", "Limits", check_table(checks)),
    )
    worst = max(each.relative_error for each in outcomes)
    return BookPage(sections, tuple(checks), f"twelve triangles: errors of {short(worst, 1)} at most")


def _errors(case: VerificationCase, levels: tuple[int, ...]) -> list[float]:
    return [abs(case.measure(level) / case.expected - 1.0) for level in levels]


def _words(pose: tuple[float, float]) -> str:
    tilt, depth = pose
    return f"{tilt:g}°, {1e3 * depth:g} mm deep"


def _plot(levels: tuple[int, ...], ladders: dict[tuple[float, float], list[float]]) -> str:
    divisions = [float(8 * 2**level) for level in levels]
    lines = [
        Line(f"{_words(pose)}: order {observed_order(errors):.1f}", divisions, errors, colour=1 + 2 * k)
        for k, (pose, errors) in enumerate(ladders.items())
    ]
    return svg(
        LinePlot(
            x_label="divisions along each edge", y_label="error of the torque", lines=lines, log_x=True, log_y=True
        )
    )


def _picture() -> str:
    tilt, depth = math.radians(5.0), 5e-3
    middle = rotation((0.0, tilt, 0.0)) @ (0.0, 0.0, -0.5 * SIZE[2])
    return contact_picture(
        shapes.box(SIZE),
        shapes.plane(0.18),
        (-middle[0], -middle[1], -depth - middle[2]),
        turn=(0.0, tilt, 0.0),
        caption="Tilted by 5°, its middle 5 mm deep",
        stiffness=displacement.STIFFNESS,
        view="-70,12",
    )
