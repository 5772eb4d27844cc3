"""Shapes that take part in contacts, and the pairs of them that may touch, as the kernels see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from polycontact.kernels.dynamics.setup_views import Pairs, Shapes
from polycontact.multibody.contact_pairs import Contact

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem

_BOX_PAD = 1e-9
"""Boxes of shapes are larger by this share of their reach, far above rounding."""

ShapeNumbers = Mapping[tuple[str, int], int]
"""Number in the kernels of every shape in contact, by its body's name and its number on the body."""


def shapes_in_contact(system: MultibodySystem) -> ShapeNumbers:
    """Every shape that takes part in a contact, counted in the order of the bodies."""
    used = {(c.e, c.shape_e) for c in system.contacts.values()}
    used |= {(c.f, c.shape_f) for c in system.contacts.values()}
    order = {name: i for i, name in enumerate(system.bodies)}
    return {key: i for i, key in enumerate(sorted(used, key=lambda key: (order[key[0]], key[1])))}


def _shapes_of(contact: Contact, number: ShapeNumbers) -> tuple[int, int]:
    return number[contact.e, contact.shape_e], number[contact.f, contact.shape_f]


def _key(contact: Contact, number: ShapeNumbers) -> int:
    i, j = _shapes_of(contact, number)
    return min(i, j) * len(number) + max(i, j)


def ordered_contacts(system: MultibodySystem, number: ShapeNumbers) -> list[Contact]:
    """The contacts by ascending key."""
    return sorted(system.contacts.values(), key=lambda contact: _key(contact, number))


def lay_out_shapes(system: MultibodySystem, number: ShapeNumbers, bodies: Mapping[str, int]) -> Shapes:
    """Where the shapes sit on their bodies (by number), and their boxes."""
    view = Shapes()
    view.reserve(n_shapes=len(number))
    for (body, k), i in number.items():
        shape = system.bodies[body].shapes[k]
        R, r = shape.placement()
        low, high = shape.surface.bounds
        reach = float(np.abs(shape.surface.bounds).max())
        view.body[i] = bodies[body]
        view.rotation[i], view.position[i] = R.ravel(), r
        view.box_centre[i], view.box_half[i] = (low + high) / 2, (high - low) / 2 + _BOX_PAD * reach
        view.thickness[i] = shape.surface.thickness
    margins = np.zeros(len(number))  # penetration lines look beyond the surfaces
    for contact in system.contacts.values():
        for i in _shapes_of(contact, number):
            margins[i] = max(margins[i], contact.margin(system.bodies))
    view.box_half[:] += margins[:, None]
    return view


def lay_out_pairs(contacts: list[Contact], number: ShapeNumbers, first_state: int) -> Pairs:
    """The pairs in the order of the contacts; ``first_state``: where the states of contacts begin in y."""
    view = Pairs()
    view.reserve(n_pairs=len(contacts), n_shapes=len(number))
    for i, contact in enumerate(contacts):
        view.shape_e[i], view.shape_f[i] = _shapes_of(contact, number)
        view.key[i] = _key(contact, number)
        view.state_count[i] = contact.description.n_states
    view.n_states = int(view.state_count.sum())
    view.n_remembering = sum(any(contact.description.memory_widths) for contact in contacts)
    view.first_state[:] = first_state + np.cumsum(view.state_count) - view.state_count
    return view
