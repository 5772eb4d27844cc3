"""How deep given points lie in the target, asked for after an evaluation: for pictures, not for forces."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.mesh_pair import MeshMemory
from polycontact.kernels.geometry.nearest import near_at, search_nearest
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles, Ints

if TYPE_CHECKING:
    from polycontact.contact.pairing import ContactPairing


def distances_to(pairing: ContactPairing, side: int, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance (n,) m of points (n, 3) m from surface E (``side`` 0) or F (1) of a pair of meshes, in its own frame."""
    found = np.empty(len(points))
    with pairing.borrowed_memory() as memory:
        assert isinstance(memory, MeshMemory)
        evaluation = memory.evaluation
        mesh = (evaluation.f if side else evaluation.e).mesh
        _find_distances(mesh, np.ascontiguousarray(points), evaluation.work.stack, found)
    return found


@kernel
def _find_distances(mesh: SurfaceMesh, points: Doubles, stack: Ints, found: Doubles) -> None:
    """Distances (n,) m of points (n, 3) m, each searched from the triangle nearest to the one before."""
    t = 0
    for i in range(len(points)):
        p = (points[i, 0], points[i, 1], points[i, 2])
        near = search_nearest(mesh, p, near_at(mesh, p, t), stack)
        found[i] = math.sqrt(near.foot.square)
        t = near.triangle
