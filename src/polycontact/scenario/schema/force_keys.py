"""Force elements: springs, dampers, stops, motors, applied forces, friction of joints and bushings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from polycontact.multibody import built_in_forces, bushing, friction_in_joints
from polycontact.scenario.schema.base import (
    ORIGIN,
    Z_AXIS,
    Name,
    NotNegative,
    Number,
    Positive,
    Table,
    Vector,
    optional,
    required,
)
from polycontact.scenario.schema.motion_keys import FunctionTable, MotionTable, function_of
from polycontact.scenario.schema.orientation_keys import Orientation

Coordinate = Annotated[int, Field(strict=True, ge=0, le=5)]
Angle = Annotated[Number, Field(ge=0.0, le=math.pi)]


class _Force(Table):
    makes: ClassVar[Callable[..., built_in_forces.BuiltInForce]]
    name: Name = required("name of the force, unique")

    def build(self) -> built_in_forces.BuiltInForce:
        """The force element that the table describes; values that it refuses raise an error."""
        return type(self).makes(**self._arguments())

    def _arguments(self) -> dict[str, Any]:
        return self.model_dump(exclude={"kind"}, exclude_none=True)


class SpringDamperTable(_Force):
    """A linear spring and damper between points of two bodies."""

    makes = built_in_forces.SpringDamper
    kind: Literal["spring_damper"] = required("which kind it is")
    body_a: Name = required('name of one body or marker, or "world"')
    point_a: Vector = optional("point on body_a, in its frame", "m", ORIGIN)
    body_b: Name = required('name of the other body or marker, or "world"')
    point_b: Vector = optional("point on body_b, in its frame", "m", ORIGIN)
    stiffness: NotNegative = required("stiffness", "N/m")
    damping: NotNegative = optional("damping", "N s/m", 0.0)
    length: NotNegative = optional("length without force", "m", 0.0)


class _OnJoint(_Force):
    joint: Name = required("name of the joint it acts on")


class JointSpringTable(_OnJoint):
    """A spring and damper on one coordinate of a joint."""

    makes = built_in_forces.JointSpring
    kind: Literal["joint_spring"] = required("which kind it is")
    coordinate: Coordinate = optional("index of the coordinate, from 0", "", 0)
    stiffness: NotNegative = optional("stiffness", "N m/rad or N/m", 0.0)
    damping: NotNegative = optional("damping", "N m s/rad or N s/m", 0.0)
    reference: Number = optional("coordinate without force", "rad or m", 0.0)


class EndStopTable(_OnJoint):
    """An elastic stop on one coordinate of a joint, at one end or both."""

    makes = built_in_forces.EndStop
    kind: Literal["end_stop"] = required("which kind it is")
    coordinate: Coordinate = optional("index of the coordinate, from 0", "", 0)
    lower: Number | None = optional("lower end; none if left out", "rad or m")
    upper: Number | None = optional("upper end; none if left out", "rad or m")
    stiffness: Positive = required("stiffness beyond an end", "N m/rad or N/m")
    damping: NotNegative = optional("damping beyond an end", "N m s/rad or N s/m", 0.0)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.lower is None and self.upper is None:
            raise ValueError("has no end; give lower, upper or both")
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            raise ValueError(f"lower = {self.lower:g} must be less than upper = {self.upper:g}")
        return self


class SwingTwistStopTable(_OnJoint):
    """An elastic stop of a spherical joint: for the swing away from an axis and the twist about it."""

    makes = built_in_forces.SwingTwistStop
    kind: Literal["swing_twist_stop"] = required("which kind it is")
    swing: Angle = required("largest swing of the axis", "rad")
    twist: Angle = required("largest twist about the axis, either way", "rad")
    stiffness: Positive = required("stiffness beyond a limit", "N m/rad")
    damping: NotNegative = optional("damping beyond a limit", "N m s/rad", 0.0)
    axis: Vector = optional("the child's long axis, in the joint's frame at zero rotation", "", Z_AXIS)
    cone: Vector | None = optional("direction in the joint's frame from which the swing is measured; axis if left out")


class MotorTable(_OnJoint):
    """A motor that drives one coordinate of a joint towards a motion."""

    makes = built_in_forces.Motor
    kind: Literal["motor"] = required("which kind it is")
    coordinate: Coordinate = optional("index of the coordinate, from 0", "", 0)
    target: MotionTable = required("motion that the motor follows")
    stiffness: NotNegative = required("gain of the position error", "N m/rad or N/m")
    damping: NotNegative = required("gain of the speed error", "N m s/rad or N s/m")
    limit: Positive | None = optional("largest torque or force; none if left out", "N m or N")

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "target": self.target.build()}


_Functions = tuple[FunctionTable, FunctionTable, FunctionTable]


class AppliedForceTable(_Force):
    """A force and a torque on a body, functions of time."""

    makes = built_in_forces.AppliedForce
    kind: Literal["applied_force"] = required("which kind it is")
    body: Name = required("name of the body or marker")
    force: _Functions = optional("force: numbers, formulas of t (s), or motions whose values are N", "N", ORIGIN)
    torque: _Functions = optional("torque, likewise", "N m", ORIGIN)
    point: Vector = optional("where the force acts, in the frame of body", "m", ORIGIN)
    axes: Literal["world", "body"] = optional("axes of force and torque; those of body turn with it", "", "world")

    def _arguments(self) -> dict[str, Any]:
        given = {what: tuple(map(function_of, getattr(self, what))) for what in ("force", "torque")}
        return {**super()._arguments(), **given}


class JointEffortTable(_OnJoint):
    """A torque or force along one coordinate of a joint, a function of time."""

    makes = built_in_forces.JointEffort
    kind: Literal["joint_effort"] = required("which kind it is")
    coordinate: Coordinate = optional("index of the coordinate, from 0", "", 0)
    effort: FunctionTable = required(
        "torque or force: a number, a formula of t (s), the coordinate q and the speed v, or a motion", "N m or N"
    )

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "effort": function_of(self.effort)}


class JointFrictionTable(_OnJoint):
    """Dry and viscous friction of one coordinate of a joint, or of a spherical joint; a brake where it changes."""

    makes = friction_in_joints.JointFriction
    kind: Literal["joint_friction"] = required("which kind it is")
    coordinate: Coordinate = optional("index of the coordinate, from 0", "", 0)
    dry: FunctionTable = optional(
        "Coulomb's torque or force: a number, a formula of t (s), the coordinate q and the speed v, or a motion",
        "N m or N",
        0.0,
    )
    viscous: NotNegative = optional("viscous friction", "N m s/rad or N s/m", 0.0)
    velocity: Positive = optional("speed below which dry friction fades out", "rad/s or m/s", 1e-3)

    def _arguments(self) -> dict[str, Any]:
        return {**super()._arguments(), "dry": function_of(self.dry)}


_Six = tuple[Number, Number, Number, Number, Number, Number]
_SixNotNegative = tuple[NotNegative, NotNegative, NotNegative, NotNegative, NotNegative, NotNegative]
_Matrix6 = tuple[_Six, _Six, _Six, _Six, _Six, _Six]
_NONE: _Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class BushingTable(_Force):
    """Springs and dampers in all six directions between a frame on one body and a frame on another."""

    makes = bushing.Bushing
    kind: Literal["bushing"] = required("which kind it is")
    body_a: Name = required('name of one body or marker, or "world"')
    body_b: Name = required('name of the other body or marker, or "world"')
    point_a: Vector = optional("origin of frame a on body_a, in its frame", "m", ORIGIN)
    point_b: Vector = optional("origin of frame b on body_b, in its frame", "m", ORIGIN)
    orientation_a: Orientation | None = optional("how frame a is turned in that of body_a")
    orientation_b: Orientation | None = optional("how frame b is turned in that of body_b")
    stiffness: _SixNotNegative | None = optional(
        "stiffness along and about the axes of frame a: six numbers", ", ".join(bushing.STIFFNESS[::2])
    )
    stiffness_matrix: _Matrix6 | None = optional(
        "all of the stiffness instead, symmetric, positive semidefinite", ", ".join(bushing.STIFFNESS)
    )
    damping: _SixNotNegative | None = optional("damping: six numbers", ", ".join(bushing.DAMPING[::2]))
    damping_matrix: _Matrix6 | None = optional("all of the damping instead", ", ".join(bushing.DAMPING))
    preload: _Six = optional("force and torque on body_b where the frames coincide, axes of frame a", "N, N m", _NONE)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.stiffness is None) == (self.stiffness_matrix is None):
            raise ValueError("give stiffness (six numbers) or stiffness_matrix (6×6)")
        if self.damping is not None and self.damping_matrix is not None:
            raise ValueError("give damping (six numbers) or damping_matrix (6×6), not both")
        return self

    def _arguments(self) -> dict[str, Any]:
        given: dict[str, Any] = {key: getattr(self, key) for key in ("name", "body_a", "body_b", "point_a", "point_b")}
        given["stiffness"] = self.stiffness or self.stiffness_matrix
        given["damping"] = self.damping or self.damping_matrix or _NONE
        for side in ("a", "b"):
            orientation = getattr(self, f"orientation_{side}")
            given[f"rotation_{side}"] = None if orientation is None else orientation.rotation()
        return {**given, "preload": self.preload}


ForceTable = Annotated[
    SpringDamperTable
    | JointSpringTable
    | EndStopTable
    | SwingTwistStopTable
    | MotorTable
    | AppliedForceTable
    | JointEffortTable
    | JointFrictionTable
    | BushingTable,
    Field(discriminator="kind"),
]
