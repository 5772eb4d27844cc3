r"""A uniform grid of blocks over the box of a surface, each with a list of patches (triangles): S3.2 and S3.5.

Problem: the triangle nearest to a point, asked for many points of a body that moves, near a surface that does not.
In: a surface. Out: for each block a list of the triangles that can be nearest to a point in it, or none:

    +---+---+---+       A block lists its triangles in ascending distance from its centre, which the nearest one is d
    | o |   |   |       away from. A point of the block is at most h (half the diagonal) from the centre, so the nearest
    +---+-_-+---+       triangle of it is at most d + 2h from the centre: no other is listed. The list of a block
    |  _|/ \|_  |       suffices also where no triangle passes through the block.
    +-/-+---+-\-+

    (1) no point of the block can touch the surface                -> no list, near = −1
    (2) it is deep inside, where very many are almost equally near -> no list; a search of the tree takes its place
    (3) the list would be too long                                 -> the same
    (4) else                                                       -> a list

Blocks are surveyed row by row. The clearance of a centre changes by no more than the way to the next one, so that most
blocks far outside or far inside are known without a search.
"""

from __future__ import annotations

import math

from polycontact.kernels.geometry.nearest import foot_on, near_at, plane_square, search_nearest, signed_offset
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.tree import box_square, push_children, push_root
from polycontact.kernels.geometry.vectors import Vector, norm, triangle
from polycontact.kernels.jit import inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints, View, count, doubles, inline, ints, number
from polycontact.tolerances import BOX_ROUNDING, DEEP_BLOCK

LONGEST_LIST = 96
"""Triangles that a block lists at most."""


class Blocks(View):
    """The blocks of a surface, in its own frame; block (i, j, k) has the number (i·n_y + j)·n_z + k."""

    n_x = count("blocks along x")
    n_y = count("blocks along y")
    n_z = count("blocks along z")
    n_blocks = count("blocks")
    n_blocks_and_1 = count("the same and one more")
    n_listed = count("triangles in all lists")
    is_all = count("1: nothing beyond the blocks touches the surface")
    size = number("side of a block", "m")
    half_diagonal = number("from the centre of a block to its corners", "m")
    limit = number("how far from an open surface points behind it touch; infinite for a closed one", "m")
    corner = inline(3, unit="m", doc="lowest corner of the grid")
    first = ints("n_blocks_and_1", doc="where the list of each block begins")
    near = ints(
        "n_blocks",
        doc="triangle nearest to the centre, of blocks without a list one near it; -1: no point of the block touches",
    )
    clearance = doubles("n_blocks", unit="m", doc="how far at least the centre is from all points that touch")
    listed = ints("n_listed", doc="triangles, by block and then by distance from its centre")
    away = doubles("n_listed", unit="m", doc="that distance")


@inline_kernel
def block_at(blocks: Blocks, p: Vector) -> tuple[int, float]:
    """Number of the block in which p lies, -1 beyond the grid, and how far p is from its centre, m."""
    corner = blocks.corner
    size = blocks.size
    scaled = 1.0 / size
    x = (p[0] - corner[0]) * scaled
    y = (p[1] - corner[1]) * scaled
    z = (p[2] - corner[2]) * scaled
    if not (0.0 <= x < blocks.n_x and 0.0 <= y < blocks.n_y and 0.0 <= z < blocks.n_z):
        return -1, 0.0
    i = int(x)
    j = int(y)
    k = int(z)
    return (i * blocks.n_y + j) * blocks.n_z + k, size * norm((x - i - 0.5, y - j - 0.5, z - k - 0.5))


@inline_kernel
def centre_of(blocks: Blocks, b: int) -> Vector:
    """Centre of block b, which is numbered along z, then y, then x, m."""
    corner = blocks.corner
    k = b % blocks.n_z
    j = (b // blocks.n_z) % blocks.n_y
    i = b // (blocks.n_z * blocks.n_y)
    return (
        corner[0] + (i + 0.5) * blocks.size,
        corner[1] + (j + 0.5) * blocks.size,
        corner[2] + (k + 0.5) * blocks.size,
    )


@kernel
def _list_within(mesh: SurfaceMesh, p: Vector, reach: float, stack: Ints, found: Ints, away: Doubles) -> int:
    """Triangles within ``reach`` (m) of p, ascending; how many, one more than fit where they are too many.

    ``found``, ``away`` (m): the triangles and their distances, kept in order by insertion; equals by their number.
    """
    boxes = mesh.boxes
    corners = mesh.corners
    square = reach * reach
    n = 0
    depth = push_root(stack, mesh.n_triangles)
    while depth > 0:
        depth -= 1
        node = stack[depth, 0]
        leaf = stack[depth, 1]
        members = stack[depth, 2]
        if box_square(boxes, node, p) > square:
            continue
        if members > 1:
            depth = push_children(stack, depth, node, leaf, members)
            continue
        at = foot_on(triangle(corners, leaf), p).square
        if at > square:
            continue
        if n == len(found):
            return n + 1
        # Move up what is farther, or equal with a higher number.
        at = math.sqrt(at)
        k = n
        while k > 0 and (away[k - 1] > at or (away[k - 1] == at and found[k - 1] > leaf)):
            away[k] = away[k - 1]
            found[k] = found[k - 1]
            k -= 1
        away[k] = at
        found[k] = leaf
        n += 1
    return n


@kernel
def survey_blocks(mesh: SurfaceMesh, blocks: Blocks, stack: Ints, found: Ints, away: Doubles) -> None:
    """A near triangle, clearance and length of the list (in ``first[b + 1]``) of every block.

    Blocks far outside, and those far inside, which have no list, are mostly known from the block before.
    ``found``, ``away`` (LONGEST_LIST): work space.
    """
    guess = 0
    free = blocks.half_diagonal * (1.0 + BOX_ROUNDING)
    deep = DEEP_BLOCK * blocks.size if mesh.closed and mesh.n_triangles > len(found) else math.inf
    low = 0.0
    high = 0.0
    for b in range(blocks.n_blocks):
        low -= blocks.size  # the clearance changes by no more than the way from centre to centre
        high += blocks.size
        blocks.first[b + 1] = 0
        is_known = b % blocks.n_z > 0 and (low > free or high < -deep)
        if not is_known:
            centre = centre_of(blocks, b)
            near = search_nearest(mesh, centre, near_at(mesh, centre, guess), stack)
            guess = near.triangle
            distance = math.sqrt(near.foot.square)
            low = -signed_offset(mesh, centre, near).depth if mesh.closed else distance - blocks.limit
            high = low
            if -deep <= low <= free:  # (4), unless (3)
                n = _list_within(mesh, centre, _reach(blocks, distance), stack, found, away)
                if n <= len(found):
                    blocks.first[b + 1] = n
        # (1), (2)
        blocks.clearance[b] = low
        blocks.near[b] = -1 if low > free else guess


@inline_kernel
def _reach(blocks: Blocks, distance: float) -> float:
    """How far a triangle that is nearest to a point of a block can be from its centre, ``distance`` being the least.

    A point at most h from the centre is at most distance + h from the surface.
    """
    return (distance + 2.0 * blocks.half_diagonal) * (1.0 + BOX_ROUNDING)


@kernel
def fill_blocks(mesh: SurfaceMesh, blocks: Blocks, stack: Ints, found: Ints, away: Doubles) -> None:
    """Write the lists of all blocks, once ``first`` says where they begin."""
    for b in range(blocks.n_blocks):
        start = blocks.first[b]
        n = blocks.first[b + 1] - start
        if n == 0:
            continue
        centre = centre_of(blocks, b)
        distance = math.sqrt(foot_on(triangle(mesh.corners, blocks.near[b]), centre).square)
        _list_within(mesh, centre, _reach(blocks, distance), stack, found, away)
        for k in range(n):
            blocks.listed[start + k] = found[k]
            blocks.away[start + k] = away[k]


@inline_kernel
def nearest_in_block(mesh: SurfaceMesh, blocks: Blocks, b: int, beside: float, p: Vector) -> tuple[int, int]:
    """The triangle nearest to point p of block b, which has a list, the lowest of equals; how many were looked at.

    ``beside`` (m): how far p is from the centre of the block.
    """
    corners = mesh.corners
    listed = blocks.listed
    away = blocks.away
    first = blocks.first[b]
    best = listed[first]
    least = foot_on(triangle(corners, best), p).square
    looked_at = 1
    for k in range(first + 1, blocks.first[b + 1]):
        # What is listed from here on is farther from the centre by so much that it cannot be nearer to p.
        bound = max(away[k] - beside * (1.0 + BOX_ROUNDING), 0.0)
        if bound * bound > least * (1.0 + BOX_ROUNDING):
            break
        s = listed[k]
        looked_at += 1
        if plane_square(mesh, s, p) > least * (1.0 + BOX_ROUNDING):
            continue
        square = foot_on(triangle(corners, s), p).square
        if square < least or (square == least and s < best):
            best = s
            least = square
    return int(best), looked_at
