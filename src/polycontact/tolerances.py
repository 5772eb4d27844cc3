"""Every tolerance in one place, each with its reason.

Lengths are relative: they are multiplied by the size of the surface (the diagonal of its bounding box).
"""

from __future__ import annotations

import math
from typing import Final

EPS: Final = 2.0**-53
"""Unit round-off of a double."""

DUST: Final = 1e-80
"""Coordinates below this (m) count as zero: products of three of them, with their error terms, stay normal."""

CULLING_MARGIN: Final = 64.0 * EPS
"""Boxes are inflated by this times the size of both surfaces and their distance, so that rounding in a
transformed box never hides a pair that the exact predicates would accept."""

ROTATION_TOLERANCE: Final = 1e-6
"""Largest deviation of RᵀR from the identity: more than any integrator's drift, less than a scaled matrix."""

WELD_TOLERANCE: Final = 1e-6
"""Vertices closer than this times the size of the surface are one vertex for `repair_surface`: exporters
write six or seven digits."""

CRACK_TOLERANCE: Final = 1e-5
"""Borders that lie on each other within this times the size of the surface look like a crack, and loading warns: ten
times what is welded without being asked, far below any slit that is meant."""

FEATURE_ANGLE: Final = math.radians(30.0)
"""Normals are not interpolated across edges that bend by more than this: sharp edges stay sharp."""

SAME_BEND: Final = 1e-6
"""Edges that bend by the feature angle, or by less than this share below it, are sharp: rounding does not divide the
equal edges of a prism into smooth and sharp ones."""

FLANK_FULL: Final = math.cos(math.radians(60.0))
"""An element whose normal is within 60° of the target's counts fully (NUMERICS: the sphere keeps its
closed form to u = R/2)."""

FLANK_NONE: Final = math.cos(math.radians(80.0))
"""An element beyond 80° counts nothing: a submerged flank of a tilted box adds no force."""

POISSON_WARNING: Final = 0.45
"""Above this the thin-layer modulus (eq. 2) is no longer a good model of the layer."""

MAX_FILE_BYTES: Final = 2 * 1024**3
"""Largest mesh file that is read; a larger one is refused before any of it is loaded."""

MAX_TRIANGLES: Final = 50_000_000
"""Largest number of triangles accepted from a file; indices are kept in 32 bits and memory stays bounded."""

WELL_INSIDE: Final = 1e-6
"""Barycentric coordinate beyond which rounding cannot make a line miss a triangle, or meet its neighbour too."""

GAP_UNITS: Final = 2.0**20
"""Gaps of kept candidates are noted, rounded down, in this fraction of the margin: fine enough to lose nothing that
matters, coarse enough to sort as integers."""

MARGIN_ROUNDING: Final = 1e-9
"""The margin of kept candidates grows by this share, far above the rounding of a distance of two triangles."""

BEFORE_THE_CORNER: Final = 1.0 - 1e-12
"""A crossing of a triangle's side counts as lying before the corner where the next side begins."""

FLAT_COSINE: Final = 1.0 - 1e-9
"""A mesh is flat around a triangle whose corner normals deviate by less, 45 microradian: far above rounding, far below
any curvature that a mesh shows."""

TOO_FAR: Final = 1e150
"""Kinematics beyond this (SI units) are refused: squares of larger numbers overflow."""

SMALLEST_REACH: Final = 1e-30
"""Coordinates of surfaces that reach less far than this (m) cannot be evaluated: exact products underflow."""

LARGEST_REACH: Final = 1e30
"""Coordinates of surfaces that reach farther than this (m) cannot be evaluated: exact products overflow."""

SHORT_AXIS: Final = 1e-200
"""Squared length below which underflow spoils an axis, in any unit."""

DUST_BOUND: Final = 1e-60
"""Covers, in bounds of distances in metres, that coordinates below DUST count as zero."""

PARALLEL: Final = 1e-12
"""Added to the cosines between axes of boxes, so that the cross product of two that are nearly parallel decides
nothing."""

DIAGONAL: Final = 1e-14
"""A symmetric matrix whose other entries add up to less than this share of its diagonal is diagonal to rounding."""

NO_DIRECTION: Final = 1e-200
"""A component of a line's direction below this counts as zero: its inverse must stay finite."""

SMALLEST_PIVOT: Final = 1e-13
"""A speed of a joint that keeps less than this share of its inertia beside the others moves no mass."""

DEPENDENT_CONSTRAINT: Final = 1e-10
"""A constraint whose remaining part is smaller than this, relative to itself, depends on the others."""

HELD_CONSTRAINT: Final = 1e-13
"""A constraint that can change by less than this part of what it could between free bodies is held by joints already:
rounding leaves about 1e-17 of it, and a part of a gram carried by a hundred tonnes 1e-8."""

SEMIDEFINITE: Final = 1e-9
"""Asymmetry, or negative eigenvalue, of a stiffness or damping matrix relative to its largest part that is rounding of
a matrix written with ten digits."""

COUPLER_ROUNDING: Final = 2e-15
"""Violation of a coupler, relative to its terms, that is rounding: a few units in the last place of angles that have
grown over many turns."""

SMALL_ROTATION: Final = 1e-2
"""Square of an angle (rad²) below which a series of four terms is exact to rounding, and the formula no longer is."""

SAME_OPTION: Final = 1e-12
"""Options of two contacts that differ by less than this share are the same: a stiffness from two layers is rounded
otherwise than one that was written down."""

BOX_ROUNDING: Final = 1e-9
"""Squares of distances from boxes are compared with squares of distances from triangles with this share to spare, far
above their rounding: no triangle is missed that rounding would make the nearest."""

EQUAL_LENGTHS: Final = 1e-6
"""Squares of lengths that differ by less than this share are equal: which side of an equilateral triangle comes first
must not depend on rounding of its vertices."""

OFF_THE_EDGE: Final = 1e-5
"""Barycentric coordinate beyond which a foot lies clear of the sides of a triangle: the square of the distance to what
lies beside it is then larger by more than rounding, even for points hundreds of edges away."""

SLIVER: Final = 1e-13
"""Inside parts of a triangle smaller than this share of it are made of rounding, and so is the place of their mean."""

AT_THE_LIMIT: Final = 1e-9
"""A sticking spring within this share of Coulomb's limit has reached it: rounding of an anchor that was put there."""

BEND_STEP: Final = 1e-5
"""Step of a unit vector in central differences of a support mapping: truncation and rounding, 1e-10 and 1e-11 of the
size, are about equal."""

TOUCHING: Final = 1e-12
"""Convex cores nearer than this share of their size count as overlapping: their direction is rounding, and the search
for the depth finds it from faces instead."""

SETTLED: Final = 1e-13
"""A distance of convex shapes whose bounds from both sides differ by less than this share of their size is known to
rounding."""

FIRST_TRIAL: Final = 1e-2
"""Newton's method is tried once the bounds of a distance of convex shapes differ by this share of their size, and
again after each decade."""

NEWTON_RESIDUAL: Final = 1e-12
"""A direction is the nearest one where the conditions for it hold to this share of the size: tens of roundings."""

BASIN_TOLERANCE: Final = 1e-7
"""A depth that Newton's method has settled is taken as the least once no other can be less by this share of the size:
a tenth of the accuracy that is promised."""

PROMISED: Final = 1e-6
"""A distance of convex shapes whose bounds differ by more than this share of their size is told as not settled."""

FACE_TOLERANCE: Final = 1e-10
"""Where Newton's method did not settle a depth, a polytope is expanded until bounds differ by less than this share of
the size."""

ABOVE_FACE: Final = 1e-14
"""A point sees a face of an expanding polytope if it lies higher over it than this share of the size: more than
rounding."""

NO_EXTENT: Final = 1e-13
"""A difference of convex cores that is thinner than this share of its size is flat: two crossing segments, say."""

CONVEX_TOLERANCE: Final = 1e-6
"""Surfaces that are dented by less than this share of their size are convex: files with single precision and with six
digits round by as much."""

SUPPORT_TOLERANCE: Final = 1e-9
"""A support mapping of a user is wrong where another of its points lies farther by more than this share of its size:
far above the rounding of roots and powers."""

SHRINKING: Final = 1e-9
"""Convex shapes are smaller in contact by this factor (S4.12): shapes that stand exactly on each other do not touch."""

SINGULAR_PLACE: Final = 1e-7
"""A place where e_α × e_β is shorter than this times the square of the longer tangent is singular: nearly the root of
rounding, so that half of a normal's digits are still good."""

ON_THE_SURFACE: Final = 4.0 * EPS
"""A point lies on an implicit surface when h over its gradient is less than this times the size of the surface."""

COMMON_NORMAL: Final = 1e-8
"""A normal is common to two surfaces within this angle, and this times the size of the smaller body aside; the error of
the distance goes with its square."""

COMMON_NORMAL_ROUNDING: Final = 1e-14
"""Better than this no common normal can get."""

NEARER_BY: Final = 1e-6
"""Another part of a surface is nearer than the end of a common normal when the square of its distance is less by this
share: more than the rounding of samples."""

FIXED_CONTACT: Final = 1e-14
"""A contact whose point gives way along the normal by less than this share of the most yielding one is between fixed
bodies: what is there is the rounding of joints."""

LOOSE_DIRECTION: Final = 1e-12
"""A direction of slip in which an impulse changes the velocity by less than this share of what it does elsewhere is
beyond the reach of friction, by thousands of roundings."""

JAMMED: Final = 1e-9
"""Friction that would raise the normal impulse beyond its frictionless value over this jams a contact: there is no
impulse that satisfies Coulomb's law, and what is computed is rounding."""

PIVOT_ROUNDING: Final = 1e-11
"""Entries of a tableau, relative to the largest of their column, and differences of ratios below this are what rounding
leaves of zero after hundreds of pivots."""

SLIP_ERROR: Final = 1e-11
"""Error of a step along the path of slip in an impact, relative to the impulse of the step."""

SLIP_STOPPED: Final = 1e-14
"""Slip slower than this share of the velocities that an impact has changed has stopped: some tens of roundings."""

POSE_REACHED: Final = 1e-8
"""A pose of a robot is reached where its point is nearer than this (m) and its turn less than this (rad): no gear holds
a hundredth of it, and a stretched arm, which closes in slowly, still gets there."""

STRAIGHT_SLIP: Final = 1e-10
"""Slip that turns by less than this share of what friction could do goes straight on: above the errors of steps; what
is left at the end of a straight piece is followed in turn."""

NEWTON_PROXIMITY: Final = 1e-9
"""Share of a contact's own compliance that is added in the steps of Newton's method, not in the equations: redundant
contacts leave the matrix singular, and steps must stay short where nothing asks for them."""

NEWTON_PIVOT: Final = 1e-15
"""A pivot below this share of the largest entry means a singular matrix."""

RIVAL_PEAK: Final = 0.98
"""A peak of a load may be the greatest of a run where its estimate reaches this share of the greatest estimate: the
estimate, a parabola through ends of steps, is rarely off by more."""

STEEP_ONSET: Final = 0.5
"""A load that reaches this share of its greatest peak in the step in which it begins may have been greater within it:
damping is strongest at the first touch."""

LARGEST_IN_METRES: Final = 10.0
"""A mesh larger than this (m) that declares no unit is asked about: parts in mm mostly have 10 to 1000 units."""

LARGEST_BESIDE: Final = 100.0
"""Such a mesh in a scenario is asked about where it is this many times larger than every other length there: a mistake
of mm for m makes a thousand, a large ground under small bodies rarely a hundred."""
