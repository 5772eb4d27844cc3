"""A contact method from outside the package: a sphere on a half-space, one point, closed form.

Two geometries, a view, a compiled entry and the class that prepares it; nothing of the package is changed for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types

import polycontact as pc
from polycontact.contact.contact_memory import ContactMemory
from polycontact.kernels.addresses import address_of, doubles_at
from polycontact.kernels.contact.beginning import begin, begin_elements
from polycontact.kernels.contact.contact_header import ContactHeader
from polycontact.kernels.contact.element_forces import find_forces
from polycontact.kernels.jit import uncached_entry
from polycontact.kernels.views import View, cast_to, nested, number


@pc.contact.described("test: ball")
@dataclass(frozen=True)
class Ball:
    """A ball about the origin of its frame."""

    radius: float
    name: str = "ball"

    @property
    def bounds(self) -> Any:
        return np.array([[-self.radius] * 3, [self.radius] * 3])

    @property
    def thickness(self) -> float:
        return 2.0 * self.radius

    @property
    def picture(self) -> pc.Surface:
        return pc.shapes.sphere(self.radius, 2)

    def mass_properties(self, density: float = 1.0, /) -> pc.surfaces.MassProperties:
        volume = 4.0 / 3.0 * math.pi * self.radius**3
        inertia = 0.4 * density * volume * self.radius**2 * np.eye(3)
        return pc.surfaces.MassProperties(density * volume, volume, np.zeros(3), inertia)


@pc.contact.described("test: ground")
@dataclass(frozen=True)
class Ground:
    """The half-space z < 0, as far as one wants to see it."""

    reach: float = 2.0
    name: str = "ground"

    @property
    def bounds(self) -> Any:
        return np.array([[-self.reach, -self.reach, -0.5], [self.reach, self.reach, 0.0]])

    @property
    def thickness(self) -> float:
        return 0.5

    @property
    def picture(self) -> pc.Surface:
        return pc.shapes.plane(2.0 * self.reach)

    def mass_properties(self, density: float = 1.0, /) -> pc.surfaces.MassProperties:
        raise pc.SurfaceError(f"{self.name}: a half-space has no mass; fix its body")


class BallEvaluation(View):
    """Memory of one evaluation."""

    header = nested(ContactHeader)
    radius = number("radius of the ball", "m")


as_ball = cast_to(BallEvaluation)


@uncached_entry((types.int64, types.int64, types.int64))
def evaluate_ball(row: int, kinematics: int, wrench: int) -> int:
    """One point below the ball F on the half-space E, which is the base."""
    evaluation = as_ball(row)
    header = evaluation.header
    report, pose, elements = header.report, header.pose, header.elements
    out = doubles_at(wrench, 6)
    begin(evaluation.radius, pose, report, doubles_at(kinematics, 18), out)
    begin_elements(elements, 0)
    depth = evaluation.radius - pose.position[2]
    if report.status == 0 and depth > 0.0:
        elements.n = 1
        elements.area[0] = elements.weight[0] = 1.0
        elements.depth[0] = depth
        elements.base_triangle[0] = elements.target_triangle[0] = elements.side[0] = elements.part[0] = 0
        for a in range(3):
            elements.base_point[0, a] = pose.position[a] if a < 2 else 0.0
            elements.normal[0, a] = -1.0 if a == 2 else 0.0
        find_forces(row, header.laws, pose, elements, report, out)
    return report.status


class BallMemory(ContactMemory):
    """Memory of one evaluation, from Python's side."""

    def __init__(self, radius: float, laws: Any, depth_share: float) -> None:
        self.evaluation = BallEvaluation()
        self.evaluation.radius = radius
        super().__init__(self.evaluation.header, laws, depth_share)


@dataclass(frozen=True)
class BallPair:
    """The set-up of a ball on the ground."""

    radius: float
    laws: Any
    depth_share: float
    entry: int = address_of(evaluate_ball)

    def make_memory(self) -> BallMemory:
        return BallMemory(self.radius, self.laws, self.depth_share)


@pc.contact.described("test: ball on ground")
@dataclass(frozen=True)
class BallOnGround:
    """One point between a ball (F) and a half-space (E); laws count per point: N/m, N s/m."""

    def prepare(self, e: Any, f: Any, description: Any, name: str) -> BallPair:
        if not isinstance(e, Ground) or not isinstance(f, Ball):
            raise pc.ContactError(f"{name}: {e!r}, {f!r}; give a Ground and a Ball")
        return BallPair(f.radius, description.prepare_laws(), description.depth_share)

    def margin(self, e: Any, f: Any) -> float:
        return 0.0
