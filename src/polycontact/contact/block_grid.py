"""The blocks of a defence surface (S3.2): how large they are, and their lists of patches, made once for a surface."""

from __future__ import annotations

import math
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.line_length import half_thickness
from polycontact.errors import ContactError
from polycontact.kernels.contact.evaluation_view import STACK_LENGTH
from polycontact.kernels.geometry.blocks import LONGEST_LIST, Blocks, fill_blocks, survey_blocks
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.surfaces.surface import Surface

MOST_BLOCKS = 2**21
"""Blocks of a surface at most: what is kept of each block alone takes 34 MB then."""
MOST_LISTED = 2**25
"""Patches in all lists at most: 400 MB."""
_MIN_DEFAULT_BLOCKS = 4096
"""Blocks that are made at least where nobody says how large they are: sixteen along each side of a cube."""
_MAX_BLOCKS_PER_PATCH = 16
"""Blocks a patch that are made at most where nobody says how large they are."""
_BLOCK_GROWTH = 1.5
"""By how much blocks grow whose lists take too much memory, where nobody says how large they are."""


class BlockGrid(NamedTuple):
    """What was made of a surface: ``block_size`` m; ``shape``: blocks along the axes; ``lists``: blocks with patches;
    ``patches``: in all lists together."""

    block_size: float
    shape: tuple[int, int, int]
    lists: int
    patches: int


_made: WeakKeyDictionary[SurfaceMesh, dict[tuple[float | None, float], Blocks]] = WeakKeyDictionary()
"""The blocks of surfaces, by the size that was asked for and the depth: pairings share them."""


def blocks_of(surface: Surface, block_size: float | None, depth: float, name: str) -> Blocks:
    """Blocks of a surface; ``block_size`` (m), or None; ``depth`` (m): how deep behind an open surface nodes touch.

    Errors begin with ``name``.
    """
    limit = math.inf if surface.is_closed else depth
    made = _made.setdefault(surface.contact_data.view, {})
    if (block_size, limit) not in made:
        made[block_size, limit] = _build(surface, block_size, limit, name)
    return made[block_size, limit]


def grid_of(blocks: Blocks) -> BlockGrid:
    """Size and number of the blocks, and how many patches their lists have."""
    lists = int(np.count_nonzero(np.diff(blocks.first)))
    return BlockGrid(blocks.size, (blocks.n_x, blocks.n_y, blocks.n_z), lists, blocks.n_listed)


def _build(surface: Surface, block_size: float | None, limit: float, name: str) -> Blocks:
    low, high = surface.bounds
    grow = 0.0 if math.isinf(limit) else limit
    low, high = low - grow, high + grow
    extents = np.maximum(high - low, np.finfo(float).tiny)
    size = _chosen_size(surface, extents) if block_size is None else float(block_size)
    blocks = Blocks()
    # Of a closed surface that is inside out the matter goes on beyond its box; that of an open one ends at the limit.
    blocks.is_all = int(not surface.is_closed or math.isfinite(half_thickness(surface)))
    blocks.limit = limit
    while True:
        shape = _shape(extents, size)
        if math.prod(shape) > MOST_BLOCKS:
            raise ContactError(
                _told_excess(
                    name, surface, size, 1.01 * _size_for(extents, MOST_BLOCKS), f"{math.prod(shape):.3g} blocks"
                )
            )
        _survey(surface, blocks, size, 0.5 * (low + high), shape)
        if blocks.n_listed <= MOST_LISTED:
            break
        if block_size is not None:
            raise ContactError(
                _told_excess(name, surface, size, _BLOCK_GROWTH * size, f"lists of {blocks.n_listed} patches")
            )
        size *= _BLOCK_GROWTH
    blocks.allocate("listed", "away")
    fill_blocks(surface.contact_data.view, blocks, *_work())
    return blocks


def _survey(
    surface: Surface, blocks: Blocks, size: float, middle: NDArray[np.float64], shape: tuple[float, float, float]
) -> None:
    """Lay out the grid and count what it lists."""
    blocks.n_x, blocks.n_y, blocks.n_z = (int(n) for n in shape)
    blocks.size = size
    blocks.half_diagonal = 0.5 * math.sqrt(3.0) * size
    blocks.corner[:] = middle - 0.5 * size * np.array(shape)
    n = blocks.n_x * blocks.n_y * blocks.n_z
    blocks.reserve(n_blocks=n, n_blocks_and_1=n + 1)
    survey_blocks(surface.contact_data.view, blocks, *_work())
    starts = np.cumsum(blocks.first, dtype=np.int64)
    blocks.n_listed = int(starts[-1])
    if blocks.n_listed <= MOST_LISTED:
        blocks.first[:] = starts


def _work() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    return np.zeros((STACK_LENGTH, 6), np.int32), np.zeros(LONGEST_LIST, np.int32), np.zeros(LONGEST_LIST)


def _shape(extents: NDArray[np.float64], size: float) -> tuple[float, float, float]:
    """Blocks along the axes, one more than needed where they fit exactly: rounding puts no point of the box beside."""
    with np.errstate(over="ignore"):
        x, y, z = (np.floor(extents / size) + 1.0).tolist()
    return x, y, z


def _chosen_size(surface: Surface, extents: NDArray[np.float64]) -> float:
    """About a mean edge of the patches, with neither very few blocks nor many more than patches."""
    wanted = surface.contact_data.mean_edge
    most = min(_MAX_BLOCKS_PER_PATCH * surface.n_triangles + _MIN_DEFAULT_BLOCKS, MOST_BLOCKS)
    return min(max(wanted, _size_for(extents, most)), _size_for(extents, _MIN_DEFAULT_BLOCKS))


def _size_for(extents: NDArray[np.float64], n: int) -> float:
    """The size at which there are about n blocks, no more, m (bisection of its logarithm)."""
    low, high = math.log(extents.max()) - math.log(n) - 1.0, math.log(extents.max()) + 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if math.prod(_shape(extents, math.exp(middle))) > n:
            low = middle
        else:
            high = middle
    return math.exp(high)


def _told_excess(name: str, surface: Surface, size: float, least: float, what: str) -> str:
    return (
        f"{name}: block_size is {size:g} m, which divides {surface.name} into {what}, more than memory should hold; "
        f"give at least {least:.3g} m, or leave it out"
    )
