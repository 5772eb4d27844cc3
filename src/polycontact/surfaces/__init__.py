"""Surfaces: triangle meshes that are read, checked, repaired, made and prepared for contact."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
