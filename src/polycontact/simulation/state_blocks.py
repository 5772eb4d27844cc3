"""Which states of a system form blocks, see `kernels/stepping/linked_blocks.py`."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.kernels.dynamics.setup_views import Loops, Tree
from polycontact.kernels.stepping.linked_blocks import Blocks


def lay_out_blocks(blocks: Blocks, system: SystemView) -> None:
    """Write the states of each block, and which blocks force elements join."""
    tree = system.tree
    block_of_body = _blocks_of_bodies(tree, system.loops)
    n_blocks = int(block_of_body.max()) + 1
    coordinates: list[list[int]] = [[] for _ in range(n_blocks)]
    speeds: list[list[int]] = [[] for _ in range(n_blocks)]
    for b in range(1, tree.n_bodies):
        if tree.motion[b] < 0 and tree.count_v[b] > 0:
            coordinates[block_of_body[b]] += range(tree.state_q[b], tree.state_q[b] + tree.count_q[b])
            speeds[block_of_body[b]] += range(tree.state_v[b], tree.state_v[b] + tree.count_v[b])
    joined = _joined(system, block_of_body)
    blocks.n = tree.n_states
    blocks.n_rest = tree.n_states - tree.ledger
    blocks.reserve(
        n_columns=tree.ledger,
        n_rest=tree.n_states - tree.ledger,
        n_blocks=n_blocks,
        n_ends=n_blocks + 1,
        n_speeds=sum(map(len, speeds)),
        n_shapes=system.shapes.n_shapes,
        n_joined=len(joined),
    )
    blocks.states[:] = list(chain.from_iterable(q + v for q, v in zip(coordinates, speeds, strict=True)))
    blocks.first[1:] = np.cumsum([len(q) + len(v) for q, v in zip(coordinates, speeds, strict=True)])
    blocks.first_speed[1:] = np.cumsum([len(v) for v in speeds])
    blocks.block_of_shape[:] = block_of_body[system.shapes.body]
    if joined:
        blocks.joined[:] = joined
    blocks.scale = 1.0


def _blocks_of_bodies(tree: Tree, loops: Loops) -> NDArray[np.int64]:
    """Number of the block of each body, -1 of those that move by themselves or not at all."""
    root = np.full(tree.n_bodies, -1)
    for b in range(1, tree.n_bodies):
        moves_freely = tree.motion[b] < 0 and tree.count_v[b] > 0
        root[b] = root[tree.parent[b]] if root[tree.parent[b]] >= 0 else b if moves_freely else -1
    of_speed = np.full(tree.n_speeds, -1)
    for b in range(1, tree.n_bodies):
        of_speed[tree.first_v[b] : tree.first_v[b] + tree.count_v[b]] = root[b]
    for k in range(loops.n):
        terms = loops.speed[loops.first_term[k] : loops.first_term[k] + loops.term_count[k]]
        bodies = of_speed[terms] if len(terms) else root[[loops.body_a[k], loops.body_b[k]]]
        moved = sorted({int(body) for body in bodies if body >= 0})
        for other in moved[1:]:
            root[root == other] = moved[0]
            of_speed[of_speed == other] = moved[0]
    numbers = {int(body): number for number, body in enumerate(sorted(set(root[root >= 0].tolist())))}
    return np.array([numbers.get(int(body), -1) for body in root])


def _joined(system: SystemView, block_of_body: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Pairs of blocks that springs and bushings join."""
    pairs = set()
    for elements in (system.elements.springs, system.elements.bushings):
        for a, b in zip(elements.body_a, elements.body_b, strict=True):
            pair = sorted((int(block_of_body[a]), int(block_of_body[b])))
            if 0 <= pair[0] < pair[1]:
                pairs.add((pair[0], pair[1]))
    return sorted(pairs)
