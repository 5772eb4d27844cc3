"""df/dy of a system by blocks: states of blocks that do not meet are perturbed at once.

In: slopes of the contacts at a state. Out: the Jacobian in `Blocks`. A difference of the dynamics serves all blocks of
a colour: which of them has changed a rate is known from the links.

    (1) perturb the k-th state of every block of a colour
    (2) rates beside the state, without a contact evaluated (`contact_slopes`)
    (3) rates of each of these blocks and of those linked to it: a column of the Jacobian
    (4) powers of the contacts: each feels one of these blocks at most. Powers of force elements are a sum over all of
        them; they are left out where a colour has several blocks, which costs the ledger an iteration and nothing else
"""

from __future__ import annotations

import math

from numba import types

from polycontact.kernels.addresses import doubles_at
from polycontact.kernels.dynamics.contact_slopes import ContactSlopes, power_of
from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.dynamics.matrices import Array
from polycontact.kernels.dynamics.setup_views import Pairs
from polycontact.kernels.dynamics.system_row import system_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.stepping.difference_jacobian import Differences, increment_of
from polycontact.kernels.stepping.equations import Answer, find_rates
from polycontact.kernels.stepping.linked_blocks import Blocks, find_colours, find_links, find_order
from polycontact.kernels.stepping.system_jacobian import find_slopes_at, jacobian_at

CONTACT_POWERS = 3
"""Rows of the ledger that are powers of contacts, the first ones: work, damping, friction."""


@kernel
def _add_powers(
    blocks: Blocks, pairs: Pairs, contacts: PairContacts, slopes: ContactSlopes, colour: int, k: int, inverse: Array
) -> None:
    """Changes of the powers of contacts with the k-th states of the blocks of a colour: (4)."""
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        if contacts.area[pair] == 0.0:
            continue
        e, f = blocks.block_of_shape[pairs.shape_e[pair]], blocks.block_of_shape[pairs.shape_f[pair]]
        b = e if e >= 0 and blocks.colour[e] == colour else f
        if b < 0 or blocks.colour[b] != colour or blocks.first[b] + k >= blocks.first[b + 1]:
            continue
        j = blocks.first[b] + k
        found = slopes.found[i]
        by = inverse[blocks.states[j]]
        work = power_of(contacts.wrench[pair], contacts.kinematics[pair]) - power_of(found, slopes.kinematics[i])
        blocks.rest[0, j] += by * work
        blocks.rest[1, j] += by * (contacts.damping_power[pair] - found[6])
        blocks.rest[2, j] += by * (contacts.friction_power[pair] - found[7])


@kernel
def _write_columns(blocks: Blocks, colour: int, k: int, inverse: Array, changed: Array, rates: Array) -> int:
    """Columns of the k-th states of the blocks of a colour: (3). How many blocks have that colour."""
    n = 0
    for b in range(blocks.n_blocks):
        if blocks.colour[b] != colour:
            continue
        n += 1
        j = blocks.first[b] + k
        if j >= blocks.first[b + 1]:
            continue
        by = inverse[blocks.states[j]]
        for a in range(blocks.n_blocks):
            if blocks.linked[a, b] == 1:
                for i in range(blocks.first[a], blocks.first[a + 1]):
                    state = blocks.states[i]
                    blocks.jacobian[i, j] = by * (changed[state] - rates[state])
    return n


@kernel
def _write_blocks(
    blocks: Blocks,
    pairs: Pairs,
    contacts: PairContacts,
    slopes: ContactSlopes,
    differences: Differences,
    t: float,
    y: Array,
    rates: Array,
) -> int:
    """The Jacobian at t (s) and y, where f is ``rates``; an `Answer`."""
    step = t - differences.from_time
    perturbed, changed, inverse = differences.perturbed, differences.changed, differences.increment
    perturbed[:] = y
    most = 0
    for b in range(blocks.n_blocks):
        most = max(most, blocks.first[b + 1] - blocks.first[b])
    blocks.rest[:, :] = 0.0
    for colour in range(blocks.n_colours):
        for k in range(most):
            is_perturbed = False
            for b in range(blocks.n_blocks):  # (1)
                if blocks.colour[b] == colour and blocks.first[b] + k < blocks.first[b + 1]:
                    j = blocks.states[blocks.first[b] + k]
                    increment = increment_of(y[j], step * rates[j], differences.typical[j])
                    inverse[j] = 1.0 / increment
                    perturbed[j] = y[j] + increment
                    is_perturbed = True
            if not is_perturbed:
                continue
            answer = find_rates(differences.equations, t, perturbed, changed)  # (2)
            if answer != Answer.WELL:
                return answer
            n = _write_columns(blocks, colour, k, inverse, changed, rates)
            _add_powers(blocks, pairs, contacts, slopes, colour, k, inverse)
            for b in range(blocks.n_blocks):
                if blocks.colour[b] == colour and blocks.first[b] + k < blocks.first[b + 1]:
                    j = blocks.states[blocks.first[b] + k]
                    perturbed[j] = y[j]
                    if n == 1:
                        for i in range(CONTACT_POWERS, blocks.n_rest):
                            at = blocks.n_columns + i
                            blocks.rest[i, blocks.first[b] + k] = inverse[j] * (changed[at] - rates[at])
    return Answer.WELL.value


@entry_kernel((types.int64, types.float64, types.int64, types.int64, types.int64))
def block_jacobian(place: int, t: float, y: int, rates: int, out: int) -> int:
    """df/dy into the `Blocks` of the `SystemJacobian` at an address; a `JACOBIAN` that writes nothing to ``out``."""
    jacobian = jacobian_at(place)
    differences, slopes, blocks = jacobian.differences, jacobian.slopes, jacobian.blocks
    n = differences.n
    state, derivative = doubles_at(y, n), doubles_at(rates, n)
    if math.isnan(derivative[0]):  # the attempt fails anyway
        return Answer.NOT_FINITE.value
    answer = find_slopes_at(jacobian.equations, slopes, t, state)
    if answer != Answer.WELL:
        return answer
    s = system_at(slopes.system)
    find_links(blocks, s.pairs, s.contacts)
    find_colours(blocks)
    find_order(blocks)
    jacobian.equations.evaluations += slopes.calls
    differences.evaluations += slopes.calls
    return _write_blocks(blocks, s.pairs, s.contacts, slopes, differences, t, state, derivative)
