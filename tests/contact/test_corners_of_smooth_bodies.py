"""Tips and edges of bodies given by equations: they have no normal, and carry all the same."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import polycontact as pc

LAW = pc.LayerLaw(stiffness=1e5, damping=1e2)
METHOD = pc.contact.ImplicitMethod()
HALF = (0.06, 0.06, 0.06)
Array = NDArray[np.float64]


@pc.surfaces.implicit_surface("test: cone", box=((-0.06, -0.06, -0.01), (0.06, 0.06, 0.11)))
def cone(x: Any, y: Any, z: Any, p: Any) -> Any:
    return max(math.sqrt(x * x + y * y) - p[0] * z, z - p[1])


@pc.surfaces.implicit_surface("test: drum", box=((-0.06, -0.06, -0.06), HALF))
def drum(x: Any, y: Any, z: Any, p: Any) -> Any:
    return max(math.sqrt(x * x + y * y) - p[0], abs(z) - p[1])


@pc.surfaces.implicit_surface("test: brick", box=((-0.06, -0.06, -0.06), HALF))
def brick(x: Any, y: Any, z: Any, p: Any) -> Any:
    return max(abs(x) - p[0], max(abs(y) - p[1], abs(z) - p[2]))


def circle(radius: float, z: float) -> Array:
    angle = np.linspace(0.0, 2.0 * math.pi, 20_000)
    return np.column_stack((radius * np.cos(angle), radius * np.sin(angle), np.full(len(angle), z)))


BODIES: dict[str, tuple[Any, Array]] = {
    "cone": (cone(0.5, 0.1), np.vstack(([[0.0, 0.0, 0.0]], circle(0.05, 0.1)))),
    "drum": (drum(0.04, 0.05), np.vstack((circle(0.04, 0.05), circle(0.04, -0.05)))),
    "brick": (
        brick(0.05, 0.04, 0.03),
        np.array([(i * 0.05, j * 0.04, k * 0.03) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]),
    ),
}
"""Bodies, and points among which the lowest is, whatever way they are turned."""


@pytest.mark.parametrize("body_is_e", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_tips_and_edges_on_a_plane(name: str, body_is_e: bool) -> None:
    """Height and force of the lowest point, in random poses: 1e-7 m by the spacing of points on a rim."""
    rng = np.random.default_rng(1)
    body, points = BODIES[name]
    ground = pc.implicit.HalfSpace(1.0)
    pair = pc.ContactPairing(*((body, ground) if body_is_e else (ground, body)), law=LAW, method=METHOD)
    for _ in range(30):
        R = Rotation.random(random_state=rng).as_matrix()
        height = rng.uniform(-0.004, 0.004)
        r = np.array((*rng.uniform(-0.1, 0.1, 2), height - (points @ R.T)[:, 2].min()))
        pose = (R.T, -R.T @ r) if body_is_e else (R, r)
        found = pair.distance(*pose)
        assert found.distance == pytest.approx(height, abs=1e-7)
        force = np.linalg.norm(pair.wrench(*pose)[:3])
        assert force == pytest.approx(1e5 * max(-height, 0.0), abs=0.02)


def test_tip_on_a_ball() -> None:
    pair = pc.ContactPairing(pc.implicit.Sphere(0.08), BODIES["cone"][0], law=LAW, method=METHOD)
    assert pair.wrench(np.eye(3), (0.0, 0.0, 0.079))[2] == pytest.approx(-100.0)
    aside = pair.distance(np.eye(3), (0.02, 0.0, 0.09))
    assert aside.distance == pytest.approx(math.hypot(0.02, 0.09) - 0.08, abs=1e-12)


def test_cone_that_falls_on_its_tip_comes_to_rest() -> None:
    system = pc.MultibodySystem()
    system.add_body("ground", surface=pc.implicit.HalfSpace(1.0), fixed=True)
    body = BODIES["cone"][0]
    system.add_body("cone", surface=body, density=1000.0, position=(0.0, 0.0, 0.002))
    system.add_joint("guide", "prismatic", "world", "cone", at=(0.0, 0.0, 0.002))
    system.add_contact("ground", "cone", method=METHOD, law=LAW)
    run = pc.simulate(system, end_time=0.5)
    weight = 9.81 * body.mass_properties(1000.0).mass
    assert run.trajectory.body("cone").position[-1, 2] == pytest.approx(-weight / 1e5, rel=0.05)


def test_edge_on_edge_is_told() -> None:
    """Edges of both bodies have no normal: no force, and a word."""
    body = BODIES["brick"][0]
    pair = pc.ContactPairing(body, body, law=LAW, method=METHOD)
    turned = Rotation.from_euler("xyz", [0.3, 0.4, 0.5]).as_matrix()
    with pytest.warns(pc.ContactWarning, match=r"no points .* edges of both .* round an edge"):
        result = pair.evaluate(pc.RelativeKinematics(rotation=turned, position=(0.01, 0.005, 0.06)))
    assert result.status is pc.ContactStatus.NO_COMMON_NORMAL
