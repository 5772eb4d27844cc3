"""Units of the coordinates, speeds, accelerations and efforts of joints, by the names of their variables."""

from __future__ import annotations

JOINT_UNITS = (
    ("angular_speed", "rad/s"),
    ("angle", "rad"),
    ("displacement", "m"),
    ("speed", "m/s"),
    ("q", "1"),
    ("v", "m/s"),
    ("w", "rad/s"),
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
)
"""Unit of a coordinate or speed of a joint by how its name begins; the first that fits."""


def variable_unit(name: str) -> str:
    """Unit of a coordinate or speed."""
    return next((unit for start, unit in JOINT_UNITS if name.startswith(start)), "SI")


def acceleration_unit(speed: str) -> str:
    """Unit of the time derivative of a speed."""
    return f"{variable_unit(speed)}²"


def effort_unit(speed: str) -> str:
    """Unit of a force or torque along a speed."""
    return "N m" if variable_unit(speed) == "rad/s" else "N"
