"""The signed distance of two surfaces: nearest triangles where they are apart, else the deepest point of either."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.distance import Distance, DistanceStatus
from polycontact.kernels.contact.evaluation_view import STACK_LENGTH
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.queries.deepest_point import MOST_LOOKS, Deepest, DeepStack, deepest_point
from polycontact.kernels.queries.nearest_points import nearest_points
from polycontact.kernels.queries.surface_distance import NearestTriangles, PairStack, nearest_triangles

Array = NDArray[np.float64]


def mesh_distance(e: SurfaceMesh, f: SurfaceMesh, R: Array, r: Array) -> Distance:
    """Signed distance of surfaces E and F; rotation and position (m) of F in E."""
    R, r = np.array(R), np.array(r)  # kernels are compiled for arrays that can be written
    stack = PairStack()
    stack.reserve(room=STACK_LENGTH)
    nearest = nearest_triangles(e, f, R, r, stack)
    if nearest.points.square > 0.0 and not (
        _reaches_into(e, f, R.T, -r @ R) or _reaches_into(f, e, R, r)  # a body wholly inside the other
    ):
        return _apart(e, nearest)
    return _penetrating(e, f, R, r) or _touching(e, nearest)


def _reaches_into(inner: SurfaceMesh, outer: SurfaceMesh, turn: Array, shift: Array) -> bool:
    """Whether a component of a surface that meets nothing lies inside the other; pose of the one in the other."""
    if not outer.closed:
        return False
    points = np.ascontiguousarray(inner.vertices[inner.component_vertices[:, 0]] @ turn.T + shift)
    n = len(points)
    distances = np.empty(n)
    stack = np.zeros((STACK_LENGTH, 6), np.int32)
    nearest_points(outer, points, stack, np.empty((n, 3)), np.empty(n, np.int32), distances)
    return bool((distances < 0.0).any())


def _apart(e: SurfaceMesh, nearest: NearestTriangles) -> Distance:
    point_e, point_f = np.array(nearest.points.e), np.array(nearest.points.f)
    distance = math.sqrt(nearest.points.square)
    out = point_f - point_e
    length = float(np.linalg.norm(out))
    if length < 0.5 * distance:  # made of rounding
        return _touching(e, nearest)
    return Distance(distance, point_e, point_f, out / length, DistanceStatus.SEPARATED)


def _touching(e: SurfaceMesh, nearest: NearestTriangles) -> Distance:
    point = np.array(nearest.points.e)
    return Distance(0.0, point, point.copy(), np.array(e.normals[nearest.e]), DistanceStatus.TOUCHING)


def _penetrating(e: SurfaceMesh, f: SurfaceMesh, R: Array, r: Array) -> Distance | None:
    """By the deepest point of either body in the other; None where no point of one lies in the other."""
    of_e = _deepest(e, f, np.ascontiguousarray(R.T), -r @ R)
    of_f = _deepest(f, e, R, r)
    looks = max(0 if found is None else found.looks for found in (of_e, of_f))
    status = DistanceStatus.PENETRATING_AT_LEAST if looks >= MOST_LOOKS else DistanceStatus.PENETRATING
    depth_e = 0.0 if of_e is None else of_e.depth
    if of_f is not None and of_f.depth > depth_e:
        point_f, point_e, depth = np.array(of_f.point), np.array(of_f.foot), of_f.depth
        face = np.array(e.normals[of_f.triangle])
    elif of_e is not None and depth_e > 0.0:
        point_e, point_f, depth = R @ of_e.point + r, R @ of_e.foot + r, depth_e
        face = -R @ f.normals[of_e.triangle]
    else:
        return None
    out = point_e - point_f
    length = float(np.linalg.norm(out))
    return Distance(-depth, point_e, point_f, out / length if length > 0.5 * depth else face, status)


def _deepest(base: SurfaceMesh, target: SurfaceMesh, turn: Array, shift: Array) -> Deepest | None:
    """The deepest point of one surface in the other; None where that is open, and so has no inside."""
    if not target.closed:
        return None
    stack = DeepStack()
    stack.reserve(room=STACK_LENGTH)
    found: Deepest = deepest_point(base, target, turn, np.ascontiguousarray(shift), stack)
    return found
