"""Surfaces of revolution: any profile, cylinder and cone."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.outlines import loop_edges, refuse_crossing
from polycontact.surfaces.shapes.rings import (
    aligned_rings,
    graded_rings,
    ring_triangles,
    ring_vertices,
)
from polycontact.surfaces.surface import Surface

_COLUMNS = {"x": [2, 0, 1], "y": [1, 2, 0], "z": [0, 1, 2]}
"""Where x, y and z are found in vertices built about z, for each axis: cyclic, so orientation is kept."""


def revolve(
    profile: ArrayLike, segments: int = 48, axis: str = "z", *, graded: bool = False, name: str = "revolved"
) -> Surface:
    """The surface that ``profile`` (n, 2) of (axial, radius) in m sweeps about ``axis`` ("x", "y" or "z").

    An end of the profile on the axis (radius 0) becomes a pole; an end off the axis leaves the surface open
    there. A profile whose last point repeats the first is a closed loop (a torus). Closed surfaces get
    outward normals whatever the direction of the profile; on open ones normals point away from the axis
    where the axial coordinate grows along the profile.

    Each ring has ``segments`` vertices on common meridians. With ``graded`` their number follows the radius,
    from ``segments`` on the widest ring, which keeps triangles well-shaped near the axis.
    """
    points, is_loop = _checked_profile(profile)
    segments = check.count("revolve", "segments", segments, 3)
    if axis not in _COLUMNS:
        raise SurfaceError(f'revolve: axis = {axis!r}; allowed is "x", "y" or "z"')
    if graded:
        rings = graded_rings("revolve", points, segments, closed=is_loop)
    else:
        rings = aligned_rings("revolve", points, segments)
    triangles = ring_triangles(rings, closed=is_loop)
    vertices = ring_vertices(rings)[:, _COLUMNS[axis]]
    surface = Surface(vertices, triangles, name=name)
    return surface.flipped() if surface.is_closed and surface.volume < 0 else surface


def cylinder(
    radius: float,
    length: float,
    *,
    segments: int = 48,
    rings: int | None = None,
    cap_rings: int | None = None,
) -> Surface:
    """A solid cylinder of ``radius`` and ``length`` (m) along z, centred at the origin, closed.

    ``segments`` edges around, ``rings`` layers along the wall and ``cap_rings`` rings on each cap; by default
    as many as keep all edges about equal.
    """
    radius = check.length("cylinder", "radius", radius)
    length = check.length("cylinder", "length", length)
    segments = check.count("cylinder", "segments", segments, 3)
    cap = flat_cap("cylinder", "cap_rings", radius, segments, cap_rings)
    layers = n_layers("cylinder", "rings", length, edge_length(radius, segments), segments, rings)
    wall = np.stack((np.linspace(-0.5, 0.5, layers + 1) * length, np.full(layers + 1, radius)), axis=1)
    lower_cap, upper_cap = cap[:0:-1] + wall[0] * (1.0, 0.0), cap[1:] + wall[-1] * (1.0, 0.0)
    profile = np.concatenate((lower_cap, wall, upper_cap))
    built = graded_rings("cylinder", profile, segments)
    return Surface(ring_vertices(built), ring_triangles(built), name="cylinder")


def cone(
    radius: float,
    height: float,
    *,
    segments: int = 48,
    rings: int | None = None,
    cap_rings: int | None = None,
) -> Surface:
    """A solid cone with its apex at the origin, pointing down, closed.

    Its base of ``radius`` (m) lies at z = ``height`` (m). ``segments`` edges around the base, ``rings``
    layers along the slant and ``cap_rings`` rings on the base; by default as many as keep all edges about
    equal. Triangles at the apex are as thin as the cone is sharp.
    """
    radius = check.length("cone", "radius", radius)
    height = check.length("cone", "height", height)
    segments = check.count("cone", "segments", segments, 3)
    cap = flat_cap("cone", "cap_rings", radius, segments, cap_rings)
    slant = math.hypot(radius, height)
    layers = n_layers("cone", "rings", slant, edge_length(radius, segments), segments, rings)
    side = np.linspace(0.0, 1.0, layers + 1)[:, None] * (height, radius)
    built = graded_rings("cone", np.concatenate((side, cap[1:] + np.array([height, 0.0]))), segments)
    return Surface(ring_vertices(built), ring_triangles(built), name="cone")


def edge_length(radius: float, segments: int) -> float:
    """Length of arc of one of ``segments`` around ``radius``, m."""
    return 2.0 * math.pi * radius / segments


def n_layers(
    shape: str, name: str, length: float, spacing: float, segments: int, given: int | None, fewest: int = 1
) -> int:
    """Number of layers of ``segments`` on a ``length``: as ``given``, or about one for each ``spacing``."""
    if given is not None:
        layers = float(check.count(shape, name, given, fewest))
    else:
        layers = max(float(fewest), length / spacing)
    check.refuse_too_many(shape, 2.0 * layers * segments, f"lower segments or {name}")
    return round(layers)


def flat_cap(shape: str, name: str, radius: float, segments: int, given: int | None = None) -> NDArray[np.float64]:
    """Profile (n, 2) of a disc at 0 from its border at ``radius`` to its centre, with ``given`` rings.

    A ring has as many segments as its radius is of the whole, so by default ``segments / 6`` rings make six
    equilateral triangles meet everywhere. More than half as many rings as segments would fold over.
    """
    if given is None:
        n_rings = max(1, round(segments / 6))
    else:
        n_rings = check.count(shape, name, given, 1, max(1, segments // 2))
    return np.linspace((0.0, radius), (0.0, 0.0), n_rings + 1)


def _checked_profile(profile: ArrayLike) -> tuple[NDArray[np.float64], bool]:
    """The profile without its repeated end, and whether it is a closed loop."""
    points = check.points_2d("revolve", "profile", profile, 2)
    is_loop = len(points) > 3 and bool((points[0] == points[-1]).all())
    points = points[:-1] if is_loop else points
    radius = points[:, 1]
    allowed = radius > 0
    if not is_loop:
        allowed[[0, -1]] |= radius[[0, -1]] == 0
    if not allowed.all():
        bad = int(np.argmin(allowed))
        raise SurfaceError(
            f"revolve: profile[{bad}] has a radius of {radius[bad]:g} m; allowed is a positive radius, "
            f"or 0 at the two ends of an open profile"
        )
    if not (radius > 0).any():
        raise SurfaceError("revolve: profile lies on the axis; at least one radius must be positive")
    refuse_crossing("revolve", "profile", points, loop_edges(len(points), closed=is_loop))
    return points, is_loop
