"""Contacts that end while the integrator still believes in their stiffness.

An implicit integrator keeps its Jacobian for many steps. Where a contact grows, an old one lets the iteration fail, and
it is made anew. Where a stiff contact fades, as under a box that slides off a table, an old one makes every correction
tiny: the iteration seems to have converged, and the box goes on through the air as if the table were still there. So
the step after which that can have happened is made again, with a Jacobian of its start.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup

FADED = 0.5
"""A contact has faded when its area is less than this part of what it was when the Jacobian was made."""

STIFF = 4.0
"""Square of step length times frequency of a contact from which on the Jacobian decides how far a correction goes."""


class StaleJacobian:
    """Looks at the contacts after each step of an integrator that has a Jacobian."""

    def __init__(self, setup: SystemSetup) -> None:
        self._pairs = len(setup.contacts)
        self._rate = _rates_of_stiffness(setup)
        self._jacobians = 0
        self._area = np.zeros(self._pairs)

    def has_faded(self, evaluator: Evaluator, jacobians: int, step: float) -> bool:
        """Whether a stiff contact has faded since the Jacobian was made.

        ``evaluator``: of the integrator, after its last call; ``jacobians`` it has made so far; ``step`` in s.
        """
        if jacobians == 0 or not self._pairs:
            return False
        area = evaluator.contact_areas()
        if jacobians != self._jacobians:
            self._jacobians = jacobians
            self._area = area
            return False
        grown = self._area < area
        self._area = np.where(grown, area, self._area)
        stiff = step * step * self._rate * self._area > STIFF
        return bool(np.any(stiff & (area < FADED * self._area)))


def _rates_of_stiffness(setup: SystemSetup) -> NDArray[np.float64]:
    """Stiffness over the smaller mass for every pair and area, 1/(s² m²); 0 where the law has no stiffness."""
    rates = np.zeros(len(setup.contacts))
    for pair, contact in enumerate(setup.contacts):
        masses = [setup.system.bodies[body].mass for body in (contact.e, contact.f)]
        moving = [mass for mass in masses if mass > 0.0]
        if contact.description.stiffness is not None and moving:
            rates[pair] = contact.description.stiffness / min(moving)
    return rates
