"""A picture of a problem, from the meshes that are measured: two bodies and the pressure between them."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from numpy.typing import ArrayLike

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.markup import paragraph
from polycontact.report.document.pictures import picture_figure
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.surfaces.surface import Surface
from polycontact.verification.placing import rotation

SIZE = (620, 400)
"""Pixels."""
NO_PICTURE = paragraph("No picture: the package Pillow is not installed; get it with 'pip install pillow'.", "note")


def contact_picture(
    body: Surface,
    ground: Surface,
    position: ArrayLike,
    *,
    turn: ArrayLike = (0.0, 0.0, 0.0),
    caption: str,
    stiffness: float,
    view: str = "-52,16",
) -> str:
    """The body at ``position`` (m), turned by a rotation vector (rad), over ``ground``, which stands still.

    ``stiffness`` in N/m³ gives the pressure its scale; ``view``: azimuth and elevation in degrees. A remark where
    Pillow is not installed.
    """
    if not _has_pillow():
        return NO_PICTURE
    from polycontact.report.picture.render import render_result

    placed = body.transformed(rotation=rotation(turn))
    pairing = ContactPairing(placed, ground, law=LayerLaw(stiffness=stiffness))
    result = pairing.evaluate(RelativeKinematics(position=-np.asarray(position, dtype=np.float64)))
    light, dark = (
        render_result(result, camera=view, size=SIZE, samples=2, text=1.5, theme=theme) for theme in ("light", "dark")
    )
    return picture_figure(light, dark, caption, caption)


def run_picture(trajectory: Trajectory, time: float, caption: str, *, view: str = "-52,16") -> str:
    """The bodies of a run at ``time`` (s), with the pressure between them."""
    if not _has_pillow():
        return NO_PICTURE
    from polycontact.report.picture.render import render

    light, dark = (
        render(trajectory, time, camera=view, size=SIZE, samples=2, text=1.5, caption=False, theme=theme)
        for theme in ("light", "dark")
    )
    return picture_figure(light, dark, caption, caption)


def _has_pillow() -> bool:
    return find_spec("PIL") is not None
