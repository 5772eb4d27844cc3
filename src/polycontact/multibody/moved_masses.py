"""Which of the bodies of a contact can move, and what the lighter of them weighs down with."""

from __future__ import annotations

from collections.abc import Mapping

from polycontact.multibody.contact_pairs import Contact
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import WORLD


def moved_masses(system: MultibodySystem) -> dict[str, float]:
    """Masses (kg) of the bodies that have one and are not fixed to the world, by name."""
    carried = system.tree_joints()
    moves: dict[str, bool] = {WORLD: False}

    def can_move(name: str) -> bool:
        path = []
        while name not in moves and name in carried and not carried[name].variables.speeds:
            path.append(name)
            name = carried[name].parent
        found = moves.get(name, name in carried)
        moves.update(dict.fromkeys((*path, name), found))
        return found

    return {name: body.mass for name, body in system.bodies.items() if body.mass > 0.0 and can_move(name)}


def lighter_mass(system: MultibodySystem, contact: Contact, moved: Mapping[str, float] | None = None) -> float:
    """Mass (kg) of the lighter of the two bodies of a contact, of those that `moved_masses` gives; 0 of none."""
    masses = moved_masses(system) if moved is None else moved
    return min((masses[name] for name in (contact.e, contact.f) if name in masses), default=0.0)
