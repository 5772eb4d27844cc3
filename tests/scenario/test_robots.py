"""The two robots of the contact processing paper: files as built, forces of the tool, standing, walking, falling."""

from __future__ import annotations

import json
import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.cli import main
from polycontact.robots.hexapod_model import LEGS, TRUNK, WALK
from polycontact.robots.manipulator_model import PLATE_HEIGHT, PRESS, SLIDE, STIFFNESSES, TIP, TIP_RADIUS
from polycontact.scenario.builtin import scenario_text
from polycontact.simulation.run_options import without_unused
from tools.make_robots import robot_files

Array = NDArray[np.float64]

ARMS = ("manipulator_normal", "manipulator_free")
HEXAPODS = ("hexapod", "hexapod_polygonal")
FIRST_TRIPOD = ("front left", "middle right", "rear left")


# Files ------------------------------------------------------------------------------------------------------


@cache
def made() -> dict[str, str]:
    return dict(robot_files())


@pytest.mark.parametrize("name", [*ARMS, *HEXAPODS])
def test_files_are_what_the_builders_give(name: str) -> None:
    ours, shipped = tomllib.loads(made()[f"{name}.toml"]), tomllib.loads(scenario_text(name))
    assert list(values(ours)) == [
        # Angles are told to a millionth: another rounding of sines may change the last digit.
        pytest.approx(each, rel=0.0, abs=1.5e-6) if isinstance(each, float) else each
        for each in values(shipped)
    ]


def values(content: Any) -> list[Any]:
    """Keys, texts and numbers of a file, one after the other."""
    if isinstance(content, dict):
        return [each for key, inner in content.items() for each in (key, *values(inner))]
    if isinstance(content, list):
        return [len(content), *(each for inner in content for each in values(inner))]
    return [content]


def test_builder_and_file_are_the_same_system() -> None:
    built, read = pc.robots.hexapod().system(), pc.load_scenario("hexapod").build()
    assert built.degrees_of_freedom == read.degrees_of_freedom == 28
    assert list(built.bodies) == list(read.bodies)
    assert list(built.joints) == list(read.joints)
    assert set(built.forces) == set(read.forces)
    for name, body in built.bodies.items():
        other = read.bodies[name]
        assert body.mass == pytest.approx(other.mass, rel=1e-12)
        np.testing.assert_allclose(body.centre, other.centre, atol=1e-12)
        np.testing.assert_allclose(body.inertia, other.inertia, rtol=1e-9, atol=1e-12)
    for name, contact in built.contacts.items():
        assert contact.description == read.contacts[name].description
    found = read.compile().start_state()
    np.testing.assert_allclose(built.compile().start_state(), found, atol=1e-6)  # the digits of the file


# The arm ----------------------------------------------------------------------------------------------------


@cache
def tool_run(task: str, stiffness: float) -> pc.Run:
    text = scenario_text(f"manipulator_{task}")
    assert text.count("stiffness = 10000.0, restitution = 0.8") == 1  # the one key that the source varies
    from polycontact.scenario.parsing import parse_scenario

    scenario = parse_scenario(text.replace("stiffness = 10000.0, rest", f"stiffness = {stiffness}, rest"))
    return pc.simulate(scenario.build(), **scenario.settings)


def tip_of(run: pc.Run) -> Array:
    hand = run.trajectory.body("hand")
    return np.asarray(hand.position + hand.rotation @ np.array(TIP))


def during(run: pc.Run, start: float, end: float) -> NDArray[np.bool_]:
    return (run.trajectory.time >= start) & (run.trajectory.time <= end)


@pytest.mark.parametrize("task", ["normal", "free"])
@pytest.mark.parametrize("stiffness", STIFFNESSES)
def test_the_tool_comes_presses_and_leaves(task: str, stiffness: float) -> None:
    run = tool_run(task, stiffness)
    assert run.status == "finished"
    assert [event.kind for event in run.events] == ["start", "end"]
    tip, tool = tip_of(run), run.trajectory.pairing("tool")
    pressing = during(run, 1.2, 1.5)
    depth = PLATE_HEIGHT + TIP_RADIUS - tip[:, 2]
    np.testing.assert_allclose(tool.depth[pressing], depth[pressing], rtol=0.0, atol=1e-7)  # shrunk by 1e-9 of sizes
    # At rest (normal), or sliding level (free): the spring alone, but for what still moves.
    np.testing.assert_allclose(tool.force[pressing, 2], stiffness * depth[pressing], rtol=0.02)
    assert tip[-1, 2] - PLATE_HEIGHT - TIP_RADIUS == pytest.approx(0.02, abs=1e-3)
    np.testing.assert_array_equal(tool.force[during(run, 0.0, 0.3)], 0.0)


def test_plate_and_arm_are_springs_in_series() -> None:
    """The softer the plate, the deeper the tool, as springs share the way that the tool is sent below the plate."""
    runs = [tool_run("normal", stiffness) for stiffness in STIFFNESSES]
    forces = [run.trajectory.pairing("tool").force[during(run, 1.4, 1.5), 2].mean() for run in runs]
    assert sorted(forces, reverse=True) == forces
    # F/S + F/k = way of the tool without a plate: k and the way from two of the runs tell the others.
    compliance = np.array([1.0 / stiffness for stiffness in STIFFNESSES])
    inverse = 1.0 / np.array(forces)  # (1/S + 1/k)/way: a straight line over 1/S
    slope, offset = np.polyfit(compliance[1:], inverse[1:], 1)
    # The hand turns a little and the tip rubs: at 210 N the arm is not quite linear.
    np.testing.assert_allclose(slope * compliance + offset, inverse, rtol=0.05)
    assert 1.0 / slope == pytest.approx(PRESS, rel=0.15)  # and what the weight makes the drives give way


@pytest.mark.parametrize("stiffness", STIFFNESSES)
def test_sliding_friction_is_that_of_coulomb(stiffness: float) -> None:
    run = tool_run("free", stiffness)
    force = run.trajectory.pairing("tool").force
    sliding = during(run, 1.1, 1.5)
    np.testing.assert_allclose(force[sliding, 0], -0.3 * force[sliding, 2], rtol=1e-6)
    assert (np.abs(force[:, 0]) <= 0.3 * force[:, 2] * (1.0 + 1e-9) + 1e-12).all()
    x = tip_of(run)[:, 0]
    assert x[-1] - x[0] == pytest.approx(SLIDE, abs=1e-3)


# The six-legged robot ---------------------------------------------------------------------------------------


@cache
def walk(name: str) -> pc.Run:
    scenario = pc.load_scenario(name)
    return pc.simulate(scenario.build(), **scenario.settings)


def weight(name: str) -> float:
    return 9.81 * sum(body.mass for body in pc.load_scenario(name).build().bodies.values())


def foot_forces(run: pc.Run) -> dict[str, Array]:
    return {leg: run.trajectory.pairing(f"{leg} foot").force[:, 2] for leg in LEGS}


@pytest.mark.parametrize("name", HEXAPODS)
def test_standing_feet_carry_the_weight(name: str) -> None:
    """At rest the sum of forces is the weight; after 0.9 s what still oscillates is below a thousandth of it."""
    run = walk(name)
    total = sum(foot_forces(run).values())
    np.testing.assert_allclose(total[during(run, 0.9, 1.0)], weight(name), rtol=1e-3)
    np.testing.assert_allclose(total[-1], weight(name), rtol=1e-3)


def test_standing_feet_share_the_weight() -> None:
    """Each segment of the trunk weighs the same and has two legs: every foot carries a sixth."""
    run = walk("hexapod")
    for force in foot_forces(run).values():
        np.testing.assert_allclose(force[during(run, 0.9, 1.0)], weight("hexapod") / 6.0, rtol=5e-3)


@pytest.mark.parametrize("name", HEXAPODS)
def test_it_walks_as_far_as_planned(name: str) -> None:
    run = walk(name)
    assert run.status == "finished"
    trunk = run.trajectory.body(TRUNK)
    # Drives give way under load and feet stick where they land: 3 % are lost on the way.
    assert trunk.position[-1, 0] - trunk.position[0, 0] == pytest.approx(WALK.distance, rel=0.05)
    assert np.abs(trunk.position[:, 1]).max() < 0.02
    assert trunk.position[:, 2].min() > 0.9 * WALK.body_height
    tilt = np.arccos(np.clip(trunk.rotation[:, 2, 2], -1.0, 1.0))
    assert tilt.max() < math.radians(5.0)


@pytest.mark.parametrize("name", HEXAPODS)
def test_tripods_take_turns(name: str) -> None:
    """In the middle of each swing one tripod is in the air and the other carries the weight, but for its motion."""
    run, forces = walk(name), foot_forces(walk(name))
    for step in range(WALK.steps):
        middle = WALK.stand + step * WALK.step_time + 0.5 * WALK.swing_time
        now = during(run, middle - 0.02, middle + 0.02)
        for leg, force in forces.items():
            swings = (leg in FIRST_TRIPOD) == (step % 2 == 0)
            if swings:
                np.testing.assert_array_equal(force[now], 0.0)
        total = sum(forces.values())[now]
        np.testing.assert_allclose(total, weight(name), rtol=0.15)


def test_the_ledger_closes() -> None:
    for name in HEXAPODS:
        run = walk(name)
        assert run.ledger.worst_balance < 0.02 * run.ledger.turnover


@pytest.mark.slow
@pytest.mark.parametrize(
    ("response", "end"),
    [({"kind": "multipliers", "step": 2e-3}, WALK.end_time), ({"kind": "impulses", "step": 2e-3}, 1.0)],
)
def test_rigid_feet_carry_the_weight_and_walk(response: dict[str, Any], end: float) -> None:
    """Without depth nothing gives way but the drives: at rest the weight to rounding of the solver, 1e-6 m/s."""
    scenario = pc.load_scenario("hexapod")
    run = pc.simulate(scenario.build(), **without_unused({**scenario.settings, "response": response, "end_time": end}))
    total = sum(foot_forces(run).values())
    np.testing.assert_allclose(total[during(run, 0.9, 0.99)], weight("hexapod"), rtol=1e-3)
    trunk = run.trajectory.body(TRUNK).position
    planned = WALK.advance(end)
    assert trunk[-1, 0] - trunk[0, 0] == pytest.approx(planned, abs=max(0.03 * planned, 1e-3))
    assert trunk[:, 2].min() > 0.9 * WALK.body_height


def without_left_legs(text: str) -> str:
    """The hexapod whose left feet touch nothing."""
    for segment in ("front", "middle", "rear"):
        line = f'    {{ bodies = ["{segment} left tibia", "ground"], name = "{segment} left foot" }},\n'
        assert line in text
        text = text.replace(line, "")
    return text


def test_without_the_left_feet_it_falls_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lame.toml"
    path.write_text(without_left_legs(scenario_text("hexapod")), encoding="utf-8")
    assert main(["run", str(path), "--json", "-o", str(tmp_path / "lame.h5")]) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "ended"
    assert "'middle trunk' is" in told["message"]
    assert told["ended_by"]["time"] < 1.0
    kept = pc.Trajectory.open(tmp_path / "lame.h5")
    assert (kept.status, kept.message) == ("ended", told["message"])


def test_steps_in_no_time_make_it_fall() -> None:
    """Long, high steps of 0.14 s throw it over; the run ends with the reason and is no failure."""
    gait = pc.robots.TripodGait(
        step_length=0.12, step_height=0.12, period=0.28, body_height=0.16, duty=0.5, steps=8, stand=0.3
    )
    stop = [
        pc.simulation.TiltedBeyond(TRUNK, 0.5, meaning="fell over"),
        pc.simulation.BelowHeight(TRUNK, 0.06, meaning="lies on the ground"),
    ]
    run = pc.simulate(pc.robots.hexapod(gait).system(), end_time=3.0, rtol=3e-4, atol=3e-5, stop_when=stop)
    assert run.status == "ended"
    assert run.ended_by is not None
    assert run.message.startswith(("fell over: 'middle trunk' is tilted", "lies on the ground: 'middle trunk' is"))
