"""Round shapes: sphere, ellipsoid, capsule, torus."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.revolution import edge_length, n_layers
from polycontact.surfaces.shapes.rings import (
    aligned_rings,
    exact_cos_sin,
    graded_rings,
    ring_triangles,
    ring_vertices,
)
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import MAX_TRIANGLES

_MAX_SUBDIVISIONS: Final = int(math.log(MAX_TRIANGLES / 20, 4))


def sphere(radius: float, subdivisions: int = 3) -> Surface:
    """A sphere of ``radius`` (m) about the origin, closed: an icosahedron, subdivided.

    Each of the ``subdivisions`` splits a triangle into four, ``20 * 4**subdivisions`` in all; all vertices
    lie on the sphere.
    """
    radius = check.length("sphere", "radius", radius)
    directions, triangles = _icosphere("sphere", subdivisions)
    return Surface(radius * directions, triangles, name="sphere")


def ellipsoid(semi_axes: ArrayLike, subdivisions: int = 3) -> Surface:
    """An ellipsoid of three ``semi_axes`` along x, y, z (m) about the origin, closed.

    It is the `sphere` of as many ``subdivisions``, stretched; all vertices lie on the ellipsoid.
    """
    scale = np.array(check.lengths("ellipsoid", "semi_axes", semi_axes, 3))
    directions, triangles = _icosphere("ellipsoid", subdivisions)
    return Surface(directions * scale, triangles, name="ellipsoid")


def capsule(radius: float, length: float, *, segments: int = 48, rings: int | None = None) -> Surface:
    """A cylinder along z with hemispherical ends, centred at the origin, closed.

    ``length`` (m) is the distance between the centres of the two hemispheres of ``radius`` (m). ``segments``
    edges around and ``rings`` layers along the cylinder, by default as many as keep all edges about equal;
    a hemisphere has a quarter as many rings as segments.
    """
    radius = check.length("capsule", "radius", radius)
    length = check.length("capsule", "length", length)
    segments = check.count("capsule", "segments", segments, 6)
    layers = n_layers("capsule", "rings", length, edge_length(radius, segments), segments, rings)
    cosine, sine = exact_cos_sin(np.linspace(0.0, 0.25, round(segments / 4) + 1))
    upper_cap = np.stack((0.5 * length + radius * sine, radius * cosine), axis=1)
    wall = np.stack((np.linspace(-0.5, 0.5, layers + 1) * length, np.full(layers + 1, radius)), axis=1)
    profile = np.concatenate((upper_cap[:0:-1] * (-1.0, 1.0), wall, upper_cap[1:]))
    built = graded_rings("capsule", profile, segments)
    return Surface(ring_vertices(built), ring_triangles(built), name="capsule")


def torus(major_radius: float, minor_radius: float, segments: int = 48, tube_segments: int = 24) -> Surface:
    """A torus about z, centred at the origin, closed, with ``2 * segments * tube_segments`` triangles.

    ``major_radius`` (m) from the axis to the centre of the tube, ``minor_radius`` (m) of the tube, smaller;
    ``segments`` edges around the axis and ``tube_segments`` around the tube.
    """
    major_radius = check.length("torus", "major_radius", major_radius)
    minor_radius = check.length("torus", "minor_radius", minor_radius)
    if not minor_radius < major_radius:
        raise SurfaceError(
            f"torus: minor_radius = {minor_radius:g} m; allowed is less than major_radius = {major_radius:g} m"
        )
    segments = check.count("torus", "segments", segments, 3)
    tube_segments = check.count("torus", "tube_segments", tube_segments, 3)
    check.refuse_too_many("torus", 2.0 * segments * tube_segments, "lower segments or tube_segments")
    cosine, sine = exact_cos_sin(np.arange(tube_segments) / tube_segments)
    profile = np.stack((minor_radius * sine, major_radius + minor_radius * cosine), axis=1)
    built = aligned_rings("torus", profile, segments)
    return Surface(ring_vertices(built), ring_triangles(built, closed=True), name="torus")


def _icosphere(shape: str, subdivisions: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    subdivisions = check.count(shape, "subdivisions", subdivisions, 0, _MAX_SUBDIVISIONS)
    vertices, triangles = _icosahedron()
    for _ in range(subdivisions):
        vertices, triangles = _split_in_four(vertices, triangles)
    return vertices, triangles


def _icosahedron() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Unit vectors (12, 3) to the corners, two of them on z, and the outward triangles (20, 3)."""
    axial = np.array([-1.0, -math.sqrt(0.2), math.sqrt(0.2), 1.0])
    radius = np.array([0.0, math.sqrt(0.8), math.sqrt(0.8), 0.0])
    built = graded_rings("icosahedron", np.stack((axial, radius), axis=1), 5)
    built = built._replace(half_turns=np.array([0, 0, 1, 1]))
    return ring_vertices(built), ring_triangles(built)


def _split_in_four(
    vertices: NDArray[np.float64], triangles: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Unit vectors and triangles with each edge halved and its middle pushed out to the sphere."""
    sides = np.stack((triangles, np.roll(triangles, -1, axis=1)), axis=2).reshape(-1, 2)
    low, high = sides.min(axis=1), sides.max(axis=1)
    edges, middle = np.unique(low * len(vertices) + high, return_inverse=True)
    added = vertices[edges // len(vertices)] + vertices[edges % len(vertices)]
    added /= np.linalg.norm(added, axis=1, keepdims=True)
    (a, b, c), (ab, bc, ca) = triangles.T, len(vertices) + middle.reshape(-1, 3).T
    parts = [np.stack(corners, axis=1) for corners in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    return np.concatenate((vertices, added)), np.concatenate(parts)
