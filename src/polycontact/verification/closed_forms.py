"""Forces of an elastic foundation between simple bodies, by integration over the smooth surface.

Depth is measured along the normal of the base and the pressure c·u acts along it (section 3.3), so the result
depends on which body is the base. In the second half it is the distance to the target's surface; on a plane target
the force is then c times the volume that the body displaces, through its centroid, as in a liquid. Stiffness ``c`` in
N/m³, lengths in m, angles in rad, forces in N. No mesh enters here.
"""

from __future__ import annotations

import math
from typing import NamedTuple


def sphere_on_plane(c: float, radius: float, depth: float) -> float:
    """π c R u²: the sphere is the base, u(θ) = R - (R - u)/cos θ."""
    return math.pi * c * radius * depth**2


def cap_volume(radius: float, depth: float) -> float:
    """Volume of a spherical cap, m³: the plane as the base, times c, gives the force."""
    return math.pi * depth**2 * (radius - depth / 3.0)


def sphere_on_sphere(c: float, base_radius: float, target_radius: float, depth: float) -> float:
    """Two spheres whose centres are R + S - u apart, R that of the base.

    A line from the base at angle θ to its centre leaves the target at the distance
    ρ = d x - √(S² - d² + d² x²) from it, x = cos θ. The force 2πcR² ∫ (R - ρ) x dx is elementary.
    """
    R, S, d = base_radius, target_radius, base_radius + target_radius - depth
    x = (R * R + d * d - S * S) / (2.0 * R * d)
    integral = 0.5 * R * (1.0 - x**2) - d * (1.0 - x**3) / 3.0 + (S**3 - (d * x - R) ** 3) / (3.0 * d * d)
    return 2.0 * math.pi * c * R * R * integral


def ball_in_cup(c: float, radius: float, cup_radius: float, offset: float) -> float:
    """A ball, the base, whose centre lies by ``offset`` below that of a slightly larger spherical hollow.

    Towards its centre a line leaves the wall at ρ = √(S² - e² + e² x²) - e x.
    """
    R, S, e = radius, cup_radius, offset
    x = (S * S - R * R - e * e) / (2.0 * R * e)
    integral = 0.5 * R * (1.0 - x**2) + e * (1.0 - x**3) / 3.0 - (S**3 - (R + e * x) ** 3) / (3.0 * e * e)
    return 2.0 * math.pi * c * R * R * integral


def cup_around_ball(c: float, radius: float, cup_radius: float, offset: float) -> float:
    """The same contact with the hollow as the base.

    A line into the wall leaves the ball at ρ = e x + √(R² - e² + e² x²) from the hollow's centre.
    """
    R, S, e = radius, cup_radius, offset
    x = (S * S + e * e - R * R) / (2.0 * S * e)
    integral = e * (1.0 - x**3) / 3.0 + (R**3 - (S - e * x) ** 3) / (3.0 * e * e) - 0.5 * S * (1.0 - x**2)
    return 2.0 * math.pi * c * S * S * integral


def cylinder_on_plane(c: float, radius: float, length: float, depth: float) -> float:
    """A lying cylinder, the base; also a torus lying flat, with the length 2πR of its middle line.

    For the torus the area element grows with the distance from the axis, but linearly, so that the two halves
    of the tube balance.
    """
    angle = math.acos((radius - depth) / radius)
    return 2.0 * c * length * radius * (radius * math.sin(angle) - (radius - depth) * angle)


def segment_area(radius: float, depth: float) -> float:
    """Area of a circular segment, m²: times c and the length it is the force with the plane as the base."""
    angle = math.acos((radius - depth) / radius)
    return radius * (radius * angle - (radius - depth) * math.sin(angle))


def cone_volume(half_angle: float, depth: float) -> float:
    """Volume of the submerged tip of a cone, m³."""
    return math.pi * depth**3 * math.tan(half_angle) ** 2 / 3.0


def cone_on_plane(c: float, half_angle: float, depth: float) -> float:
    """A cone, the base, tip down.

    Depth and area are 1/sin α of their projections, the vertical part of the force is sin α of it.
    """
    return c * cone_volume(half_angle, depth) / math.sin(half_angle)


class RectangleLoad(NamedTuple):
    """Force along the normal of a rectangle, N, and its torque about the middle of the rectangle, N m."""

    force: float
    torque: float


def tilted_rectangle(c: float, length: float, width: float, tilt: float, depth: float) -> RectangleLoad:
    """A rectangle, the base, tilted along its ``length``, with its middle ``depth`` below the plane.

    The depth along its normal is (h + x sin β)/cos β on the part that is submerged.
    """
    low = max(-0.5 * length, -depth / math.sin(tilt))
    high = 0.5 * length
    slope, level = math.tan(tilt), depth / math.cos(tilt)
    force = c * width * (level * (high - low) + 0.5 * slope * (high**2 - low**2))
    torque = c * width * (0.5 * level * (high**2 - low**2) + slope * (high**3 - low**3) / 3.0)
    return RectangleLoad(force, torque)


def plane_under_tilted_box(c: float, length: float, width: float, tilt: float, depth: float) -> float:
    """Vertical force of a box tilted by β, its bottom's middle ``depth`` below the plane, which is the base.

    The plane carries it where the bottom lies below a point of the plane inside the box: up to the projection
    of the lower edge on one side, and from where the wall of the other edge, or the bottom, meets the plane.
    """
    high = 0.5 * length * math.cos(tilt)
    if depth > 0.5 * length * math.sin(tilt):
        low = -high + math.tan(tilt) * (depth - 0.5 * length * math.sin(tilt))
    else:
        low = -depth / math.tan(tilt)
    return c * width * (depth * (high - low) + 0.5 * math.tan(tilt) * (high**2 - low**2))


def spin_torque(friction: float, normal_force: float, radius: float) -> float:
    """(2/3) μ N R, N m: an evenly pressed disc that spins without sliding."""
    return 2.0 / 3.0 * friction * normal_force * radius


class Displacement(NamedTuple):
    """Volume of a body below a plane, m³, and how far its centroid lies beside the middle of the body's bottom, m."""

    volume: float
    offset: float


def displaced_by_tilted_box(length: float, width: float, tilt: float, depth: float) -> Displacement:
    """A box tilted along its ``length``, with the middle of its bottom ``depth`` below the plane and its top above.

    Over a point x of the bottom (h + x sin β)/cos β of it is submerged.
    """
    low = max(-0.5 * length, -depth / math.sin(tilt))
    high = 0.5 * length
    slope, level = math.tan(tilt), depth / math.cos(tilt)
    area = level * (high - low) + 0.5 * slope * (high**2 - low**2)
    along = 0.5 * level * (high**2 - low**2) + slope * (high**3 - low**3) / 3.0
    up = ((level + slope * high) ** 3 - (level + slope * low) ** 3) / (6.0 * slope)
    return Displacement(width * area, (math.cos(tilt) * along + math.sin(tilt) * up) / area)


def plane_under_box(c: float, length: float, width: float, depth: float) -> float:
    """An upright box, the target: near its outline the plane is nearer to the walls than to the bottom.

    At the distance t < u from the walls the plane is t deep: c ∫ (a - 2t)(b - 2t) dt up to u.
    """
    return c * (length * width * depth - (length + width) * depth**2 + 4.0 * depth**3 / 3.0)


def plane_under_sphere(c: float, radius: float, depth: float) -> float:
    """A sphere, the target: a point of the plane at the distance r from the axis is R - √(r² + (R - u)²) deep."""
    height = radius - depth
    return math.pi * c * (radius * (radius**2 - height**2) - 2.0 / 3.0 * (radius**3 - height**3))


def sphere_near_sphere(c: float, base_radius: float, target_radius: float, depth: float) -> float:
    """Two spheres whose centres are d = R + S - u apart, R that of the base.

    At the angle θ the base is S - √q deep, q = R² + d² - 2 R d x, x = cos θ; the force is 2πcR² ∫ (S - √q) x dx.
    """
    R, S, d = base_radius, target_radius, base_radius + target_radius - depth
    x = (R * R + d * d - S * S) / (2.0 * R * d)
    K = R * R + d * d

    def primitive(root: float) -> float:
        return (2.0 / 3.0) * K * root**3 - 0.4 * root**5

    integral = (primitive(S) - primitive(d - R)) / (4.0 * R * R * d * d)
    return 2.0 * math.pi * c * R * R * (0.5 * S * (1.0 - x * x) - integral)


def restitution(damping_ratio: float) -> float:
    """Speed after over speed before of a mass that meets a spring and a damper in parallel, which cannot pull.

    With ω₀ = 1 the contact ends where the force c u + d v vanishes, at t with tan(s t) = 2ζs/(2ζ² - 1) and
    s = √(1 - ζ²), and the speed is exp(-ζ t) there: Schwager and Pöschel, Granular Matter 9 (2007) 465.
    """
    zeta = damping_ratio
    if zeta == 1.0:
        return math.exp(-2.0)
    s = math.sqrt(abs(1.0 - zeta * zeta))
    if zeta < 1.0:
        time = math.atan2(2.0 * zeta * s, 2.0 * zeta * zeta - 1.0) / s
    else:
        time = math.atanh(2.0 * zeta * s / (2.0 * zeta * zeta - 1.0)) / s
    return math.exp(-zeta * time)


def complete_elliptic(k: float) -> tuple[float, float]:
    """Complete elliptic integrals K and E of the modulus k, by the arithmetic–geometric mean."""
    a, b, c = 1.0, math.sqrt(1.0 - k * k), k
    taken = 0.5 * c * c
    power = 1.0
    while abs(c) > 1e-16:
        a, b, c = 0.5 * (a + b), math.sqrt(a * b), 0.5 * (a - b)
        taken += power * c * c
        power *= 2.0
    K = 0.5 * math.pi / a
    return K, K * (1.0 - taken)


class HertzEllipse(NamedTuple):
    """What Hertz's theory says: force (N), greatest pressure (Pa), area of the contact (m²)."""

    force: float
    pressure: float
    area: float


def hertz_ellipse(modulus: float, R_x: float, R_y: float, depth: float) -> HertzEllipse:
    """A body with two radii of curvature (m) at a depth (m): Johnson, Contact Mechanics (1985), eqs (4.22) to (4.28).

    With the semi-axes a ≥ b, k² = 1 − (b/a)²: 1/(2R_x) = δ (K − E)/(K k² a²), 1/(2R_y) = δ (E a²/b² − K)/(K k² a²).
    """
    large, small = max(R_x, R_y), min(R_x, R_y)
    if large == small:
        force = 4.0 / 3.0 * modulus * math.sqrt(large) * depth**1.5
        return HertzEllipse(force, 2.0 * modulus / math.pi * math.sqrt(depth / large), math.pi * large * depth)
    low, high = 1e-6, 1.0 - 1e-9
    for _ in range(200):
        ratio = 0.5 * (low + high)  # b/a
        K, E = complete_elliptic(math.sqrt(1.0 - ratio * ratio))
        if (E / ratio**2 - K) / (K - E) > large / small:
            low = ratio
        else:
            high = ratio
    square = 1.0 - ratio * ratio
    a = math.sqrt(2.0 * large * depth * (K - E) / (K * square))
    b = ratio * a
    pressure = depth * modulus / (b * K)
    return HertzEllipse(2.0 / 3.0 * math.pi * a * b * pressure, pressure, math.pi * a * b)


def sneddon_cone(modulus: float, slope: float, depth: float) -> float:
    """Force, N, of a rigid cone whose side rises by ``slope``: 2 E* δ²/(π slope) (Sneddon 1965)."""
    return 2.0 * modulus * depth**2 / (math.pi * slope)
