"""The bubbles and the container of section 4 of the PCM paper, as its author published them later."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.rings import (
    Rings,
    aligned_rings,
    graded_rings,
    ring_triangles,
    ring_vertices,
)
from polycontact.surfaces.surface import Surface

_UPPER_PROFILE: Final = (
    (0.0, 0.05),
    (0.02162, 0.05583),
    (0.04358, 0.0695),
    (0.0662, 0.08527),
    (0.08982, 0.09739),
    (0.11469, 0.1004),
    (0.13976, 0.09296),
    (0.16294, 0.07709),
    (0.18212, 0.05491),
    (0.19518, 0.02851),
    (0.2, 0.0),
)
"""(y, radius) in m from the waist to the pole; the lower half is its mirror image."""

_PUBLISHED_MERIDIANS: Final = 25
_PUBLISHED_RINGS: Final = 2 * len(_UPPER_PROFILE) - 3

_RINGS_PER_ROOT_TRIANGLE: Final = 0.85
"""Rings per square root of the number of triangles: for equilateral triangles on a profile of length l and an
area A it is l / sqrt(sqrt(3) A) with l = 0.5407 m and A = 0.2321 m²."""


def bubble(meridians: int = _PUBLISHED_MERIDIANS, rings: int = _PUBLISHED_RINGS) -> Surface:
    """The bubble: a peanut of 0.4 m about y, with ``rings`` rings of ``meridians`` vertices and two poles.

    It has ``meridians * rings + 2`` vertices and ``2 * meridians * rings`` triangles, and is its own mirror
    image in y for an odd number of rings. The defaults are the published mesh of 950 triangles; other numbers
    of rings lie on a C² spline through the published profile. Triangles at the poles become thin with many
    meridians: see `bubble_with` for fine meshes.
    """
    meridians = check.count("bubble", "meridians", meridians, 3)
    rings = check.count("bubble", "rings", rings, 1)
    check.refuse_too_many("bubble", 2.0 * meridians * rings, "lower meridians or rings")
    return _about_y(aligned_rings("bubble", _profile(rings), meridians))


def bubble_with(n_triangles: int) -> Surface:
    """The bubble with about ``n_triangles`` triangles (100 or more), all of about the same size.

    950 gives the published mesh, `bubble`. All others lie on the same C² profile and have fewer vertices on
    the rings where the radius is small, so that triangles stay well-shaped up to the poles.
    """
    wanted = check.count("bubble_with", "n_triangles", n_triangles, 100)
    if wanted == 2 * _PUBLISHED_MERIDIANS * _PUBLISHED_RINGS:
        return bubble()
    profile = _profile(round(_RINGS_PER_ROOT_TRIANGLE * math.sqrt(wanted)))
    mean_radius = float(profile[:, 1].mean())
    segments = round(wanted / (2.0 * len(profile)) * float(profile[:, 1].max()) / mean_radius)
    return _about_y(graded_rings("bubble_with", profile, segments))


def container() -> Surface:
    """The container: an open inverted pyramid with apex (0, 0, 0), corners (±1, ±1, 0.5) m, normals up."""
    vertices = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.5], [-1.0, 1.0, 0.5], [-1.0, -1.0, 0.5], [1.0, -1.0, 0.5]]
    return Surface(vertices, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]], name="container")


def _about_y(rings: Rings) -> Surface:
    z_x_y = ring_vertices(rings)
    return Surface(z_x_y[:, [1, 2, 0]], ring_triangles(rings), name="bubble")


def _profile(n_rings: int) -> NDArray[np.float64]:
    """(y, radius) of the lower pole, ``n_rings`` rings and the upper pole, in m, exactly symmetric in y."""
    upper = np.array(_UPPER_PROFILE)
    if n_rings != _PUBLISHED_RINGS:
        upper = _refined(upper, n_rings)
    lower = upper[upper[:, 0] > 0.0][::-1] * (-1.0, 1.0)
    return np.concatenate((lower, upper))


def _refined(upper: NDArray[np.float64], n_rings: int) -> NDArray[np.float64]:
    """Points of the upper half for ``n_rings`` rings in all, the waist included if their number is odd.

    The profile is continued beyond each pole by its mirror image in the axis. The periodic spline through
    this closed curve is then C² and crosses the axis at a right angle. The published points are nearly
    equidistant, so their index is the parameter.
    """
    from scipy.interpolate import CubicSpline

    last = len(upper) - 1
    waist_to_waist = np.concatenate((upper, upper[-2::-1] * (1.0, -1.0)))
    right_and_left = np.concatenate((waist_to_waist, waist_to_waist[-2::-1] * (-1.0, 1.0)))
    spline = CubicSpline(np.arange(len(right_and_left)), right_and_left, bc_type="periodic")
    step = 2.0 * last / (n_rings + 1)
    from_pole = np.arange((n_rings + 1) // 2 + 1)
    points = np.asarray(spline(last - step * from_pole))[::-1]
    points[-1] = upper[-1]
    if n_rings % 2 == 1:
        points[0, 0] = 0.0
    return points
