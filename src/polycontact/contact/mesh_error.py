"""How far the facets of meshes may put a contact force off: known while it is evaluated, from the contact elements.

A mesh whose vertices lie on a smooth body lacks what the body has above its facets. Where the lack is h in the mean,
and the contact u deep in the mean, the force of a linear layer is short of h/u: F = c ∫ φ dA, and φ is h less. Facets
of both meshes count, with their signs: what a ball lacks its hollow has too much. That the height varies over facets
matters less: it is seen where meshes are balanced, so that h is 0. With the standard deviation s of that height,

    error = (|h| + s/4) / u

Measured on balls and cylinders on planes, balls in seats and pins in holes, meshes as they are and balanced
(`tools/mesh_errors.py`): where it is below a tenth, the force is within a tenth of that of the smooth bodies.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.facet_lift import facet_lift
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import MESH_ERROR_LIMIT, SPREAD_SHARE

if TYPE_CHECKING:
    from polycontact.contact.kinematics import RelativeKinematics
    from polycontact.contact.pairing import ContactPairing


@dataclass(frozen=True)
class MeshError:
    """How far facets may put the force of one evaluation off, as a part of it.

    ``share``: the estimate, 0.1 for a tenth of the force; ``depth`` (m): mean depth of the contact; ``height`` (m): of
    the smooth bodies above the facets in contact, of both together, negative in hollows; ``spread`` (m): standard
    deviation of that; ``n_elements``; ``coarser``: the side, "E" or "F", whose facets count more; ``balanced``: whether
    both meshes are balanced, or flat where they touch.
    """

    share: float
    depth: float
    height: float
    spread: float
    n_elements: int
    coarser: str
    balanced: bool

    @property
    def matters(self) -> bool:
        """Whether the force may be off by more than a tenth."""
        return self.share > MESH_ERROR_LIMIT

    @property
    def least_depth(self) -> float:
        """Mean depth from which on the force is within a tenth with facets like these, m."""
        return (abs(self.height) + SPREAD_SHARE * self.spread) / MESH_ERROR_LIMIT


def mesh_error(
    pairing: ContactPairing,
    area: NDArray[np.float64],
    depth: NDArray[np.float64],
    side: NDArray[np.int32],
    base_triangle: NDArray[np.int32],
    target_triangle: NDArray[np.int32],
) -> MeshError | None:
    """The error of elements on triangles (leaf order) of the surfaces of a pairing; None without elements or meshes.

    ``side``: 0 where E is the base, 1 where F is.
    """
    from polycontact.contact.mesh_pair import MeshPair

    e, f = pairing.e, pairing.f
    if not (isinstance(pairing.prepared, MeshPair) and isinstance(e, Surface) and isinstance(f, Surface)):
        return None
    load = float(area @ depth)
    if not load > 0.0:
        return None
    on_e = side == 0
    of_e = e.contact_data.order[np.where(on_e, base_triangle, target_triangle)]
    of_f = f.contact_data.order[np.where(on_e, target_triangle, base_triangle)]
    total = float(area.sum())
    heights, variances = [], []
    for surface, triangle in ((e, of_e), (f, of_f)):
        lift = facet_lift(surface)
        heights.append(float(area @ lift.height[triangle]) / total)
        variances.append(float(area @ lift.spread[triangle] ** 2) / total)
    height, spread = sum(heights), math.sqrt(sum(variances))
    of_each = [abs(h) + SPREAD_SHARE * math.sqrt(v) for h, v in zip(heights, variances, strict=True)]
    return MeshError(
        share=(abs(height) + SPREAD_SHARE * spread) * total / load,
        depth=load / total,
        height=height,
        spread=spread,
        n_elements=len(area),
        coarser="E" if of_each[0] >= of_each[1] else "F",
        balanced=all(h == 0.0 for h in heights),
    )


def told_mesh_error(error: MeshError, e: str, f: str) -> str:
    """What is said of a mesh too coarse for its contact; names of the bodies E and F."""
    coarser = e if error.coarser == "E" else f
    off = "by far" if error.share > 1.0 else f"by {100 * error.share:.0f} %"
    remedies = [f"refine the mesh of {coarser!r}"]
    if not error.balanced:
        remedies.append("balance the meshes (balanced = true, Surface.balanced)")
    remedies.append("take a softer layer")
    return (
        f"the meshes are too coarse for this depth, so that the force at it may be off {off}: the contact is "
        f"{1e3 * error.depth:.3g} mm deep in the mean, and the smooth bodies stand {1e3 * abs(error.height):.3g} mm "
        f"off their facets ({1e3 * error.spread:.3g} mm more or less); it takes {1e3 * error.least_depth:.3g} mm for a "
        f"force within {100 * MESH_ERROR_LIMIT:.0f} %; {', '.join(remedies[:-1])} or {remedies[-1]}"
    )


def mesh_error_at(pairing: ContactPairing, kinematics: RelativeKinematics) -> MeshError | None:
    """The error at given kinematics, in silence about anything else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pairing.evaluate(kinematics).mesh_error
