"""Balanced surfaces: a mesh moved so that it encloses the volume of the smooth body that its vertices lie on.

In: a surface whose vertices lie on a round body, so that its triangles cut off what bulges above them (the chord
error). Out: the same triangles with their vertices moved out, by as much as the body stands above the triangles on
average: the moved mesh lies as often outside the body as inside. The steps:

1. tell flat, smooth and sharp edges apart (`edge_bends`), and flat faces from curved parts (`flat_regions`);
2. find the sheets, what joins smoothly around a vertex, and their normals (`sheets`);
3. find how high the body stands above each triangle (`chord_lift`);
4. find for each sheet the amount to move along its normal: the piecewise linear field nearest to that height;
5. move each vertex so that each of its sheets moves by its amount, less at slivers, and check the result
   (`balance_checks`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.balancing import balance_checks as check
from polycontact.surfaces.balancing.chord_lift import ChordLift, find_chord_lift
from polycontact.surfaces.balancing.edge_bends import find_edge_bends
from polycontact.surfaces.balancing.flat_regions import find_flat_faces
from polycontact.surfaces.balancing.sheets import Sheets, find_sheets
from polycontact.surfaces.surface import Surface

SWEEPS: Final = 10
"""Corrections of the amounts: each leaves at most three quarters of what is missing, and most of them far less."""

LARGEST_TURN: Final = 0.25 * np.pi
"""Vertices of triangles that would turn by more than this, rad, move less. Only slivers do: triangles that are lower
than the bulge over their neighbours."""

LEAST_MOTION_SHARE: Final = 1.0 / 64.0
"""Vertices that would have to be held back further than to this share of their motion stay where they are."""

PARALLEL_EIGENVALUE_RATIO: Final = 1e-4
"""Sheets count as parallel where the smaller eigenvalue of their normals is below this share of the larger: a wedge,
or a bend, of about one degree."""


def balanced_surface(surface: Surface, feature_angle: float) -> Surface:
    """``surface`` with moved vertices; see `Surface.balanced`. ``feature_angle`` in rad."""
    check.refuse_balanced(surface)
    feature_angle = check.checked_angle(surface, feature_angle)
    bends = find_edge_bends(surface, feature_angle)
    check.warn_of_doubtful_edges(surface, bends, feature_angle)
    sheets = find_sheets(surface, bends, find_flat_faces(surface, bends), feature_angle)
    lift = find_chord_lift(surface, sheets)
    check.refuse_unresolved(surface, lift)
    wanted = _motion(surface, sheets, _amounts(surface, sheets, lift))
    if not wanted.any():
        check.warn_of_nothing_moved(surface, feature_angle)
        return surface
    motion = _held_back(surface, wanted)
    check.warn_of_slivers(surface, wanted, motion)
    moved = surface.with_vertices(surface.vertices + motion)
    check.refuse_flipped(surface, moved)
    check.warn_of_new_crossings(surface, moved)
    moved.is_balanced = True
    return moved


def _amounts(surface: Surface, sheets: Sheets, lift: ChordLift) -> NDArray[np.float64]:
    """How far each sheet moves along its normal (n,), m: the projection of the lift on piecewise linear fields.

    It is the field nearest to the lift in the mean square, and has the same volume under each hat function. Its
    equations are solved by sweeps that begin with the lumped ones; held sheets stay at zero.
    """
    wanted = sheets.total(lift.moments(surface))
    weight = sheets.total(surface.areas[:, None] * sheets.cosine / 3.0)
    step = np.where(sheets.is_held, 0.0, 1.0 / np.maximum(weight, np.finfo(float).tiny))
    amount = step * wanted
    for _ in range(SWEEPS):
        height = amount[sheets.of_corner] * sheets.cosine
        moments = surface.areas[:, None] * (height + height.sum(axis=1)[:, None]) / 12.0
        amount = amount + step * (wanted - sheets.total(moments))
    return amount


def _motion(surface: Surface, sheets: Sheets, amount: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shortest motion of each vertex (n, 3), m, that moves each of its sheets by its amount.

    On the rim of a cylinder one sheet is the cap, which is held: the rim moves within the plane of the cap.
    """
    n = len(surface.vertices)
    motion = np.zeros((n, 3))
    np.add.at(motion, sheets.vertex, amount[:, None] * sheets.normal)
    several = np.flatnonzero((np.bincount(sheets.vertex, minlength=n) > 1) & motion.any(axis=1))
    normals = np.zeros((n, 3, 3))
    np.add.at(normals, sheets.vertex, sheets.normal[:, :, None] * sheets.normal[:, None, :])
    inverse = np.linalg.pinv(normals[several], rcond=PARALLEL_EIGENVALUE_RATIO, hermitian=True)
    motion[several] = np.einsum("nij,nj->ni", inverse, motion[several])
    return motion


def _held_back(surface: Surface, motion: NDArray[np.float64]) -> NDArray[np.float64]:
    """``motion`` (n, 3), m, halved at the corners of triangles that would turn too far until none does."""
    share = np.ones(len(motion))
    while True:
        held = share[:, None] * motion
        corners = (surface.vertices + held)[surface.triangles]
        area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        along = np.einsum("ij,ij->i", area, surface.normals)
        turned = ~(along >= np.cos(LARGEST_TURN) * np.linalg.norm(area, axis=1))
        if not turned.any():
            return held
        slower = np.unique(surface.triangles[turned])
        share[slower] = np.where(share[slower] > LEAST_MOTION_SHARE, 0.5 * share[slower], 0.0)
