"""Contacts of the page on Hertz: common materials, shapes and loads, their meshes, and what runs with them give."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.half_spaces import BallOnFlat, CylinderOnFlat, FlatPunch, WorkingPoint, contact_modulus
from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import ContactResult
from polycontact.surfaces.surface import Surface
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.placing import place, wrench_on_body

STEEL, NYLON, RUBBER = (210e9, 0.3), (2.8e9, 0.4), (5e6, 0.48)
"""Young's modulus, Pa, and Poisson's ratio: usual values, for the table."""
PATCH = 1.3
"""Half width of meshed patches, in half widths of the foundation's contact."""
DIVISIONS = 48
"""Of a patch along each side."""


@dataclass(frozen=True)
class Example:
    """A contact of the worked table: shape, load (N), and its mesh for a contact of a given half width (m).

    ``height``: of the lowest point of the mesh, m.
    """

    name: str
    shape: BallOnFlat | CylinderOnFlat | FlatPunch
    load: float
    mesh: Callable[[float, int], Surface]


def examples() -> tuple[Example, ...]:
    """Ball, cylinder and flat of common materials at common loads; all have their lowest point at the origin."""
    ball, nylon_ball, rubber_ball = 0.01, 0.02, 0.03
    roller, length = 0.01, 0.02
    pad = 0.025
    return (
        Example("steel ball, R = 10 mm, on steel", BallOnFlat(contact_modulus(STEEL, STEEL), ball), 100.0, _dome(ball)),
        Example(
            "nylon ball, R = 20 mm, on steel",
            BallOnFlat(contact_modulus(NYLON, STEEL), nylon_ball),
            50.0,
            _dome(nylon_ball),
        ),
        Example(
            "rubber ball, R = 30 mm, on a rigid flat",
            BallOnFlat(contact_modulus(RUBBER), rubber_ball),
            5.0,
            _dome(rubber_ball),
        ),
        Example(
            "steel roller, R = 10 mm, L = 20 mm, on a rigid flat",
            CylinderOnFlat(contact_modulus(STEEL), roller, length),
            2e3,
            _trough(roller, length),
        ),
        Example(
            "rubber roller, R = 10 mm, L = 20 mm, on a rigid flat",
            CylinderOnFlat(contact_modulus(RUBBER), roller, length),
            5.0,
            _trough(roller, length),
        ),
        Example("rigid disc, R = 25 mm, on thick rubber", FlatPunch(contact_modulus(RUBBER), pad), 100.0, _disc(pad)),
    )


@dataclass(frozen=True)
class Worked:
    """What came out of an example: working point, c that match force and stiffness, and runs with each."""

    example: Example
    point: WorkingPoint
    c_force: float
    c_stiffness: float
    force: float
    stiffness: float
    half_width: float
    pressure: float


def _dome(radius: float) -> Callable[[float, int], Surface]:
    """The lowest part of a ball, tip at the origin: a square patch, bent."""
    return lambda width, n: _bent(PATCH * width, PATCH * width, (n, n), lambda x, y: x**2 + y**2, radius)


def _trough(radius: float, length: float) -> Callable[[float, int], Surface]:
    """The lowest part of a lying cylinder along y, its lowest line through the origin."""
    return lambda width, n: _bent(PATCH * width, 0.5 * length, (4 * n, 2), lambda x, _: x**2, radius)


def _disc(radius: float) -> Callable[[float, int], Surface]:
    """A disc, its lower face at the origin."""
    return lambda _, n: shapes.cylinder(radius, radius, segments=2 * n).transformed(position=(0.0, 0.0, 0.5 * radius))


def _bent(
    half_x: float,
    half_y: float,
    divisions: tuple[int, int],
    square: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    radius: float,
) -> Surface:
    """A plane patch bent upwards to a surface of the given radius; its normals point down, out of the body."""
    flat = shapes.plane((2.0 * half_x, 2.0 * half_y), divisions)
    x, y, _ = flat.vertices.T
    z = radius - np.sqrt(radius**2 - square(x, y))
    return Surface(np.stack((x, y, z), axis=1), flat.triangles, name="patch").flipped()


def _press(mesh: Surface, c: float, depth: float) -> ContactResult:
    """The mesh pressed ``depth`` (m) into a plane with the layer stiffness ``c``, N/m³."""
    size = 4.0 * float(np.abs(mesh.vertices).max())
    pairing = ContactPairing(mesh, shapes.plane(size), law=LayerLaw(stiffness=c))
    return place(pairing, (0.0, 0.0, -depth))


def work_out(example: Example) -> Worked:
    """Working point of an example, layers that match it, and runs with them."""
    shape, point = example.shape, example.shape.at(example.load)
    c_force, c_stiffness = shape.for_force(point), shape.for_stiffness(point)
    radius = shape.radius
    mesh = example.mesh(math.sqrt(2.0 * radius * point.depth), DIVISIONS)
    at_force = _press(mesh, c_force, point.depth)
    low, high = (float(_press(mesh, c_stiffness, f * point.depth).force[2]) for f in (0.99, 1.01))
    width = max(float(np.abs(polygon.points[:, 0]).max()) for polygon in at_force.polygons)
    return Worked(
        example=example,
        point=point,
        c_force=c_force,
        c_stiffness=c_stiffness,
        force=float(at_force.force[2]),
        stiffness=(high - low) / (0.02 * point.depth),
        half_width=width,
        pressure=float(at_force.elements.peak_pressure.max()),
    )


@dataclass(frozen=True)
class Curve:
    """Forces (N) and areas (m²) of runs of a ball at depths (m), with the c that matches the force at ``point``."""

    shape: BallOnFlat
    point: WorkingPoint
    depths: list[float]
    forces: list[float]
    areas: list[float]

    @property
    def exponent(self) -> float:
        """Of the force over the depth, fitted."""
        return float(np.polyfit(np.log(self.depths), np.log(self.forces), 1)[0])


def force_curve(example: Example, n: int) -> Curve:
    """Runs of a ball at ``n`` depths from a tenth to ten times that of its working point."""
    assert isinstance(example.shape, BallOnFlat)
    point = example.shape.at(example.load)
    c = example.shape.for_force(point)
    depths = np.geomspace(0.1 * point.depth, 10.0 * point.depth, n).tolist()
    results = []
    for depth in depths:
        mesh = example.mesh(math.sqrt(2.0 * example.shape.radius * depth), DIVISIONS)
        results.append(_press(mesh, c, depth))
    forces = [float(result.force[2]) for result in results]
    areas = [float(result.elements.area.sum()) for result in results]
    return Curve(example.shape, point, depths, forces, areas)


@dataclass(frozen=True)
class Tilt:
    """Tilt stiffness of a disc, N m/rad: of the half-space, of the foundation with the c of the force, of a run."""

    half_space: float
    foundation: float
    run: float


def measure_tilt() -> Tilt:
    """The disc of the last example, tilted a little."""
    example = examples()[-1]
    assert isinstance(example.shape, FlatPunch)
    shape, point = example.shape, example.shape.at(example.load)
    c = shape.for_force(point)
    disc = example.mesh(0.0, 96)
    pairing = ContactPairing(disc, shapes.plane(0.2), law=LayerLaw(stiffness=c))
    angle = 0.2 * point.depth / shape.radius
    torque = float(wrench_on_body(pairing, (0.0, 0.0, -point.depth), turn=(0.0, angle, 0.0)).torque[1])
    return Tilt(shape.tilt_stiffness(), 0.25 * math.pi * c * shape.radius**4, -torque / angle)
