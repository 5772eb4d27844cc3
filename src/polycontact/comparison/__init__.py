"""One geometry, many methods: the same bodies in the same pose by every method and law that fits."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
