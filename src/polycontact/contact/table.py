"""From the kernels' columns to the table of contact elements that users see."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.mesh_pair import MeshPair
from polycontact.contact.methods import has_distance_depth
from polycontact.contact.node_block_options import NodeBlockMethod
from polycontact.contact.result import ContactElements, RawElements
from polycontact.surfaces.surface import Surface

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing


class _Opposite(NamedTuple):
    """What lies opposite each element, and the ids of both sides."""

    point: NDArray[np.float64]
    normal: NDArray[np.float64]
    base_triangle: NDArray[np.int32]
    target_triangle: NDArray[np.int32]


def meshes_of(pairing: ContactPairing) -> tuple[Surface, Surface] | None:
    """The two surfaces of a method that works on their triangles; None for other methods."""
    e, f = pairing.e, pairing.f
    on_triangles = isinstance(pairing.prepared, MeshPair) and isinstance(e, Surface) and isinstance(f, Surface)
    return (e, f) if on_triangles else None  # type: ignore[return-value]  # both were looked at


def build_table(pairing: ContactPairing, kinematics: RelativeKinematics, raw: RawElements) -> ContactElements:
    """Table of the elements of one evaluation, with ids of the users' triangles where there are triangles."""
    surfaces = meshes_of(pairing)
    if isinstance(pairing.method, NodeBlockMethod):
        opposite = _nearest_to_nodes((pairing.e.picture, pairing.f.picture), kinematics, raw)
    elif surfaces is None:
        opposite = _along_normals(raw)
    else:
        opposite = _on_meshes(surfaces, kinematics, raw, by_distance=has_distance_depth(pairing.method))
    return ContactElements(
        position=raw.position,
        base_point=raw.base_point,
        target_point=opposite.point,
        normal=raw.normal,
        target_normal=opposite.normal,
        area=raw.area,
        depth=raw.depth,
        peak=np.maximum(raw.peak, 1.0),  # of methods that know one depth of an element it is not set
        weight=raw.weight,
        pressure=raw.normal_force / raw.area,
        force=raw.force,
        spin_torque=raw.spin_torque,
        slip=raw.slip,
        approach=raw.approach,
        common_normal=raw.common_normal,
        friction_load=raw.friction_load,
        base_triangle=opposite.base_triangle,
        target_triangle=opposite.target_triangle,
        part=raw.part,
        side=raw.side,
    )


def _along_normals(raw: RawElements) -> _Opposite:
    """Without triangles: the depth away along the normal; ids as the method gave them."""
    point = raw.base_point + raw.depth[:, None] * raw.normal
    return _Opposite(point, raw.normal.copy(), raw.base_triangle, raw.target_triangle)


def _nearest_to_nodes(surfaces: tuple[Surface, Surface], kinematics: RelativeKinematics, raw: RawElements) -> _Opposite:
    """The points of the target's triangles nearest to hitting nodes; ids are the users' already."""
    R, r, _, _ = kinematics.arrays()
    point, normal = np.empty_like(raw.normal), np.empty_like(raw.normal)
    on_e = raw.side == 0
    for rows, target, is_f in ((on_e, surfaces[1], True), (~on_e, surfaces[0], False)):
        nodes, triangle = raw.base_point[rows], raw.target_triangle[rows]
        corners = target.vertices[target.triangles[triangle]]
        nearest = nearest_on_triangles((nodes - r) @ R if is_f else nodes, corners)
        point[rows] = nearest @ R.T + r if is_f else nearest
        normal[rows] = target.normals[triangle] @ R.T if is_f else target.normals[triangle]
    return _Opposite(point, normal, raw.base_triangle, raw.target_triangle)


def _on_meshes(
    surfaces: tuple[Surface, Surface], kinematics: RelativeKinematics, raw: RawElements, *, by_distance: bool
) -> _Opposite:
    """On target triangles: by barycentric coordinates, or nearest to the base point where depths are distances."""
    R, r, _, _ = kinematics.arrays()
    e, f = surfaces[0].contact_data, surfaces[1].contact_data
    base, target = raw.base_triangle, raw.target_triangle
    on_e = raw.side == 0
    base_triangle, target_triangle = np.empty_like(base), np.empty_like(base)
    target_normal = np.empty_like(raw.normal)
    target_point = np.empty_like(raw.normal)
    weights = np.column_stack((raw.target_place, 1.0 - raw.target_place.sum(axis=1)))
    for rows, own, other, other_is_f in ((on_e, e, f, True), (~on_e, f, e, False)):
        base_triangle[rows] = own.order[base[rows]]
        target_triangle[rows] = other.order[target[rows]]
        corners = other.vertices[other.triangles[target[rows]]]
        if by_distance:
            base_point = raw.base_point[rows]
            point = nearest_on_triangles((base_point - r) @ R if other_is_f else base_point, corners)
        else:
            point = np.einsum("ki,kij->kj", weights[rows], corners)
        normal = other.normals[target[rows]]
        target_point[rows] = point @ R.T + r if other_is_f else point
        target_normal[rows] = normal @ R.T if other_is_f else normal
    return _Opposite(target_point, target_normal, base_triangle, target_triangle)


def nearest_on_triangles(points: NDArray[np.float64], corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point (n, 3) of each triangle (n, 3, 3) that is nearest to a point (n, 3), m.

    The foot of the perpendicular where it lies inside, else the nearest of the points nearest on the sides.
    """
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    square = np.einsum("ni,ni->n", normal, normal)
    height = np.einsum("ni,ni->n", points - a, normal) / np.where(square > 0.0, square, 1.0)
    best = points - height[:, None] * normal
    inside = square > 0.0
    for start, end in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ni,ni->n", np.cross(end - start, best - start), normal) >= 0.0
    distance = np.where(inside, np.linalg.norm(points - best, axis=1), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        along = end - start
        length = np.einsum("ni,ni->n", along, along)
        share = np.einsum("ni,ni->n", points - start, along) / np.where(length > 0.0, length, 1.0)
        on_side = start + np.clip(share, 0.0, 1.0)[:, None] * along
        away = np.linalg.norm(points - on_side, axis=1)
        nearer = away < distance
        best[nearer], distance[nearer] = on_side[nearer], away[nearer]
    return np.asarray(best)
