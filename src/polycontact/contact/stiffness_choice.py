"""Which stiffness of a layer law to take: for a wanted depth under a load, or like half-spaces at a working point.

Closed forms of the elastic foundation: a ball has F = π c R δ², a cylinder F = (4/3) c L √(2R) δ^1.5, a flat face
F = c A δ. Half-spaces after Hertz and Boussinesq: `polycontact.contact.half_spaces`.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from polycontact.contact.half_spaces import BallOnFlat, CylinderOnFlat, FlatPunch, contact_modulus
from polycontact.contact.materials import Material, material_named
from polycontact.errors import ContactError, UnitError
from polycontact.units import quantity

HalfSpaceContact: TypeAlias = BallOnFlat | CylinderOnFlat | FlatPunch


def stiffness_for_depth(
    depth: float,
    force: float,
    *,
    radius: float | None = None,
    length: float | None = None,
    area: float | None = None,
) -> float:
    """Layer stiffness c, N/m³, with which ``force`` (N) presses a body into a flat one by ``depth`` (m).

    A ball has a ``radius`` (m), a cylinder that lies on its side a ``radius`` and a ``length`` (m), a flat face an
    ``area`` (m²). The depth should be small beside the radius: the forms neglect its square.
    """
    depth, force = _positive("depth", depth, "m"), _positive("force", force, "N")
    if area is not None and radius is None and length is None:
        return force / (_positive("area", area, "m²") * depth)
    if radius is None or area is not None:
        raise ContactError("stiffness_for_depth: give a radius (ball), a radius and a length (cylinder), or an area")
    radius = _positive("radius", radius, "m")
    if depth >= radius:
        raise ContactError(f"stiffness_for_depth: the depth {depth:g} m is not below the radius {radius:g} m")
    if length is None:
        return force / (math.pi * radius * depth**2)
    length = _positive("length", length, "m")
    return force / (4.0 / 3.0 * length * math.sqrt(2.0 * radius) * math.pow(depth, 1.5))


def stiffness_like_hertz(
    force: float,
    *bodies: Material | str,
    radius: float,
    length: float | None = None,
    flat: bool = False,
    match: Literal["force", "stiffness"] = "force",
) -> float:
    """Layer stiffness c, N/m³, that behaves as elastic half-spaces do at a load ``force`` (N).

    ``bodies``: the material of each body that is not rigid, one or two, or their names in `materials`; ``radius``: of
    the ball, of the cylinder, or of the rigid disc where ``flat`` (m), two round bodies by 1/R = 1/R₁ + 1/R₂;
    ``length``: of the cylinder (m). ``match``: "force", the same depth under the load (secant), or "stiffness", the
    same slope there (tangent).
    """
    force, radius = _positive("force", force, "N"), _positive("radius", radius, "m")
    if not 1 <= len(bodies) <= 2:
        raise ContactError(f"stiffness_like_hertz: {len(bodies)} materials are given; give those of one or two bodies")
    if match not in ("force", "stiffness"):
        raise ContactError(f"stiffness_like_hertz: match is {match!r}; give 'force' or 'stiffness'")
    solids = [material_named(each) for each in bodies]
    modulus = contact_modulus(*((each.youngs_modulus, each.poissons_ratio) for each in solids))
    contact = _contact(modulus, radius, length, flat)
    point = contact.at(force)
    if not 0.0 < point.depth < radius:
        raise ContactError(
            f"stiffness_like_hertz: {force:g} N would press the body in by {point.depth:.3g} m at a radius of "
            f"{radius:g} m; Hertz's theory is for small depths: give a smaller force or a larger radius"
        )
    return contact.for_force(point) if match == "force" else contact.for_stiffness(point)


def _contact(modulus: float, radius: float, length: float | None, flat: bool) -> HalfSpaceContact:
    if flat and length is not None:
        raise ContactError("stiffness_like_hertz: a flat disc has no length; leave out length or flat")
    if flat:
        return FlatPunch(modulus, radius)
    if length is None:
        return BallOnFlat(modulus, radius)
    return CylinderOnFlat(modulus, radius, _positive("length", length, "m"))


def _positive(what: str, value: float, unit: str) -> float:
    if isinstance(value, str):
        try:
            value = quantity(value, unit)
        except UnitError as error:
            raise ContactError(f"{what}: {error}") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < math.inf:
        raise ContactError(f"{what} is {value!r} {unit}; it must be positive and finite")
    return float(value)
