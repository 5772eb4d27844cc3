"""A cylinder lying on a plane."""

from __future__ import annotations

import math

import numpy as np

from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.orientations import forces_on_body, rolled
from proof.book.book_page import BookPage, Effort
from proof.book.closed_form_page import BALANCED_ORDER, SECOND_ORDER, ClosedForm, closed_form_page
from proof.book.contact_picture import contact_picture
from proof.book.mesh_ladder import BALANCED, CLIPPED, DISTANCE, STIFFNESS, WHOLE, Aim

RADIUS, LENGTH, DEPTH = 0.1, 0.1, 0.03
HEIGHT = RADIUS - DEPTH
ROLLS = np.linspace(0.0, math.pi / 12.0, 7)
"""Over the angle of the coarsest facets, rad."""


def cylinder_on_plane(effort: Effort) -> BookPage:
    """Page of the lying cylinder; ``effort`` says how fine its meshes are."""
    by_normal = exact.cylinder_on_plane(STIFFNESS, RADIUS, LENGTH, DEPTH)
    by_volume = STIFFNESS * LENGTH * exact.segment_area(RADIUS, DEPTH)
    # 192 sides: mean chord error h²/(12R) = 9e-5 R, 3e-4 of the depth; the force goes with u^1.5.
    form = ClosedForm(
        story="A cylinder of radius $R$ and length $L$ lies on a plane, pressed in by $u$. Its end faces are upright "
        "and push against each other only. The cylinder is the base.",
        formulas=(
            ("F = 2 c L R (R \\sin θ - (R - u) θ), \\quad \\cos θ = 1 - \\frac{u}{R}", "depth along its normal"),
            ("F = c L R (R θ - (R - u) \\sin θ)", "depth as a distance: c times the volume of the segment"),
        ),
        given=(
            ("radius R", RADIUS, "m"),
            ("length L", LENGTH, "m"),
            ("depth u", DEPTH, "m"),
            ("layer stiffness c", STIFFNESS, "N/m³"),
        ),
        picture=lambda: contact_picture(
            shapes.cylinder(RADIUS, LENGTH, segments=48),
            shapes.plane(0.3),
            (0.0, 0.0, HEIGHT),
            turn=rolled([0.0])[0],
            caption="The cylinder of 48 sides, with the pressure on it",
            stiffness=STIFFNESS,
        ),
        bodies=lambda level: (shapes.cylinder(RADIUS, LENGTH, segments=24 * 2**level), shapes.plane(0.6)),
        forces=lambda pairing: forces_on_body(pairing, (0.003, 0.001, HEIGHT), rolled(ROLLS)),
        n_orientations=len(ROLLS),
        aims=(
            Aim(WHOLE, by_normal, 1e-3, SECOND_ORDER),
            Aim(CLIPPED, by_normal, 8e-4, SECOND_ORDER),
            Aim(DISTANCE, by_volume, 8e-4, SECOND_ORDER),
            Aim(BALANCED, by_volume, 8e-5, BALANCED_ORDER),
        ),
        levels=(0, 1, 2, 3),
        length=RADIUS,
        length_name="R",
    )
    return closed_form_page(form, effort)
