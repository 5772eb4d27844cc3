"""Parameters of a scenario from measured curves: estimates with intervals, and what the data leave open."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
