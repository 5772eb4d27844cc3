"""Solids that touch a plane or a ball in several or in wide patches: spherical cup, horseshoe, table."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.grids import cell_boundary, grid_lines, intervals
from polycontact.surfaces.shapes.revolution import edge_length, n_layers
from polycontact.surfaces.shapes.rings import exact_cos_sin, graded_rings, ring_triangles, ring_vertices
from polycontact.surfaces.surface import Surface


def spherical_cup(
    radius: float, thickness: float | None = None, *, opening: float = 0.5 * math.pi, segments: int = 48
) -> Surface:
    """A cylindrical block about z with a spherical hollow of ``radius`` (m) in its top, closed.

    The centre of the hollow is the origin and its vertices lie on the sphere, so a ball of nearly the same
    radius there makes a conforming contact. ``opening`` (rad, up to pi/2, a hemisphere) is the angle between
    -z and the rim; ``thickness`` (m) of the wall beside the rim and below the hollow is half of the radius
    by default. ``segments`` edges around the rim set the length of all edges.
    """
    radius = check.length("spherical_cup", "radius", radius)
    thickness = 0.5 * radius if thickness is None else thickness
    thickness = check.real_number("spherical_cup", "thickness", thickness, "m", 1e-3 * radius, 1e3 * radius)
    opening = check.real_number("spherical_cup", "opening", opening, "rad", 0.01, 0.5 * math.pi)
    segments = check.count("spherical_cup", "segments", segments, 6)
    (cosine,), (sine,) = exact_cos_sin(np.array([opening / (2.0 * math.pi)]))
    rim_radius, rim_height, bottom = radius * sine, -radius * cosine, -radius - thickness
    outer_radius = rim_radius + thickness
    spacing = edge_length(rim_radius, segments)
    corners = [(bottom, 0.0), (bottom, outer_radius), (rim_height, outer_radius), (rim_height, rim_radius)]
    parts = []
    for start, stop in pairwise(corners):
        n = n_layers("spherical_cup", "thickness", math.dist(start, stop), spacing, segments, None)
        parts.append(np.linspace(start, stop, n + 1)[:-1])
    n = n_layers("spherical_cup", "thickness", radius * opening, spacing, segments, None, fewest=2)
    cosines, sines = exact_cos_sin(np.linspace(opening / (2.0 * math.pi), 0.0, n + 1))
    parts.append(radius * np.stack((-cosines, sines), axis=1))
    built = graded_rings(
        "spherical_cup", np.concatenate(parts), max(segments, round(segments * outer_radius / rim_radius))
    )
    return Surface(ring_vertices(built), ring_triangles(built), name="spherical_cup")


def horseshoe(
    radius: float = 0.06,
    width: float = 0.02,
    thickness: float = 0.012,
    leg_length: float = 0.06,
    *,
    segments: int = 24,
) -> Surface:
    """A bar bent to a U that stands on its two ends at z = 0, with its arch upwards in the xz-plane, closed.

    ``radius`` of the middle line of the arch, ``width`` of the bar along it, ``thickness`` along y and
    ``leg_length`` of the straight legs below the arch, all in m; ``segments`` edges along the arch set the
    length of all edges.
    """
    radius = check.length("horseshoe", "radius", radius)
    width = check.length("horseshoe", "width", width)
    thickness = check.length("horseshoe", "thickness", thickness)
    leg_length = check.length("horseshoe", "leg_length", leg_length)
    segments = check.count("horseshoe", "segments", segments, 2)
    if not width < 2.0 * radius:
        raise SurfaceError(f"horseshoe: width = {width:g} m; allowed is less than {2.0 * radius:g} m, twice radius")
    spacing = math.pi * radius / segments
    leg, across, through = (intervals("horseshoe", each, spacing) for each in (leg_length, width, thickness))
    parts = [np.array([2 * leg + segments]), np.array([across]), np.array([through])]
    lattice = cell_boundary("horseshoe", np.ones((1, 1, 1), dtype=bool), parts)

    along, over, side = lattice.points.T
    rise = np.minimum(np.minimum(along, 2 * leg + segments - along), leg) * (leg_length / leg)
    cosine, sine = exact_cos_sin(np.clip(along - leg, 0, segments) / (2.0 * segments))
    arm = radius + (over / across - 0.5) * width
    vertices = np.stack((arm * cosine, (side / through - 0.5) * thickness, rise + arm * sine), axis=1)
    return Surface(vertices, lattice.triangles, name="horseshoe")


def table(
    size: ArrayLike = (1.2, 0.8),
    height: float = 0.75,
    *,
    top_thickness: float = 0.04,
    leg_width: float = 0.06,
    leg_inset: float = 0.0,
    spacing: float | None = None,
) -> Surface:
    """A table on four square legs that stand at z = 0, centred about z, one closed solid.

    ``size`` of the top (one edge length or two), ``height`` of its upper side, ``top_thickness``,
    ``leg_width`` and ``leg_inset`` of the legs from the edges, all in m. Edges along the axes are at most
    ``spacing`` (m), by default the width of a leg.
    """
    width, depth = check.lengths("table", "size", size, 2)
    height = check.length("table", "height", height)
    top_thickness = check.length("table", "top_thickness", top_thickness)
    leg_width = check.length("table", "leg_width", leg_width)
    leg_inset = check.real_number("table", "leg_inset", leg_inset, "m", 0.0, min(width, depth))
    spacing = leg_width if spacing is None else check.length("table", "spacing", spacing)
    if not top_thickness < height:
        raise SurfaceError(f"table: top_thickness = {top_thickness:g} m; allowed is less than height = {height:g} m")
    if not 2.0 * (leg_inset + leg_width) < min(width, depth):
        raise SurfaceError(
            f"table: leg_inset = {leg_inset:g} m and leg_width = {leg_width:g} m; allowed is together less "
            f"than half of the shorter edge, {0.5 * min(width, depth):g} m"
        )
    x_breaks, x_legs = _leg_breaks(width, leg_inset, leg_width)
    y_breaks, y_legs = _leg_breaks(depth, leg_inset, leg_width)
    breaks = (x_breaks, y_breaks, np.array([0.0, height - top_thickness, height]))
    legs = np.logical_and.outer(x_legs, y_legs)
    solid = np.stack((legs, np.ones_like(legs)), axis=2)
    parts = [np.array([intervals("table", extent, spacing) for extent in np.diff(each)]) for each in breaks]
    lattice = cell_boundary("table", solid, parts)
    lines = [grid_lines(*each) for each in zip(breaks, parts, strict=True)]
    vertices = np.stack([lines[axis][lattice.points[:, axis]] for axis in range(3)], axis=1)
    return Surface(vertices, lattice.triangles, name="table")


def _leg_breaks(extent: float, inset: float, width: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Coordinates along an edge of the top where legs begin and end, and which intervals have legs."""
    outer = 0.5 * extent
    side = [outer - inset - width, outer - inset] + ([outer] if inset > 0.0 else [])
    breaks = np.array([-each for each in reversed(side)] + side)
    has_leg = np.isin(np.arange(len(breaks) - 1), (len(side) - 2, len(side)))
    return breaks, has_leg
