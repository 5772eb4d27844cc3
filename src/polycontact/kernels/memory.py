"""The memory of a contact pairing, as compiled code sees it: one row of slots.

A slot holds a count, a flag or the address of an array that the Python object owns. The row is the only thing
that crosses from Python, so a call costs the same however much a pairing carries, and several pairings are a
table of rows. Each stage opens the arrays it needs by name: ``x = vectors(p, side + X, n)``.

Slot numbers are numpy integers: of plain ones the compiler would make a copy of each function for each value.
Slots of surface E start at `E`, those of surface F at `F`; both hold the same fields.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

# Fields of a surface (add E or F).
SURFACE_FIELDS = (
    "N_VERTICES",  # count
    "N_TRIANGLES",  # count
    "CLOSED",  # 1: every edge has two triangles
    "VERTICES",  # (nv, 3) f8, in the surface's own frame
    "TRIANGLES",  # (nt, 3) i4, in leaf order of the tree
    "NEIGHBOURS",  # (nt, 3) i4, triangle across each side, -1 at a border
    "TRIANGLE_EDGES",  # (nt, 3) i4, undirected edge of each side
    "CORNERS",  # (nt, 9) f8: the three corners of each triangle, own frame
    "BARYCENTRES",  # (nt, 3) f8, own frame
    "NORMALS",  # (nt, 3) f8, own frame, outward
    "AREAS",  # (nt,) f8
    "CORNER_NORMALS",  # (nt, 9) f8, own frame: normals at the corners, smooth within a feature angle
    "BOXES",  # (2 nt - 1, 6) f8, own frame: centre and half-extents, depth-first
    "ORIENTED_BOXES",  # (2 nt - 1, 15) f8, own frame: centre, half-extents, axes of the same nodes
    "LINE_BOXES",  # (2 nt - 1, 15) f8: oriented boxes around the penetration lines, or 0
    "COMPONENT_VERTICES",  # (n_components, 6) i4: outermost vertices of each connected component
    "N_COMPONENTS",  # count
    "CONTAINED",  # (n_components,) i4: 1 where a component lies inside the other surface
    "TRIANGLE_COMPONENT",  # (nt,) i4
    "X",  # (nv, 3) f8, in frame E (for E the vertices themselves)
    "VERTEX_STAMP",  # (nv,) i8: X is up to date where equal to the evaluation's stamp
    "VERTEX_STATE",  # (nv,) i8: 4 stamp + (1 outside, 2 inside the other surface)
    "MARK",  # (nt,) i8: 4 stamp + (1 cut, 2 inner)
    "HEAD",  # (nt,) i4: first segment of a cut triangle
    "HIT",  # (nt,) i4: target triangle last found from this base triangle
    "CUT",  # (nt,) i4: cut triangles
    "CUT_STATE",  # (nt,) i4: bits 0-2: corner is inside; bits 3-5: side is crossed; OPEN, UNKNOWN
    "INNER",  # (nt,) i4: triangles wholly inside
    "INNER_PARENT",  # (nt,) i4: the triangle from which the search came
    "NEXT",  # (max_segments,) i4: next segment of the same triangle
    "N_CUT",  # results
    "N_INNER",
    "OPEN",  # 1: an intersection polygon ends inside this surface
)
N_SURFACE_FIELDS = len(SURFACE_FIELDS)


def _numbers(first: int, count: int) -> list[int]:
    """Numpy integers, which mean to the compiler what a plain int means to a reader."""
    return cast(list[int], list(np.arange(first, first + count, dtype=np.int64)))


E, F = _numbers(0, 1)[0], _numbers(N_SURFACE_FIELDS, 1)[0]

(
    N_VERTICES,
    N_TRIANGLES,
    CLOSED,
    VERTICES,
    TRIANGLES,
    NEIGHBOURS,
    TRIANGLE_EDGES,
    CORNERS,
    BARYCENTRES,
    NORMALS,
    AREAS,
    CORNER_NORMALS,
    BOXES,
    ORIENTED_BOXES,
    LINE_BOXES,
    COMPONENT_VERTICES,
    N_COMPONENTS,
    CONTAINED,
    TRIANGLE_COMPONENT,
    X,
    VERTEX_STAMP,
    VERTEX_STATE,
    MARK,
    HEAD,
    HIT,
    CUT,
    CUT_STATE,
    INNER,
    INNER_PARENT,
    NEXT,
    N_CUT,
    N_INNER,
    OPEN,
) = _numbers(0, N_SURFACE_FIELDS)

# Fields of the pairing.
PAIRING_FIELDS = (
    "PARAMETERS",  # (n,) f8, see below
    "STAMP",  # number of this evaluation
    "BASE",  # 0 E, 1 F, 2 both
    "ELEMENT_KIND",  # 0 whole, 1 clipped
    "DEPTH_KIND",  # 0 along the base normal with the flank ramp, 1 along the target normal
    "GENERATOR",  # 0 intersection, 1 penetration lines
    "MAX_CANDIDATES",
    "CANDIDATES",  # (max, 2) i4: leaf pairs that may intersect while the pose stays near
    "N_CANDIDATES",
    "GAPS",  # (max_candidates,) f8: how far apart at least the triangles of a candidate were when the list was built
    "CANDIDATE_SCRATCH",  # (max(max_candidates, 2 max_segments) + 4, 2) i8: keys for sorting
    "SORT_SCRATCH",  # the same
    "POSE",  # (POSE_LENGTH,) f8: this pose and the pose of the last build, see below
    "MAX_SEGMENTS",
    "SEGMENT_TRIANGLES",  # (max, 2) i4: triangle of E, triangle of F
    "SEGMENT_KINDS",  # (max, 2) i4: where it starts and ends: side 0-2 of E's triangle, 3-5 of F's
    "SEGMENT_ENDS",  # (max, 6) f8: start and end in frame E
    "ORDER",  # (max,) i4: segments by (triangle of E, triangle of F)
    "N_SEGMENTS",
    "MAX_ELEMENTS",
    "POINT",  # (max, 3) f8: C_e on the base
    "NORMAL",  # (max, 3) f8: n_k, into the base body
    "ELEMENT",  # (max, 3) f8: area, depth, flank weight
    "TARGET_POINT",  # (max, 2) f8: barycentric coordinates of the hit on the target triangle
    "ELEMENT_TRIANGLES",  # (max, 4) i4: base, target, side, loop
    "FORCE",  # (max, 12) f8: position, force on E, normal force, friction force, slip velocity, approach speed
    "N_ELEMENTS",
    "STACK",  # (STACK_LENGTH, 6) i4
    "BUFFER",  # (exact.BUFFER_LENGTH,) f8
    "TRIANGLE_PAIR",  # (12, 3) f8: work space of the triangle intersection
    "LOOP",  # (max_segments + 1, 10) f8 work space for triangles with several loops
    "LOOP_IDS",  # (max_segments + 1, 2) i8
    "STATUS",  # bits, see below
    "BV_CHECKS",
    "TRIANGLE_CHECKS",
    "LINE_CHECKS",
    "REBUILDS",
    "EVALUATIONS",
    "NEEDED",  # the size that overflowed
    "SUMMARY",  # (N_SUMMARY,) f8: the contact in a few numbers, see below
)
_first = 2 * N_SURFACE_FIELDS
(
    PARAMETERS,
    STAMP,
    BASE,
    ELEMENT_KIND,
    DEPTH_KIND,
    GENERATOR,
    MAX_CANDIDATES,
    CANDIDATES,
    N_CANDIDATES,
    GAPS,
    CANDIDATE_SCRATCH,
    SORT_SCRATCH,
    POSE,
    MAX_SEGMENTS,
    SEGMENT_TRIANGLES,
    SEGMENT_KINDS,
    SEGMENT_ENDS,
    ORDER,
    N_SEGMENTS,
    MAX_ELEMENTS,
    POINT,
    NORMAL,
    ELEMENT,
    TARGET_POINT,
    ELEMENT_TRIANGLES,
    FORCE,
    N_ELEMENTS,
    STACK,
    BUFFER,
    TRIANGLE_PAIR,
    LOOP,
    LOOP_IDS,
    STATUS,
    BV_CHECKS,
    TRIANGLE_CHECKS,
    LINE_CHECKS,
    REBUILDS,
    EVALUATIONS,
    NEEDED,
    SUMMARY,
) = _numbers(_first, len(PAIRING_FIELDS))
N_SLOTS = _first + len(PAIRING_FIELDS)

# Parameters (indices into PARAMETERS).
(
    STIFFNESS,
    DAMPING,
    TRANSITION_DEPTH,
    FRICTION,
    FRICTION_VELOCITY,
    SPLIT_E,
    MAX_PENETRATION,
    REACH,
    MAX_MARGIN,
    FACET_FULL_E,
    FACET_FULL_F,
) = range(11)
N_PARAMETERS = 11

# Layout of SUMMARY: area m², greatest depth m, greatest pressure Pa, elastic energy J, power lost in damping W and
# in friction W.
AREA, DEPTH, PRESSURE, ENERGY, DAMPING_POWER, FRICTION_POWER = range(6)
N_SUMMARY = 6

# Layout of POSE: rotation of F in E (9), position, velocity, angular velocity, the pose for which the candidates
# were built (12), the margin they were built with, evaluations since, how much boxes are inflated so that
# neither rounding nor a rotation that has drifted a little (by DRIFT) hides an intersection, and how far any point has
# moved since the candidates were built.
ROTATION, POSITION, VELOCITY, ANGULAR_VELOCITY, BUILT, MARGIN, AGE, PAD, DRIFT, MOVED = (
    0,
    9,
    12,
    15,
    18,
    30,
    31,
    32,
    33,
    34,
)
POSE_LENGTH = 35

DUST = 1e-80
"""Coordinates below this (m) count as zero: products of three of them, with their error terms, stay normal."""

# Bits of CUT_STATE besides the corners inside (bits 0-2) and the sides crossed (bits 3-5).
OPEN_TRIANGLE = 64  # the border of the other surface ends inside this triangle
CROWDED = 256  # many target triangles cross this one
UNKNOWN = 128  # no crossing tells whether its corners are inside

# Status bits.
OPEN_POLYGON = 1  # a border inside the contact zone: the patch is bounded by what the target covers
E_INSIDE_F = 2  # a component of E lies wholly inside F
F_INSIDE_E = 4
INCONSISTENT = 8  # a triangle pair with one node: a triangle degenerated by rounding
OVERFLOW_CANDIDATES = 16
OVERFLOW_SEGMENTS = 32
OVERFLOW_ELEMENTS = 64
BAD_KINEMATICS = 128  # not finite, or not a rotation
COARSE_BASE = 256  # a base triangle is crossed by many target triangles: too coarse to sample the depth
OVERFLOW = OVERFLOW_CANDIDATES | OVERFLOW_SEGMENTS | OVERFLOW_ELEMENTS

STACK_LENGTH = 256
"""Entries of the traversal stack: one descent pushes at most two, and both trees are balanced, so their
depths together (2 · 26 for the largest surfaces) bound it."""


def _array_at_slot(dtype: Any, columns: int | None) -> Any:
    """Maker of a function (p, slot, n[, columns]) that opens the array whose address a slot holds.

    An intrinsic, so that each use costs the compiler a few instructions and not a function of its own.
    ``columns``: None for a vector, 0 for a table whose width is an argument.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = context.make_array(signature.args[0])(context, builder, arguments[0])
        slot = context.cast(builder, arguments[1], signature.args[1], types.intp)
        address = builder.load(builder.gep(row.data, [slot]))
        array = context.make_array(signature.return_type)(context, builder)
        item = context.get_constant(types.intp, dtype.bitwidth // 8)
        shape = [context.cast(builder, arguments[2], signature.args[2], types.intp)]
        strides = [item]
        if columns is not None:
            width = context.get_constant(types.intp, columns)
            if columns == 0:
                width = context.cast(builder, arguments[3], signature.args[3], types.intp)
            shape.append(width)
            strides.insert(0, builder.mul(width, item))
        pointer = builder.inttoptr(address, array.data.type)
        populate_array(array, data=pointer, shape=shape, strides=strides, itemsize=item, meminfo=None)
        return array._getvalue()

    result = types.Array(dtype, 1 if columns is None else 2, "C")
    if columns == 0:

        @intrinsic
        def open_table(typing_context: Any, p: Any, slot: Any, n: Any, width: Any) -> Any:
            return result(p, types.int64, types.int64, types.int64), generate

        return open_table

    @intrinsic
    def open_array(typing_context: Any, p: Any, slot: Any, n: Any) -> Any:
        return result(p, types.int64, types.int64), generate

    return open_array


def _array_at_address(dtype: Any) -> Any:
    """Maker of a function (address, n) that opens the array of n numbers at an address."""
    result = types.Array(dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(result)(context, builder)
        item = context.get_constant(types.intp, 8)
        pointer = builder.inttoptr(arguments[0], array.data.type)
        populate_array(array, data=pointer, shape=[arguments[1]], strides=[item], itemsize=item, meminfo=None)
        return array._getvalue()

    @intrinsic
    def open_array(typing_context: Any, address: Any, n: Any) -> Any:
        return result(types.int64, types.int64), generate

    return open_array


row_at = _array_at_address(types.int64)
"""``row_at(address, n)``: (n,) int64 array at an address."""
doubles_at = _array_at_address(types.float64)
"""``doubles_at(address, n)``: (n,) float64 array at an address."""


def _call_address(typing_context: Any, address: Any, a: Any, b: Any, c: Any) -> Any:
    """``call_address(f, a, b, c)``: call compiled code (three int64 in, one out) whose address is f.

    What is called is compiled apart: the caller is compiled in no time and need not be compiled again with it.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        integer = ir.IntType(64)
        kind = ir.FunctionType(integer, [integer] * 3)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), generate


call_address: Any = intrinsic(_call_address)


doubles = _array_at_slot(types.float64, None)
"""``doubles(p, slot, n)``: (n,) float64 array at the address in a slot."""
vectors = _array_at_slot(types.float64, 3)
"""``vectors(p, slot, n)``: (n, 3) float64 array."""
table = _array_at_slot(types.float64, 0)
"""``table(p, slot, n, columns)``: (n, columns) float64 array."""
indices = _array_at_slot(types.int32, None)
"""``indices(p, slot, n)``: (n,) int32 array."""
index_table = _array_at_slot(types.int32, 0)
"""``index_table(p, slot, n, columns)``: (n, columns) int32 array."""
stamps = _array_at_slot(types.int64, None)
"""``stamps(p, slot, n)``: (n,) int64 array."""
key_table = _array_at_slot(types.int64, 2)
"""``key_table(p, slot, n)``: (n, 2) int64 array."""
