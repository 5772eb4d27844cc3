"""Contacts where an accepted step ends: has one begun or ended in it, and what do their laws remember from there on?

Both ask the observer's evaluation of the contacts there, so that the integrator's is not disturbed; what is remembered
is then handed to the integrator's. Where an evaluation needs Python (memory for a pair that has come near, or for more
elements) nothing is changed, and the answer tells so.
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import Interface, doubles_at, longs_at
from polycontact.kernels.contact.contact_header import as_header
from polycontact.kernels.contact.contact_report import OVERFLOW
from polycontact.kernels.contact.element_memory import (
    commit_at,
    forget_elements,
    hand_over_elements,
    remembered_at_most,
)
from polycontact.kernels.dynamics.evaluation_views import PairContacts, Status
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.right_hand_side import move, touch
from polycontact.kernels.dynamics.system_row import system_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.stepping.equations import Equations
from polycontact.kernels.views import View, cast_to, count, ints, number, reference

AT_STEP = Interface("long", ("long", "double", "long"))
"""at_step(step contacts, t, y): see `look_for_changes` and `commit_step`."""

call_at_step = AT_STEP.caller()


class StepContacts(View):
    """Which contacts are looked at where a step ends, and by whom."""

    place = count("address of this view")
    observer = reference(Equations)
    integrator = reference(Equations)
    changes = count("address of `look_for_changes`; 0 where compiled code does not look when contacts begin and end")
    commit = count("address of `commit_step`; 0 where no law remembers elements, or Python hands that over")
    n_watched = count("pairs whose contact is watched")
    n_remembering = count("pairs whose laws remember elements")
    touching = ints("n_watched", doc="1 for pairs that touched where the step before ended")
    remembering = ints("n_remembering", doc="numbers of those pairs, ascending")
    known_at = number("time of the state at which the observer's contacts are; not a number where that is unknown", "s")


contacts_of_step = cast_to(StepContacts)
"""``contacts_of_step(place)``: the `StepContacts` at an address."""


@kernel
def _find_contacts(looked: StepContacts, t: float, y: Array) -> bool:
    """Evaluate the contacts of the observer at t (s) and y, unless they are known; whether they could be."""
    if looked.known_at == t:
        return True
    row = longs_at(looked.observer.system, 1)
    looked.known_at = math.nan
    if move(row, t, y) != Status.WELL:
        return False
    touch(row)
    contacts = system_at(row).contacts
    for i in range(contacts.n_near):
        if contacts.status[contacts.near[i]] & OVERFLOW:
            return False
    looked.known_at = t
    return True


@entry_kernel((types.int64, types.float64, types.int64))
def look_for_changes(place: int, t: float, y: int) -> int:
    """1 where a contact has begun or ended in the step to t (s) and y, maybe in between only; or where Python must
    evaluate the contacts. Before the kinematics at t are asked for alone, which clear the areas.
    """
    looked = contacts_of_step(place)
    seen = looked.integrator
    if not _find_contacts(looked, t, doubles_at(y, looked.observer.n)):
        return 1
    contacts = system_at(looked.observer.system).contacts
    for pair in range(looked.n_watched):
        before = looked.touching[pair]
        brief = seen.parted[pair] if before == 1 else seen.touched[pair]
        if (contacts.area[pair] > 0.0) != (before == 1) or brief == 1:
            return 1
    return 0


@kernel
def _fits(observed: PairContacts, integrated: PairContacts, pair: int) -> bool:
    """Whether the memories of a pair, the observer's and the integrator's, have room for all to be remembered."""
    if integrated.pairing[pair] == 0:
        return False
    header, others = as_header(observed.pairing[pair]), as_header(integrated.pairing[pair]).laws
    normal = remembered_at_most(header.elements, header.laws.normal.memory)
    tangential = remembered_at_most(header.elements, header.laws.tangential.memory)
    return (
        min(header.laws.normal.memory.room, others.normal.memory.room) >= normal
        and min(header.laws.tangential.memory.room, others.tangential.memory.room) >= tangential
    )


@entry_kernel((types.int64, types.float64, types.int64))
def commit_step(place: int, t: float, y: int) -> int:
    """A step was accepted up to t (s) and y: what contact laws remember of elements changes, for observer and
    integrator; pairs that are not near forget. 1 where Python must do it, as there is no room.
    """
    looked = contacts_of_step(place)
    if not _find_contacts(looked, t, doubles_at(y, looked.observer.n)):
        return 1
    observed = system_at(looked.observer.system).contacts
    integrated = system_at(looked.integrator.system).contacts
    # Nothing is changed before all is known to fit. Near pairs and those that remember ascend: both are passed once.
    i = 0
    for k in range(looked.n_remembering):
        pair = looked.remembering[k]
        while i < observed.n_near and observed.near[i] < pair:
            i += 1
        if i < observed.n_near and observed.near[i] == pair and not _fits(observed, integrated, pair):
            return 1
    i = 0
    for k in range(looked.n_remembering):
        pair = looked.remembering[k]
        while i < observed.n_near and observed.near[i] < pair:
            i += 1
        if i < observed.n_near and observed.near[i] == pair:
            commit_at(observed.pairing[pair])
            hand_over_elements(observed.pairing[pair], integrated.pairing[pair])
        else:
            forget_elements(observed.pairing[pair])
            forget_elements(integrated.pairing[pair])
    observed.step_start = t
    integrated.step_start = t
    return 0
