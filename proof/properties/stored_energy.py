"""The energy that a contact with the depth as a distance stores, U = c ∫ φ dV over the overlap, independently.

The overlap is that of manifold3d, a package of the extra ``test``, and nothing of the contact model is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.methods import Base, has_distance_depth
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactError
from polycontact.surfaces.surface import Surface
from proof.properties.distance_integral import excess, integrate_distance

Array = NDArray[np.float64]

FLAT = 3.0
"""Volume of all its signed tetrahedra over that of a part, up to which it is not cut further."""

CUTS = 6
"""Times that a curved part is halved, at most."""


def stored_energy(pairing: ContactPairing, kinematics: RelativeKinematics, *, accuracy: float = 1e-2) -> float:
    """Energy, J, of a pair of closed surfaces in a pose; with both as the base the mean of two energies.

    ``accuracy``: what refining may still change, cells added up without regard to signs, as a share of it; the error is
    a few hundredths of that.
    """
    e, f, stiffness = pairing.e, pairing.f, pairing.stiffness
    if not (isinstance(e, Surface) and isinstance(f, Surface) and has_distance_depth(pairing.method)):
        raise ContactError(f'{pairing.name}: only contacts of two surfaces with depth="distance" have this energy')
    if stiffness is None:
        raise ContactError(f"{pairing.name}: the energy is known of laws with one stiffness, not of {pairing.law!r}")
    R, r, _, _ = kinematics.arrays()
    moved = f.vertices @ R.T + r
    parts = overlap_parts((e.vertices, e.triangles), (moved, f.triangles))
    targets = {Base.E: [moved[f.triangles]], Base.F: [e.vertices[e.triangles]]}
    targets[Base.BOTH] = targets[Base.E] + targets[Base.F]
    found = [
        sum(integrate_distance(*part, target, accuracy=accuracy).value for part in parts)
        for target in targets[pairing.base]
    ]
    return stiffness * float(np.mean(found))


Mesh = tuple[Array, NDArray[np.integer]]
"""Vertices (n, 3) m and triangles (m, 3)."""


def overlap_parts(e: Mesh, f: Mesh) -> list[tuple[Array, NDArray[np.int64]]]:
    """Parts of the overlap of two closed meshes, as closed meshes: each connected, and cut where it is curved."""
    solids = (_solid(*e) ^ _solid(*f)).decompose()
    found = []
    for _ in range(CUTS):
        meshes = [_mesh(solid) for solid in solids]
        is_flat = [excess(*mesh) < FLAT for mesh in meshes]
        found += [mesh for mesh, flat in zip(meshes, is_flat, strict=True) if flat]
        curved = [(solid, mesh) for solid, mesh, flat in zip(solids, meshes, is_flat, strict=True) if not flat]
        solids = [half for solid, mesh in curved for half in _halves(solid, mesh[0])]
    return found + [_mesh(solid) for solid in solids]


def _halves(solid: Any, vertices: Array) -> list[Any]:
    """A solid cut across its longest direction, in connected parts."""
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    along = np.linalg.svd(vertices - middle, full_matrices=False)[2][0]
    return [part for half in solid.split_by_plane(tuple(along), float(along @ middle)) for part in half.decompose()]


def _mesh(solid: Any) -> tuple[Array, NDArray[np.int64]]:
    mesh = solid.to_mesh64()
    return np.array(mesh.vert_properties)[:, :3], np.array(mesh.tri_verts).astype(np.int64)


def _solid(vertices: Array, triangles: NDArray[np.integer]) -> Any:
    try:
        import manifold3d
    except ImportError as error:
        raise ContactError("this check needs manifold3d, which is not installed; 'pip install manifold3d'") from error
    corners = np.array(triangles, dtype=np.uint64, order="C")
    solid = manifold3d.Manifold(manifold3d.Mesh64(np.array(vertices, order="C"), corners))
    if solid.status() != manifold3d.Error.NoError:
        raise ContactError(f"manifold3d refuses a mesh of {len(triangles)} triangles: {solid.status()}; is it closed?")
    return solid
