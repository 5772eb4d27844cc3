"""Families of relative poses of two surfaces, drawn by a seeded generator.

Bubbles lie with parallel axes, F shifted along the axis by ``s``. Slices across the axes are circles then, so
the distance of the axes at which the bubbles just touch is the largest sum of radii ``r(y) + r(y - s)``.
Every depth is relative to that; the facets between the meridians lie inside the circles, so that meshes are a
little less deep, and never touch where the bubbles do not.

========== =========================================================================================
near       shift of 30 to 150 mm, 1 to 2 mm apart: boxes overlap, surfaces do not touch
slight     side by side, both lobes 8 mm (2 %) deep; shift up to 5 mm, twist up to 5°: two patches
conforming a lobe in the other's waist, 20 to 40 mm deep: one wide patch
multipatch two rows of four bubbles side by side, 8 mm deep, each other pose reversed: eight patches
wall       a bubble in any orientation 8 mm deep in one wall of the container
walls      the same in two walls at once
========== =========================================================================================

Cold poses of a family have nothing to do with each other. The coherent poses are those of a simulation: from
8 to 16 mm deep (2 to 4 %) in 1,000 steps, while F turns by 20° in all.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.shapes import bubble_with, container
from polycontact.surfaces.surface import Surface

LENGTH = 0.4
"""Length of a bubble, m."""
DEPTH = 0.02 * LENGTH
"""Slight penetration, m."""
ROW = 4
"""Bubbles in a row of the family ``multipatch``."""
ROW_SPACING = 0.21
"""Distance of the bubbles of a row, m: they are 0.2008 m wide."""
COHERENT_POSES = 1000
LOBE = 0.115
"""Distance of a lobe's largest ring from the waist, m."""


class Family(enum.Enum):
    """Families of poses that the benchmarks run, by their name in results."""

    NEAR = "near"
    SLIGHT = "slight"
    CONFORMING = "conforming"
    MULTIPATCH = "multipatch"
    WALL = "wall"
    WALLS = "walls"


@dataclass(frozen=True)
class Pose:
    """Relative kinematics of F in E: R_EF, r_EF (m), v_EF (m/s), w_EF (rad/s)."""

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]

    @property
    def arrays(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Arguments of `ContactPairing.wrench`."""
        return self.rotation, self.position, self.velocity, self.angular_velocity


def surfaces_for(family: Family, n_triangles: int) -> tuple[Surface, Surface]:
    """E and F of a family, with about ``n_triangles`` triangles each but for the container with its four."""
    if family is Family.MULTIPATCH:
        row = _row_of_bubbles(n_triangles)
        return row, row
    bubble = bubble_with(n_triangles)
    return bubble, container() if family in (Family.WALL, Family.WALLS) else bubble


def cold_poses(family: Family, e: Surface, n: int, seed: int) -> list[Pose]:
    """``n`` unrelated poses of a family whose surface E is ``e``."""
    rng = np.random.default_rng([seed, list(Family).index(family)])
    if family in (Family.WALL, Family.WALLS):
        return [_in_container(e, rng, 1 if family is Family.WALL else 2) for _ in range(n)]
    profile = _ring_profile(e)
    return [_side_by_side(family, profile, rng, i % 2 == 1) for i in range(n)]


def coherent_poses(e: Surface, seed: int) -> list[Pose]:
    """Successive poses of side by side bubbles: 2 to 4 % deep, 20° of rotation about F's axis in all."""
    rng = np.random.default_rng([seed, len(Family)])
    profile = _ring_profile(e)
    bearing, spin = rng.uniform(0.0, 2.0 * math.pi, 2)
    shift = float(rng.uniform(-0.005, 0.005))
    velocity, angular_velocity = _velocities(rng)
    poses = []
    for t in np.linspace(0.0, 1.0, COHERENT_POSES):
        distance = _touching_distance(profile, shift) - (1.0 + t) * DEPTH
        position = _about_y(bearing) @ np.array([distance, shift, 0.0])
        rotation = _about_y(spin + t * math.radians(20.0))
        poses.append(Pose(rotation, position, velocity, angular_velocity))
    return poses


def _side_by_side(family: Family, profile: NDArray[np.float64], rng: np.random.Generator, reverse: bool) -> Pose:
    """Bubbles (or rows of them) with parallel axes: any bearing, any spin about the axis, either end up."""
    bearing, spin = rng.uniform(0.0, 2.0 * math.pi, 2)
    flip = _about_x(math.pi) if rng.random() < 0.5 else np.eye(3)
    twist = 0.0
    if family is Family.NEAR:
        shift, depth = rng.uniform(0.03, 0.15), -rng.uniform(0.001, 0.002)
    elif family is Family.CONFORMING:
        shift, depth = LOBE + rng.uniform(-0.01, 0.01), rng.uniform(0.02, 0.04)
    else:
        shift, depth = rng.uniform(-0.005, 0.005), DEPTH
        twist = math.radians(rng.uniform(-5.0, 5.0))
    if family is Family.MULTIPATCH:  # the rows lie along z and can but be reversed
        bearing, spin, twist = 0.0, math.pi * reverse, 0.1 * twist
    distance = _touching_distance(profile, float(shift)) - depth
    towards_f = _about_y(bearing)
    rotation = towards_f @ _about_x(twist) @ _about_y(spin) @ flip
    return Pose(rotation, towards_f @ np.array([distance, shift, 0.0]), *_velocities(rng))


def _in_container(bubble: Surface, rng: np.random.Generator, n_walls: int) -> Pose:
    """The container (F) about a bubble (E) that dips into one or two of its walls, half-way up."""
    rotation, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    if np.linalg.det(rotation) < 0.0:
        rotation[:, 0] = -rotation[:, 0]
    normals = np.array([[0.0, -1.0, 2.0], [-1.0, 0.0, 2.0]]) / math.sqrt(5.0)
    reach = (-normals @ rotation @ bubble.vertices.T).max(axis=1)
    heights = reach - DEPTH
    if n_walls == 1:  # above the middle of one wall
        centre = np.array([rng.uniform(-0.1, 0.1), 0.6, 0.3]) + heights[0] * normals[0]
    else:  # above the edge of both, 0.6 m from the apex along x and y
        planes = np.vstack((normals, [1.0, 1.0, 1.0]))
        centre = np.linalg.solve(planes, [*heights, 1.5])
    return Pose(rotation.T.copy(), -rotation.T @ centre, *_velocities(rng))


def _velocities(rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return rng.uniform(-0.2, 0.2, 3), rng.uniform(-1.0, 1.0, 3)


def _row_of_bubbles(n_triangles: int) -> Surface:
    """Four bubbles with parallel axes in a row along z, one surface of four components."""
    one = bubble_with(max(100, n_triangles // ROW))
    offsets = (np.arange(ROW) - 0.5 * (ROW - 1)) * ROW_SPACING
    vertices = np.concatenate([one.vertices + np.array([0.0, 0.0, offset]) for offset in offsets])
    triangles = np.concatenate([one.triangles + i * len(one.vertices) for i in range(ROW)])
    return Surface(vertices, triangles, name="row of bubbles")


def _ring_profile(e: Surface) -> NDArray[np.float64]:
    """(y, radius) of the rings of a bubble, or of the first of a row, from pole to pole, m."""
    vertices = e.vertices
    if np.ptp(vertices[:, 2]) > ROW_SPACING:  # a row: its bubbles are alike
        vertices = vertices[: len(vertices) // ROW]
        vertices = vertices + np.array([0.0, 0.0, 0.5 * (ROW - 1) * ROW_SPACING])
    y, first = np.unique(vertices[:, 1].round(12), return_index=True)
    return np.stack((y, np.hypot(vertices[first, 0], vertices[first, 2])), axis=1)


def _touching_distance(profile: NDArray[np.float64], shift: float) -> float:
    """Distance of parallel axes at which two bubbles touch, the second shifted along its axis, m."""
    y, radius = profile.T
    at = np.concatenate((y, y + shift))  # the sum of piecewise linear radii is largest at a ring of either
    at = at[(at >= max(y[0], y[0] + shift)) & (at <= min(y[-1], y[-1] + shift))]
    return float((np.interp(at, y, radius) + np.interp(at - shift, y, radius)).max())


def _about_x(angle: float) -> NDArray[np.float64]:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def _about_y(angle: float) -> NDArray[np.float64]:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
