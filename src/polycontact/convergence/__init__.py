"""How far the results of a scenario can be believed: meshes, tolerances and integration refined in turn."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
