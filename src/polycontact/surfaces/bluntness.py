"""How blunt a surface is, how coarse its mesh, and how large its faces.

By this a base is chosen (`contact.base_choice`), and the depth of a contact estimated (`contact.load_depth`).

A body touches others with its convex spots. Each of them has a share of Gauss's curvature. At a vertex of a mesh this
is 2π less the angles of the triangles around it. At the border of an open surface, which counts as a thin sheet with
another side behind, it is π less these angles. A convex body of any shape has 4π in all. The more area they spread
over, the blunter the body is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.connected import connected_labels
from polycontact.surfaces.half_edges import HalfEdges
from polycontact.tolerances import FLAT_VERTEX, ONE_FACE


class Bluntness(NamedTuple):
    """Lengths and areas of a surface that do not depend on where it lies.

    ``radius``, m: a ball of this radius has as much area for its curvature as the surface has for that of its convex
    vertices: R for a ball, 0.69 a for a cube of edge a, 0.40 a for a square, infinite for the inside of a container.
    ``triangle``, m: the root of the area of the triangle on which a point
    of the surface lies on average. ``area``, m². ``face``, m²: the area of the largest flat face, of triangles that
    hang together; of a round body one of its facets.
    """

    radius: float
    triangle: float
    area: float
    face: float


def bluntness(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], normals: NDArray[np.float64], half_edges: HalfEdges
) -> Bluntness:
    """Of a mesh with unit ``normals`` (n, 3) of its triangles."""
    corners = vertices[triangles]
    ahead = np.roll(corners, -1, axis=1) - corners
    behind = np.roll(corners, 1, axis=1) - corners
    crossed = np.linalg.norm(np.cross(ahead, behind), axis=2)
    angles = np.arctan2(crossed, np.einsum("tij,tij->ti", ahead, behind))
    border = np.zeros(len(vertices), dtype=bool)
    border[half_edges.edges[half_edges.counts != 2]] = True
    used = np.bincount(triangles.ravel(), minlength=len(vertices)) > 0
    full = np.where(border, math.pi, 2.0 * math.pi)
    missing = full - np.bincount(triangles.ravel(), weights=angles.ravel(), minlength=len(vertices))
    juts = border | (_bend(vertices, triangles, normals, half_edges) > 0.0)
    convex = used & juts & (missing > FLAT_VERTEX)
    curvature = math.fsum(missing[convex])
    areas = 0.5 * crossed[:, 0]
    area = math.fsum(areas)
    radius = math.sqrt(area / curvature) if curvature > 0.0 else math.inf
    face = _largest_face(areas, normals, half_edges)
    return Bluntness(radius, math.sqrt(math.fsum(areas / area * areas)), area, face)


def _largest_face(areas: NDArray[np.float64], normals: NDArray[np.float64], half_edges: HalfEdges) -> float:
    """Area of the largest group of triangles that neighbours in one plane link, m²."""
    t, i = np.nonzero(half_edges.neighbours >= 0)
    across = half_edges.neighbours[t, i]
    is_flat = np.linalg.norm(normals[t] - normals[across], axis=1) < ONE_FACE
    labels = connected_labels(len(areas), t[is_flat], across[is_flat])
    return float(np.bincount(labels, weights=areas).max())


def _bend(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], normals: NDArray[np.float64], half_edges: HalfEdges
) -> NDArray[np.float64]:
    """Length times angle, m rad, summed over the edges at each vertex (n,): positive where the surface is convex."""
    t, i = np.nonzero(half_edges.neighbours >= 0)
    across = half_edges.neighbours[t, i]
    start, end = triangles[t, i], triangles[t, (i + 1) % 3]
    edge = vertices[end] - vertices[start]
    length = np.linalg.norm(edge, axis=1)
    sine = np.einsum("ij,ij->i", np.cross(normals[t], normals[across]), edge)
    cosine = np.einsum("ij,ij->i", normals[t], normals[across])
    bend = length * np.arctan2(sine, length * cosine)
    both = np.concatenate((start, end))
    return np.asarray(np.bincount(both, weights=np.concatenate((bend, bend)), minlength=len(vertices)))
