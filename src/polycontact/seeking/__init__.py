"""Values of a scenario's keys that are sought: thresholds of conditions, and the best values for a result."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
