"""What hitting nodes cost: with blocks in the contact frame, in absolute coordinates, and beside trees (S3.7, S3.10).

    python tools/node_block.py [--rounds 40] [--meshes 3 4 5 6]

A ball of growing fineness against a torus of growing fineness, in poses that follow each other,
in unrelated ones, and without contact in the hole of the torus, where boxes of the bodies overlap.
All ways take turns in one run, in changing order, each pose once; a figure is the median of its rounds. "absolute" is
what is done where nothing is kept relative to the defence body: its vertices are moved to the world, its patches are
put into the blocks that their boxes touch, and nodes are looked for there. It finds nodes whose own block has a patch,
and no others: of fine meshes it loses the deep ones. "… divided" is the first part of it alone, without any search:
what the contact frame saves.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import polycontact as pc
from polycontact.kernels.geometry.nearest import foot_on
from polycontact.kernels.geometry.vectors import cross, norm
from polycontact.kernels.jit import kernel

Array = NDArray[np.float64]
LAW = pc.LayerLaw(stiffness=1e7)
RADIUS, RING, TUBE = 0.05, 0.1, 0.04
_WORLD = np.eye(3)
"""Frame of the ball in the world."""


class Pose(NamedTuple):
    """Rotation and position (m) of the torus in the frame of the ball."""

    R: Array
    r: Array


def poses(n: int, family: str) -> list[Pose]:
    """Poses about 3 mm deep, "following" each other by a tenth of a millimetre or "unrelated", or in the "hole"."""
    rng = np.random.default_rng(1)
    found = []
    for k in range(n):
        angle = 1e-3 * k if family == "following" else rng.uniform(0.0, 2.0 * math.pi)
        out = np.array([math.cos(angle), math.sin(angle), 0.0])
        tilt = 0.3 if family == "following" else rng.uniform(-1.0, 1.0)
        if family == "hole":
            found.append(Pose(np.eye(3), 0.5 * (RING - TUBE - RADIUS) * out))
            continue
        direction = math.cos(tilt) * out + math.sin(tilt) * np.array([0.0, 0.0, 1.0])
        found.append(Pose(np.eye(3), -(RING * out + (TUBE + RADIUS - 0.003) * direction)))
    return found


@kernel
def _move_patches(
    vertices: Array, triangles: NDArray[np.int32], R: Array, r: Array, corners: Array, normals: Array, box: Array
) -> None:
    """Corners (n, 9), unit normals and the ``box`` (lower, upper) of a surface in absolute coordinates."""
    box[0] = np.inf
    box[1] = -np.inf
    for t in range(len(triangles)):
        for k in range(3):
            x = vertices[triangles[t, k]]
            for a in range(3):
                moved = R[a, 0] * x[0] + R[a, 1] * x[1] + R[a, 2] * x[2] + r[a]
                corners[t, 3 * k + a] = moved
                box[0, a] = min(box[0, a], moved)
                box[1, a] = max(box[1, a], moved)
        c = corners[t]
        n = cross((c[3] - c[0], c[4] - c[1], c[5] - c[2]), (c[6] - c[0], c[7] - c[1], c[8] - c[2]))
        length = norm(n)
        for a in range(3):
            normals[t, a] = n[a] / length


@kernel
def _block_along(x: float, low: float, size: float, n: int) -> int:
    return min(max(int((x - low) / size), 0), n - 1)


@kernel
def _bin_patches(
    corners: Array,
    low: Array,
    size: float,
    shape: NDArray[np.int64],
    first: NDArray[np.int64],
    listed: NDArray[np.int64],
) -> int:
    """Put triangles (n, 9) into the blocks that their boxes touch; how many entries that makes."""
    n_blocks = shape[0] * shape[1] * shape[2]
    first[: n_blocks + 1] = 0
    for turn in range(2):
        for t in range(len(corners)):
            c = corners[t]
            i0 = _block_along(min(c[0], min(c[3], c[6])), low[0], size, shape[0])
            i1 = _block_along(max(c[0], max(c[3], c[6])), low[0], size, shape[0])
            j0 = _block_along(min(c[1], min(c[4], c[7])), low[1], size, shape[1])
            j1 = _block_along(max(c[1], max(c[4], c[7])), low[1], size, shape[1])
            k0 = _block_along(min(c[2], min(c[5], c[8])), low[2], size, shape[2])
            k1 = _block_along(max(c[2], max(c[5], c[8])), low[2], size, shape[2])
            for i in range(i0, i1 + 1):
                for j in range(j0, j1 + 1):
                    for k in range(k0, k1 + 1):
                        b = (i * shape[1] + j) * shape[2] + k
                        if turn == 0:
                            first[b + 1] += 1
                        else:
                            first[b] -= 1
                            listed[first[b]] = t
        if turn == 0:
            for b in range(n_blocks):
                first[b + 1] += first[b]
            if first[n_blocks] > len(listed):
                break
            for b in range(n_blocks):  # filled from behind, so that each list ends where it should begin
                first[b] = first[b + 1]
    return int(first[n_blocks])


@kernel
def _hit_in_blocks(
    nodes: Array,
    areas: Array,
    corners: Array,
    normals: Array,
    low: Array,
    size: float,
    shape: NDArray[np.int64],
    first: NDArray[np.int64],
    listed: NDArray[np.int64],
    force: Array,
) -> int:
    """Sum of area times depth along the normals of the nearest patch in the block of each node; nodes that hit."""
    hits = 0
    force[:] = 0.0
    for i in range(len(nodes)):
        p = (nodes[i, 0], nodes[i, 1], nodes[i, 2])
        x, y, z = (p[0] - low[0]) / size, (p[1] - low[1]) / size, (p[2] - low[2]) / size
        if not (0.0 <= x < shape[0] and 0.0 <= y < shape[1] and 0.0 <= z < shape[2]):
            continue
        b = (int(x) * shape[1] + int(y)) * shape[2] + int(z)
        least = np.inf
        best = -1
        for k in range(first[b], first[b + 1]):
            t = listed[k]
            c = corners[t]
            square = foot_on(((c[0], c[1], c[2]), (c[3], c[4], c[5]), (c[6], c[7], c[8])), p).square
            if square < least:
                least = square
                best = t
        if best < 0:
            continue
        n = normals[best]
        height = n[0] * (p[0] - corners[best, 0]) + n[1] * (p[1] - corners[best, 1]) + n[2] * (p[2] - corners[best, 2])
        if height < 0.0:
            hits += 1
            for a in range(3):
                force[a] -= areas[i] * height * n[a]
    return hits


class Absolute:
    """Hitting nodes with everything in absolute coordinates: the defence surface is moved and divided every time."""

    def __init__(self, ball: pc.Surface, torus: pc.Surface, block_size: float) -> None:
        self.ball, self.torus, self.size = ball, torus, block_size
        thirds = np.repeat(ball.areas / 3.0, 3)
        self.areas: Array = np.bincount(ball.triangles.ravel(), thirds, len(ball.vertices)).astype(np.float64)
        self.listed, self.first = np.zeros(64, np.int64), np.zeros(64, np.int64)
        self.corners, self.normals = np.empty((torus.n_triangles, 9)), np.empty((torus.n_triangles, 3))
        self.box = np.empty((2, 3))

    def divide(self, pose: Pose) -> tuple[Array, NDArray[np.int64]]:
        """Move the defence surface and put its patches into blocks: lowest corner and shape of the grid."""
        corners, size, (low, high) = self.corners, self.size, self.box
        _move_patches(self.torus.vertices, self.torus.triangles, *pose, corners, self.normals, self.box)
        shape = (np.floor((high - low) / size) + 1.0).astype(np.int64)
        if shape.prod() + 1 > len(self.first):
            self.first = np.zeros(2 * int(shape.prod()) + 1, np.int64)
        needed = _bin_patches(corners, low, size, shape, self.first, self.listed)
        if needed > len(self.listed):
            self.listed = np.zeros(2 * needed, np.int64)
            _bin_patches(corners, low, size, shape, self.first, self.listed)
        return low, shape

    def only_divide(self, pose: Pose) -> Array:
        """What the contact frame saves: no search and no force."""
        self.divide(pose)
        return np.zeros(3)

    def force(self, pose: Pose) -> Array:
        """Force on the ball, N."""
        low, shape = self.divide(pose)
        out = np.zeros(3)
        nodes = self.ball.vertices @ _WORLD.T  # the ball, too, comes to the world
        _hit_in_blocks(
            nodes, self.areas, self.corners, self.normals, low, self.size, shape, self.first, self.listed, out
        )
        assert LAW.stiffness is not None
        return LAW.stiffness * out


Way = Callable[[Pose], Array]


def _force_of(pair: pc.ContactPairing, pose: Pose) -> Array:
    return pair.wrench(*pose)[:3]


def ways(ball: pc.Surface, torus: pc.Surface) -> dict[str, Way]:
    """Ways to find the force, by name."""
    pairs = {
        "nodes": pc.ContactPairing(ball, torus, method=pc.contact.NodeBlockMethod(), law=LAW),
        "nodes, target": pc.ContactPairing(ball, torus, method=pc.contact.NodeBlockMethod(normal="target"), law=LAW),
        "lines": pc.ContactPairing(ball, torus, method=pc.contact.PenetrationLines(depth="target_normal"), law=LAW),
        "polygons": pc.ContactPairing(ball, torus, law=LAW),
    }
    grid = pairs["nodes"].prepared.grids["F"]  # type: ignore[attr-defined]
    absolute = Absolute(ball, torus, grid.block_size)
    found: dict[str, Way] = {name: partial(_force_of, pair) for name, pair in pairs.items()}
    found["absolute"] = absolute.force
    found["… divided"] = absolute.only_divide
    print(f"  blocks of {1e3 * grid.block_size:.2f} mm, {grid.shape}, {grid.lists} lists of {grid.patches} patches")
    return found


def main() -> None:
    """Print a table for each fineness: medians of time, and forces beside each other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--meshes", type=int, nargs="+", default=[3, 4, 5, 6], help="subdivisions of the ball")
    given = parser.parse_args()
    warnings.simplefilter("ignore", pc.ContactWarning)
    for n in given.meshes:
        ball = pc.shapes.sphere(RADIUS, n)
        torus = pc.shapes.torus(RING, TUBE, 8 * 2 ** (n - 1), 4 * 2 ** (n - 1))
        print(f"ball {ball.n_triangles} triangles, {len(ball.vertices)} nodes; torus {torus.n_triangles} patches")
        named = ways(ball, torus)
        for family in ("following", "unrelated", "hole"):
            measure(named, poses(given.rounds, family), family)


def measure(named: dict[str, Way], at: list[Pose], what: str) -> None:
    """One interleaved run."""
    for way in named.values():
        way(at[0])
    times: dict[str, list[float]] = {name: [] for name in named}
    forces: dict[str, list[Array]] = {name: [] for name in named}
    rng = np.random.default_rng(2)
    for pose in at:
        for name in rng.permutation(list(named)):  # none always comes first, or after the same other
            way = named[name]
            start = time.perf_counter()
            force = way(pose)
            times[name].append(time.perf_counter() - start)
            forces[name].append(np.array(force))
    reference = float(np.median(times["nodes"]))
    for name in named:
        median = float(np.median(times[name]))
        force = np.linalg.norm(forces[name], axis=1).mean()
        print(
            f"  {what} {name:14} {1e6 * median:9.1f} µs, {median / reference:6.2f} of nodes; mean force {force:8.3f} N"
        )


if __name__ == "__main__":
    main()
