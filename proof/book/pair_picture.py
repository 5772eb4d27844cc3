"""A picture of a pair of bodies that was drawn at random."""

from __future__ import annotations

from proof.book.contact_picture import contact_picture
from proof.book.random_pairs import LAW, Touching


def pair_picture(pair: Touching, caption: str) -> str:
    """Both bodies in the frame of E, with the pressure between them."""
    return contact_picture(
        pair.e,
        pair.f.transformed(rotation=pair.R),
        -pair.position,
        caption=caption,
        stiffness=float(LAW.stiffness or 0.0),
    )
