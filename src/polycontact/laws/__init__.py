"""Laws of contact: what presses and what rubs, how stiff it is, and ten lines for a law of your own.

The laws that most models need are also in `polycontact` itself: `LayerLaw`, `RegularisedCoulomb`, `StickFriction`.
"""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
