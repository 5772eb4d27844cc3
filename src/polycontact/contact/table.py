"""From the kernels' columns to the table of contact elements that users see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.result import ContactElements, RawElements

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing


def build_table(pairing: ContactPairing, kinematics: RelativeKinematics, raw: RawElements) -> ContactElements:
    """Table of the elements of one evaluation, with ids of the users' triangles."""
    R, r, _, _ = kinematics.arrays()
    e, f = pairing.e.contact_data, pairing.f.contact_data
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
        point = np.einsum("ki,kij->kj", weights[rows], corners)
        normal = other.normals[target[rows]]
        target_point[rows] = point @ R.T + r if other_is_f else point
        target_normal[rows] = normal @ R.T if other_is_f else normal
    return ContactElements(
        position=raw.position,
        base_point=raw.base_point,
        target_point=target_point,
        normal=raw.normal,
        target_normal=target_normal,
        area=raw.area,
        depth=raw.depth,
        weight=raw.weight,
        pressure=raw.normal_force / raw.area,
        force=raw.force,
        slip=raw.slip,
        approach=raw.approach,
        base_triangle=base_triangle,
        target_triangle=target_triangle,
        part=raw.part,
        side=raw.side,
    )
