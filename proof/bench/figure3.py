"""What the bounding volumes save, as in Fig. 3 of the paper: an upper leg against a car body (S0.32, S1.4)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.scenario.loading import load_scenario
from polycontact.surfaces.surface import Surface

PAPER = {"pairs": 1_890_336, "bv_checks": 1_537, "triangle_checks": 330, "lines": 35}
"""The paper's figures, for other meshes than ours."""


@dataclass(frozen=True)
class CullingCounts:
    """Triangles of both surfaces, all pairs of them, checks of boxes and of triangles, intersection lines."""

    triangles: tuple[int, int]
    pairs: int
    bv_checks: int
    triangle_checks: int
    lines: int

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with the paper's figures."""
        return asdict(self) | {"paper": PAPER}


def count_culling() -> CullingCounts:
    """Our left thigh, pressed 10 mm into the front of our car, whose triangles are split in four."""
    bodies = load_scenario("pedestrian").build().bodies
    leg, whole_car = (bodies[name].shapes[0].surface.picture for name in ("left thigh", "car"))
    car = split_in_four(whole_car)
    pair = ContactPairing(leg, car, law=LayerLaw(stiffness=3.2e7), depth="base_normal")
    middle = 0.5 * (leg.bounds[0] + leg.bounds[1])
    front = car.vertices[np.argmax(car.vertices[:, 0] - 1e3 * (np.abs(car.vertices[:, 1]) > 0.4))]
    # The leg stands upright before the car; its rear lies 10 mm inside the foremost point.
    level = front[2] - middle[2]
    near = leg.vertices[np.abs(leg.vertices[:, 2] - middle[2]) < 0.05]
    position = np.array([near[:, 0].min() + 0.010 - front[0], middle[1] - front[1], -level])
    found = pair.evaluate(RelativeKinematics(position=position)).statistics
    return CullingCounts(
        (leg.n_triangles, car.n_triangles),
        leg.n_triangles * car.n_triangles,
        found.bv_checks,
        found.triangle_checks,
        found.lines,
    )


def split_in_four(surface: Surface) -> Surface:
    """The same shape with each triangle split at the midpoints of its sides."""
    sides = np.sort(surface.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, of_side = np.unique(sides, axis=0, return_inverse=True)
    middles = surface.vertices[edges].mean(axis=1)
    m = len(surface.vertices) + of_side.reshape(-1, 3)
    a, b, c = surface.triangles.T
    ab, bc, ca = m.T
    triangles = np.concatenate(
        [np.stack(corners, axis=1) for corners in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    )
    return Surface(np.concatenate([surface.vertices, middles]), triangles, name=surface.name)
