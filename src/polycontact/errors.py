"""Every error and warning that polycontact raises on purpose.

Each message names the thing, its value with its unit, and a remedy.
"""

from __future__ import annotations


class PolycontactError(Exception):
    """Base of all errors raised on purpose by polycontact."""


class SurfaceError(PolycontactError, ValueError):
    """A file or an array that cannot become a surface, with where and why, and what to do."""


class ContactError(PolycontactError, ValueError):
    """A contact pairing, layer, law or pose that makes no sense, with the value and the remedy."""


class SurfaceWarning(UserWarning):
    """A surface that is usable but probably not what was meant (a crack, an inward orientation)."""


class ContactWarning(UserWarning):
    """A contact whose result deserves a second look (a Poisson's ratio near 1/2, a contained body)."""
