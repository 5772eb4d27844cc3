"""Two balls of different radii."""

from __future__ import annotations

from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.orientations import forces_apart
from polycontact.verification.placing import ORIENTATIONS
from proof.book.book_page import BookPage, Effort
from proof.book.closed_form_page import SECOND_ORDER, ClosedForm, closed_form_page
from proof.book.contact_picture import contact_picture
from proof.book.mesh_ladder import BALANCED, CLIPPED, DISTANCE, STIFFNESS, WHOLE, Aim

LARGE, SMALL, DEPTH = 0.1, 0.07, 0.015
DISTANCE_APART = LARGE + SMALL - DEPTH


def two_balls(effort: Effort) -> BookPage:
    """Page of two overlapping balls; ``effort`` says how fine their meshes are."""
    by_normal = exact.sphere_on_sphere(STIFFNESS, LARGE, SMALL, DEPTH)
    by_distance = exact.sphere_near_sphere(STIFFNESS, LARGE, SMALL, DEPTH)
    # Facets of both balls lie 1.8e-4 of their radii inside on average: together 3e-4 R of 0.15 R, and the force goes
    # with u². What is left after balancing are steps between facets of the target.
    form = ClosedForm(
        story="Two balls of radii $R$, the base, and $S$ overlap by $u$; their centres are $d = R + S - u$ apart. Both "
        "meshes bend, so that the division of base triangles has its part.",
        formulas=(
            ("F = 2 π c R^2 \\int_{x_0}^1 φ(x) x dx, \\quad x = \\cos θ", "θ at the centre of the base"),
            ("φ = R - d x + \\sqrt{S^2 - d^2 + d^2 x^2}", "depth along the base's normal"),
            ("φ = S - \\sqrt{R^2 + d^2 - 2 R d x}", "depth as a distance"),
        ),
        given=(
            ("radius R of the base", LARGE, "m"),
            ("radius S of the target", SMALL, "m"),
            ("depth u", DEPTH, "m"),
            ("layer stiffness c", STIFFNESS, "N/m³"),
        ),
        picture=lambda: contact_picture(
            shapes.sphere(LARGE, 3),
            shapes.sphere(SMALL, 3),
            (0.0, 0.0, DISTANCE_APART),
            turn=ORIENTATIONS[0],
            caption="Two balls of 1,280 triangles each; the pressure is seen through them",
            stiffness=STIFFNESS,
            view="-52,6",
        ),
        bodies=lambda level: (shapes.sphere(LARGE, level), shapes.sphere(SMALL, level)),
        forces=lambda pairing: forces_apart(pairing, DISTANCE_APART),
        n_orientations=len(ORIENTATIONS),
        aims=(
            Aim(WHOLE, by_normal, 8e-3, SECOND_ORDER),
            Aim(CLIPPED, by_normal, 6e-3, SECOND_ORDER),
            Aim(DISTANCE, by_distance, 6e-3, SECOND_ORDER),
            Aim(BALANCED, by_distance, 6e-4, 1.5),
        ),
        levels=(2, 3, 4, 5),
        length=LARGE,
        length_name="R",
    )
    return closed_form_page(form, effort)
