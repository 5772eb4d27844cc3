"""Bolts and nuts with a metric screw thread.

The thread has the basic profile of ISO 68-1: flanks at 30° to a plane across the axis, crests P/8 and roots P/4 wide, a
depth of 5H/8 with H = √3/2 P. Its corners and the lines between them run around the axis as helices. The mesh follows
these lines: half-planes through the axis cut the body in columns of points, and a strip of triangles joins each column
to the next, a point of a line always to the next point of the same line. No edge of the thread is cut off, and the ends
are plane.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.revolution import flat_cap
from polycontact.surfaces.shapes.rings import (
    exact_cos_sin,
    graded_rings,
    ring_triangles,
    ring_vertices,
    strip_triangles,
)
from polycontact.surfaces.surface import Surface

_CREST: Final = 1.0 / 8.0
_ROOT: Final = 1.0 / 4.0
_DEPTH: Final = 5.0 / 8.0 * math.sqrt(3.0) / 2.0
"""Widths of crest and root along the axis and depth of the thread, in pitches (ISO 68-1)."""

_TOO_NEAR: Final = 0.1
"""Least distance of a line's point from the end of the thread, in rises of the helix from column to column: nearer ones
are left out, which moves the surface by less than a fifth of such a rise."""

_FEWEST_TURNS: Final = 1.0

_LEVELS: Final = 1 << 40
"""Labels from here on are levels, below it helices."""


def threaded_bolt(
    diameter: float,
    pitch: float,
    length: float,
    *,
    head_height: float | None = None,
    across_flats: float | None = None,
    segments: int = 48,
    divisions: int = 2,
) -> Surface:
    """A bolt with a metric thread along z from 0 to ``length`` (m) and a hexagon head below z = 0, closed.

    ``diameter`` over the crests and ``pitch`` in m: 10 mm and 1.5 mm make an M10. The thread is right-handed, with the
    basic profile of ISO 68-1; its crest begins on the x-axis, half of it above z = 0. ``head_height`` (m) is 0.64
    diameters by default, ``across_flats`` (m) of the hexagon 1.6 diameters. ``segments`` edges around, a multiple of 6
    for the corners of the hexagon; with a multiple of 48 the ends of the thread show its corners exactly. ``divisions``
    strips on each flank.
    """
    thread = _Thread.checked("threaded_bolt", diameter, pitch, 0.0, segments, divisions)
    length = _checked_height("threaded_bolt", "length", length, thread)
    head = check.length("threaded_bolt", "head_height", 0.64 * thread.diameter if head_height is None else head_height)
    flats = _checked_flats("threaded_bolt", across_flats, thread)
    _refuse_too_many("threaded_bolt", thread, length)

    columns = _Columns(thread.segments)
    hexagon, outline = _hexagon(flats, thread.segments), thread.radius_at(0.0)
    spacing = math.pi * flats / thread.segments
    columns.add_level(hexagon, -head)
    for z in np.linspace(-head, 0.0, max(1, round(head / spacing)) + 1)[1:]:
        columns.add_level(hexagon, float(z))
    for part in _parts(hexagon, outline, spacing)[1:-1]:
        columns.add_level(part, 0.0)
    columns.add_thread(thread, length)
    vertices, triangles = columns.joined()
    bottom, top = columns.first_level, columns.last_level
    vertices, triangles = _with_cap(vertices, triangles, bottom, upwards=False)
    vertices, triangles = _with_cap(vertices, triangles, top, upwards=True)
    return Surface(vertices, triangles, name="threaded_bolt")


def threaded_nut(
    diameter: float,
    pitch: float,
    height: float | None = None,
    *,
    clearance: float = 0.0,
    across_flats: float | None = None,
    segments: int = 48,
    divisions: int = 2,
) -> Surface:
    """A hexagon nut with a metric thread, along z from 0 to ``height`` (m, 0.8 diameters by default), closed.

    It fits a `threaded_bolt` of the same ``diameter`` and ``pitch`` (m): at the same place, or screwed along it by any
    angle, all its thread is ``clearance`` (m) farther from the axis than the bolt's. Flanks are half as far apart, and
    the play along the axis is 1.15 times as much. Other arguments as for the bolt.
    """
    clearance = check.real_number("threaded_nut", "clearance", clearance, "m", 0.0, check.LENGTH_RANGE[1])
    thread = _Thread.checked("threaded_nut", diameter, pitch, clearance, segments, divisions)
    height = _checked_height("threaded_nut", "height", 0.8 * thread.diameter if height is None else height, thread)
    flats = _checked_flats("threaded_nut", across_flats, thread)
    _refuse_too_many("threaded_nut", thread, height)

    columns = _Columns(thread.segments)
    hexagon = _hexagon(flats, thread.segments)
    spacing = math.pi * flats / thread.segments
    columns.add_thread(thread, height)
    for part in _parts(thread.radius_at(height), hexagon, spacing)[1:]:
        columns.add_level(part, height)
    for z in np.linspace(height, 0.0, max(1, round(height / spacing)) + 1)[1:]:
        columns.add_level(hexagon, float(z))
    for part in _parts(hexagon, thread.radius_at(0.0), spacing)[1:-1]:
        columns.add_level(part, 0.0)
    vertices, triangles = columns.joined(closed=True)
    return Surface(vertices, triangles[:, ::-1], name="threaded_nut")


@dataclass(frozen=True)
class _Thread:
    """A thread: ``diameter`` over the crests of the bolt and ``pitch``, m; ``wider``: by how much the radius is, m."""

    diameter: float
    pitch: float
    wider: float
    segments: int
    divisions: int

    @classmethod
    def checked(cls, shape: str, diameter: float, pitch: float, wider: float, segments: int, divisions: int) -> _Thread:
        diameter = check.length(shape, "diameter", diameter)
        pitch = check.real_number(shape, "pitch", pitch, "m", 1e-3 * diameter, 0.5 * diameter)
        segments = check.count(shape, "segments", segments, 12)
        if segments % 6:
            raise SurfaceError(f"{shape}: segments = {segments}; allowed is a multiple of 6, for the hexagon's corners")
        return cls(diameter, pitch, wider, segments, check.count(shape, "divisions", divisions, 1))

    @property
    def lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where lines begin on the x-axis above the middle of a crest, in pitches from 0 to 1, and their radius, m."""
        flank = 0.5 * (1.0 - _CREST - _ROOT)
        share = np.arange(self.divisions + 1) / self.divisions
        down, up = 0.5 * _CREST + flank * share, 1.0 - 0.5 * _CREST - flank * (1.0 - share)
        depth = _DEPTH * self.pitch * np.concatenate((share, 1.0 - share))
        return np.concatenate((down, up)), 0.5 * self.diameter + self.wider - depth

    def radius_at(self, z: float) -> NDArray[np.float64]:
        """Radius of each column at height z, m."""
        places, radii = self.lines
        phase = z / self.pitch - np.arange(self.segments) / self.segments
        around = np.concatenate((places[-1:] - 1.0, places, places[:1] + 1.0))
        return np.interp(phase - np.floor(phase), around, np.concatenate((radii[-1:], radii, radii[:1])))


class _Columns:
    """Columns of points, one on each half-plane through the axis; points of neighbours with equal labels are joined.

    A label is the number of a level, or of a helix; a helix goes on from the last column to the first as another one.
    """

    def __init__(self, segments: int) -> None:
        self._segments = segments
        self._points: list[NDArray[np.float64]] = []
        self._n = 0
        self._columns: list[list[tuple[int, float, int]]] = [[] for _ in range(segments)]
        """Of each column its points in order: label, way along the column, vertex."""
        self._n_levels = 0
        self._lines_in_turn = 0

    @property
    def first_level(self) -> NDArray[np.int64]:
        """Vertices of the first level."""
        return np.array([column[0][2] for column in self._columns])

    @property
    def last_level(self) -> NDArray[np.int64]:
        """Vertices of the last level."""
        return np.array([column[-1][2] for column in self._columns])

    def add_level(self, radius: NDArray[np.float64], z: float) -> None:
        """One point more at the end of each column."""
        label = _LEVELS + self._n_levels
        self._n_levels += 1
        for j, vertex in enumerate(self._add_points(np.arange(self._segments), radius, np.full(self._segments, z))):
            self._columns[j].append((label, float(self._n_levels), vertex))

    def add_thread(self, thread: _Thread, height: float) -> None:
        """A thread from z = 0 to ``height``, its ends included."""
        self.add_level(thread.radius_at(0.0), 0.0)
        places, radii = thread.lines
        n = self._segments
        self._lines_in_turn = len(places)
        begin = float(self._n_levels)
        turns = height / thread.pitch
        nearest = _TOO_NEAR / n
        for j, column in enumerate(self._columns):
            numbers = np.arange(-len(places), (math.ceil(turns) + 1) * len(places))
            z = numbers // len(places) + places[numbers % len(places)] + j / n
            kept = (z > nearest) & (z < turns - nearest)
            numbers, z = numbers[kept], z[kept]
            vertices = self._add_points(np.full(len(z), j), radii[numbers % len(places)], z * thread.pitch)
            column.extend(zip(numbers.tolist(), (begin + z / (turns + 1.0)).tolist(), vertices, strict=True))
        self.add_level(thread.radius_at(height), height)

    def joined(self, *, closed: bool = False) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Vertices (n, 3), and triangles (m, 3) between all columns; ``closed``: each column is a loop."""
        found: list[tuple[int, int, int]] = []
        for j, column in enumerate(self._columns):
            following = self._columns[(j + 1) % self._segments]
            if j + 1 == self._segments:
                following = [
                    (label if label >= _LEVELS else label - self._lines_in_turn, way, vertex)
                    for label, way, vertex in following
                ]
            if closed:
                column, following = column + column[:1], following + following[:1]
            found.extend(_join(column, following, j))
        return np.concatenate(self._points), np.array(found)

    def _add_points(self, columns: NDArray[np.int64], radius: NDArray[np.float64], z: NDArray[np.float64]) -> list[int]:
        cosine, sine = exact_cos_sin(columns / self._segments)
        self._points.append(np.stack((radius * cosine, radius * sine, z), axis=1))
        first = self._n
        self._n += len(columns)
        return list(range(first, self._n))


def _join(
    left: list[tuple[int, float, int]], right: list[tuple[int, float, int]], chequer: int
) -> list[tuple[int, int, int]]:
    """Triangles between two columns: points with equal labels are joined, what lies between them in order.

    Their normals point away from the axis where columns run upwards. Diagonals alternate.
    """
    triangles = []
    shared = {label for label, _, _ in left} & {label for label, _, _ in right}
    i = k = 0
    while i + 1 < len(left) or k + 1 < len(right):
        go_left = _left_is_next(left[i : i + 2], right[k : k + 2], shared, chequer)
        if go_left:
            triangles.append((left[i][2], right[k][2], left[i + 1][2]))
            i += 1
        else:
            triangles.append((left[i][2], right[k][2], right[k + 1][2]))
            k += 1
    return triangles


def _left_is_next(
    left: list[tuple[int, float, int]], right: list[tuple[int, float, int]], shared: set[int], chequer: int
) -> bool:
    """Whether the next triangle has an edge on the left column; each is given by where it is and what comes next."""
    if len(left) < 2 or len(right) < 2:
        return len(left) == 2
    (here_left, _, _), (next_left, way_left, _) = left
    (here_right, _, _), (next_right, way_right, _) = right
    if here_left == next_right or here_right == next_left:  # one is ahead: the other follows
        return here_right == next_left
    if next_left in shared and next_right in shared:
        return (chequer + next_left) % 2 == 1
    if next_left not in shared and next_right not in shared:
        return way_left <= way_right
    return next_left not in shared


def _with_cap(
    vertices: NDArray[np.float64], triangles: NDArray[np.int64], outline: NDArray[np.int64], *, upwards: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A plane face within an outline around the axis: rings of ever fewer points towards the middle."""
    radius = float(np.hypot(*vertices[outline, :2].T).min())
    z = float(vertices[outline[0], 2])
    n = len(outline)
    profile = flat_cap("threaded_bolt", "segments", radius, n)[1:] + np.array([z, 0.0])
    counts = max(6, round(n * profile[0, 1] / radius))
    rings = graded_rings("threaded_bolt", profile, counts)
    first = len(vertices) + n  # the outline once more, in one piece
    inner = ring_triangles(rings) + first
    rim = strip_triangles(
        (len(vertices), n, 0), (first, int(rings.counts[0]), int(rings.half_turns[0])), lower_first=True
    )
    cap = np.concatenate((rim, inner))
    numbers = np.concatenate((np.arange(len(vertices)), outline, len(vertices) + np.arange(rings.counts.sum())))
    cap = numbers[cap]
    return (
        np.concatenate((vertices, ring_vertices(rings))),
        np.concatenate((triangles, cap if upwards else cap[:, ::-1])),
    )


def _hexagon(across_flats: float, segments: int) -> NDArray[np.float64]:
    """Distance of a hexagon's outline from the axis at each column, m; its corners lie on columns."""
    sixth = segments // 6
    within = (np.arange(segments) % sixth) / segments  # turns from the last corner, at most a sixth
    return np.asarray(0.5 * across_flats / np.cos(2.0 * np.pi * (within - 1.0 / 12.0)))


def _parts(start: NDArray[np.float64], stop: NDArray[np.float64], spacing: float) -> list[NDArray[np.float64]]:
    """Radii of rings from one outline to another, both included, about ``spacing`` (m) apart."""
    n = max(1, round(float(np.abs(stop - start).mean()) / spacing))
    return [start + (stop - start) * (i / n) for i in range(n + 1)]


def _checked_height(shape: str, name: str, height: float, thread: _Thread) -> float:
    return check.real_number(shape, name, height, "m", _FEWEST_TURNS * thread.pitch, check.LENGTH_RANGE[1])


def _checked_flats(shape: str, across_flats: float | None, thread: _Thread) -> float:
    """Width across flats, m: the hexagon must leave a wall around the thread."""
    flats = 1.6 * thread.diameter if across_flats is None else across_flats
    least = 1.05 * (thread.diameter + 2.0 * thread.wider)
    return check.real_number(shape, "across_flats", flats, "m", least, check.LENGTH_RANGE[1])


def _refuse_too_many(shape: str, thread: _Thread, height: float) -> None:
    strips = 2 * thread.divisions + 2
    around = 2.0 * thread.segments * (strips * height / thread.pitch + 4.0 * thread.segments)
    check.refuse_too_many(shape, around, "lower segments or divisions")
