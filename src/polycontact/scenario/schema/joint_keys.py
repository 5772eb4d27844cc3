"""Joints of the tree and loops that close it."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from polycontact.multibody.joint_types import LOOP_KINDS, VARIABLES
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.schema.base import (
    ORIGIN,
    Z_AXIS,
    Name,
    NotNegative,
    Number,
    OneOf,
    Positive,
    Table,
    Vector,
    at_most,
    optional,
    required,
)
from polycontact.scenario.schema.motion_keys import MotionTable
from polycontact.scenario.schema.orientation_keys import Orientation

N_COORDINATES: Final = {kind.value: len(variables.coordinates) for kind, variables in VARIABLES.items()}
"""Start values of each kind of joint; a rotation in space is a quaternion."""

N_SPEEDS: Final = {kind.value: len(variables.speeds) for kind, variables in VARIABLES.items()}
"""Degrees of freedom of each kind of joint."""

WITH_QUATERNION: Final = tuple(kind for kind, n in N_SPEEDS.items() if n != N_COORDINATES[kind])
"""Kinds whose rotation is a quaternion: no coordinate of theirs stands for itself."""

_Few = Annotated[tuple[Number, ...], Field(max_length=7), at_most(7)]


class Joint(Table):
    """A joint between two bodies; it places its child, so the child's entry has no position."""

    name: Name = required("name of the joint, unique")
    kind: Annotated[str, OneOf(tuple(N_SPEEDS))] = required("kind of joint")
    parent: Name = optional('name of the body it is attached to, or "world"', "", WORLD)
    child: Name = required("name of the body it carries; a body has one parent only")
    at: Vector = optional("position of the joint in the parent's frame", "m", ORIGIN)
    axis: Vector = optional("its axis in the parent's frame; of a planar joint the normal", "", Z_AXIS)
    second_axis: Vector | None = optional(
        "second axis of a universal joint, perpendicular to the first; any such if left out"
    )
    orientation: Orientation | None = optional("how the joint's frame is turned in the parent's, instead of axis")
    child_at: Vector = optional("position of the joint in the child's frame", "m", ORIGIN)
    child_orientation: Orientation | None = optional(
        "how the joint's frame is turned in the child's; if left out as in the parent's, so that the axes of the two "
        "bodies are parallel where the coordinates are zero (identity says something else where the parent's is turned)"
    )
    coordinates: _Few | None = optional(
        "start values; the rotation of a spherical or free joint as quaternion [w, x, y, z]", "rad or m"
    )
    speeds: _Few | None = optional("start speeds", "rad/s or m/s")
    rotor_inertia: NotNegative = optional(
        "inertia that is felt along the joint's coordinate alone, such as that of a motor behind a gearbox times the "
        "square of its ratio; of revolute, prismatic and spherical joints",
        "kg m² or kg",
        0.0,
    )
    motion: MotionTable | None = optional("prescribed motion of the joint's one coordinate")
    motions: Annotated[tuple[MotionTable, ...], at_most(7)] = optional(
        "prescribed motions, one for each coordinate", "", ()
    )


class Loop(Table):
    """A constraint that closes a kinematic loop."""

    name: Name = required("name of the loop, unique")
    kind: Annotated[str, OneOf(LOOP_KINDS)] = required("kind of joint that closes the loop, or a rod of fixed length")
    body_a: Name = required('name of one body or marker, or "world"')
    body_b: Name = required('name of the other body or marker, or "world"')
    at_a: Vector = optional("position on body_a, in its frame", "m", ORIGIN)
    at_b: Vector = optional("position on body_b, in its frame", "m", ORIGIN)
    axis_a: Vector = optional("axis on body_a, in its frame", "", Z_AXIS)
    axis_b: Vector = optional("axis on body_b, in its frame", "", Z_AXIS)
    length: Positive | None = optional('length of the rod, for kind = "distance" only', "m")
