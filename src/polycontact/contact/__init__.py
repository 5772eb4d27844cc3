"""The contact force element: layers, laws, pairings and their results."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
