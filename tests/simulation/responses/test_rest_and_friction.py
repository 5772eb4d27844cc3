"""Bodies that come to rest, stand, roll, stick and slide: against statics and closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from rigid_scenes import RADIUS, G, ball_over_floor, box_on_slope, floor_and, force_on, precise, table, tilted

import polycontact as pc

families = pytest.mark.parametrize("kind", [pc.ImpulseResponse, pc.MultiplierResponse])
Kind = type[pc.ImpulseResponse] | type[pc.MultiplierResponse]


def simulate(system: pc.MultibodySystem, end_time: float, response: Any, **options: Any) -> pc.Run:
    return pc.simulate(system, end_time=end_time, **{"output_step": 0.01, **precise(response), **options})


@families
def test_a_bouncing_ball_comes_to_rest(kind: Kind) -> None:
    run = simulate(ball_over_floor(height=0.1), 1.5, kind(restitution=0.6))
    body = run.trajectory.body("body")
    assert np.abs(body.velocity[-1]).max() < 1e-6
    assert body.position[-1, 2] == pytest.approx(RADIUS, abs=1e-4 * 2.0 * RADIUS + 1e-6)  # the slop
    np.testing.assert_allclose(force_on(run, "touch")[-1], (0.0, 0.0, G), atol=1e-3)
    # eⁿ √(2gh) falls below 0.02 m/s after eight impacts.
    assert run.statistics.response["impacts"] <= 10
    assert run.statistics.response["unsolved"] == 0


@families
def test_a_sliding_ball_rolls_on_with_five_sevenths(kind: Kind) -> None:
    inertia = 3 * (0.4 * RADIUS**2,)
    system = ball_over_floor(height=0.0, mu=0.4, velocity=(1.0, 0.0, 0.0), inertia=inertia)
    run = simulate(system, 0.5, kind())
    body = run.trajectory.body("body")
    # One step with friction more or less: the ball keeps a depth, and has a lever that is shorter by so much.
    assert body.velocity[-1, 0] == pytest.approx(5.0 / 7.0, abs=1e-3)
    assert RADIUS * body.angular_velocity[-1, 1] == pytest.approx(body.velocity[-1, 0], rel=1e-3)
    slid = (1.0 - body.velocity[:, 0]) / (0.4 * G)
    # Sliding ends at 2v/(7 μ g) = 73 ms; until then the speed falls by μ g t.
    np.testing.assert_allclose(slid[1:7], run.trajectory.time[1:7], atol=1.1e-3)


@families
def test_a_box_below_the_angle_of_friction_sticks(kind: Kind) -> None:
    run = simulate(box_on_slope(0.3, 0.4), 1.0, kind())  # tan 0.3 = 0.31
    place = run.trajectory.body("body").position
    assert np.abs(place[-1] - place[20]).max() < 1e-6
    force = force_on(run, "touch")[-1]
    np.testing.assert_allclose(force, 2.0 * G * np.array([-math.sin(0.3), 0.0, math.cos(0.3)]), atol=0.01)


@families
def test_a_box_above_the_angle_of_friction_slides(kind: Kind) -> None:
    run = simulate(box_on_slope(0.5, 0.3), 0.6, kind())
    a = G * (math.sin(0.5) - 0.3 * math.cos(0.5))
    speed = run.trajectory.body("body").velocity
    # A step's worth of sliding, at most, before the box has sunk to the slop and friction is there.
    np.testing.assert_allclose(speed[:, 0], a * run.trajectory.time, atol=5e-3)
    assert np.abs(speed[:, 1:]).max() < 5e-3
    assert run.ledger["friction"][-1] == pytest.approx(0.3 * 2.0 * G * math.cos(0.5) * 0.5 * a * 0.36, rel=0.02)


@families
def test_a_table_stands_on_four_legs(kind: Kind) -> None:
    run = simulate(table(), 0.2, kind())
    for i in range(4):
        assert force_on(run, f"on {i}")[-1, 2] == pytest.approx(6.0 * G / 4.0, rel=1e-3)


@families
def test_legs_share_an_eccentric_load_as_equal_springs_do(kind: Kind) -> None:
    """Statics leaves one number open; forces of equal springs are linear in place (S2.25)."""
    run = simulate(table((0.2, 0.1)), 0.2, kind())
    for i, (x, y) in enumerate(((0.4, 0.3), (-0.4, 0.3), (-0.4, -0.3), (0.4, -0.3))):
        expected = 10.0 * G / 4.0 + 4.0 * G * (0.2 * x / (4.0 * 0.4**2) + 0.1 * y / (4.0 * 0.3**2))
        assert force_on(run, f"on {i}")[-1, 2] == pytest.approx(expected, rel=1e-3)


@families
@pytest.mark.parametrize("shape", ["box", "standing cylinder", "lying cylinder", "cone"])
def test_convex_bodies_rest_on_their_faces(kind: Kind, shape: str) -> None:
    body: dict[str, Any] = {"mass": 1.0, "inertia": (2e-3, 2e-3, 2e-3), "position": (0.0, 0.0, 0.05)}
    geometry: Any = pc.convex.Box((0.3, 0.2, 0.1))
    if "cylinder" in shape:
        geometry = pc.convex.Cylinder(0.05, 0.1)
        body |= {"rotation": tilted(0.5 * math.pi)} if shape == "lying cylinder" else {}
    if shape == "cone":
        geometry = pc.convex.Cone(0.05, 0.1)
        low = -geometry.bounds[0, 2]
        body |= {"position": (0.0, 0.0, low)}
    run = simulate(floor_and(geometry, 0.3, **body), 0.3, kind())
    found = run.trajectory.body("body")
    np.testing.assert_allclose(found.position[-1], body["position"], atol=2e-5)
    assert np.abs(found.velocity[-1]).max() < 1e-5
    assert np.abs(found.angular_velocity[-1]).max() < 1e-3
    np.testing.assert_allclose(np.linalg.norm(force_on(run, "touch")[-1]), G, rtol=1e-3)


@families
def test_a_tipping_box_falls_flat(kind: Kind) -> None:
    """Its free edge hits the floor while the other one rests on it already."""
    angle = 0.2
    low = 0.15 * math.sin(angle) + 0.05 * math.cos(angle)
    body = {"mass": 1.0, "position": (0.0, 0.0, low), "rotation": tilted(angle)}
    run = simulate(floor_and(pc.convex.Box((0.3, 0.2, 0.1)), 0.5, **body), 1.0, kind())
    found = run.trajectory.body("body")
    assert found.position[-1, 2] == pytest.approx(0.05, abs=2e-5)
    assert np.abs(found.velocity[-1]).max() < 1e-4


@families
@pytest.mark.parametrize("mu", [0.5, 1.5, 3.0])
def test_a_rod_that_jams_is_survived(kind: Kind, mu: float) -> None:
    """Painlevé: a rod pushed over the floor, leaning, with much friction; energy never rises."""
    angle = 1.0
    rod = pc.convex.Cylinder(0.005, 1.0)
    height = 0.5 * math.cos(angle) + 0.005 * math.sin(angle)
    body = {"mass": 1.0, "inertia": (1 / 12, 1 / 12, 1e-4), "position": (0.0, 0.0, height), "rotation": tilted(angle)}
    run = simulate(floor_and(rod, mu, **body, velocity=(2.0, 0.0, -0.1)), 0.5, kind())
    assert run.status == "finished"
    total = run.ledger["kinetic"] + run.ledger["gravity"]
    assert total.max() <= total[0] + 1e-3 * 9.81  # what is taken back of the depth lifts it by less than 1 mm
    assert np.isfinite(force_on(run, "touch")).all()
