"""A ball in a hollow that is slightly larger: conforming contact."""

from __future__ import annotations

from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.balanced_bodies import ball_in_cup_by_distance
from polycontact.verification.orientations import forces_on_body
from polycontact.verification.placing import ORIENTATIONS
from proof.book.book_page import BookPage, Effort
from proof.book.closed_form_page import SECOND_ORDER, ClosedForm, closed_form_page
from proof.book.contact_picture import contact_picture
from proof.book.mesh_ladder import BALANCED, CLIPPED, DISTANCE, STIFFNESS, WHOLE, Aim

RADIUS, CUP_RADIUS, OFFSET = 0.1, 0.102, 0.006


def ball_in_cup(effort: Effort) -> BookPage:
    """Page of the ball in a hollow; ``effort`` says how fine its meshes are."""
    by_normal = exact.ball_in_cup(STIFFNESS, RADIUS, CUP_RADIUS, OFFSET)
    by_distance = ball_in_cup_by_distance(STIFFNESS, RADIUS, CUP_RADIUS, OFFSET)
    # Chord errors of ball and cup, 1.8e-4 R each, over the greatest depth of 0.04 R.
    form = ClosedForm(
        story="A ball of radius $R$, the base, sits in a hollow of radius $S$, its centre $e$ below that of the "
        "hollow. The contact opens over some 70°: chord errors of both meshes count against a depth of a few "
        "hundredths of $R$.",
        formulas=(
            ("F = 2 π c R^2 \\int_{x_0}^1 φ(x) x dx, \\quad x = \\cos θ", "θ at the centre of the ball"),
            ("φ = R + e x - \\sqrt{S^2 - e^2 + e^2 x^2}", "depth along the ball's normal"),
            ("φ = \\sqrt{R^2 + e^2 + 2 R e x} - S", "depth as a distance"),
        ),
        given=(
            ("radius R of the ball", RADIUS, "m"),
            ("radius S of the hollow", CUP_RADIUS, "m"),
            ("offset e", OFFSET, "m"),
            ("layer stiffness c", STIFFNESS, "N/m³"),
        ),
        picture=lambda: contact_picture(
            shapes.sphere(RADIUS, 3),
            shapes.spherical_cup(CUP_RADIUS, segments=56),
            (0.0, 0.0, -OFFSET),
            turn=ORIENTATIONS[0],
            caption="The ball in its cup; the pressure is seen through the wall",
            stiffness=STIFFNESS,
            view="-52,24",
        ),
        bodies=lambda level: (shapes.sphere(RADIUS, level), shapes.spherical_cup(CUP_RADIUS, segments=7 * 2**level)),
        forces=lambda pairing: forces_on_body(pairing, (0.0, 0.0, -OFFSET)),
        n_orientations=len(ORIENTATIONS),
        aims=(
            Aim(WHOLE, by_normal, 9e-3, SECOND_ORDER),
            Aim(CLIPPED, by_normal, 9e-3, SECOND_ORDER),
            Aim(DISTANCE, by_distance, 9e-3, SECOND_ORDER),
            Aim(BALANCED, by_distance, 9e-4, 1.5),
        ),
        levels=(2, 3, 4, 5),
        length=RADIUS,
        length_name="R",
    )
    return closed_form_page(form, effort)
