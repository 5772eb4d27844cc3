"""Blocks of states of a system: within one, any rate may depend on any state; others are felt only through links.

Problem: a pile of 100 bodies has 1,300 states, each of which changes the rates of a few bodies. In: which bodies move
together (Python, once), and which touch now. Out: links between blocks, colours, and an order of elimination.

    block     bodies that joints, loops or couplers connect; bodies that do not move belong to none
    link      two blocks whose bodies touch, or are joined by a force element
    colour    blocks of one colour are neither linked nor have a linked block in common: their states may be perturbed
              at once, and each change of a rate is due to one of them (Curtis, Powell and Reid 1974)
    order     of elimination: the block with the fewest links left goes first, and links those it leaves (minimum
              degree, Tinney and Walker 1967)
"""

from __future__ import annotations

from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.dynamics.setup_views import Pairs
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import View, cast_to, count, doubles, ints, longs, number


class Blocks(View):
    """df/dy of a system by blocks, and I - γ df/dy, factorised. Rows and columns stand in the order of ``states``."""

    n = count("states of the system")
    data_of_vector = count("address of the C function that finds the numbers of a vector")
    n_columns = count("states of all blocks; the others influence no rates")
    n_rest = count("states of none, the last ones: the ledger")
    n_blocks = count("blocks")
    n_ends = count("blocks and one more")
    n_speeds = count("speeds of all blocks")
    n_shapes = count("shapes")
    n_joined = count("pairs of blocks that force elements join")
    first = longs("n_ends", doc="where the states of a block begin in ``states``")
    first_speed = longs("n_ends", doc="where its speeds begin among all speeds")
    states = longs("n_columns", doc="number of each state in y, block by block: coordinates, then speeds")
    block_of_shape = longs("n_shapes", doc="-1: it does not move")
    joined = longs("n_joined", 2, doc="those pairs")
    linked = ints("n_blocks", "n_blocks", doc="1 where two blocks are linked, and for each with itself")
    filled = ints("n_blocks", "n_blocks", doc="the same with links that elimination makes")
    colour = longs("n_blocks", doc="colour of a block")
    n_colours = count("colours")
    order = longs("n_blocks", doc="blocks in the order of their elimination")
    later = longs("n_blocks", doc="work space: blocks that are eliminated later")
    taken = longs("n_ends", doc="work space: marks of colours")
    gamma = number("γ of the matrix I - γ df/dy", "s")
    scale = number("by which a solution is divided: cj of IDA, 1 of CVODE")
    jacobian = doubles("n_columns", "n_columns", doc="df/dy in linked blocks; of rates of speeds, and within blocks")
    rest = doubles("n_rest", "n_columns", doc="of rates of the ledger")
    own = doubles(
        "n_columns", "n_columns", doc="within blocks: rows of coordinates, factorised, and of speeds over them"
    )
    reduced = doubles("n_speeds", "n_speeds", doc="the matrix of the speeds alone, factorised")
    pivots = longs("n_columns", doc="which row was exchanged with each, of coordinates")
    speed_pivots = longs("n_speeds", doc="which row was exchanged with each, of speeds")
    solution = doubles("n_columns", doc="work space: of all states")
    solved = doubles("n_speeds", doc="work space: of the speeds")


blocks_at = cast_to(Blocks)
"""``blocks_at(place)``: the `Blocks` at an address."""


@kernel
def _link(blocks: Blocks, a: int, b: int) -> None:
    """Link two blocks, if both are some."""
    if a >= 0 and b >= 0:
        blocks.linked[a, b] = 1
        blocks.linked[b, a] = 1


@kernel
def find_links(blocks: Blocks, pairs: Pairs, contacts: PairContacts) -> None:
    """Links of the pairs that touch and of force elements."""
    for a in range(blocks.n_blocks):
        for b in range(blocks.n_blocks):
            blocks.linked[a, b] = 0
        blocks.linked[a, a] = 1
    for k in range(blocks.n_joined):
        _link(blocks, blocks.joined[k, 0], blocks.joined[k, 1])
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        if contacts.area[pair] > 0.0:
            _link(blocks, blocks.block_of_shape[pairs.shape_e[pair]], blocks.block_of_shape[pairs.shape_f[pair]])


@kernel
def find_colours(blocks: Blocks) -> None:
    """The first colour that no block has which is linked, or linked to a linked one."""
    n, linked, colour = blocks.n_blocks, blocks.linked, blocks.colour
    blocks.n_colours = 0
    for a in range(n):
        blocks.taken[a] = -1
    for a in range(n):
        for b in range(n):
            if linked[a, b] == 0:
                continue
            for c in range(a):
                if linked[b, c] == 1:
                    blocks.taken[colour[c]] = a
        k = 0
        while blocks.taken[k] == a:
            k += 1
        colour[a] = k
        blocks.n_colours = max(blocks.n_colours, k + 1)


@kernel
def find_order(blocks: Blocks) -> None:
    """Blocks by the fewest links left, with the links that their elimination makes; equal ones by their numbers."""
    n, filled = blocks.n_blocks, blocks.filled
    for a in range(n):
        for b in range(n):
            filled[a, b] = blocks.linked[a, b]
        blocks.taken[a] = 0
    for step in range(n):
        best, fewest = -1, n + 1
        for a in range(n):
            if blocks.taken[a] == 1:
                continue
            degree = 0
            for b in range(n):
                degree += filled[a, b] * (1 - blocks.taken[b])
            if degree < fewest:
                best, fewest = a, degree
        # It goes; those that are left and linked to it are linked to each other from now on.
        blocks.order[step] = best
        blocks.taken[best] = 1
        n_later = 0
        for b in range(n):
            if filled[best, b] == 1 and blocks.taken[b] == 0:
                blocks.later[n_later] = b
                n_later += 1
        for i in range(n_later):
            for j in range(n_later):
                filled[blocks.later[i], blocks.later[j]] = 1
