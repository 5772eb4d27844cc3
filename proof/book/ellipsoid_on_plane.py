"""An ellipsoid in any orientation, pressed into a plane."""

from __future__ import annotations

import numpy as np

from polycontact.contact.pairing import ContactPairing
from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.balanced_bodies import TURNS
from polycontact.verification.orientations import forces_on_body
from polycontact.verification.placing import rotation
from proof.book.book_page import BookPage, Effort
from proof.book.closed_form_page import BALANCED_ORDER, SECOND_ORDER, ClosedForm, closed_form_page
from proof.book.contact_picture import contact_picture
from proof.book.mesh_ladder import BALANCED, DISTANCE, STIFFNESS, Aim

AXES = np.array([0.1, 0.15, 0.2])
DEPTH = 0.01
N_TURNS = 12
REACH = [float(np.linalg.norm(rotation(turn)[2] * AXES)) for turn in TURNS[:N_TURNS]]
"""How far the ellipsoid reaches down from its centre in each orientation, m."""
EXACT = [STIFFNESS * float(AXES.prod()) * exact.cap_volume(1.0, DEPTH / reach) for reach in REACH]


def ellipsoid_on_plane(effort: Effort) -> BookPage:
    """The page; forces are given relative to those of the first orientation, as each has its own."""
    form = ClosedForm(
        story="An ellipsoid with half axes $a$, $b$, $d$ is pressed $u$ deep into a plane, in many orientations. "
        "Stretched to a unit ball it loses a cap of the height $u/s$, with $s$ the distance of the parallel tangent "
        "plane from the centre: the volume of that cap, stretched back, is what is displaced.",
        formulas=(
            ("F = c V = c a b d π t^2 (1 - \\frac{t}{3}), \\quad t = \\frac{u}{s}", "depth as a distance"),
            ("s^2 = a^2 n_x^2 + b^2 n_y^2 + d^2 n_z^2", "n: normal of the plane in the axes of the body"),
        ),
        given=(
            *((f"half axis {name}", float(axis), "m") for name, axis in zip("abd", AXES, strict=True)),
            ("depth u", DEPTH, "m"),
            ("layer stiffness c", STIFFNESS, "N/m³"),
        ),
        picture=lambda: contact_picture(
            shapes.ellipsoid(tuple(AXES), 3),
            shapes.plane(0.5),
            (0.0, 0.0, REACH[1] - DEPTH),
            turn=TURNS[1],
            caption="The ellipsoid of 1,280 triangles in one of its orientations",
            stiffness=STIFFNESS,
        ),
        bodies=lambda level: (shapes.ellipsoid(tuple(AXES), level), shapes.plane(0.9)),
        forces=_forces,
        n_orientations=N_TURNS,
        # Facets of 20,480 triangles lie up to 4 times as deep inside as those of a ball of the least half axis.
        aims=(
            Aim(DISTANCE, EXACT[0], 1.5e-2, SECOND_ORDER),
            Aim(BALANCED, EXACT[0], 1.5e-3, BALANCED_ORDER),
        ),
        levels=(2, 3, 4, 5),
        length=float(AXES[0]),
        length_name="a",
        remark="There is no closed form with the depth along the normal.",
    )
    return closed_form_page(form, effort)


def _forces(pairing: ContactPairing) -> list[float]:
    """Force in each orientation over the exact one there, times that of the first orientation, N."""
    found = []
    for turn, reach, right in zip(TURNS, REACH, EXACT, strict=False):
        force = forces_on_body(pairing, (0.003, 0.001, reach - DEPTH), [turn])[0]
        found.append(force / right * EXACT[0])
    return found
