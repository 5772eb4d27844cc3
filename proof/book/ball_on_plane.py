"""A ball pressed into a plane."""

from __future__ import annotations

from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.balanced_bodies import TURNS
from polycontact.verification.orientations import forces_on_body
from proof.book.book_page import BookPage, Effort
from proof.book.closed_form_page import BALANCED_ORDER, SECOND_ORDER, ClosedForm, closed_form_page
from proof.book.contact_picture import contact_picture
from proof.book.mesh_ladder import BALANCED, CLIPPED, DISTANCE, STIFFNESS, WHOLE, Aim

RADIUS, DEPTH = 0.1, 0.01
HEIGHT = RADIUS - DEPTH
N_TURNS = 12


def ball_on_plane(effort: Effort) -> BookPage:
    """Page of the ball on a plane; ``effort`` says how fine its meshes are."""
    by_normal = exact.sphere_on_plane(STIFFNESS, RADIUS, DEPTH)
    by_volume = STIFFNESS * exact.cap_volume(RADIUS, DEPTH)
    # 20,480 facets lie 1.8e-4 R inside the ball on average, and the force goes with u²: 4e-3 at u = 0.1 R.
    form = ClosedForm(
        story="A ball of radius $R$ is pressed $u$ deep into a plane. The ball is the base.",
        formulas=(
            ("F = π c R u^2", "depth along the ball's normal"),
            ("F = c V = π c u^2 (R - \\frac{u}{3})", "depth as a distance: c times the volume of the cap"),
        ),
        given=(("radius R", RADIUS, "m"), ("depth u", DEPTH, "m"), ("layer stiffness c", STIFFNESS, "N/m³")),
        picture=lambda: contact_picture(
            shapes.sphere(RADIUS, 3),
            shapes.plane(0.3),
            (0.0, 0.0, HEIGHT),
            turn=(0.3, 0.2, 0.1),
            caption="The ball of 1,280 triangles, with the pressure on it",
            stiffness=STIFFNESS,
        ),
        bodies=lambda level: (shapes.sphere(RADIUS, level), shapes.plane(0.6)),
        forces=lambda pairing: forces_on_body(pairing, (0.003, 0.001, HEIGHT), TURNS[:N_TURNS]),
        n_orientations=N_TURNS,
        aims=(
            Aim(WHOLE, by_normal, 8e-3, SECOND_ORDER),
            Aim(CLIPPED, by_normal, 6e-3, SECOND_ORDER),
            Aim(DISTANCE, by_volume, 6e-3, SECOND_ORDER),
            Aim(BALANCED, by_volume, 6e-4, BALANCED_ORDER),
        ),
        levels=(2, 3, 4, 5),
        length=RADIUS,
        length_name="R",
    )
    return closed_form_page(form, effort)
