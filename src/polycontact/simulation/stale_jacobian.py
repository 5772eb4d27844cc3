"""Contacts that end while the integrator still believes in their stiffness or friction.

An implicit integrator keeps its Jacobian for many steps. Where a contact grows, an old one lets the iteration fail, and
it is made anew. Where a stiff contact fades, as under a box that slides off a table, an old one makes every correction
tiny: the iteration seems to have converged, and the box goes on through the air as if the table were still there. So
the step after which that can have happened is made again, with a Jacobian of its start.

Friction is stiff in the same way, and a body that bounces is let go by it again and again; mostly nothing happens. So a
body that flies is asked whether it moves as its equations say, and only if not the step is made again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.system_setup import SystemSetup
from polycontact.simulation.integrators.integrator_settings import IntegratorSettings
from polycontact.simulation.stepper import Stepper

FADED_AREA_SHARE = 0.5
"""A contact has faded when its area is less than this part of what it was when the Jacobian was made."""

STIFF_STEP_SQUARED = 4.0
"""Square of step length times frequency of a contact from which on the Jacobian decides how far a correction goes."""


STIFF_FRICTION_STEP = 1.0
"""Step length times rate of a contact's friction from which on it does, too."""

STRAY_TOLERANCES = 10.0
"""A flying body does not move by its equations where its speeds change in a step by so many tolerances less or more:
what an iteration leaves is below one."""

_DIFFERENCE_SHARE = 1e-3
"""Part of a step over which the change of a speed at its end is taken."""


class StaleJacobian:
    """Looks at the contacts after each step of an integrator that has a Jacobian."""

    def __init__(self, setup: SystemSetup, tolerances: IntegratorSettings) -> None:
        self._pairs = len(setup.contacts)
        self._rate = _rates_of_stiffness(setup)
        self._drag = _rates_of_friction(setup)
        self._flying = _free_bodies(setup)
        self._tolerances = tolerances
        self._jacobians = 0
        self._area = np.zeros(self._pairs)
        self._force = np.zeros(self._pairs)

    def spoils(self, stepper: Stepper, evaluator: Evaluator, observer: Evaluator) -> bool:
        """Whether the last step is to be made again: a stiff contact has faded since the Jacobian was made, or a body
        that friction has let go goes astray.

        ``evaluator``: of the integrator, after its last call; ``observer``: one whose memory nothing depends on.
        """
        jacobians, step = stepper.statistics.jacobians, stepper.t - stepper.t_old
        if jacobians == 0 or not self._pairs:
            return False
        area, force = evaluator.contact_areas(), evaluator.contact_forces()
        if jacobians != self._jacobians:
            self._jacobians = jacobians
            self._area, self._force = area, force
            return False
        self._area, self._force = np.maximum(self._area, area), np.maximum(self._force, force)
        stiff = step * step * self._rate * self._area > STIFF_STEP_SQUARED
        if np.any(stiff & (area < FADED_AREA_SHARE * self._area)):
            return True
        let_go = (area == 0.0) & (step * self._drag * self._force > STIFF_FRICTION_STEP)
        return self._goes_astray(np.flatnonzero(let_go).tolist(), stepper, observer)

    def _goes_astray(self, pairs: list[int], stepper: Stepper, observer: Evaluator) -> bool:
        """Whether a body of these pairs that flies now does not move as its equations say."""
        bodies = [body for pair in pairs for body in self._flying[pair]]
        if not bodies:
            return False
        t, y, step = stepper.t, stepper.y, stepper.t - stepper.t_old
        rates = np.empty_like(y)
        observer.rates(t, y, rates)
        touching = {body for pair in np.flatnonzero(observer.touching_last).tolist() for body in self._flying[pair]}
        change = (y - stepper.interpolate(t - _DIFFERENCE_SHARE * step)) / (_DIFFERENCE_SHARE * step)
        allowed = self._tolerances.rtol * np.abs(y) + self._tolerances.atol
        off = step * np.abs(rates - change) > STRAY_TOLERANCES * allowed
        return any(bool(off[first : first + 6].any()) for first in set(bodies) - touching)


def _free_bodies(setup: SystemSetup) -> list[list[int]]:
    """For every pair, where the speeds of its bodies begin in y that are free in space and carry no other."""
    joined = {joint.parent for joint in setup.joints}
    joined |= {body for loop in setup.system.loops.values() for body in (loop.body_a, loop.body_b)}
    free = {joint.child for joint in setup.joints if joint.kind is JointKind.FREE and not joint.motions} - joined
    found = []
    for contact in setup.contacts:
        numbers = [setup.number[body] for body in (contact.e, contact.f) if body in free]
        found.append([int(setup.tree.state_v[number]) for number in numbers])
    return found


def _rates_of_friction(setup: SystemSetup) -> NDArray[np.float64]:
    """Change of friction with slip, at rest, over the smaller mass for every pair and force, 1/(s N)."""
    rates = np.zeros(len(setup.contacts))
    for pair, contact in enumerate(setup.contacts):
        friction = contact.description.friction
        coefficient, velocity = (getattr(friction, name, None) for name in ("coefficient", "velocity"))
        moving = _moving_masses(setup, contact)
        if coefficient and velocity and moving:
            rates[pair] = 2.0 * coefficient / (velocity * min(moving))
    return rates


def _moving_masses(setup: SystemSetup, contact: Contact) -> list[float]:
    masses = (setup.system.bodies[body].mass for body in (contact.e, contact.f))
    return [mass for mass in masses if mass > 0.0]


def _rates_of_stiffness(setup: SystemSetup) -> NDArray[np.float64]:
    """Stiffness over the smaller mass for every pair and area, 1/(s² m²); 0 where the law has no stiffness."""
    rates = np.zeros(len(setup.contacts))
    for pair, contact in enumerate(setup.contacts):
        moving = _moving_masses(setup, contact)
        if contact.description.stiffness is not None and moving:
            rates[pair] = contact.description.stiffness / min(moving)
    return rates
