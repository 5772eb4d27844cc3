"""Prisms over any polygon, with holes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.delaunay_refinement import PlanarMesh, triangulate
from polycontact.surfaces.shapes.grids import split_quads
from polycontact.surfaces.shapes.outlines import inside, loop_edges, refuse_crossing, signed_area
from polycontact.surfaces.shapes.rings import exact_cos_sin
from polycontact.surfaces.surface import Surface


def extrude(
    polygon: ArrayLike,
    height: float,
    *,
    holes: Sequence[ArrayLike] = (),
    spacing: float | None = None,
    divisions: int | None = None,
    name: str = "extruded",
) -> Surface:
    """The prism over a simple ``polygon`` (n, 2) in the xy-plane from z = 0 to ``height`` (m), closed.

    The polygon may be concave and may run either way round; ``holes`` are polygons inside it that neither
    touch it nor each other. No edge of the two faces is longer than about ``spacing`` (m); by default edges
    are only split where triangles would be thin. ``divisions`` layers along z, by default as many as fit the
    length of edges of the outline.
    """
    height = check.length("extrude", "height", height)
    loops = _checked_loops(polygon, holes)
    if spacing is not None:
        spacing = check.length("extrude", "spacing", spacing)
    if divisions is not None:
        divisions = check.count("extrude", "divisions", divisions, 1)
    face = triangulate("extrude", loops, spacing)
    n_around = sum(len(outline) for outline in face.outlines)
    layers = divisions or _fitting_layers(face, height)
    check.refuse_too_many("extrude", 2.0 * (n_around * layers + len(face.triangles)), "raise the spacing")
    return _prism(face, height, int(layers), name)


def plate_with_hole(
    size: ArrayLike,
    thickness: float,
    hole_radius: float,
    *,
    segments: int = 48,
    spacing: float | None = None,
    divisions: int | None = None,
) -> Surface:
    """A plate of ``size`` (one edge length or two, m) centred at z = 0 with a round hole through it, closed.

    ``thickness`` and ``hole_radius`` in m; ``segments`` edges around the hole. Edges elsewhere are at most
    about ``spacing`` (m), by default a twelfth of the shorter edge; ``divisions`` layers through the
    thickness.
    """
    width, depth = check.lengths("plate_with_hole", "size", size, 2)
    thickness = check.length("plate_with_hole", "thickness", thickness)
    hole_radius = check.length("plate_with_hole", "hole_radius", hole_radius)
    segments = check.count("plate_with_hole", "segments", segments, 3)
    if not hole_radius < 0.5 * min(width, depth):
        raise SurfaceError(
            f"plate_with_hole: hole_radius = {hole_radius:g} m; allowed is less than half of the "
            f"shorter edge, {0.5 * min(width, depth):g} m"
        )
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * (width, depth)
    hole = hole_radius * np.stack(exact_cos_sin(np.arange(segments) / segments), axis=1)
    plate = extrude(
        corners,
        thickness,
        holes=[hole],
        spacing=min(width, depth) / 12.0 if spacing is None else spacing,
        divisions=divisions,
        name="plate_with_hole",
    )
    return plate.transformed(position=(0.0, 0.0, -0.5 * thickness))


def _checked_loops(polygon: ArrayLike, holes: Sequence[ArrayLike]) -> list[NDArray[np.float64]]:
    """The polygon counter-clockwise and its holes clockwise, found simple, disjoint and nested once."""
    names = ["polygon"] + [f"holes[{i}]" for i in range(len(holes))]
    loops = [_checked_loop(name, loop) for name, loop in zip(names, (polygon, *holes), strict=True)]
    starts = np.cumsum([0] + [len(loop) for loop in loops[:-1]])
    edges = np.concatenate([loop_edges(len(loop), start=s) for loop, s in zip(loops, starts, strict=True)])
    refuse_crossing("extrude", "polygon and holes" if holes else "polygon", np.concatenate(loops), edges)
    for i, hole in enumerate(loops[1:]):
        others = loops[1 : i + 1] + loops[i + 2 :]
        if not inside(hole[:1], loops[:1])[0] or any(inside(hole[:1], [other])[0] for other in others):
            raise SurfaceError(f"extrude: holes[{i}] lies outside of the polygon or within another hole")
    return loops


def _checked_loop(name: str, loop: ArrayLike) -> NDArray[np.float64]:
    points = check.points_2d("extrude", name, loop, 3)
    if (points[0] == points[-1]).all():
        points = points[:-1]
    area = signed_area(points)
    if len(points) < 3 or area == 0.0:
        raise SurfaceError(f"extrude: {name} encloses no area; allowed are three or more points not in a line")
    return points if (area > 0) == (name == "polygon") else points[::-1]


def _fitting_layers(face: PlanarMesh, height: float) -> int:
    """Layers about as high as the edges of the outline are long on average."""
    edges = np.concatenate([face.points[np.roll(loop, -1)] - face.points[loop] for loop in face.outlines])
    mean = float(np.hypot(*edges.T).mean())
    check.refuse_too_many("extrude", 2.0 * len(edges) * height / mean, "give divisions")
    return max(1, round(height / mean))


def _prism(face: PlanarMesh, height: float, layers: int, name: str) -> Surface:
    """Two copies of ``face`` and walls of ``layers`` between their outlines."""
    n = len(face.points)
    border = np.concatenate(face.outlines)
    # Number of each border point on each level: the lower face, points added between, the upper face.
    levels = np.empty((layers + 1, len(border)), dtype=np.int64)
    levels[0], levels[-1] = border, n + border
    levels[1:-1] = 2 * n + np.arange((layers - 1) * len(border)).reshape(layers - 1, len(border))
    ahead = np.concatenate([start + np.roll(np.arange(len(loop)), -1) for start, loop in _offsets(face.outlines)])
    quads = np.stack((levels[:-1], levels[:-1, ahead], levels[1:, ahead], levels[1:]), axis=2).reshape(-1, 4)
    chequered = np.add.outer(np.arange(layers), np.arange(len(border))).ravel() % 2 == 1
    triangles = np.concatenate((face.triangles[:, ::-1], n + face.triangles, split_quads(quads, chequered)))

    between = np.repeat(np.arange(1, layers) * (height / layers), len(border))
    z = np.concatenate((np.zeros(n), np.full(n, height), between))
    xy = np.concatenate((face.points, face.points, np.tile(face.points[border], (layers - 1, 1))))
    return Surface(np.column_stack((xy, z)), triangles, name=name)


def _offsets(outlines: Sequence[NDArray[np.int64]]) -> list[tuple[int, NDArray[np.int64]]]:
    starts = np.cumsum([0] + [len(outline) for outline in outlines[:-1]]).tolist()
    return list(zip(starts, outlines, strict=True))
