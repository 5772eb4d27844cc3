"""Joints between two bodies: kind, markers, start values, and loops that close a chain."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError
from polycontact.kernels.dynamics.dynamics_codes import ConstraintCode, JointCode
from polycontact.multibody import checks
from polycontact.multibody.rotations import frame_with_z

if TYPE_CHECKING:
    from polycontact.multibody.motion_functions import Motion


class JointKind(Enum):
    """Kinds of joints; z is the axis of the joint's frame unless something else is said."""

    FREE = "free"
    FIXED = "fixed"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    CYLINDRICAL = "cylindrical"
    UNIVERSAL = "universal"
    SPHERICAL = "spherical"
    PLANAR = "planar"


@dataclass(frozen=True)
class _Variables:
    """Names of the coordinates and speeds of a kind of joint, and its number in the kernels."""

    code: JointCode
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]


_POSITION, _QUATERNION = ("x", "y", "z"), ("qw", "qx", "qy", "qz")
_VELOCITY, _SPIN = ("vx", "vy", "vz"), ("wx", "wy", "wz")
_ANGLES, _ANGULAR_SPEEDS = ("angle_1", "angle_2"), ("angular_speed_1", "angular_speed_2")
VARIABLES = {
    JointKind.FREE: _Variables(JointCode.FREE, _POSITION + _QUATERNION, _VELOCITY + _SPIN),
    JointKind.FIXED: _Variables(JointCode.FIXED, (), ()),
    JointKind.REVOLUTE: _Variables(JointCode.REVOLUTE, ("angle",), ("angular_speed",)),
    JointKind.PRISMATIC: _Variables(JointCode.PRISMATIC, ("displacement",), ("speed",)),
    JointKind.CYLINDRICAL: _Variables(JointCode.CYLINDRICAL, ("angle", "displacement"), ("angular_speed", "speed")),
    JointKind.UNIVERSAL: _Variables(
        JointCode.UNIVERSAL, ("angle_1", "angle_2"), ("angular_speed_1", "angular_speed_2")
    ),
    JointKind.SPHERICAL: _Variables(JointCode.SPHERICAL, _QUATERNION, _SPIN),
    JointKind.PLANAR: _Variables(JointCode.PLANAR, ("x", "y", "angle"), ("vx", "vy", "angular_speed")),
}
"""Speeds of quaternions are angular velocities in the axes of the marker on the parent, rad/s."""

WITH_ROTORS = (JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.SPHERICAL)
"""Joints that may have a rotor: of one coordinate, or the same about all axes."""


@dataclass(frozen=True, eq=False, repr=False)
class Joint:
    """A joint of the tree. Markers are (rotation, point) in the parent's and the child's frame; point in m.

    ``rotor_inertia``: for each speed of the joint, inertia that acts along this speed only, kg m², or kg of a slide.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    parent_marker: tuple[NDArray[np.float64], NDArray[np.float64]]
    child_marker: tuple[NDArray[np.float64], NDArray[np.float64]]
    coordinates: NDArray[np.float64]
    speeds: NDArray[np.float64]
    motions: tuple[Motion, ...]
    rotor_inertia: float = 0.0

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, {self.kind.value}, {self.parent!r} to {self.child!r})"

    @property
    def variables(self) -> _Variables:
        """Names of its coordinates and speeds."""
        return VARIABLES[self.kind]

    @property
    def degrees_of_freedom(self) -> int:
        """Number of its speeds that are free to change."""
        return 0 if self.motions else len(self.variables.speeds)


def kind_of(owner: str, kind: object) -> JointKind:
    """The kind of joint that a text names."""
    if isinstance(kind, JointKind):
        return kind
    allowed = [each.value for each in JointKind]
    if not isinstance(kind, str) or kind not in allowed:
        raise MultibodyError(f"{owner}: kind is {kind!r}; allowed: {', '.join(allowed)}")
    return JointKind(kind)


def checked_rotor(owner: str, kind: JointKind, inertia: float | str) -> float:
    """The inertia of a rotor, kg m² or kg; refused where coordinates of several kinds would share it."""
    unit = "kg" if kind is JointKind.PRISMATIC else "kg m²"
    found = checks.number(owner, "rotor_inertia", inertia, unit)
    if found and kind not in WITH_ROTORS:
        allowed = ", ".join(each.value for each in WITH_ROTORS)
        raise MultibodyError(
            f"{owner}: rotor_inertia is {found:g} {unit}; {kind.value} joints have none, only {allowed} ones"
        )
    return found


def marker_rotation(
    owner: str,
    kind: JointKind,
    axis: ArrayLike,
    second_axis: ArrayLike | None,
    rotation: ArrayLike | None,
) -> NDArray[np.float64]:
    """Rotation of the joint's frame in the parent: z along the axis; for a universal joint x and y along its axes."""
    if rotation is not None:
        return checks.rotation(owner, "rotation", rotation)
    first = checks.unit_vector(owner, "axis", axis)
    if kind is not JointKind.UNIVERSAL:
        return frame_with_z(first)
    if second_axis is None:
        return np.roll(frame_with_z(first), 1, axis=1)
    second = checks.unit_vector(owner, "second_axis", second_axis)
    if abs(first @ second) > 1e-6:
        raise MultibodyError(
            f"{owner}: second_axis must be perpendicular to axis; the cosine of their angle is {first @ second:.3g}"
        )
    return np.column_stack([first, second, np.cross(first, second)])


def unit_of(variable: str) -> str:
    """SI unit of a coordinate or speed of a joint by its name; empty for one of a quaternion."""
    if variable in _QUATERNION:
        return ""
    if variable in (*_POSITION, "displacement"):
        return "m"
    if variable in (*_VELOCITY, "speed"):
        return "m/s"
    return "rad" if variable in ("angle", *_ANGLES) else "rad/s"


def _given(owner: str, what: str, values: ArrayLike, names: tuple[str, ...], units: str) -> NDArray[np.float64]:
    """Values in SI units, where each may be a text with a unit of its own."""
    listed: Any = [values] if isinstance(values, str) else values
    if isinstance(listed, list | tuple) and len(listed) == len(names):
        listed = [
            checks.in_unit(owner, what, each, unit_of(name)) if isinstance(each, str) else each
            for each, name in zip(listed, names, strict=True)
        ]
    return np.atleast_1d(checks.floats(owner, what, listed, units))


def start_values(
    owner: str, kind: JointKind, coordinates: ArrayLike | None, speeds: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Start coordinates (quaternions normalised) and speeds; at rest at the origin where not given."""
    variables = VARIABLES[kind]
    names = ", ".join(variables.coordinates)
    if coordinates is None:
        values = np.array([1.0 if name == "qw" else 0.0 for name in variables.coordinates])
    else:
        what, count = f"coordinates ({names})", len(variables.coordinates)
        given = _given(owner, what, coordinates, variables.coordinates, "m, rad")
        values = checks.array(owner, what, given, (count,), "m, rad").copy()
    if kind in (JointKind.FREE, JointKind.SPHERICAL):
        length = float(np.linalg.norm(values[-4:]))
        if not 0.5 < length < 2.0:
            raise MultibodyError(
                f"{owner}: the quaternion (w, x, y, z) = {values[-4:].tolist()} has length {length:.3g}; it must be 1"
            )
        values[-4:] /= length
    if speeds is None:
        return values, np.zeros(len(variables.speeds))
    what = f"speeds ({', '.join(variables.speeds)})"
    rates = _given(owner, what, speeds, variables.speeds, "m/s, rad/s")
    return values, checks.array(owner, what, rates, (len(variables.speeds),), "m/s, rad/s")


class Constraint(NamedTuple):
    """A scalar constraint between body a and body b; points and ``length`` in m."""

    kind: ConstraintCode
    point_a: NDArray[np.float64]
    direction_a: NDArray[np.float64]
    point_b: NDArray[np.float64]
    direction_b: NDArray[np.float64]
    length: float = 0.0


@dataclass(frozen=True, eq=False)
class Loop:
    """A joint that closes a loop: ``kind`` as for joints, or "distance" with its ``length`` (m)."""

    name: str
    kind: str
    body_a: str
    body_b: str
    marker_a: tuple[NDArray[np.float64], NDArray[np.float64]]
    marker_b: tuple[NDArray[np.float64], NDArray[np.float64]]
    length: float

    def constraints(self) -> list[Constraint]:
        """The scalar constraints between the two markers that close the loop, by its kind."""
        (R_a, p_a), (R_b, p_b) = self.marker_a, self.marker_b
        x, y, z = R_a.T
        if self.kind == "distance":
            return [Constraint(ConstraintCode.DISTANCE, p_a, x, p_b, x, self.length)]
        along = {"planar": (z,), "cylindrical": (x, y), "prismatic": (x, y)}.get(self.kind, (x, y, z))
        bx, by, bz = R_b.T
        perpendicular = {
            "spherical": (),
            "universal": ((z, bz),),
            "revolute": ((x, bz), (y, bz)),
            "cylindrical": ((x, bz), (y, bz)),
            "planar": ((x, bz), (y, bz)),
            "prismatic": ((x, bz), (y, bz), (x, by)),
            "fixed": ((x, by), (y, bz), (z, bx)),
        }[self.kind]
        rows = [Constraint(ConstraintCode.DISTANCE_ALONG, p_a, u, p_b, u) for u in along]
        rows += [Constraint(ConstraintCode.PERPENDICULAR, p_a, u, p_b, w) for u, w in perpendicular]
        return rows


LOOP_KINDS = (
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "distance",
)
