"""Multibody systems: bodies, joints, force elements and contacts by name, compiled to one right-hand side."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
