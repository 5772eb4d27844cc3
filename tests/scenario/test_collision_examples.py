"""The examples of Otter, Elmqvist and Díaz López (2005) and of Cho and others (2007): what their figures show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.scenario.builtin import get
from polycontact.scenario.parsing import parse_scenario


def run_of(name: str) -> pc.Run:
    scenario = get(name)
    return pc.simulate(scenario.build(), **scenario.settings)


def starts(run: pc.Run) -> list[str]:
    """The contacts that begin, in the order of time."""
    return [event.pairing for event in run.trajectory.events if event.kind == "start"]


def test_ball_bounces_hits_the_wall_and_rolls() -> None:
    run = run_of("thrown_ball")
    ball, time = run.trajectory.body("ball"), run.trajectory.time
    height, v = ball.position[:, 2], ball.velocity
    at_wall = np.argmax(v[:, 0] < 0.0)
    peaks = [height[k] for k in range(1, at_wall) if height[k - 1] < height[k] >= height[k + 1]]
    assert len(peaks) >= 2, "it bounces on the table before it hits the wall"
    assert all(after < before for before, after in zip([0.35, *peaks], peaks, strict=False))
    assert starts(run).count("ball–table (1, 2)") == 1, "the wall, once"
    assert starts(run).index("ball–table (1, 2)") >= 2
    assert ball.position[:, 0].max() == pytest.approx(0.65, abs=0.01), "the wall stands at 0.7 m, the radius is 0.05 m"
    rolls = time > 2.0
    # The radius is that of the point between both bodies, in the middle of the depth m g / c.
    radius = 0.05 - 0.5 * 9.81 * (300.0 * 4.0 / 3.0 * math.pi * 0.05**3) / 2e4
    np.testing.assert_allclose(v[rolls, 0], ball.angular_velocity[rolls, 1] * radius, rtol=1e-5)
    np.testing.assert_allclose(v[rolls, 0], v[rolls, 0][0], rtol=1e-5)
    assert v[-1, 0] < -0.3
    np.testing.assert_allclose(v[rolls, 2], 0.0, atol=1e-4)


def test_five_bodies_keep_their_momentum() -> None:
    run = run_of("five_bodies")
    bodies = get("five_bodies").build().bodies
    momentum, angular = np.zeros((2, 3)), np.zeros((2, 3))
    for name, body in bodies.items():
        path = run.trajectory.body(name)
        for i, k in enumerate((0, -1)):
            R, w = path.rotation[k], path.angular_velocity[k]
            arm = R @ body.centre
            v = path.velocity[k] + np.cross(w, arm)
            momentum[i] += body.mass * v
            angular[i] += body.mass * np.cross(path.position[k] + arm, v) + R @ body.inertia @ R.T @ w
        if name != "ball":
            assert np.linalg.norm(path.velocity[0]) == 0.0
            assert np.linalg.norm(path.velocity[-1]) > 0.05, f"{name} was hit"
    size = np.linalg.norm(momentum[0])
    np.testing.assert_allclose(momentum[1], momentum[0], atol=1e-5 * size)  # rtol of the run is 1e-7
    np.testing.assert_allclose(angular[1], angular[0], atol=1e-4 * size)
    ledger = run.ledger
    lost = ledger["contact_damping"][-1] + ledger["friction"][-1]
    assert lost > 0.1 * ledger["kinetic"][0]
    assert ledger["kinetic"][-1] + lost == pytest.approx(ledger["kinetic"][0], rel=1e-4)
    assert starts(run)[0] == "ball–box"
    assert len(set(starts(run))) >= 4, "several collisions"


def test_pyramid_glides_and_just_falls_over_the_edge() -> None:
    run = run_of("spinning_pyramid")
    pyramid, time = run.trajectory.body("pyramid"), run.trajectory.time
    x, speed = pyramid.position[:, 0], np.linalg.norm(pyramid.velocity, axis=1)
    spin = pyramid.angular_velocity[:, 2]
    glides = (time > 0.2) & (x < 0.58)
    assert (np.diff(speed[glides]) < 1e-3).all(), "friction takes its velocity"
    assert (np.diff(spin[glides]) < 0.02).all(), "and its angular velocity"
    assert np.abs(pyramid.position[glides, 2]).max() < 1e-3
    at_edge = int(np.argmax(x > 0.6))
    assert 0 < at_edge < len(x) - 20
    assert speed[at_edge] < 0.06 * 1.67, "almost zero when its middle passes the edge"
    assert abs(spin[at_edge]) < 0.2 * 12.0
    assert pyramid.position[-1, 2] < -0.5, "it fell"


def tilt(path: pc.Trajectory, body: str, k: int) -> float:
    """Angle of the body's x axis above the horizontal, rad."""
    return math.asin(path.body(body).rotation[k][2, 0])


def test_friction_torque_keeps_the_gripped_cylinder_from_turning() -> None:
    held = run_of("gripping").trajectory
    assert held.body("cylinder").position[-1, 2] > 0.2, "it was lifted"
    assert tilt(held, "arm", -1) == pytest.approx(0.6, abs=1e-6)
    assert tilt(held, "cylinder", -1) == pytest.approx(0.6, abs=0.02), "it went along with the arm"


def test_without_the_torque_the_gripped_cylinder_turns() -> None:
    text = get("gripping").source
    assert "spin_length = 5e-3" in text
    scenario = parse_scenario(text.replace("spin_length = 5e-3", "spin_length = 0.0"))
    loose = pc.simulate(scenario.build(), **scenario.settings).trajectory
    angles = np.array([tilt(loose, "cylinder", k) for k in range(len(loose.time))])
    assert loose.body("cylinder").position[-1, 2] > 0.1, "the points still lift it"
    assert angles.min() < -0.5, "but it swings about the line between them"
    assert abs(angles[-1] - 0.6) > 0.5


def test_cosine_ball_goes_forth_and_back_on_the_same_path() -> None:
    run = run_of("cosine_ball")
    ball, time = run.trajectory.body("ball"), run.trajectory.time
    late = time > 2.5
    x, w = ball.position[late, 0], ball.angular_velocity[late, 1]
    assert -2.0 < x.min() < -1.6, "in the leftmost valley, -1.5 m, and far up its sides"
    assert -1.4 < x.max() < -1.0
    turns = np.flatnonzero(np.diff(np.sign(w)) != 0)
    assert len(turns) >= 4, "forth and back, several times"
    # A point of the ball: at x = 0.1 m above the middle in the ball's frame; seen when it comes to the same turning
    # point again. What friction takes there while it fades in and out shifts both a little.
    point = ball.position[late] + 0.1 * ball.rotation[late][:, :, 2]
    for first, again in zip(turns[:-2], turns[2:], strict=True):
        np.testing.assert_allclose(point[again], point[first], atol=0.02)
    # It rolls: no slip at the point of contact, whose normal is known from the surface.
    inside = slice(None, None, 7)
    slope = -0.2 * math.pi * np.sin(2 * math.pi * touching_place(ball.position[late, 0][inside]))
    normal = np.column_stack((-slope, 0 * slope, 1 + 0 * slope)) / np.sqrt(1 + slope**2)[:, None]
    slip = ball.velocity[late][inside] - np.cross(ball.angular_velocity[late][inside], 0.1 * normal)
    assert np.abs(slip).max() < 0.02 * np.abs(ball.velocity[late]).max()


def touching_place(centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where a ball of 0.1 m whose centre is at x touches z = 0.1 cos(2π x): by bisection."""
    low, high = centre - 0.1, centre + 0.1
    for _ in range(60):
        middle = 0.5 * (low + high)
        slope = -0.2 * math.pi * np.sin(2 * math.pi * middle)
        beyond = middle - 0.1 * slope / np.sqrt(1 + slope**2) > centre
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return low


def test_hitting_nodes_carry_a_pendulum() -> None:
    run = run_of("hitting_nodes")
    ball, time = run.trajectory.body("ball"), run.trajectory.time
    x = ball.position[:, 0]
    rises = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossings = [time[k] - x[k] * (time[k + 1] - time[k]) / (x[k + 1] - x[k]) for k in rises]
    length, amplitude = -ball.position[:, 2].min(), math.atan2(0.045, 0.2)
    period = 2.0 * math.pi * math.sqrt(length / 9.81) * (1.0 + amplitude**2 / 16.0)
    # The facets of both meshes, 13° of the hollow and 8° of the ball, make a wavy bowl.
    assert np.diff(crossings).mean() == pytest.approx(period, rel=0.02)
    assert x.min() == pytest.approx(-0.05, abs=0.005)
    np.testing.assert_allclose(ball.position[:, 1], 0.0, atol=2e-3)
    # The layer's damping takes amplitude: the front of the contact is pressed in, its rear comes out. Depth δ and
    # radius a of the patch from the weight, m g = c π a² δ/2, a² = 2 δ/(1/r − 1/R); drag D = d ∫ (s/R)² dA.
    mass, curvature = 1000.0 * 4.0 / 3.0 * math.pi * 0.1**3, 1.0 / 0.1 - 1.0 / 0.3
    depth = math.sqrt(mass * 9.81 * curvature / (math.pi * 2e6))
    drag = 2e4 / 0.3**2 * math.pi * (2.0 * depth / curvature) ** 2 / 4.0
    peak = x[(time > 1.4) & (time < 2.0)].max()
    # Half of a period of the wavy bowl is 2 %; what is lost goes with the fourth power of the patch's radius, to 20 %.
    assert math.log(0.05 / peak) == pytest.approx(drag * 2.0 * period / (2.0 * mass), rel=0.2)
    assert get("hitting_nodes").build().contacts["ball–block"].description.method == pc.contact.NodeBlockMethod(
        base=pc.Base.E, normal="target"
    )
