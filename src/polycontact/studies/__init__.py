"""Studies: one scenario with many values for some of its keys, run on all cores of a machine or on a cluster."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
