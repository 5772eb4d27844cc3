"""What the base that the program chooses gives and costs beside the other one: two dozen pairs of bodies.

Against a plane face the force is c times the volume that lies below it, by closed forms; other pairs have the force
with the other base beside it.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.base_choice import choose_base
from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base, PolygonalMethod
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactWarning
from polycontact.surfaces import shapes
from polycontact.surfaces.surface import Surface
from polycontact.verification import closed_forms

STIFFNESS = 1e7
"""c, N/m³."""
DEPTH = 0.004
"""m; bodies are some 0.1 m in radius."""
_OF_TIP = 0.02
"""The same of a cone, m: the tip of its mesh has fewer sides than the rest."""
_SCATTER = 1e-4
"""How far (m) poses lie beside each other along x and y, so that no corner stands on a grid line in all of them."""
_POSES = 8
_ROUNDS = 5


@dataclass(frozen=True)
class Pair:
    """Two bodies, the position (m) of F in E, and c times the displaced volume (N) where a closed form has it."""

    name: str
    e: Surface
    f: Surface
    position: tuple[float, float, float]
    exact: float | None = None

    def swapped(self) -> Pair:
        """The same contact with its bodies the other way round."""
        x, y, z = self.position
        return replace(self, e=self.f, f=self.e, position=(-x, -y, -z))


@dataclass(frozen=True)
class Measured:
    """Mean force on E, N, CPU time of an evaluation, s, and number of elements, with either base; ``chosen``: by us."""

    pair: Pair
    chosen: Base
    reason: str
    force: dict[Base, float]
    cost: dict[Base, float]
    elements: dict[Base, int]

    @property
    def other(self) -> Base:
        """The base that was not chosen."""
        return Base.F if self.chosen is Base.E else Base.E

    def error(self, base: Base) -> float | None:
        """Error of the force as a share of the exact one, where that is known."""
        return None if self.pair.exact is None else self.force[base] / self.pair.exact - 1.0


def pairs() -> Iterator[Pair]:
    """The pairs: sharp and smooth bodies on faces coarse and fine, in holes, on each other, and on open surfaces."""
    floor, plate = shapes.plane(2.0), shapes.box((0.8, 0.8, 0.2), (3, 3, 1))
    fine, small = shapes.box((0.4, 0.4, 0.1), (40, 40, 1)), shapes.box((0.3, 0.3, 0.1))
    ball, coarse, large = shapes.sphere(0.1, 4), shapes.sphere(0.1, 2), shapes.sphere(1.0, 4)
    cube = shapes.box((0.1, 0.1, 0.1))
    on_edge = _turned(cube, "y", 0.25 * math.pi)
    on_corner = _turned(on_edge, "x", math.atan(1.0 / math.sqrt(2.0)))
    cone = shapes.cone(0.05 * math.tan(math.radians(15.0)), 0.05, segments=96)
    roller = _turned(shapes.cylinder(0.1, 0.2, segments=288, rings=1, cap_rings=1), "y", 0.5 * math.pi)
    segment = closed_forms.segment_area(0.1, DEPTH)
    of_ball = closed_forms.cap_volume(0.1, DEPTH)
    of_cone = closed_forms.cone_volume(math.radians(15.0), _OF_TIP)
    of_corner = DEPTH**3 * math.sqrt(3.0) / 2.0

    def on(
        name: str, body: Surface, ground: Surface, volume: float | None = None, x: float = 0.011, u: float = DEPTH
    ) -> Pair:
        """A body ``u`` (m) deep in the top of another, ``x`` off its middle, and the volume (m³) that it displaces."""
        height = float(body.vertices[:, 2].min() - ground.vertices[:, 2].max()) + u
        return Pair(name, body, ground, (x, 0.007, height), None if volume is None else STIFFNESS * volume)

    yield on("ball on a floor of two triangles", ball, floor, of_ball)
    yield on("ball on a plate", ball, plate, of_ball)
    yield on("ball on a plate of three radii", ball, small, of_ball)
    yield on("ball on a finely meshed plate", ball, fine, of_ball)
    yield on("cone of 15° on a plate", cone, plate, of_cone, u=_OF_TIP)
    yield on("cone of 15° on a finely meshed plate", cone, fine, of_cone, u=_OF_TIP)
    yield on("cube on a plate", cube, plate, 0.01 * DEPTH)
    yield on("cube on a finely meshed plate", cube, fine, 0.01 * DEPTH)
    yield on("edge of a cube on a finely meshed plate", on_edge, fine, 0.1 * DEPTH**2)
    yield on("corner of a cube on a plate", on_corner, plate, of_corner)
    yield on("corner of a cube on a finely meshed plate", on_corner, fine, of_corner)
    yield on("corner of a cube on a ball ten times as large", on_corner, large, x=0.0)
    yield on("roller on a plate", roller, plate, 0.2 * segment)
    yield on("roller across a rail", roller, shapes.box((0.07, 1.0, 0.1)), x=0.001)
    yield on("torus on a rail", shapes.torus(0.1, 0.03, 72, 36), shapes.box((0.07, 1.0, 0.1)), x=0.1)
    yield on("ball on a coarse ball of its size", ball, coarse, x=0.001)
    yield on("ball on a ball of twice the radius", ball, shapes.sphere(0.2, 4), x=0.001)
    yield on("ball on a ball of five times the radius", ball, shapes.sphere(0.5, 4), x=0.001)
    yield on("cube on a cube of finer mesh", cube, shapes.box((0.1, 0.1, 0.1), 8), x=0.013)
    yield Pair("peg in a hole", shapes.cylinder(0.0102, 0.05, segments=48), _hole(), (0.0, 0.0, 0.0))
    yield Pair("ball in a cup", ball, shapes.spherical_cup(0.102), (0.0, 0.0, 0.005))
    yield Pair("teeth of gears, 18 and 40", *_gears(), (-0.004 * 29.0 + 0.0003, 0.0, 0.002))
    yield Pair("wheel on rough terrain", _turned(shapes.cylinder(0.3, 0.2), "x", 0.5 * math.pi), terrain(),
               (0.05, 0.05, -0.296))  # fmt: skip
    yield Pair("box of 12 triangles on rough terrain", shapes.box((0.4, 0.3, 0.2)), terrain(), (0.05, 0.05, -0.11))


def measure(pair: Pair) -> Measured:
    """Forces and CPU times with either base, over some poses, in turn."""
    law = LayerLaw(stiffness=STIFFNESS)
    poses = np.array(pair.position) + np.random.default_rng(1).normal(size=(_POSES, 3)) * (_SCATTER, _SCATTER, 0.0)
    chosen = choose_base(PolygonalMethod(), pair.e, pair.f)
    made = {base: ContactPairing(pair.e, pair.f, law=law, base=base) for base in (Base.E, Base.F)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        forces = {base: _mean_force(pairing, poses) for base, pairing in made.items()}
        elements = {base: _elements(pairing, poses[0]) for base, pairing in made.items()}
        rounds = [{base: _cost(pairing, poses) for base, pairing in made.items()} for _ in range(_ROUNDS)]
    return Measured(pair, chosen.base, chosen.reason, forces, {b: min(r[b] for r in rounds) for b in made}, elements)


def terrain() -> Surface:
    """Hills of 30 mm over 2 m, in cells of 25 mm, open."""
    n = 81
    line = np.linspace(-1.0, 1.0, n)
    x, y = (each.ravel() for each in np.meshgrid(line, line, indexing="ij"))
    number = np.arange(n * n).reshape(n, n)
    a, b, c, d = (each.ravel() for each in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    triangles = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
    height = 0.03 * np.sin(9.0 * x) * np.cos(7.0 * y)
    return Surface(np.stack((x, y, height), axis=1), triangles, name="terrain")


def _hole() -> Surface:
    return shapes.plate_with_hole(0.1, 0.02, 0.01)


def _gears() -> tuple[Surface, Surface]:
    first, second = (shapes.spur_gear(0.004, teeth, 0.02) for teeth in (18, 40))
    return _turned(first, "z", math.pi / 18.0), _turned(second, "z", math.pi)


def _mean_force(pairing: ContactPairing, poses: NDArray[np.float64]) -> float:
    return float(np.mean([np.linalg.norm(pairing.wrench(np.eye(3), position)[:3]) for position in poses]))


def _elements(pairing: ContactPairing, position: NDArray[np.float64]) -> int:
    from polycontact.contact.kinematics import RelativeKinematics

    return len(pairing.evaluate(RelativeKinematics(position=position)).elements.area)


def _cost(pairing: ContactPairing, poses: NDArray[np.float64]) -> float:
    start = time.process_time()
    for position in poses:
        pairing.wrench(np.eye(3), position)
    return (time.process_time() - start) / len(poses)


def _turned(surface: Surface, axis: str, angle: float) -> Surface:
    from scipy.spatial.transform import Rotation

    return surface.transformed(Rotation.from_euler(axis, angle).as_matrix())
