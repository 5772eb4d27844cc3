"""Half-spaces: round bodies after Hertz, a cone after Sneddon, a flat punch after Boussinesq.

Round bodies are open sheets above a plane, meshed evenly, whose vertices lie so far outside the body that sheet and
body have the same volume: errors are those of the law and not of the mesh. From level to level edges are halved. Forces
are within 0.6 % on the first level already, and 0.1 to 0.3 % of points in the place of far elements remain: they show
no order.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from polycontact.contact.laws import HalfSpaceLaw
from polycontact.contact.methods import Base
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.surfaces.surface import Surface
from polycontact.verification import closed_forms as exact
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.case import VerificationCase
from polycontact.verification.placing import place

LAW = HalfSpaceLaw(youngs_modulus=210e9, poissons_ratio=0.3)
MODULUS = LAW.modulus
DEPTH = 1e-4
LEVELS = (0, 1, 2)
"""Some 25, 100 and 400 elements in contact."""
SIDES_AT_FIRST = 10
"""Squares of two triangles along a sheet, which is twice as wide as the overlap, on the first level."""
FIRST_ORDER = 0.8
"""Order that peak pressures and the force of the punch must show, whose pressure is singular at its rim."""


def cases() -> list[VerificationCase]:
    """All cases of this family."""
    found = round_body("ball on plane", 0.05, 0.05)
    found += round_body("ellipsoid on plane, curvatures 1 : 4", 0.1, 0.025)
    found += round_body("crossed cylinders, radii 1 : 2", 0.06, 0.03)
    return [*found, cone(), punch()]


def _sheet(radii: tuple[float, float], level: int) -> Surface:
    """The lower side of a body with these radii of curvature, its lowest point at the origin."""
    n = SIDES_AT_FIRST * 2**level
    size = [2.2 * math.sqrt(2.0 * radius * DEPTH) for radius in radii]
    flat = shapes.plane((size[0], size[1]), (n, n))
    vertices = flat.vertices.copy()
    steps = [each / n for each in size]
    # A triangle between three points of a paraboloid lies above it by h²/(12 R) for each side h, on average.
    outside = sum(h * h / (12.0 * R) for h, R in zip(steps, radii, strict=True))
    vertices[:, 2] = sum(0.5 * vertices[:, a] ** 2 / radii[a] for a in range(2)) - outside
    return Surface(vertices, np.ascontiguousarray(flat.triangles[:, ::-1]))


def _pressed(body: Surface, depth: float, height: float = 0.0) -> ContactResult:
    """The body as the base, a little aside, ``height`` (m) above the plane less a depth."""
    pairing = ContactPairing(body, shapes.plane(0.2), base=Base.E, law=LAW)
    return place(pairing, (1.3e-5, 0.7e-5, height - depth))


def round_body(name: str, R_x: float, R_y: float) -> list[VerificationCase]:
    """Force, peak pressure and area of a body with two radii of curvature."""
    found = exact.hertz_ellipse(MODULUS, R_x, R_y, DEPTH)
    rows: tuple[tuple[str, str, float, Callable[[ContactResult], float], float, float | None], ...] = (
        ("force", "N", found.force, lambda result: float(result.force[2]), 0.003, None),
        (
            "peak pressure",
            "Pa",
            found.pressure,
            lambda result: float(result.elements.pressure.max()),
            0.003,
            FIRST_ORDER,
        ),
        # A whole number of triangles, of which some 2 √(π n) lie on the border.
        ("area", "m²", found.area, lambda result: result.area, 0.02, None),
    )
    return [
        VerificationCase(
            name=f"half-space, {name}, {quantity}",
            what="Hertz's ellipse of contact, with elliptic integrals",
            quantity=quantity,
            unit=unit,
            expected=expected,
            measure=lambda level, measure=measure: measure(_pressed(_sheet((R_x, R_y), level), DEPTH)),  # type: ignore[misc]
            levels=LEVELS,
            limit=limit,
            rate_limit=rate,
        )
        for quantity, unit, expected, measure, limit, rate in rows
    ]


def cone() -> VerificationCase:
    """A blunt cone, 0.1 rad from the plane."""
    slope = 0.1

    def measure(level: int) -> float:
        n = SIDES_AT_FIRST * 2**level
        flat = shapes.plane(2.2 * DEPTH / slope, n)
        vertices = flat.vertices.copy()
        vertices[:, 2] = slope * np.hypot(vertices[:, 0], vertices[:, 1])
        body = Surface(vertices, np.ascontiguousarray(flat.triangles[:, ::-1]))
        return float(_pressed(body, DEPTH).force[2])

    return VerificationCase(
        name="half-space, cone on plane, force",
        what="Sneddon: 2 E* δ² tan α/π, α from the axis",
        quantity="force",
        unit="N",
        expected=exact.sneddon_cone(MODULUS, slope, DEPTH),
        measure=measure,
        levels=LEVELS,
        limit=0.005,
    )


def punch() -> VerificationCase:
    """A flat disc; its pressure is singular at the rim."""
    radius, depth, length = 0.01, 1e-5, 0.01

    def measure(level: int) -> float:
        segments = 24 * 2**level
        side = math.pi / segments
        widened = radius * math.sqrt(side / (math.sin(side) * math.cos(side)))  # polygons as large as the disc
        disc = shapes.cylinder(widened, length, segments=segments, cap_rings=4 * 2**level)
        return float(_pressed(disc, depth, 0.5 * length).force[2])

    return VerificationCase(
        name="half-space, flat punch, force",
        what="Boussinesq: 2 E* a δ",
        quantity="force",
        unit="N",
        expected=2.0 * MODULUS * radius * depth,
        measure=measure,
        levels=LEVELS,
        limit=0.006,
        rate_limit=FIRST_ORDER,
    )
