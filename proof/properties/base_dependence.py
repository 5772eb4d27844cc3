"""How much the force depends on which body is the base, of simple bodies pressed together ever less deep."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base, PolygonalMethod
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactWarning
from polycontact.surfaces import shapes
from polycontact.surfaces.surface import Surface

STIFFNESS = 1e7
"""c, N/m³."""
DEPTHS = (0.02, 0.01, 0.005, 0.0025)
"""m; bodies are some 0.1 m in radius."""
TOLERANCE = 1e-3
_SLOPE = math.atan(1.0 / math.sqrt(2.0))
"""Between the axis and the faces of a cube that stands on a corner, rad."""


@dataclass(frozen=True)
class Contact:
    """Two bodies, and where F stands in E at a depth (m).

    ``limit``: force with F as the base over that with E as the base, as the depth goes to zero.
    """

    name: str
    e: Surface
    f: Surface
    place: Callable[[float], tuple[float, float, float]]
    limit: float = 1.0


@dataclass(frozen=True)
class Forces:
    """Force along z on E, N, with E as the base, F, and both."""

    contact: Contact
    depth: float
    of_e: float
    of_f: float
    both: float

    @property
    def ratio(self) -> float:
        """Force with F as the base over that with E as the base."""
        return self.of_f / self.of_e


def contacts(fineness: int = 5) -> tuple[Contact, ...]:
    """The bodies; round ones have 20 · 4^``fineness`` triangles, or 12 · 2^``fineness`` sides."""
    plate = shapes.box((0.8, 0.8, 0.2), (3, 3, 1))
    ball = shapes.sphere(0.1, fineness)
    n = 12 * 2**fineness

    def on_plate(lowest: float) -> Callable[[float], tuple[float, float, float]]:
        return lambda depth: (0.011, 0.007, lowest - 0.1 + depth)

    def beside(distance: float) -> Callable[[float], tuple[float, float, float]]:
        return lambda depth: (0.0, 0.0, depth - distance)

    def resting(surface: Surface, name: str, half_angle: float = 0.5 * math.pi) -> Contact:
        """On the plate; ``half_angle``: between the axis and the flanks, rad, whose sine is the limit."""
        place = on_plate(float(surface.vertices[:, 2].min()))
        return Contact(name, surface, plate, place, math.sin(half_angle))

    lying = _turned(shapes.cylinder(0.1, 0.2, segments=n, rings=1, cap_rings=1), "y", 0.5 * math.pi)
    cube = shapes.box((0.1, 0.1, 0.1))
    on_edge = _turned(cube, "y", 0.25 * math.pi)
    found = [resting(ball, "ball on plate"), resting(lying, "lying cylinder on plate")]
    for angle in (15, 30, 45, 60, 75):
        cone = shapes.cone(0.05 * math.tan(math.radians(angle)), 0.05, segments=n)
        found.append(resting(cone, f"cone of {angle}° on plate", math.radians(angle)))
    found.append(resting(on_edge, "edge of a box on plate", 0.25 * math.pi))
    found.append(resting(_turned(on_edge, "x", _SLOPE), "corner of a box on plate", _SLOPE))
    found.append(resting(cube, "face of a box on plate"))
    found.append(Contact("equal balls", ball, ball, beside(0.2)))
    found.append(Contact("ball on ball of twice the radius", ball, shapes.sphere(0.2, fineness), beside(0.3)))
    found.append(Contact("ball on ball of five times the radius", ball, shapes.sphere(0.5, fineness + 1), beside(0.6)))
    return tuple(found)


def measure(contact: Contact, depth: float) -> Forces:
    """Forces with either base."""
    forces = []
    for base in (Base.E, Base.F, Base.BOTH):
        method = PolygonalMethod(base=base, tolerance=TOLERANCE)
        pairing = ContactPairing(contact.e, contact.f, law=LayerLaw(stiffness=STIFFNESS), method=method)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ContactWarning)
            forces.append(float(pairing.wrench(np.eye(3), contact.place(depth))[2]))
    return Forces(contact, depth, *forces)


def _turned(surface: Surface, axis: str, angle: float) -> Surface:
    from scipy.spatial.transform import Rotation

    return Surface(surface.vertices @ Rotation.from_euler(axis, angle).as_matrix().T, surface.triangles)
