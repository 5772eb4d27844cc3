"""Planned walking: feet on the ground do not move, three of them always stand, and joints follow the paths."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.robots.gait import foot_place
from polycontact.robots.hexapod_model import FOOT_RADIUS, LEGS, TRUNK, WALK, hexapod, hexapod_robot, tripods

Array = NDArray[np.float64]


def paths(gait: pc.robots.TripodGait, times: Array) -> dict[str, Array]:
    """Places (n, 3) of each foot, m."""
    return {
        foot.name: np.array([foot_place(foot, number, gait, t) for t in times])
        for number, feet in enumerate(tripods())
        for foot in feet
    }


@pytest.mark.parametrize("duty", [0.5, 0.6, 0.8])
@pytest.mark.parametrize("steps", [1, 4, 5])
def test_feet_on_the_ground_stand_still(duty: float, steps: int) -> None:
    gait = pc.robots.TripodGait(
        step_length=0.06, step_height=0.03, period=1.0, body_height=0.16, duty=duty, steps=steps
    )
    times = np.linspace(0.0, gait.end_time, 701)
    planned = paths(gait, times)
    on_ground = {name: path[:, 2] < FOOT_RADIUS + 1e-12 for name, path in planned.items()}
    for name, path in planned.items():
        both = on_ground[name][1:] & on_ground[name][:-1]
        np.testing.assert_allclose(np.diff(path[:, 0])[both], 0.0, atol=1e-9)
        assert path[:, 2].max() <= FOOT_RADIUS + gait.step_height + 1e-12
        np.testing.assert_array_equal(path[:, 1], path[0, 1])
    standing = np.array(list(on_ground.values())).sum(axis=0)
    assert standing.min() == 3
    assert set(standing.tolist()) <= {3, 6}
    assert (standing[times < gait.stand] == 6).all()


def test_the_trunk_goes_its_way_smoothly() -> None:
    times = np.linspace(0.0, WALK.end_time, 2001)
    way = np.array([WALK.advance(t) for t in times])
    assert way[0] == 0.0
    assert way[-1] == pytest.approx(4 * WALK.step_length, abs=1e-12)
    speed = np.gradient(way, times)
    assert speed.min() >= -1e-12
    # Full speed for three of the four steps' time: four step lengths in three step times.
    assert speed.max() == pytest.approx(4.0 / 3.0 * WALK.step_length / WALK.step_time, rel=1e-6)
    # A jump of the speed would show as an acceleration as large as the speed over a sample.
    assert np.abs(np.gradient(speed, times)).max() < 2.0 * speed.max() / WALK.step_time


def test_feet_end_below_the_robot() -> None:
    """At full speed a stance is 1.6 steps long, half on either side; a lifted foot is left behind a little more."""
    times = np.linspace(0.0, WALK.end_time, 701)
    way = np.array([WALK.advance(t) for t in times])
    for number, feet in enumerate(tripods()):
        for foot in feet:
            x = np.array([foot_place(foot, number, WALK, t)[0] for t in times]) - foot.neutral[0] - way
            assert 0.5 * WALK.step_length < np.abs(x).max() < WALK.step_length
            assert abs(x[-1]) < 0.5 * WALK.step_length


def test_joints_follow_the_paths() -> None:
    """Forward kinematics of the planned angles, halfway between the points of the splines too."""
    walking = hexapod()
    system = hexapod_robot().system()
    compiled = system.compile()
    evaluator, y = compiled.evaluator(), compiled.start_state()
    names = compiled.state_names
    knots = walking.plan.times
    splines = {name: motion.compiled() for name, motion in walking.plan.motions.items()}
    for t in (knots[0], knots[7], 0.5 * (knots[7] + knots[8]), 0.5 * (knots[30] + knots[31]), knots[-1]):
        y[[names.index(f"{TRUNK}.{axis}") for axis in "xyz"]] = (WALK.advance(float(t)), 0.0, WALK.body_height)
        for name, data in splines.items():
            y[names.index(f"{name}.angle")] = _value(data.numbers, len(knots), float(t))
        placed = evaluator.place(0.0, y)
        for number, feet in enumerate(tripods()):
            for foot in feet:
                R, r = placed.pose(foot.body)
                # A spline through twelve points of a swing deviates by a hundredth of its height, 0.4 mm.
                np.testing.assert_allclose(
                    r + R @ np.array(foot.point), foot_place(foot, number, WALK, float(t)), atol=4e-4
                )


def _value(numbers: Array, n: int, t: float) -> float:
    breaks, pieces = numbers[:n], numbers[n:].reshape(n - 1, 4)
    i = min(int(np.searchsorted(breaks, t, side="right")) - 1, n - 2)
    return float(np.polyval(pieces[i], t - breaks[i]))


def test_legs_are_mirrored() -> None:
    start = hexapod().plan.start
    for leg in LEGS:
        for part in ("coxa", "femur", "tibia"):
            assert start[f"{leg} {part} joint"][0] == pytest.approx(start[f"front left {part} joint"][0], abs=1e-6)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"step_length": 0.5}, r"in step \d of 4 \(t = [\d.]+ s\)"),
        ({"step_height": 0.6}, r"in step 1 of 4 \(t = [\d.]+ s\)"),
        ({"body_height": 0.6}, "standing"),
    ],
)
def test_a_place_out_of_reach_names_foot_step_and_distance(change: dict[str, float], where: str) -> None:
    own = {"step_length": 0.08, "step_height": 0.04, "period": 1.0, "body_height": 0.16, **change}
    told = rf"gait: foot '\w+ \w+' cannot get to .* m {where}: 0\.\d+ m are missing"
    with pytest.raises(pc.MultibodyError, match=told):
        pc.robots.hexapod(pc.robots.TripodGait(**own))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"duty": 0.4}, "duty is 0.4"),
        ({"duty": 1.0}, "duty is 1.0"),
        ({"period": 0.0}, "period is 0.0 s"),
        ({"step_height": -0.1}, "step_height is -0.1 m"),
        ({"step_length": float("nan")}, "step_length is nan m"),
        ({"steps": 0}, "steps is 0"),
        ({"steps": 2.5}, "steps is 2.5"),
        ({"stand": -1.0}, "stand is -1.0 s"),
    ],
)
def test_bad_parameters_are_named(change: dict[str, float], message: str) -> None:
    own = {"step_length": 0.08, "step_height": 0.04, "period": 1.0, "body_height": 0.16, **change}
    with pytest.raises(pc.MultibodyError, match=f"tripod gait: {message}"):
        pc.robots.TripodGait(**own)  # type: ignore[arg-type]


def test_a_robot_that_cannot_walk_is_told_why() -> None:
    system, (first, second) = hexapod_robot().system(), tripods()
    foot = first[0]
    bent = pc.robots.Foot(foot.name, foot.body, ("front trunk joint",), foot.point, foot.neutral, foot.radius)
    for trunk, feet, message in (
        ("middle trnk", first, "there is no body 'middle trnk'; did you mean 'middle trunk'"),
        ("front trunk", first, "trunk 'front trunk' is carried by a universal joint"),
        (TRUNK, (bent, *first[1:]), "joint 'front trunk joint' is universal"),
        (TRUNK, (first[0], first[0]), "gait: foot 'front left' exists already"),
    ):
        with pytest.raises(pc.MultibodyError, match=message):
            pc.robots.plan_tripod_gait(system, trunk, (feet, second), WALK)
    with pytest.raises(pc.MultibodyError, match="feet is 'round'; give 'points' or 'polygonal'"):
        pc.robots.hexapod(feet="round")
    with pytest.raises(pc.MultibodyError, match="task is 'both'"):
        pc.robots.manipulator("both")  # type: ignore[arg-type]
