"""Where a system rests, with its contacts, and how it moves a little about a state: equilibria, modes, state space."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
