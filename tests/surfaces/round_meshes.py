"""Meshes of round bodies, even and uneven, and how much of them lies below a plane, counted without the package."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull

import polycontact as pc

Array = NDArray[np.float64]


def hull(points: Array, name: str = "hull") -> pc.Surface:
    """The convex hull of points, turned outward."""
    triangles = ConvexHull(points).simplices
    a, b, c = (points[triangles[:, i]] for i in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - points.mean(axis=0)) < 0
    return pc.Surface(points, np.where(inward[:, None], triangles[:, ::-1], triangles), name=name)


def jittered_sphere(share: float, seed: int = 0) -> pc.Surface:
    """The unit sphere of 1,280 triangles, its vertices displaced along it by up to ``share`` of an edge."""
    even = pc.shapes.sphere(1.0, 3)
    edge = math.sqrt(4.0 / math.sqrt(3.0) * even.areas.mean())
    points = even.vertices + share * edge * np.random.default_rng(seed).uniform(-1.0, 1.0, even.vertices.shape)
    return hull(points / np.linalg.norm(points, axis=1)[:, None])


def globe(segments: int, rings: int) -> pc.Surface:
    """The unit sphere with meridians and parallels: triangles are thin at the poles."""
    angle = np.linspace(0.0, math.pi, rings + 1)
    radius = np.sin(angle)
    radius[[0, -1]] = 0.0
    return pc.shapes.revolve(np.stack((-np.cos(angle), radius), axis=1), segments)


def decimated_sphere(n_vertices: int = 642, seed: int = 0) -> pc.Surface:
    """The unit sphere on some of the vertices of a fine one: each next vertex is far from those before it."""
    fine = pc.shapes.sphere(1.0, 4).vertices
    chosen = [int(np.random.default_rng(seed).integers(len(fine)))]
    distance = np.full(len(fine), np.inf)
    for _ in range(n_vertices - 1):
        distance = np.minimum(distance, np.linalg.norm(fine - fine[chosen[-1]], axis=1))
        chosen.append(int(distance.argmax()))
    return hull(fine[chosen])


def rounded_box(size: ArrayLike, radius: float, steps: int) -> pc.Surface:
    """A box with edges rounded in ``steps`` per quarter, its faces of as few triangles as possible, as from CAD."""
    eighth = [(0.0, 0.0, 1.0)]
    for i in range(steps):
        latitude = 0.5 * math.pi * i / steps
        for turn in np.linspace(0.0, 0.5 * math.pi, max(1, round(steps * math.cos(latitude))) + 1):
            level = math.cos(latitude)
            eighth.append((level * math.cos(turn), level * math.sin(turn), math.sin(latitude)))
    directions = np.array(eighth)
    directions[np.abs(directions) < 1e-15] = 0.0
    corner = 0.5 * np.asarray(size, dtype=float) - radius + radius * directions
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    return hull(np.concatenate([corner * sign for sign in signs]), "rounded box")


def filleted_cylinder(segments: int, steps: int, layers: int = 1) -> pc.Surface:
    """A cylinder along z, 0.1 m long and thick, its ends rounded by 5 mm; its wall has ``layers`` along z."""
    angle = np.linspace(0.0, 0.5 * math.pi, steps + 1)
    upper = np.stack((0.045 + 0.005 * np.sin(angle), 0.045 + 0.005 * np.cos(angle)), axis=1)
    wall = np.linspace((-0.045, 0.05), (0.045, 0.05), layers + 1)[1:-1]
    profile = np.concatenate(([(-0.05, 0.0)], upper[::-1] * (-1.0, 1.0), wall, upper, [(0.05, 0.0)]))
    return pc.shapes.revolve(profile, segments, name="filleted cylinder")


def directions(n: int, seed: int = 0) -> Array:
    """Unit vectors, evenly distributed."""
    found = np.random.default_rng(seed).normal(size=(n, 3))
    return found / np.linalg.norm(found, axis=1)[:, None]


def volume_below(surface: pc.Surface, normal: Array, level: float) -> float:
    """Volume of a closed surface where ``normal`` · x < ``level``: the depth below the plane, summed over triangles."""
    depth = (level - surface.vertices @ normal)[surface.triangles]
    touched = (depth > 0).any(axis=1)
    depth = np.sort(depth[touched], axis=1)
    low, middle, high = depth.T
    n_below = np.count_nonzero(depth > 0, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        one = high**3 / (3.0 * (high - middle) * (high - low))
        two = depth.mean(axis=1) - low**3 / (3.0 * (middle - low) * (high - low))
    mean = np.select([n_below == 1, n_below == 2, n_below == 3], [one, two, depth.mean(axis=1)], 0.0)
    return float(-(surface.areas[touched] * mean) @ (surface.normals[touched] @ normal))


def cap_errors(surface: pc.Surface, reference: pc.Surface, depth: float, normals: Iterable[Array]) -> Array:
    """Relative errors of the volume that a plane cuts off ``depth`` deep into ``reference``, for each normal.

    With that body as the base and a plate as the target, the contact force is the stiffness times this volume.
    """
    found = []
    for normal in normals:
        level = float((reference.vertices @ normal).min()) + depth
        found.append(volume_below(surface, normal, level) / volume_below(reference, normal, level) - 1.0)
    return np.array(found)


def sphere_errors(surface: pc.Surface, depth: float, normals: Iterable[Array]) -> Array:
    """The same for the unit sphere, by the closed form of a spherical cap."""
    cap = math.pi * depth**2 * (1.0 - depth / 3.0)
    return np.array([volume_below(surface, normal, depth - 1.0) / cap - 1.0 for normal in normals])
