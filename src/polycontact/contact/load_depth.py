"""How deep a contact is that carries a load: an estimate from its law and the shape of its bodies, without a pose.

A pressure k uⁿ over a flat face of area A carries F = k A uⁿ. A ball of radius R that is pressed into a plane by u
carries F = 2 π R k uⁿ⁺¹ / (n + 1), and bodies that touch at a point F = k uⁿ. Bodies may meet with their flat faces or
with what is round of them; the smaller depth counts. Contact of bodies that fit each other, as of a pin in its hole, is
less deep by up to the ratio of what touches to one facet, and contact at corners and edges is deeper.
"""

from __future__ import annotations

import math
from typing import Any

from polycontact.contact.description import POINT_METHODS, ContactDescription
from polycontact.contact.laws import HertzPoint, HuntCrossley
from polycontact.surfaces.surface import Surface


def depth_under_load(description: ContactDescription, e: Any, f: Any, load: float) -> float | None:
    """Depth (m) at which a contact of two geometries carries ``load`` (N).

    None where it is not known: for laws without a stiffness, and methods of other geometries than meshes whose elements
    have areas.
    """
    law = description.law
    if isinstance(law, HuntCrossley | HertzPoint):
        k = law.coefficient
        n = law.exponent if isinstance(law, HuntCrossley) else 1.5
    elif description.stiffness is not None:
        k, n = description.stiffness, 1.0
    else:
        return None
    if not load > 0.0:
        return None
    if isinstance(description.method, POINT_METHODS) or getattr(law, "per_point", False):
        return float((load / k) ** (1.0 / n))
    if not (isinstance(e, Surface) and isinstance(f, Surface)):
        return None
    of_e, of_f = e.bluntness, f.bluntness
    flat = float((load / (k * min(of_e.face, of_f.face))) ** (1.0 / n))
    curvature = 1.0 / of_e.radius + 1.0 / of_f.radius
    if curvature == 0.0:
        return flat
    return min(flat, float(((n + 1.0) * load * curvature / (2.0 * math.pi * k)) ** (1.0 / (n + 1.0))))
