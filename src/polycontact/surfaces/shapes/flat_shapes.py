"""Flat-sided and flat shapes: box, plane, disc."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.grids import cell_boundary, rectangle_quads, split_quads
from polycontact.surfaces.shapes.revolution import flat_cap
from polycontact.surfaces.shapes.rings import graded_rings, ring_triangles, ring_vertices
from polycontact.surfaces.surface import Surface


def box(size: ArrayLike, divisions: ArrayLike = 1) -> Surface:
    """A box of ``size`` (one edge length or three, m) centred at the origin, closed.

    Each edge is split into ``divisions`` equal parts (one number or three), so a cube has
    ``12 * divisions**2`` triangles.
    """
    size = np.array(check.lengths("box", "size", size, 3))
    parts = check.counts("box", "divisions", divisions, 3)
    lattice = cell_boundary("box", np.ones((1, 1, 1), dtype=bool), [np.array([n]) for n in parts])
    vertices = (lattice.points / np.array(parts) - 0.5) * size
    return Surface(vertices, lattice.triangles, name="box")


def plane(size: ArrayLike, divisions: ArrayLike = 1) -> Surface:
    """A rectangle of ``size`` (one edge length or two, m) at z = 0 centred at the origin, open, normal +z.

    Each edge is split into ``divisions`` equal parts (one number or two).
    """
    size = np.array(check.lengths("plane", "size", size, 2))
    n_x, n_y = check.counts("plane", "divisions", divisions, 2)
    check.refuse_too_many("plane", 2.0 * n_x * n_y, "lower the divisions")
    quads, other = rectangle_quads(np.arange(n_x + 1), np.arange(n_y + 1), (n_y + 1, 1), 0)
    u, v = np.meshgrid(np.arange(n_x + 1) / n_x - 0.5, np.arange(n_y + 1) / n_y - 0.5, indexing="ij")
    x, y = u.ravel() * size[0], v.ravel() * size[1]
    return Surface(np.stack((x, y, np.zeros_like(x)), axis=1), split_quads(quads, other), name="plane")


def disc(radius: float, *, segments: int = 48, rings: int | None = None) -> Surface:
    """A disc of ``radius`` (m) at z = 0 about the origin, open, normal +z.

    ``segments`` edges on the border and ``rings`` concentric rings, by default as many as make triangles
    nearly equilateral.
    """
    radius = check.length("disc", "radius", radius)
    segments = check.count("disc", "segments", segments, 3)
    profile = flat_cap("disc", "rings", radius, segments, rings)
    built = graded_rings("disc", profile, segments)
    return Surface(ring_vertices(built), ring_triangles(built), name="disc")
