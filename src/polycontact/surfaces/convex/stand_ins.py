"""Shapes that are full cylinders in contact: pipe, gearwheel, spring.

Their mass is not that of the full cylinder: give the body its mass and inertia.
"""

from __future__ import annotations

from polycontact.surfaces.convex.primitives import Cylinder


def pipe(radius: float, length: float, *, edge_radius: float = 0.0) -> Cylinder:
    """A pipe of outer ``radius`` and ``length`` (m) along z: a full cylinder, nothing enters it."""
    return Cylinder(radius, length, edge_radius, "pipe")


def gearwheel(radius: float, length: float, *, edge_radius: float = 0.0) -> Cylinder:
    """A gearwheel of tip ``radius`` and width ``length`` (m) along z: a full cylinder, its teeth do not mesh."""
    return Cylinder(radius, length, edge_radius, "gearwheel")


def spring(radius: float, length: float, *, edge_radius: float = 0.0) -> Cylinder:
    """A coil spring of outer ``radius`` and ``length`` (m) along z: a full cylinder that does not change its length."""
    return Cylinder(radius, length, edge_radius, "spring")
