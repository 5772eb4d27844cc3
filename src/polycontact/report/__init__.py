"""What people see of a run: tables."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
