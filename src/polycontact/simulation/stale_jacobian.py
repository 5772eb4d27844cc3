"""Stiffness, friction and flying bodies of a system, for `kernels/stepping/fading_contacts.py`.

That tells contacts which end while the integrator still believes in their stiffness or friction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.stepping.fading_contacts import FadingContacts
from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.system_setup import SystemSetup
from polycontact.simulation.integrators.integrator_settings import IntegratorSettings


def describe_fading(fading: FadingContacts, setup: SystemSetup, tolerances: IntegratorSettings) -> None:
    """Write how stiff the contacts of a system are, and which bodies fly, for an integrator that keeps a Jacobian."""
    fading.reserve(n_pairs=len(setup.contacts), n=setup.tree.n_states)
    fading.relative, fading.absolute[:] = tolerances.rtol, tolerances.atol
    fading.stiffness_rate[:] = _rates_of_stiffness(setup)
    fading.friction_rate[:] = _rates_of_friction(setup)
    fading.flying[:] = -1
    for pair, places in enumerate(_free_bodies(setup)):
        fading.flying[pair, : len(places)] = places


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
