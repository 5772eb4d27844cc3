"""Time integration of multibody systems with contact: integrators, events, the simulation driver."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
