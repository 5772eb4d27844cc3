"""A torus lying flat on a plane: a ring of contact."""

from __future__ import annotations

import math

from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.orientations import forces_on_body
from proof.book.book_page import BookPage, Effort
from proof.book.closed_form_page import BALANCED_ORDER, SECOND_ORDER, ClosedForm, closed_form_page
from proof.book.contact_picture import contact_picture
from proof.book.mesh_ladder import BALANCED, CLIPPED, DISTANCE, STIFFNESS, WHOLE, Aim

MAJOR, MINOR, DEPTH = 0.1, 0.03, 0.009
HEIGHT = MINOR - DEPTH


def torus_on_plane(effort: Effort) -> BookPage:
    """Page of the torus on a plane; ``effort`` says how fine its meshes are."""
    length = 2.0 * math.pi * MAJOR
    by_normal = exact.cylinder_on_plane(STIFFNESS, MINOR, length, DEPTH)
    by_volume = STIFFNESS * length * exact.segment_area(MINOR, DEPTH)
    turns = [(0.0, 0.0, angle) for angle in (0.0, 0.02, 0.05)]
    form = ClosedForm(
        story="A torus lies flat: a tube of radius $r$ around a circle of radius $R$, pressed in by $u$. By Pappus's "
        "rule it carries what a cylinder of the length $2 π R$ carries. The contact is a ring with two borders.",
        formulas=(
            ("F = 4 π c R r (r \\sin θ - (r - u) θ), \\quad \\cos θ = 1 - \\frac{u}{r}", "depth along its normal"),
            ("F = 2 π c R r (r θ - (r - u) \\sin θ)", "depth as a distance: c times the displaced volume"),
        ),
        given=(
            ("radius R of the ring", MAJOR, "m"),
            ("radius r of the tube", MINOR, "m"),
            ("depth u", DEPTH, "m"),
            ("layer stiffness c", STIFFNESS, "N/m³"),
        ),
        picture=lambda: contact_picture(
            shapes.torus(MAJOR, MINOR, 64, 32),
            shapes.plane(0.34),
            (0.0, 0.0, HEIGHT),
            caption="The torus, with the pressure on it",
            stiffness=STIFFNESS,
            view="-52,32",
        ),
        bodies=lambda level: (shapes.torus(MAJOR, MINOR, 32 * 2**level, 24 * 2**level), shapes.plane(0.6)),
        forces=lambda pairing: forces_on_body(pairing, (0.0007, 0.0003, HEIGHT), turns),
        n_orientations=len(turns),
        # 192 facets around the tube, as the lying cylinder.
        aims=(
            Aim(WHOLE, by_normal, 1.5e-3, 1.7),
            Aim(CLIPPED, by_normal, 8e-4, SECOND_ORDER),
            Aim(DISTANCE, by_volume, 8e-4, SECOND_ORDER),
            Aim(BALANCED, by_volume, 8e-5, BALANCED_ORDER),
        ),
        levels=(0, 1, 2, 3),
        length=MINOR,
        length_name="r",
    )
    return closed_form_page(form, effort)
