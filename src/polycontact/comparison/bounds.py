"""How far a method may be off, derived from mesh size, tolerance and exponent before anything is measured.

A ball or a box (E) is pressed into a plate (F) whose face is the plane z = 0, by u (m). All forces are those along the
normal of the plate, in N. Every bound has two parts.

**What the mesh is.** A ball's mesh has its vertices on the sphere, so it lies between that sphere and a smaller one,
R − s ≤ |x| ≤ R. The sagitta s follows from the largest circumradius ρ of its triangles, R − s = √(R² − ρ²), and its
facets are turned against the sphere by α at most, sin α = ρ/R. What grows with the body therefore lies between its
values for two spheres about the same centre. Boxes and plates are their own meshes.

**How the pressure is summed.** The load of an element is taken from one sample, or from those at its corners. For a
depth whose second derivatives are at most κ, on triangles with edges up to L, on the area A:

- exact where the depth is linear on elements that end where contact ends: clipped elements of the body on a plane;
- one sample at the barycentre of whatever part of a triangle, or several with positive weights that are exact where
  the depth is linear: a set of the diameter L lies in a circle of the radius L/√3 (Jung), in which the depth leaves its
  tangent plane by at most κ L²/6, so the error is at most A κ L²/6 for a depth that bends one way;
- the same across a kink at which the slope changes by g: no function with such a kink leaves the best plane by more
  than g L/8, neither at the samples nor on average, so the error is at most A g L/4;
- samples at the corners of whole triangles: the mean of |x|² over the corners of a triangle exceeds its mean over the
  triangle by (a² + b² + c²)/12 ≤ L²/4, so the error is at most A κ L²/8.

Whole triangles that the border of the contact cuts add to that. With the slope g of the depth at the border:

- by their barycentres: the part beyond the border of a triangle whose barycentre is inside, or the part inside of one
  whose barycentre is beyond, has at most 5/9 of its area (Winternitz), reaches at most 2L/3 from the border, and
  its mean depth is at most half the greatest: 5/27 g L times the area of cut triangles;
- by their corners: the mean of the positive depths of the corners is never less than the mean of the positive depth,
  and exceeds it by at most one corner with g L on a third of the area: 1/3 g L too much, nothing too little;
- where the depth ends with a step u (a plate under a box), 5/9 u by barycentres, 2/3 u by corners.

Cut triangles lie within L of the border, in a strip of the area 4π a L around a circle of radius a. In a plate that is
a grid of squares, each halved, there are fewer, see `cut_in_grid`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from polycontact.surfaces.surface import Surface
from polycontact.tolerances import FACE_TILT, SHARED_REACH
from polycontact.verification.closed_forms import displaced_by_tilted_box, plane_under_box, tilted_rectangle

Array = NDArray[np.float64]
Profile = Callable[[Array], Array]
Rule = Literal["exact", "barycentre", "whole", "corner"]

ROUNDING = 1e-9
"""Share of the force that rounding may change, in sums of some thousand elements."""
CONVEX_TOLERANCE = 1e-6
"""Share of the size of bodies by which the depth of convex shapes may be off, as that method promises."""
SMOOTH_TOLERANCE = 1e-6
"""The same of surfaces given by formulas, whose search ends far below that."""
FLANK_BEGINS = math.radians(60.0)
"""Angle between the surfaces up to which depths along the base's normal count fully."""
FLANK_ENDS = math.radians(80.0)
"""Angle from which on they do not count."""


@dataclass(frozen=True)
class Expected:
    """A force along the normal (N) that is known beforehand: ``exact`` for the body itself, ``low`` to ``high`` for its
    mesh and sums; ``why``: from what the width comes."""

    exact: float
    low: float
    high: float
    why: str

    def holds(self, force: float) -> bool:
        """Whether a force (N) lies within the bounds, but for rounding."""
        slack = ROUNDING * max(abs(self.low), abs(self.high))
        return self.low - slack <= force <= self.high + slack


def mean_of(first: Expected | str, second: Expected | str) -> Expected | str:
    """Both bodies as base: the mean (S0.46)."""
    if isinstance(first, str) or isinstance(second, str):
        return first if isinstance(first, str) else second
    exact, low, high = (0.5 * (getattr(first, end) + getattr(second, end)) for end in ("exact", "low", "high"))
    return Expected(exact, low, high, f"mean of both: {first.why}; {second.why}")


class RoundMesh(NamedTuple):
    """The mesh of a ball: longest ``edge`` L (m), ``sagitta`` s (m), ``tilt`` α (rad) of facets."""

    edge: float
    sagitta: float
    tilt: float


def longest_edge(mesh: Surface) -> float:
    """Length of the longest edge L of the mesh, m."""
    corners = mesh.vertices[mesh.triangles]
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max())


def round_mesh(mesh: Surface, radius: float) -> RoundMesh:
    """L, s and α of a ball's mesh with its vertices on the sphere."""
    corners = mesh.vertices[mesh.triangles]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    circumradius = float((sides.prod(axis=1) / (4.0 * mesh.areas)).max())
    sagitta = radius - math.sqrt(radius**2 - circumradius**2)
    return RoundMesh(float(sides.max()), sagitta, math.asin(circumradius / radius))


def ring_integral(profile: Profile, radius: float) -> float:
    """∫ 2π r f(r) dr over a disc, by 60 points of Gauss: profiles are smooth up to its border."""
    if not radius > 0.0:
        return 0.0
    points, weights = _gauss()
    r = 0.5 * radius * (points + 1.0)
    return float(0.5 * radius * weights @ (2.0 * np.pi * r * profile(r)))


@cache
def _gauss() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(60)


class SumError(NamedTuple):
    """How much a sum may be too small and too large, m³."""

    less: float
    more: float


def sum_error(rule: Rule, edge: float, area: float, bend: float, slope: float, cut: float) -> SumError:
    """Error of a sum: see above; ``area`` A and that of ``cut`` triangles, m²; ``bend`` κ, 1/m; ``slope`` g."""
    if rule == "exact":
        return SumError(0.0, 0.0)
    inner = area * bend * (0.125 if rule == "corner" else 1.0 / 6.0) * edge**2
    if rule == "corner":
        return SumError(inner, inner + slope * edge * cut / 3.0)
    border = 5.0 / 27.0 * slope * edge * cut if rule == "whole" else 0.0
    return SumError(inner + border, inner + border)


def cut_by_circle(radius: float, edge: float) -> float:
    """Area of the triangles of any mesh that a circle cuts, m²: those within L of it."""
    inner = max(radius - edge, 0.0)
    return math.pi * ((radius + edge) ** 2 - inner**2)


def cut_in_grid(width: float, height: float, edge: float) -> float:
    """Area of the triangles of a grid of halved squares that a convex border cuts, m²; it spans width and height, m.

    The border crosses each grid line at most twice, (w + h)/a lines of squares with the side a = L/√2: it meets at most
    2(w + h)/a + 4 squares of the area a².
    """
    side = edge / math.sqrt(2.0)
    return 2.0 * (width + height) * side + 4.0 * side**2


def bend_of(profile: Profile, radius: float) -> float:
    """κ of a round profile, 1/m: the largest of |f''| and |f'/r| up to the border, by differences."""
    r = np.linspace(0.0, radius, 2001)
    step = r[1]
    f = profile(r)
    second = np.abs(np.diff(f, 2)) / step**2
    first = np.abs(f[2:] - f[:-2]) / (2.0 * step * r[1:-1])
    return 1.02 * float(max(second.max(), first.max()))  # differences stop a step before the border


class Ball(NamedTuple):
    """A ball whose centre lies ``height`` H above the plane and reaches below it: profiles over the distance r from
    its axis, m. With ``turned`` (rad) angles to the vertical are enlarged by that: facets of a mesh are turned."""

    radius: float
    height: float
    turned: float = 0.0

    @property
    def reach(self) -> float:
        """Radius of the circle in which it meets the plane, m."""
        return math.sqrt(max(self.radius**2 - self.height**2, 0.0))

    def below(self, r: Array) -> Array:
        """How far the body reaches below the plane, m."""
        return np.asarray(np.sqrt(np.maximum(self.radius**2 - r**2, 0.0)) - self.height)

    def inside(self, r: Array) -> Array:
        """Distance of a point of the plane from the sphere, m."""
        return np.asarray(self.radius - np.hypot(r, self.height))

    def cosine(self, r: Array) -> Array:
        """Of the angle between the normal of the ball, below r, and the vertical."""
        angle = np.arcsin(np.minimum(r / self.radius, 1.0))
        return np.asarray(np.cos(np.maximum(angle + self.turned, 0.0)))


Load = Literal["displaced", "base_normal", "target_normal", "distance"]


def profile_of(load: Load, depth: Ball, angle: Ball) -> Profile:
    """Load per area of the plane over c: what a method counts at the distance r from the axis, m.

    - displaced: the part below the plane. The ball as base with depths as distances or projected on the plane's normal,
      or by its nodes; the plane as base with depths along its own normal. Sum: cap volume.
    - base_normal: the ball as base, depth h/cos θ on the surface dA/cos θ with the part cos θ of the force: h/cos θ.
      Sum: π R u².
    - target_normal: the plane as base, depth projected on the ball's normal: h cos θ.
    - distance: the plane as base, or its nodes, depth to the nearest point of the ball.
    """

    def profile(r: Array) -> Array:
        match load:
            case "displaced":
                return depth.below(r)
            case "base_normal":
                return np.asarray(depth.below(r) / angle.cosine(r))
            case "target_normal":
                return np.asarray(depth.below(r) * angle.cosine(r))
        return depth.inside(r)

    return profile


def ball_load(
    c: float,
    radius: float,
    depth: float,
    load: Load,
    mesh: RoundMesh,
    *,
    rule: Rule,
    plate_edge: float | None = None,
) -> Expected | str:
    """Force of a ball's mesh on a plate, stiffness c (N/m³), the ball u = ``depth`` deep.

    ``plate_edge`` L (m) of the plate's mesh where that is the base, else the ball is.
    """
    height = radius - depth
    outer, inner = Ball(radius, height), Ball(radius - mesh.sagitta, height)
    edge = mesh.edge if plate_edge is None else plate_edge
    border = outer.reach + (edge if plate_edge is None else 0.0)
    if border >= inner.radius or inner.reach <= 0.0:
        return "the mesh is too coarse for this depth"
    steepest = math.asin(border / inner.radius) + mesh.tilt
    if load == "base_normal" and steepest > FLANK_BEGINS:
        return "so deep that flanks fade out"
    steep, flat = Ball(inner.radius, height, mesh.tilt), Ball(radius, height, -mesh.tilt)
    more, less = (steep, flat) if load == "base_normal" else (flat, steep)
    low_profile, high_profile = profile_of(load, inner, less), profile_of(load, outer, more)
    cut = cut_by_circle(outer.reach, edge) if plate_edge is None else cut_in_grid(*(2.0 * outer.reach,) * 2, edge)
    slope = math.tan(steepest) / (math.cos(steepest) if load == "base_normal" else 1.0)
    bend = bend_of(high_profile, outer.reach) if plate_edge is not None else 0.0
    error = sum_error(rule, edge, math.pi * outer.reach**2, bend, slope, cut)
    exact = c * ring_integral(profile_of(load, outer, outer), outer.reach)
    low, high = c * ring_integral(low_profile, inner.reach), c * ring_integral(high_profile, outer.reach)
    if rule == "barycentre":  # where only the larger ball is below the plane, the smaller one counts negatively
        low -= c * math.pi * (outer.reach**2 - inner.reach**2) * abs(float(low_profile(np.array(outer.reach))))
    why = f"sagitta {1e3 * mesh.sagitta:.2g} mm"
    if error.more:
        why += f", sum {rule}, edges of {1e3 * edge:.2g} mm"
    return Expected(exact, low - c * error.less, high + c * error.more, why)


def point_load(k: float, depth: float, less: float, off: float, why: str, *, shared: float = 1.0) -> Expected:
    """A point with the stiffness k (N/m) whose depth u is found too small by 0 to ``less`` and off by ``off``, m.

    Where it is several, ``shared`` is the least κ of two: with K f = k d at those that press, the sum S of their
    forces has κ S² ≤ fᵀK f ≤ k u S.
    """
    return Expected(k * depth, k * (depth - less - off), k * (depth + off) / shared, why)


def shared_way(r: float, reach: float) -> float:
    """κ: part of its way by which a corner of a convex shape lowers another at the distance r (m)."""
    part = min(r / (SHARED_REACH * reach), 1.0)
    return (1.0 - part) ** 4 * (4.0 * part + 1.0)


def corners_load(k: float, places: Array, depths: Array, reach: float, off: float) -> Expected:
    """Corners (n, 2) of a flat contact, n ``depths`` (m) deep up to ``off`` (m), that share the stiffness k (N/m).

    The forces f ≥ 0 with K f ≥ k d, complementary, are those with the least ½ fᵀK f − k dᵀf: least squares with the
    factor of K.
    """
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    factor = np.linalg.cholesky([[shared_way(float(r), reach) for r in row] for row in apart])

    def load(more: float) -> float:
        return float(nnls(factor.T, np.linalg.solve(factor, k * (depths + more)))[0].sum())

    return Expected(load(0.0), load(-off), load(off), f"{len(places)} corners")


def rounding_of_box(half: Array, exponent: float, normal: Array) -> float:
    """How far a super-ellipsoid lies behind the box of the same half edges in the direction of a unit vector, m.

    The box reaches Σ a_i |n_i|, the super-ellipsoid Σ |x_i/a_i|^p = 1 by Hölder's inequality (Σ (a_i |n_i|)^q)^(1/q)
    with 1/p + 1/q = 1: it lies behind by nothing along an axis, at the middle of a face, and by a (3 − 3^(1/q))/√3 at
    the corner of a cube, along its diagonal: 9.3 % of the half edge for p = 20.
    """
    q = exponent / (exponent - 1.0)
    reach = half * np.abs(normal)
    return float(reach.sum() - (reach**q).sum() ** (1.0 / q))


class BoxPose(NamedTuple):
    """A box of ``size`` (m) tilted by ``tilt`` about y, turned by ``turn`` about the vertical, ``depth`` (m) deep."""

    size: tuple[float, float, float]
    tilt: float
    turn: float
    depth: float

    @property
    def middle(self) -> float:
        """Depth of the middle of the bottom, m."""
        return self.depth - 0.5 * self.size[0] * math.sin(self.tilt)

    @property
    def upper_edge(self) -> float:
        """Depth of the upper edge of the bottom, m; negative where it is above the plane."""
        return self.depth - self.size[0] * math.sin(self.tilt)

    @property
    def lowest_corners(self) -> tuple[Array, Array]:
        """Corners of the bottom that bear as points, seen from above, (n, 2) m, and how deep they are, m.

        All four where the bottom is level enough to be seen as a face, else the two of its lowest edge.
        """
        a, b, _ = self.size
        near, far = [(0.0, 0.0), (0.0, b)], [(a * math.cos(self.tilt), 0.0), (a * math.cos(self.tilt), b)]
        if self.tilt >= FACE_TILT:
            return np.array(near), np.full(2, self.depth)
        return np.array(near + far), np.array(2 * [self.depth] + 2 * [self.upper_edge])

    @property
    def volume(self) -> float:
        """Volume of the part of the box that lies below the plane, m³."""
        a, b, _ = self.size
        return displaced_by_tilted_box(a, b, self.tilt, self.middle).volume if self.tilt else a * b * self.depth

    @property
    def spans(self) -> tuple[float, float]:
        """Extents of the upright box in the directions of the plate's grid, m."""
        (a, b, _), cosine, sine = self.size, abs(math.cos(self.turn)), abs(math.sin(self.turn))
        return a * cosine + b * sine, a * sine + b * cosine


def box_load(c: float, pose: BoxPose, load: Load, edge: float, rule: Rule) -> Expected:
    """Force of a box, the base with edges up to ``edge`` (m), on a plate, stiffness c (N/m³).

    Depths are linear on its faces, so clipped elements are exact, and all of a bottom that lies flat. Where the plane
    cuts a tilted one, triangles b L + L² of the bottom, as wide as the box, are cut, and as many of the wall that looks
    down, which counts as seen from above, sin β of its area. Nodes on the upper edge belong in part to a wall that
    looks up, b L sin β of area which is missing there. Lines from walls run far through the plate, h/sin β, and may
    leave it: with depths along normals the lower wall, c b sin β u²/(2 cos β), counts in part, and the upper one not.
    """
    a, b, _ = pose.size
    exact = c * pose.volume
    if pose.tilt == 0.0:
        return Expected(exact, exact, exact, "exact")
    low = high = exact
    cosine, sine = math.cos(pose.tilt), math.sin(pose.tilt)
    bottom = tilted_rectangle(c, a, b, pose.tilt, pose.middle).force * cosine  # the part along the plate's normal
    if load == "base_normal":  # walls are flanks
        low = high = exact = bottom
    elif load == "target_normal":
        low, high = cosine * bottom, cosine * bottom + c * b * sine * pose.depth**2 / (2.0 * cosine)
    cut = b * edge + edge**2
    error = 0.0 if pose.upper_edge >= 0.0 else sum_error(rule, edge, 0.0, 0.0, sine / cosine, cut).more
    if load != "base_normal":
        error += sine * sum_error(rule, edge, 0.0, 0.0, 1.0, cut).more
    if rule == "corner":
        error += b * edge * sine * max(pose.upper_edge, 0.0)
    words = ("walls" if high > low else "", f"sum {rule}, edges of {1e3 * edge:.2g} mm" if error else "")
    return Expected(exact, low - c * error, high + c * error, ", ".join(filter(None, words)) or "exact")


def plate_load(c: float, pose: BoxPose, load: Load, edge: float, rule: Rule) -> Expected | str:
    """Force of a plate, the base with edges up to ``edge`` (m), under an upright box, stiffness c (N/m³).

    Along its normal all of it is u deep, up to a step at the outline. By distance it is nearer to the walls than to
    the bottom beside the outline, where the depth falls to zero with the slope 1: a kink at the distance u from the
    outline, and one of √2 from there to each corner.
    """
    if pose.tilt:
        return "no closed form for a plate under a tilted box"
    (a, b, _), u = pose.size, pose.depth
    cut = cut_in_grid(*pose.spans, edge)
    if load == "distance":
        exact = plane_under_box(c, a, b, u)
        kinks = cut + 4.0 * cut_in_grid(0.5 * u, 0.5 * u, edge)
        error = c * (kinks * math.sqrt(2.0) * edge / 4.0 + sum_error(rule, edge, 0.0, 0.0, 1.0, cut).more)
    else:
        exact = c * a * b * u
        error = c * u * cut * {"whole": 5.0 / 9.0, "corner": 2.0 / 3.0}.get(rule, 0.0)
    why = f"sum {rule}, edges of {1e3 * edge:.2g} mm" if error else "exact"
    return Expected(exact, exact - error, exact + error, why)
