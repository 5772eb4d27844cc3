"""A picture of a problem, from the meshes that are measured: two bodies and the pressure between them."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactWarning
from polycontact.report.document.markup import paragraph
from polycontact.report.document.pictures import picture_figure
from polycontact.surfaces.surface import Surface
from polycontact.verification.placing import rotation

SIZE = (620, 400)
"""Pixels."""


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

    ``stiffness`` in N/m³ gives the pressure its scale; ``view``: azimuth and elevation in degrees. A remark where Pillow
    is not installed.
    """
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        return paragraph("No picture: the package Pillow is not installed; get it with 'pip install pillow'.", "note")
    from polycontact.report.picture.render import Look, render_result

    placed = body.transformed(rotation=rotation(turn))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        pairing = ContactPairing(placed, ground, law=LayerLaw(stiffness=stiffness), name=" ")
        result = pairing.evaluate(RelativeKinematics(position=-np.asarray(position, dtype=np.float64)))
    look = Look(size=SIZE, samples=2, text=1.5, caption=False)
    light, dark = (
        render_result(result, camera=view, **_options(replace(look, theme=theme))) for theme in ("light", "dark")
    )
    return picture_figure(light, dark, caption, caption)


def _options(look: object) -> dict[str, object]:
    """A look as keywords."""
    return {name: getattr(look, name) for name in look.__dataclass_fields__}  # type: ignore[attr-defined]
