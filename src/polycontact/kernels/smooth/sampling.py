"""Many places of one surface at once: for samples, pictures and checks, before any contact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from polycontact.kernels.addresses import call_law
from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.jit import entry_kernel
from polycontact.kernels.smooth.surface_frame import locate
from polycontact.kernels.smooth.surface_views import SmoothSide
from polycontact.kernels.views import Doubles, Ints, View, cast_to, nested

_INTS = types.Array(types.int32, 1, "C")
_ROWS = types.Array(types.float64, 2, "C")
_NUMBERS = types.Array(types.float64, 1, "C")
_BISECTIONS = 40
"""Halvings of an edge of a grid that crosses the surface: to a trillionth of it."""


class Sampling(View):
    """One surface, in its own frame."""

    side = nested(SmoothSide)
    pose = nested(Pose)


as_sampling = cast_to(Sampling)


@entry_kernel((types.int64, _INTS, _ROWS, types.float64, _ROWS, _ROWS, _ROWS, _INTS))
def locate_many(
    row: int,
    charts: Ints,
    places: Doubles,
    longest: float,
    points: Doubles,
    normals: Doubles,
    bends: Doubles,
    found: Ints,
) -> None:
    """Points and normals (n, 3) at places (n, 3), which move onto an implicit surface by at most ``longest`` (m).

    ``bends`` (n, 9): second derivatives of a parametric surface; ``found`` (n): of Located.
    """
    sampling = as_sampling(row)
    side = sampling.side
    frame = side.current
    for i in range(len(charts)):
        frame.chart = charts[i]
        for a in range(3):
            frame.place[a] = places[i, a]
        found[i] = locate(side, frame, sampling.pose, longest)
        for a in range(3):
            places[i, a] = frame.place[a]
            points[i, a] = frame.point[a]
            normals[i, a] = frame.normal[a]
            for k in range(3):
                bends[i, 3 * k + a] = side.parametric.bends[k, a]


@entry_kernel((types.int64, _ROWS, _NUMBERS))
def values_at(row: int, points: Doubles, values: Doubles) -> None:
    """h of an implicit surface at points (n, 3)."""
    side = as_sampling(row).side
    at = side.implicit
    for i in range(len(points)):
        for a in range(3):
            at.place[a] = points[i, a]
        call_law(side.surface.code, side.surface.parameters, side.point_at)
        values[i] = at.value


@entry_kernel((types.int64, _ROWS, _ROWS))
def cross_surface(row: int, inside: Doubles, outside: Doubles) -> None:
    """Move ends of segments together, with h ≤ 0 at ``inside`` and h > 0 at ``outside`` (n, 3), until they meet."""
    side = as_sampling(row).side
    at = side.implicit
    for i in range(len(inside)):
        for _ in range(_BISECTIONS):
            for a in range(3):
                at.place[a] = 0.5 * (inside[i, a] + outside[i, a])
            call_law(side.surface.code, side.surface.parameters, side.point_at)
            end = outside[i] if at.value > 0.0 else inside[i]
            for a in range(3):
                end[a] = at.place[a]


class FoundPlaces(NamedTuple):
    """What `locate_many` found."""

    places: Doubles
    points: Doubles
    normals: Doubles
    bends: Doubles
    found: Ints


def locate_all(row: int, charts: Ints, places: Doubles, longest: float) -> FoundPlaces:
    """As `locate_many`, with arrays of its own."""
    n = len(charts)
    places = np.array(places, dtype=np.float64)
    points, normals, bends = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 9))
    found = np.zeros(n, dtype=np.int32)
    locate_many(row, charts, places, longest, points, normals, bends, found)
    return FoundPlaces(places, points, normals, bends, found)
