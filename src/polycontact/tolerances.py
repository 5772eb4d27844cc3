"""Every number that decides something, in one place, grouped by subject, each with its reason.

Where nothing else is said a length is relative: it is multiplied by the size of the surface (the diagonal of its
bounding box), or of the shapes that are compared.
"""

from __future__ import annotations

import math
from typing import Final

# Rounding, and numbers too small or too large to compute with ---------------------------------------------------

EPS: Final = 2.0**-53
"""Unit round-off of a double."""
DUST: Final = 1e-80
"""Coordinates below this (m) count as zero: products of three of them, with their error terms, stay normal."""
DUST_BOUND: Final = 1e-60
"""Covers, in bounds of distances in metres, that coordinates below DUST count as zero."""
TOO_FAR: Final = 1e150
"""Kinematics beyond this (SI units) are refused: squares of larger numbers overflow."""
SMALLEST_REACH: Final = 1e-30
"""Coordinates of surfaces that reach less far than this (m) cannot be evaluated: exact products underflow."""
LARGEST_REACH: Final = 1e30
"""Coordinates of surfaces that reach farther than this (m) cannot be evaluated: exact products overflow."""
ENDLESS: Final = 1e300
"""Stands for a length without end (m), or for a limit that is never reached, where infinity would spoil a product."""
NO_BOUND: Final = 1e308
"""Where a least or a greatest value begins that has not met any number yet."""
SMALLEST_DIVISOR: Final = 1e-300
"""Divisors are at least this: a degenerate triangle then has very large, but finite, coefficients."""
LARGEST_EXPONENT: Final = 709.0
"""Beyond this exp overflows to infinity: e^709.78 is the largest double."""
ASIDE: Final = 0.6
"""A coordinate axis serves to make a tangent of a unit vector whose component along it is below this. Any number from
1/√3 to 1 would do."""

# Poses ----------------------------------------------------------------------------------------------------------

ROTATION_TOLERANCE: Final = 1e-6
"""Largest deviation of RᵀR from the identity: more than any integrator's drift, less than a scaled matrix."""
PROJECTED_ROTATION: Final = 1e-3
"""Largest deviation of RᵀR from the identity that is put right where a simulator hands over stages of its integrator:
more than stages of usual steps make, less than a matrix of another meaning has."""
SMALL_ROTATION: Final = 1e-2
"""Square of an angle (rad²) below which a series of four terms is exact to rounding, and the formula no longer is."""

# Meshes and files -----------------------------------------------------------------------------------------------

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
MAX_FILE_BYTES: Final = 2 * 1024**3
"""Largest mesh file that is read; a larger one is refused before any of it is loaded."""
MAX_TRIANGLES: Final = 50_000_000
"""Largest number of triangles accepted from a file; indices are kept in 32 bits and memory stays bounded."""
LARGEST_IN_METRES: Final = 10.0
"""A mesh larger than this (m) that declares no unit is asked about: parts in mm mostly have 10 to 1000 units."""
LARGEST_BESIDE: Final = 100.0
"""Such a mesh in a scenario is asked about where it is this many times larger than every other length there: a mistake
of mm for m makes a thousand, a large ground under small bodies rarely a hundred."""

# Boxes and triangles that may meet: detection (decisions 0004, 0005 and 0008) -----------------------------------

CULLING_MARGIN: Final = 64.0 * EPS
"""Boxes are inflated by this times the size of both surfaces and their distance, so that rounding in a
transformed box never hides a pair that the exact predicates would accept."""
PARALLEL: Final = 1e-12
"""Added to the cosines between axes of boxes, so that the cross product of two that are nearly parallel decides
nothing."""
DIAGONAL: Final = 1e-14
"""A symmetric matrix whose other entries add up to less than this share of its diagonal is diagonal to rounding."""
NO_DIRECTION: Final = 1e-200
"""A component of a line's direction below this counts as zero: its inverse must stay finite."""
SHORT_AXIS: Final = 1e-200
"""Squared length below which underflow spoils an axis, in any unit."""
DETERMINANT_ERROR: Final = 64.0 * EPS
"""A 3×3 determinant of rounded differences is off by less than 48 unit round-offs times the product of the largest
components of its three rows (six products, eight roundings each)."""
TRIPLE_PRODUCT_ERROR: Final = 512.0 * EPS
"""A triple product of rounded differences, and the sum of three, is off by less than this times the product of the
largest components of its three factors: DETERMINANT_ERROR, three times, with as much again to spare."""

# Candidates that are kept from pose to pose ---------------------------------------------------------------------

GAP_UNITS: Final = 2.0**20
"""Gaps of kept candidates are noted, rounded down, in this fraction of the margin: fine enough to lose nothing that
matters, coarse enough to sort as integers."""
MARGIN_ROUNDING: Final = 1e-9
"""The margin of kept candidates grows by this share, far above the rounding of a distance of two triangles."""
KEPT_MARGIN_IN_STEPS: Final = 10.0
"""Margin of kept candidates, in steps of the motion. With a larger one the list takes longer to find and to look
through, with a smaller one it is found anew more often."""
LEAST_KEPT_MARGIN: Final = 0.2
"""Least margin while poses follow each other closely, as a share of the largest margin."""
MARGIN_FOR_CORRECTIONS: Final = 0.02
"""Margin where only a corrected pose is expected to use the list, as a share of the largest margin. An integrator with
long steps predicts where the bodies are and then asks again, hardly beside it."""

# Depth along a normal, and flanks (decision 0007) ---------------------------------------------------------------

WELL_INSIDE: Final = 1e-6
"""Barycentric coordinate beyond which rounding cannot make a line miss a triangle, or meet its neighbour too."""
WITHIN_45_DEGREES: Final = math.sqrt(0.5)
"""Cosine to their mean that all base normals must exceed, so that a line from the base cannot come back to it."""
BEFORE_THE_CORNER: Final = 1.0 - 1e-12
"""A crossing of a triangle's side counts as lying before the corner where the next side begins."""
FLANK_FULL: Final = math.cos(math.radians(60.0))
"""An element whose normal is within 60° of the target's counts fully (NUMERICS: the sphere keeps its
closed form to u = R/2)."""
FLANK_NONE: Final = math.cos(math.radians(80.0))
"""An element beyond 80° counts nothing: a submerged flank of a tilted box adds no force."""
FLAT_COSINE: Final = 1.0 - 1e-9
"""A mesh is flat around a triangle whose corner normals deviate by less, 45 microradian: far above rounding, far below
any curvature that a mesh shows."""

# The nearest triangle and its rivals (decision 0020) ------------------------------------------------------------

BOX_ROUNDING: Final = 1e-9
"""Squares of distances from boxes are compared with squares of distances from triangles with this share to spare, far
above their rounding: no triangle is missed that rounding would make the nearest."""
EQUAL_LENGTHS: Final = 1e-6
"""Squares of lengths that differ by less than this share are equal: which side of an equilateral triangle comes first
must not depend on rounding of its vertices."""
OFF_THE_EDGE: Final = 1e-5
"""Barycentric coordinate beyond which a foot lies clear of the sides of a triangle: the square of the distance to what
lies beside it is then larger by more than rounding, even for points hundreds of edges away."""
LIST_USED_WITHIN: Final = 0.9
"""Share of the distance that a list of rivals, or a core, was made for up to which it is used: rounding decides
nothing."""
LISTED_AHEAD: Final = (1.8, 1.0 / LIST_USED_WITHIN)
"""Rivals are listed up to the first of these times the distance that is asked for, and up to the second where the first
gives too many. Both then go up to the next level of a ladder that depends on the mesh alone."""
LEVELS_PER_OCTAVE: Final = 4.0
"""Levels of that ladder while the distance doubles."""
LOWEST_LEVEL: Final = 2.0**-20
"""Where that ladder begins, in mean edges of the mesh."""
SAME_LEVEL: Final = 1.0 - 1e-9
"""A reach of a level, times this, is still of the same level: its logarithm is rounded."""
STEEPEST_SIDE: Final = -0.1
"""Cosine between the normals at a side above which the rivals of both triangles settle what is nearest to a point
beside that side: a direction between two such normals is a sum of both with coefficients that add up to SUM_OF_NORMALS
at most."""
SUM_OF_NORMALS: Final = 1.5
"""See STEEPEST_SIDE: the rivals of both triangles must be listed up to this many times the distance."""
GAP_KNOWN: Final = 0.9
"""The search for the distance of two triangles ends where its lower bound has reached this share of an upper one."""
RIM_OF_CORE: Final = 0.004
"""Barycentric coordinate of the points of a triangle whose distances from its rivals are measured for its core."""
NEEDLE: Final = 1e-10
"""Square of the sine of the angle at a corner of a triangle down to which its barycentric coordinates are known to a
millionth. Sharper triangles, needles, have no core."""
NO_CORE: Final = 1e12
"""Barycentric coordinate that stands for none: no point has as much, at no distance worth speaking of."""
FLAT_EDGE: Final = 1e-9
"""Sine of the angle over an edge below which the edge is flat; lengths below this times the mean edge are none."""
OPPOSITE_NORMALS: Final = -1.0 + 1e-12
"""Cosine between two normals below which their sum has no direction."""

# Depth as a distance: how it is integrated over an element (decision 0018) --------------------------------------

SLIVER: Final = 1e-13
"""Inside parts of a triangle smaller than this share of it are made of rounding, and so is the place of their mean."""
CORNER_FAVOUR: Final = 0.3
"""Added to the third moment of a region (that of a triangle is 2.3), so that a region too even to have any corners gets
its three points where the reference triangle has them."""
ROUND_ENOUGH: Final = 0.80
"""`roundness` from which on a region is not divided for its shape; convex regions have 0.83 or more."""
SCATTERED_ROUNDNESS: Final = 0.65
"""`roundness` up to which a region is divided for its shape alone; between this and ROUND_ENOUGH that is blended in."""
MOST_BEND_TAKEN: Final = 0.5
"""Largest share of the depth at the mean that is taken off, or added, for its bend: half of it over a round contact.
More comes only from corners so far away that they tell nothing."""
MOST_SPREAD: Final = 0.75
"""Largest standard deviation of the depth over its mean: a linear depth that is nowhere negative over a triangle has
0.71 at most."""
SHALLOW_CONTACT: Final = 1e-9
"""Mean depth of a contact, in widths of its elements, below which nothing but rounding is integrated more closely."""
FACES_AWAY: Final = 0.5
"""A face whose depth falls along its outward normal at this rate or faster lies on the far side of the target."""
FAR_SIDE_LOAD: Final = 0.1
"""Share of the load carried by such faces from which on the status tells PRESSED_THROUGH."""
FAR_SIDE_PARALLEL: Final = 0.8
"""Cosine from which on the faces of a wall count as parallel, 37°: those at an edge are not."""
FAR_SIDE_REACH: Final = 1.05
"""A wall is thinner than the contact is deep up to this ratio: depths are those of elements, not of corners."""
CONTAINED_IN_FULL: Final = 0.05
"""Depth below the surface at which a contained part counts in full, in roots of its area."""

# Depth as a distance: what is missed, and what is divided (decision 0030) -----------------------------------------

SAMPLED_SHARE_OF_TOLERANCE: Final = 0.7
"""Share of the tolerance that elements with one sample may miss together; the rest is for what facets do not cover."""
MISSED_OF_BEND: Final = 0.04
"""What one sample misses of the bend, in the mean, where many elements err alike; half of it is usual."""
MISSED_OF_STEEP_BEND: Final = 1.7
"""And what it misses more, times the square of bend over depth and bend: nearly half along the rim of flush faces."""
MISSED_OF_THREE: Final = 0.125
"""What three samples in a cell miss, over what one would."""
LARGE_ELEMENT: Final = 1.0 / 24.0
"""An element that carries more than this share of the contact begins to be integrated along facets, whatever its sample
tells: four depths may look linear by chance. At twice it wholly."""
LEAST_OF_SAMPLE: Final = 1.0 / 3.0
"""Least mean of the depth over a convex region in a convex target, over the depth at its middle: that of a cone."""
COARSE_ELEMENT: Final = 4.0
"""Area of an element, in facets of the target, above which its sample is trusted less; above twice it not at all."""
NO_SHARE: Final = 1e-12
"""Shares of an element below this are none: no force would show them."""
LIMIT_RAMP: Final = 0.5
"""An element begins to miss too much at a limit, and does so wholly from this share above it on."""
LIMIT_FOUND: Final = 1e-8
"""The search for that limit ends where what elements miss is what is wanted to this share of it."""
UNCOVERED: Final = (1e-5, 0.02)
"""Share of an element without any cell from which on samples begin to take over, and at which they have."""
NO_CELL_AREA: Final = 1e-12
"""Pieces of cells below this are left out; the area of the reference triangle is 0.43."""
SHARPEST_EDGE: Final = -0.95
"""Cosine between the normals at a concave edge below which it has no cell: rivals would have to be listed up to six
times the depth and more."""
STRIP_DEPTH: Final = 0.2
"""Mean depth of a strip whose sides are borders of the contact, over its width: a ridge with slopes of 0.8."""
SHARE_OF_ONE_CELL: Final = 1e-3
"""Share of what may be missed that any single cell may miss, however small it is."""
LARGEST_SHARE_OF_LOAD: Final = 0.2
"""An element that carries more than this share of the contact begins to be divided, so that damping and friction have
points to act at; at twice it wholly."""
SCATTERED_SHARE_OF_LOAD: Final = 1.0 / 400.0
"""The same of elements whose regions are scattered."""


# Hitting nodes --------------------------------------------------------------------------------------------------

FAR_SIDE_COSINE: Final = 0.9
"""Cosine from which on a sheet that is inside faces away from where it would leave: it lies on the far side."""
SHORT_GRADIENT: Final = 0.5
"""The gradient of the depth has length 1 or more; a shorter one than this is made of rounding."""
DEEP_BLOCK: Final = 6.0
"""Blocks whose centres are deeper than this, in sides of a block, have no list, unless all triangles fit into one."""

# Friction that sticks (decision 0021) ---------------------------------------------------------------------------

AT_THE_LIMIT: Final = 1e-9
"""A sticking spring within this share of Coulomb's limit has reached it, and a layer that yields its yield pressure:
rounding of an anchor, or a dent, that was put there."""
SMALL_ARC: Final = 1e-3
"""Sine of an angle below which two terms of the series of arc over chord are exact to rounding."""
NO_WAY_OF_A_STEP: Final = 0.5
"""Cosine, of 60°, below which normals at both ends of a step tell of a jump to another face, not of rolling."""

# Layers that remember (decision 0034) -----------------------------------------------------------------------------

RECOVERY_STEPS: Final = 8
"""Even steps in which the surface of a layer that was left alone is followed back: within 1e-3 of a depth after a time
as long as the layer's own, and better after much shorter and much longer ones."""
KEPT_TIMES: Final = 30.0
"""After so many of its longest times a layer without load has recovered: less than 1e-12 of the depth is left."""
NO_BRANCH: Final = 1e-13
"""Stiffness of a branch beside that of the whole layer, or rate beside the fastest, that is rounding."""

# Convex shapes: distance and depth ------------------------------------------------------------------------------

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
"""Newton's method is tried once the bounds of a distance of convex shapes differ by this share of their size."""
NEXT_TRIAL: Final = 0.1
"""And again each time the bounds differ by this share of what they did at the last trial."""
NEWTON_RESIDUAL: Final = 1e-12
"""A direction is the nearest one where the conditions for it hold to this share of the size: tens of roundings."""
LONGEST_TURN: Final = 0.3
"""Longest turn of a direction in one Newton step, rad."""
ADDED_CURVATURE: Final = 1e-6
"""Added to curvatures, in units of the scale: far below any that matters, so that steps hardly change, but round shapes
on a common axis, whose height does not change around it, leave the system regular."""
MEETING_PIVOT: Final = 1e-13
"""A pivot of that system, whose entries are about 1, below this is rounding: the system is singular."""
WILD_TURN: Final = 1e3
"""A Newton step that asks for a longer turn than this (rad) comes from a system that is singular to rounding."""
TURN_OF_ROUNDING: Final = 1e-15
"""A turn of a direction (rad) in a Newton step that is rounding: the direction has settled."""
TURN_NEAR_ROUNDING: Final = 1e-8
"""Turns below this (rad) that are not at least halved from one step to the next are rounding too."""
TURN_TO_NOWHERE: Final = 1e-4
"""Turns that are still longer than this (rad) after the last step have led nowhere; after shorter ones it is checked
whether the direction is the nearest one."""
NEAR_THE_AXIS: Final = 0.995
"""Cosine of 6°: a direction nearer than this to the axis of a flat cap may be meant to be the axis."""
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
ALIKE_IN_DEPTH: Final = 0.1
"""Corners of the faces that two convex shapes show each other bear the contact where the deepest of them is as deep as
the shapes are, to this share: for flat faces it is to rounding, for finely rounded meshes the faces seen are bent."""
SHARED_REACH: Final = 2.0
"""Reaches of the smaller of two convex shapes within which corners share their stiffness: as far as its corners can be
apart. With half of it balls of 1,280 triangles were 3 % stiffer on a facet than on a corner, with this 1 %."""
MERGED: Final = 1e-12
"""Added to the diagonal of how corners share their stiffness, which is 1, so that corners may coincide: 1e4 times the
rounding of its factor."""
PULLS: Final = 1e-12
"""Forces below minus this share of the greatest depth pull, and depths that miss more than it press: rounding."""
NEARLY_DEEPEST: Final = 1e-3
"""The search for the deepest point of a mesh leaves out parts that could be deeper by less than this share."""

# Surfaces by formulas: places and common normals ----------------------------------------------------------------

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
ROUNDED_MISMATCH: Final = 1e-4
"""A mismatch (a square) that no step lowers is as good as rounding allows below this share of what is asked for."""
FIRST_DAMPING: Final = 1e-10
"""Levenberg–Marquardt damping to begin with, relative to the diagonal: nearly Newton's method."""
LEAST_DAMPING: Final = 1e-14
"""Damping falls no further than this."""
DAMPING_AFTER_SUCCESS: Final = 0.1
"""Factor of the damping after a step that lowered the mismatch."""
SHORTEST_STEP: Final = 1e-9
"""Steps are shortened down to this, in sizes of the smaller body: where even such a step lowers nothing, the search
ends."""
CORNER_FOUND: Final = 1e-12
"""A tip or an edge is found when the point in which tangent planes meet lies off the body by less than this, in its
sizes."""
STEEP_HOLD: Final = 3.0
"""Slope against the horizontal, as a tangent, of the normals of the planes that hold a search for a tip at its start:
only tips steeper than their apex, 18° from the axis, are missed."""
PLANES_MEET: Final = 1e-14
"""Three planes meet where the volume that their unit normals span is greater than this: a little above its rounding."""
BEARS: Final = 1e-12
"""A coefficient of a sum of normals counts as not negative down to minus this, in units of the volume they span."""
STILL_FACING: Final = -0.2
"""Cosine between both normals above which a step has gone astray: surfaces in contact face each other."""
START_FACING: Final = -0.8
"""Largest cosine between the normals of two samples that may become a start: 37°, more than twice their spacing."""
SAMPLE_ANGLE: Final = 0.2
"""How far, in rad, a sample's normal may be from that of the place it stands for."""
NORMAL_LENGTH_WEIGHT: Final = 3.0
"""Weight of the length of the common normal in the measure that ranks starting points: the shortest come first, as the
contact is among them."""
NORMAL_WEIGHT: Final = 0.15
"""Weight of a difference of unit normals beside one of points over the size, in distances of samples."""
ANOTHER_PLACE: Final = 0.15**2
"""Squared distance, in that measure, from which on samples are starts of their own: a few times their spacing."""
NEARER_BY: Final = 1e-6
"""Another part of a surface is nearer than the end of a common normal when the square of its distance is less by this
share: more than the rounding of samples."""

# Points that bear a rigid contact (decision 0022) ---------------------------------------------------------------

SAME_WAY: Final = 0.94
"""Cosine, of 20°, above which elements push the same way and form one group."""
LEAST_SHARE: Final = 0.02
"""A group that has less than this share of the load of equal stiffness is left out: edges of faces that lie flat."""
STEEP: Final = 0.5
"""sin² of the angle to the opposite surface above which an element is a flank and bears nothing."""
OFF_AXIS: Final = 0.3
"""Part of the angle between them by which the directions around a normal are turned away from the tangents, so that a
rectangle's corners are farther out than its edges."""
STICKS_OUT: Final = 1.2
"""The deepest point bears too where it is so many times as deep as the outermost ones: a ball, an edge."""
DEEP_ENOUGH: Final = 0.5
"""Points count as outermost that are at least this part as deep as the deepest: a ball has its border in the air."""
SAME_POINT: Final = 1e-6
"""Points nearer to each other than this part of how far they lie out are one."""
FACE_TILT: Final = 0.05
"""Angle (rad) by which directions are tilted off the normal to see the face of a convex shape: faces that are level to
less are seen whole."""
LEVEL: Final = 1e-4
"""Parts of the smaller shape's reach by which corners may be apart and still bear: they are about to touch."""
SAME_CORNER: Final = 1e-9
"""Corners nearer to each other than this part of the shapes' size are one."""

# Steps with rigid contacts -----------------------------------------------------------------------------------------

DEPTH_CORRECTION_SHARE: Final = 0.2
"""Part of the depth beyond the slop that one step takes back."""
PARTING_FRICTION: Final = 0.5
"""Part of the friction that holds bodies while depth is taken back: a tenth already keeps a light body under a heavy
one, and with all of it card houses took twice as many steps of Newton's method."""
CORRECTION_THRESHOLD: Final = 0.5
"""Depth beyond the slop, in slops, from which on it is taken back."""
CLOSING_SPEED: Final = 1.0
"""Speed, in rest speeds, with which bodies may close a gap or what is left of the slop: no impact for the next step,
however short steps are."""
LEAST_RESTITUTION: Final = 1e-3
"""Restitution below which a yielding contact is damped no more: nearly critically."""
LEAST_INVERSE_MASS: Final = 1e-12
"""1/kg: what a point between fixed bodies yields, for the sake of the division."""
FALLS: Final = 0.75
"""Where half a step strays by more than this part of what the step does, that is no curvature: it would be a half."""
AIM: Final = 0.7
"""Part of the rest speed by which contacts may stray in the next step, by the curvature that this one saw."""
GROWTH: Final = 2.0
"""A step that follows bodies in contact is at most so many times as long as the one before."""
SLOW_TURN: Final = 1e-5
"""Where no body turns by more than this in a step (rad), forces by its motion are taken at the start of the step: that
makes about this part of its energy while it turns by a radian."""
MIDDLE_SPEED_SHARE: Final = 1e-9
"""Part of the greatest joint speed to which speeds in the middle of a step are found: twice that of the energy in each
step, 2e-6 in a thousand of them, should they all err the same way."""
PUSHED_SHARE: Final = 0.2
"""Where contacts change a joint speed in a step by more than this part of the greatest, forces by the motion of bodies
are found again: impacts do, and feet of a robot. A body that turns by ωh in a step errs by this part of ωh/2 else."""
DIVISION_ROUNDING: Final = 1e-9
"""Part of a step by which a time may exceed a whole number of steps and still be divided into so many: rounding."""

# Impulses of rigid contacts, and their solvers ------------------------------------------------------------------

FIXED_CONTACT: Final = 1e-14
"""A contact whose point gives way along the normal by less than this share of the most yielding one is between fixed
bodies: what is there is the rounding of joints."""
LOST_FREEDOM: Final = 1e-12
"""A joint speed that keeps less than this part of its answer to an effort, beside those before it, is not free: loops
and couplers have taken it away, up to thousands of roundings."""
INDEPENDENT_ROW: Final = 1e-6
"""A direction of an impulse is independent of others where more than this part of its answer squared is not along
theirs: what is less would make impulses a thousand times as uncertain as velocities."""
LOOSE_DIRECTION: Final = 1e-12
"""A direction of slip in which an impulse changes the velocity by less than this share of what it does elsewhere is
beyond the reach of friction, by thousands of roundings."""
JAMMED: Final = 1e-9
"""Friction that would raise the normal impulse beyond its frictionless value over this jams a contact: there is no
impulse that satisfies Coulomb's law, and what is computed is rounding."""
RESPONSE_RESIDUAL: Final = 1e-10
"""Residual (m/s) of Coulomb's law that solvers are satisfied with unless told otherwise."""
UNSOLVED_IMPACT: Final = 1e-6
"""A residual beyond this part of the fastest approach means that there is no solution, or that none was found."""
DEAREST_PRICE: Final = 1e-4
"""Price, to begin with, of an impulse's distance from the one that is kept, as a share of what its contact gives way:
so dear that the first answer is right to about that, so cheap that few steps of Newton's method are needed."""
CHEAPER: Final = 1e-2
"""Factor by which that price falls where it holds impulses back."""
CAREFUL_PACE: Final = 0.5
"""How much of the way to their slips velocities are raised after a problem in vain: slips may go round in circles."""
LEAST_PRICE: Final = 1.1e-8
"""The price does not fall any more from here on: rounding of velocities over it are the errors of impulses."""
INNER_SHARE: Final = 0.1
"""A softened problem is solved to this part of what is left of the whole one: more would be for nothing."""
FLAT_ENOUGH: Final = 0.1
"""A step along which the slope has fallen to this part of its first value is long enough."""
LESS_THAN_BEFORE: Final = 0.9
"""A gradient below this part of the least one so far is progress."""
NEAR_ROUNDING: Final = 1e3
"""A gradient below so many roundings may be all that rounding allows: sums of many impulses lose some digits."""
NEWTON_PROXIMITY: Final = 1e-9
"""Share of a contact's own yielding that is added in the steps of the nonsmooth Newton method, not in the equations:
redundant contacts leave the matrix singular, and steps must stay short where nothing asks for them."""
SOLVER_ROUNDING: Final = 2e-16
"""Rounding of velocities; over the price, of the impulses of a softened problem, beyond which nothing is gained."""
SLIP_ERROR: Final = 1e-11
"""Error of a step along the path of slip in an impact, relative to the impulse of the step."""
SLIP_STOPPED: Final = 1e-14
"""Slip slower than this share of the velocities that an impact has changed has stopped: some tens of roundings."""
STRAIGHT_SLIP: Final = 1e-10
"""Slip that turns by less than this share of what friction could do goes straight on: above the errors of steps; what
is left at the end of a straight piece is followed in turn."""
FIRST_SLIP_STEP: Final = 0.1
"""First step along the path of slip, as a share of the scale on which slip changes by its own size."""
STEP_SAFETY: Final = 0.9
"""The next step along that path is this share of the one whose error would be just what is allowed."""
STEP_SHRINKS: Final = 0.2
"""A step is shortened to this share of itself at most, at once."""
STEP_GROWS: Final = 4.0
"""And grows by this factor at most."""
LEAST_STEP_ERROR: Final = 1e-4
"""Errors below this, relative to what is allowed, count as this: a straight path has none."""
SAME_INSTANT: Final = 1e-15
"""Share of a step by which two trials for its end may differ and be the same to rounding."""

# Joints, loops, force elements, broad phase ---------------------------------------------------------------------

SMALLEST_PIVOT: Final = 1e-13
"""A speed of a joint that keeps less than this share of its inertia beside the others moves no mass."""
DEPENDENT_CONSTRAINT: Final = 1e-10
"""A constraint whose remaining part is smaller than this, relative to itself, depends on the others."""
HELD_CONSTRAINT: Final = 1e-13
"""A constraint that can change by less than this part of what it could between free bodies is held by joints already:
rounding leaves about 1e-17 of it, and a part of a gram carried by a hundred tonnes 1e-8."""
SMALLEST_LEVER: Final = 1e-10
"""A lever (m), or part of a way, with which a joint moves the end of a rod that is zero but for rounding."""
SMALLEST_SHARE: Final = 1e-30
"""Sin² of an angle that is zero but for rounding, where one divides by it."""
DEAD_CENTRE: Final = 10.0
"""A rod's length is known to the tolerances of a run times this, relative to itself: within the square root of it, as
an angle (rad), lies a dead centre. Measured on five linkages with five integrators and tolerances of 1e-4 to 1e-8: with
a tenth of it the energy jumps where an integrator drifts much, with ten times as much the passage costs ten times as
much energy."""
WIDEST_DEAD_CENTRE: Final = 1e-3
"""However coarse the tolerances are, a rod lets go within 2 degrees of a dead centre only (sin²)."""
SEMIDEFINITE: Final = 1e-9
"""Asymmetry, or negative eigenvalue, of a stiffness or damping matrix relative to its largest part that is rounding of
a matrix written with ten digits."""
MOST_PROJECTIONS: Final = 50
"""Steps of Newton's method to a state whose loops are closed: from a start that fits it takes three to six."""
LOOP_TOLERANCE: Final = 1e-10
"""A loop counts as closed where no constraint is violated by more (m, rad of a coupler, or the cosine of an angle)."""
LETS_GO: Final = 1.01
"""A rod whose diagonal is taken larger than that holds not quite: see `kernels.dynamics.loop_closure`."""
COUPLER_ROUNDING: Final = 2e-15
"""Violation of a coupler, relative to its terms, that is rounding: a few units in the last place of angles that have
grown over many turns."""
CELL_IN_WIDTHS: Final = 2.0
"""Width of a cell of the broad phase's grid, over the mean width of the boxes that are not much wider than others."""
FITS_CELL: Final = 0.99
"""A box up to this part of a cell lies in two cells along an axis at most, whatever is rounded."""
WIDE_BOX: Final = 2.0
"""A box this many times wider than the mean of all does not count for the width of the cells."""

# Choice of the base -----------------------------------------------------------------------------------------------

ALIKE: Final = 1.25
"""Two surfaces are about as sharp where their mean radii differ by less than this factor: the facets of an icosahedron
make it 13 % sharper than the ball around it."""
SAME_MESH: Final = 1.0 + 1e-6
"""Two meshes are as fine and as large where the numbers differ by less than this factor: coordinates in single
precision, as in STL files, change them by 1e-7."""
FLAT_VERTEX: Final = 1e-7
"""Curvature of a vertex, rad, that is rounding: of a coordinate in single precision, squared, or of an angle."""
ONE_FACE: Final = 1e-4
"""Angle between neighbours, rad, that are one flat face: coordinates in single precision turn triangles of a hundredth
of the body by 1e-5, and a round body would need 60,000 facets around for it."""

# Runs, results and robots ---------------------------------------------------------------------------------------

SAME_OPTION: Final = 1e-12
"""Options of two contacts that differ by less than this share are the same: a stiffness from two layers is rounded
otherwise than one that was written down."""
RIVAL_PEAK: Final = 0.98
"""A peak of a load may be the greatest of a run where its estimate reaches this share of the greatest estimate: the
estimate, a parabola through ends of steps, is rarely off by more."""
STEEP_ONSET: Final = 0.5
"""A load that reaches this share of its greatest peak in the step in which it begins may have been greater within it:
damping is strongest at the first touch."""
MESH_ERROR_LIMIT: Final = 0.1
"""Share of the force by which facets may put it off before it is told: about what is known of a stiffness."""
SPREAD_SHARE: Final = 0.25
"""What the standard deviation of the height above facets counts beside its mean, see `tools/mesh_errors.py`: with less
wrong forces of balanced meshes are missed, with more good ones are told."""
POINT_ON_EDGE: Final = 1e-13
"""A point is taken to lie on the line of an edge, or in the plane of a triangle, when it is nearer than this part of
its length: what rounding leaves of a distance, and d ln d is as small."""
WHOLE_ELEMENT: Final = 0.9
"""Share of its triangle from which on an element on a half-space moves to where the whole triangle lies."""
MAY_CARRY: Final = 0.35
"""Elements on half-spaces deeper than this part of the deepest get a row in the matrix: all that carry in a contact of
round bodies, where the depth at the border is half of the greatest, and some to spare."""
CARRIES_AT_FIRST: Final = 0.5
"""Elements on half-spaces deeper than this part of the deepest are taken to carry at first: exact for round bodies."""
CLOSED_FORM_REACH: Final = 1.0
"""Two elements nearer than this, as a share of the squares of their longest edges, are integrated in closed form."""
POINT_SOURCE_REACH: Final = 1.2
"""From this on they are points: the force of Hertz's contact is 0.05 % off, without this limit as much."""
HALF_SPACE_ROUGH: Final = 1e-4
"""Residual, over the depths, of forces on half-spaces while it is still being found which elements carry."""
HALF_SPACE_FINE: Final = 1e-12
"""The same in the end: differences of forces over the steps of a Jacobian (1e-7) still have five digits."""
HALF_SPACE_ROUNDING: Final = 1e-9
"""Overlaps and pulls, over the greatest depth, that count as none: 1000 times what the solution leaves."""
MOST_FACTORISED: Final = 300
"""Elements that carry up to which their matrix is factorised: fewer operations then than conjugate gradients take."""
MOST_ON_HALF_SPACE: Final = 8000
"""Elements on a half-space that may carry at once: their matrix takes half a GB, twice, and an evaluation seconds."""
MOST_GRADIENT_STEPS: Final = 2000
"""Steps of conjugate gradients: some 60 for thousands of good triangles, more only where triangles are very thin."""
MOST_PIVOT_ROUNDS: Final = 500
"""Rounds in which elements are taken in and let go: 3 to 8 are usual."""
PIVOT_PATIENCE: Final = 3
"""Rounds without progress after which elements are changed one at a time (Júdice and Pires have 10 or fewer)."""
POISSON_WARNING: Final = 0.45
"""Above this the thin-layer modulus (eq. 2) is no longer a good model of the layer."""
POSE_REACHED: Final = 1e-8
"""A pose of a robot is reached where its point is nearer than this (m) and its turn less than this (rad): no gear holds
a hundredth of it, and a stretched arm, which closes in slowly, still gets there."""

# Integrators ----------------------------------------------------------------------------------------------------

DIFFERENCE_INCREMENT: Final = 1.4901161193847656e-08
"""By this part of its size a state is perturbed for a difference of the rates, the root of the machine epsilon: it
balances truncation against rounding, as in CVODE, IDA and LSODA."""
LEAST_SPEED_VARIED: Final = 1.0
"""Speeds (m/s) below this are varied as this one is: by 15 nm/s, far below the slip at which friction sets in."""
SAME_TIME: Final = 2.842170943040401e-14
"""Times closer than this, relative to them, are one time to CVODE and IDA: 128 machine epsilons, they take 100."""
SECOND_OF_TWO: Final = 1e-9
"""A step that comes so near to its target, relative to its length, is the second of two equal ones."""
TRIAL_CHANGE: Final = 0.01
"""The trial step that measures the second derivative changes the state by this part of its size."""
FIRST_STEP_SAFETY: Final = 0.5
"""The first step is this part of the one whose estimated error is just at the tolerance."""
FIRST_STEP_LONGEST_PART: Final = 0.1
"""The first step covers at most this part of the way it may go."""
LOOK_STEPS: Final = 12
"""Steps between two looks for stiffness, each two evaluations: a tenth of what as many steps of Adams cost."""
PROBE: Final = 1e-9
"""Part of its size by which a state is moved to find the fastest rate: below the depths of stiff contacts (1e-6 m), and
well above rounding."""
PROBE_SIZE: Final = 1.0
"""States without a tolerance count as this large."""
FRESH_DIRECTION: Final = 1e-5
"""Part of a fixed direction that is mixed in, so that what becomes stiff is seen after two or three looks. A position
changes the rate of its speed by the square of the fastest rate: with more than one over that, it would seem faster."""
UNSTABLE_ADAMS: Final = (0.6, 0.45, 0.26, 0.14, 0.077, 0.04, 0.018, 0.009, 0.0045)
"""Steps times fastest rates from which on methods of Adams of order 1, 2, … are at their limit of stability: nine
tenths of what the eigenvalues of a step with one iteration give on the negative axis (0.67, 0.50, 0.29, 0.16, …)."""
UNSTABLE_RUNGE_KUTTA: Final = 1.2
"""The same for DOPRI5, whose limits are 3.3 on the negative axis and 1 on the imaginary one: measured at rest, where
the length of its steps goes up and down, 1.2 to 3.7."""
STRAIGHT_ADAMS: Final = 1.0
"""Errors of Euler's implicit method, in tolerances, up to which a step of Adams could be longer: measured 0 to 1 at
rest, and 30 to 500 where bodies bounce."""
STRAIGHT_RUNGE_KUTTA: Final = 30.0
"""The same for DOPRI5, which lets the fast mode swing within its tolerance: measured 3 to 27, and 40 to 500."""
FAILED_SHARE: Final = 0.25
"""Failures of the functional iteration for each step that show stiffness: measured 0.3 to 0.5 at rest, and below 0.16
where bodies bounce."""
FADED_AREA_SHARE: Final = 0.5
"""A contact has faded when its area is less than this part of what it was when the Jacobian was made."""
STIFF_STEP_SQUARED: Final = 4.0
"""Square of step length times frequency of a contact from which on the Jacobian decides how far a correction goes."""
STIFF_FRICTION_STEP: Final = 1.0
"""Step length times rate of a contact's friction from which on it does, too."""
STRAY_TOLERANCES: Final = 10.0
"""A flying body does not move by its equations where its speeds change in a step by so many tolerances less or more:
what an iteration leaves is below one."""
END_SPAN: Final = 1e-3
"""Part of a step over which the change of a speed at its end is taken."""
THICKNESS_SHARE: Final = 0.5
"""Part of the thinner shape's thickness by which two bodies may move towards each other in one step."""
SHORTEST_LIMIT: Final = 1e-9
"""No step is limited to less than this, s."""
LONG_STEP: Final = 2.0
"""A step this many times longer than its limit is looked at for bodies that have moved through each other."""

# Statics ------------------------------------------------------------------------------------------------------------

SMALL_MOTION: Final = 1e-6
"""Increment, in rad and relative to the size of what moves, for central differences of the dynamics beside a state:
their error is its square, that of rounding 1e-10."""
SMALL_MOTION_OF_CONTACTS: Final = 1e-7
"""The same where contacts are evaluated for each difference: far below the depth of a contact."""
REST_RESIDUAL: Final = 1e-8
"""Residual, in parts of the largest load, at which a system is at rest: contacts are found to 1e-11 or so."""
FIRST_REST_STEP: Final = 1e-3
"""Part of its size by which a system may move in the first step towards rest."""
REST_STEP_ANGLE: Final = 0.2
"""Rotation of a body in one correction towards rest, rad: what is linear then is good to 2 %."""
REST_STEP_SIZE: Final = 0.5
"""Way of a body in one correction towards rest, in parts of the size of the system."""
FALLEN_AWAY: Final = 10.0
"""A body that has moved farther than this many sizes of the system, and that nothing holds, falls away."""
SUFFICIENT_DECREASE: Final = 1e-4
"""Part of the decrease that is expected of a correction with which it is accepted (Armijo)."""
FREE_SQUARE: Final = 0.1
"""Square of an angular frequency, 1/s², below which a motion counts as free: a period of 20 s."""
FREE_SQUARE_RELATIVE: Final = 1e-5
"""The same relative to the stiffest motion, where that is less: slopes of contacts are not known better."""
FREE_SQUARE_ROUNDING: Final = 1e-12
"""Below this part of the stiffest motion's square a square is rounding."""
DEPENDENT_ROW: Final = 1e-9
"""Rows of constraints whose part that others do not imply is smaller than this, relative to the largest, say nothing
new: states are projected to 1e-10."""


# Maps of surfaces -----------------------------------------------------------------------------------------------

SAME_SIDE: Final = 0.5
"""Cosine between the normals of two triangles from which on they look to the same side: an element is not shared out
over an edge of 60 degrees or more."""
TRACE_SPACING: Final = 0.25
"""Evaluations of a step lie so close that a contact moves between two of them by this part of its extent and a triangle
together: so the trace that it leaves has no gaps; one ten times as close changes maps by less than a per cent."""
TRACE_ENERGY: Final = 0.02
"""A step whose friction energy by its evaluations differs from that in the ledger by more than this part has more of
them."""
TRACE_SMALL_ENERGY: Final = 1e-4
"""Not where that energy is below this part of what there was before."""
MOST_TRACE_PARTS: Final = 16
"""Parts of a step with two evaluations each, at most."""
TRACE_FACTOR: Final = 2.0
"""The friction energy of a step's evaluations is scaled to that in the ledger by at most this factor; the rest goes to
the next steps."""
GAUSS_PLACE: Final = 0.21132486540518713
"""Places of the two points of Gauss's rule in a step are this and one less this: (1 - 1/√3)/2."""
PARALLEL_SHEETS: Final = 1e-3
"""Faces that meet at a vertex count as parallel where the smaller eigenvalue of their normals is below this share of
the larger, which is a bend of less than four degrees: otherwise a small difference of their depths moves the vertex far
along them."""
