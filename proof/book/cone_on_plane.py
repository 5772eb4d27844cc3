"""A blunt cone, tip down, pressed into a plane."""

from __future__ import annotations

import math

from polycontact.surfaces.surface import Surface
from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.orientations import forces_on_body
from proof.book.book_page import BookPage, Effort
from proof.book.closed_form_page import BALANCED_ORDER, ClosedForm, closed_form_page
from proof.book.contact_picture import contact_picture
from proof.book.mesh_ladder import BALANCED, CLIPPED, DISTANCE, STIFFNESS, WHOLE, Aim

HALF_ANGLE = math.radians(60.0)
CONE_HEIGHT, DEPTH = 0.03, 0.02
ORDER = 1.6
"""A ring of radius r lacks (h/r)² of its area: summed up to the tip this is h² log(1/h), an order a little below 2."""


def cone_on_plane(effort: Effort) -> BookPage:
    """Page of the cone on a plane; ``effort`` says how fine its meshes are."""
    by_normal = exact.cone_on_plane(STIFFNESS, HALF_ANGLE, DEPTH)
    by_volume = STIFFNESS * exact.cone_volume(HALF_ANGLE, DEPTH)
    turns = [(0.0, 0.0, angle) for angle in (0.0, 0.05, 0.1)]
    form = ClosedForm(
        story="A cone of half-angle $α$ stands on its tip, pressed $u$ deep into a plane. The cone is the base.",
        formulas=(
            (
                "F = \\frac{c V}{\\sin α}",
                "depth along its normal: both depth and area are 1/sin α of their projections",
            ),
            ("F = c V = \\frac{π}{3} c u^3 \\tan^2 α", "depth as a distance"),
        ),
        given=(
            ("half-angle α", math.degrees(HALF_ANGLE), "°"),
            ("depth u", DEPTH, "m"),
            ("layer stiffness c", STIFFNESS, "N/m³"),
        ),
        picture=lambda: contact_picture(
            _cone(1),
            shapes.plane(0.14),
            (0.0, 0.0, -DEPTH),
            caption="The cone of 48 sides",
            stiffness=STIFFNESS,
            view="-52,28",
        ),
        bodies=lambda level: (_cone(level), shapes.plane(0.6)),
        forces=lambda pairing: forces_on_body(pairing, (0.0003, 0.0005, -DEPTH), turns),
        n_orientations=len(turns),
        aims=(
            Aim(WHOLE, by_normal, 3e-3, ORDER),
            Aim(CLIPPED, by_normal, 2e-3, ORDER),
            Aim(DISTANCE, by_volume, 2e-3, ORDER),
            Aim(BALANCED, by_volume, 2e-4, BALANCED_ORDER),
        ),
        levels=(0, 1, 2, 3),
        length=CONE_HEIGHT,
        length_name="height",
        remark="Rings near the tip have few sides, however fine the mesh: the error goes with $h^2 \\ln (1/h)$.",
    )
    return closed_form_page(form, effort)


def _cone(level: int) -> Surface:
    return shapes.cone(CONE_HEIGHT * math.tan(HALF_ANGLE), CONE_HEIGHT, segments=24 * 2**level)
