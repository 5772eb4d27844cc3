"""Conditions that end a run: at the time that closed forms tell, with a reason, in memory, files and commands."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli import main
from polycontact.simulation.run_options import without_unused

G = 9.81


def stone(**start: Any) -> pc.MultibodySystem:
    """A free body that falls from 1 m."""
    system = pc.MultibodySystem("stone")
    system.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1), **{"position": (0.0, 0.0, 1.0), **start})
    return system


def end_of(system: pc.MultibodySystem, *conditions: pc.simulation.StopCondition, **options: Any) -> pc.Run:
    settings = without_unused({"rtol": 1e-9, "atol": 1e-10, **options})
    return pc.simulate(system, end_time=5.0, stop_when=conditions, **settings)


@pytest.mark.parametrize("integrator", ["cvode-bdf", "dopri5"])
def test_a_fall_ends_at_its_time(integrator: str) -> None:
    run = end_of(stone(), pc.simulation.BelowHeight("stone", 0.25, meaning="dropped"), integrator=integrator)
    assert run.status == run.trajectory.status == "ended"
    assert run.ended_by is not None
    # Integrated with tolerances of 1e-9; the event itself is located to rounding.
    assert run.ended_by.time == pytest.approx(math.sqrt(2.0 * 0.75 / G), abs=1e-6)
    assert run.ended_by.value == pytest.approx(0.25, abs=1e-9)
    assert run.message == run.ended_by.message
    assert run.message.startswith("dropped: 'stone' is 0.25 m high at t = 0.391")
    assert run.message.endswith("s (limit 0.25 m)")
    assert run.trajectory.time[-1] == run.ended_by.time == run.statistics.simulated_time
    assert run.trajectory.body("stone").position[-1, 2] == pytest.approx(0.25, abs=1e-9)


def test_a_fall_ends_with_rigid_contact_too() -> None:
    for response in ("multipliers", "impulses"):
        run = end_of(stone(), pc.simulation.BelowHeight("stone", 0.25), response=response)
        assert run.ended_by is not None
        # Steps of 1 ms with order two, in which the state is interpolated.
        assert run.ended_by.time == pytest.approx(math.sqrt(2.0 * 0.75 / G), abs=1e-5)
        assert run.trajectory.body("stone").position[-1, 2] == pytest.approx(0.25, abs=1e-6)


def test_a_point_of_the_body_counts() -> None:
    run = end_of(stone(), pc.simulation.BelowHeight("stone", 0.25, point=(0.0, 0.0, -0.5)))
    assert run.ended_by is not None
    assert run.ended_by.time == pytest.approx(math.sqrt(2.0 * 0.25 / G), abs=1e-6)


def test_a_tilt_ends_at_its_angle() -> None:
    system = stone(angular_velocity=(0.0, 2.0, 0.0))
    run = end_of(system, pc.simulation.TiltedBeyond("stone", 0.6, meaning="fell over"))
    assert run.ended_by is not None
    assert run.ended_by.time == pytest.approx(0.3, abs=1e-6)
    assert "fell over: 'stone' is tilted by 0.6 rad (34.4°) at t = 0.3 s (limit 0.6 rad)" in run.message
    spun = stone(angular_velocity=(0.0, 0.0, 2.0))
    assert pc.simulate(spun, end_time=1.0, stop_when=[pc.simulation.TiltedBeyond("stone", 0.6)]).status == "finished"
    # Another axis of the same body does turn away from the vertical: it begins there, half a right angle off.
    lying = stone(angular_velocity=(0.0, 2.0, 0.0))
    found = end_of(lying, pc.simulation.TiltedBeyond("stone", 0.25 * math.pi + 0.6, axis=(1.0, 0.0, 1.0)))
    assert found.ended_by is not None
    assert found.ended_by.time == pytest.approx(0.3, abs=1e-6)


def test_a_flight_ends_at_its_distance() -> None:
    system = stone(velocity=(3.0, 4.0, 0.0))
    system.gravity = (0.0, 0.0, 0.0)
    run = end_of(system, pc.simulation.FartherThan("stone", 2.0, origin=(0.0, 0.0, 1.0)))
    assert run.ended_by is not None
    assert run.ended_by.time == pytest.approx(0.4, abs=1e-6)


def test_the_first_of_several_ends_the_run() -> None:
    conditions = (
        pc.simulation.BelowHeight("stone", 0.2),
        pc.simulation.TiltedBeyond("stone", 0.2),
        pc.simulation.BelowHeight("stone", 0.1),
    )
    run = end_of(stone(angular_velocity=(1.0, 0.0, 0.0)), *conditions)
    assert run.ended_by is not None
    assert run.ended_by.condition is conditions[1]


def test_markers_are_looked_at() -> None:
    system = stone(angular_velocity=(0.0, 2.0, 0.0))
    system.add_marker("head", "stone", (0.0, 0.0, 0.5))
    run = end_of(system, pc.simulation.BelowHeight("head", 1.0))
    assert run.ended_by is not None
    t = run.ended_by.time
    assert 1.0 - 0.5 * G * t**2 + 0.5 * math.cos(2.0 * t) == pytest.approx(1.0, abs=1e-6)


def test_contacts_after_the_end_are_not_told() -> None:
    """A ball falls on a plate: its first contact comes after the end in one run, before it in the other."""
    system = pc.MultibodySystem("ball")
    system.add_body("ball", surface=pc.convex.Sphere(0.05), mass=1.0, position=(0.0, 0.0, 0.3))
    system.add_body("plate", surface=pc.convex.Box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_contact("ball", "plate", law=pc.laws.SpringDamperLaw(stiffness=1e4, damping=10.0))
    for height, told in ((0.06, ()), (0.04, ("start",))):
        for events in (True, "restart"):
            stop = pc.simulation.BelowHeight("ball", height)
            run = pc.simulate(system, end_time=1.0, contact_events=events, stop_when=[stop])
            assert run.status == "ended"
            assert tuple(event.kind for event in run.events) == told


def test_the_file_keeps_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    run = end_of(stone(), pc.simulation.BelowHeight("stone", 0.25, meaning="dropped"), record=path)
    kept = pc.Trajectory.open(path)
    assert (kept.status, kept.message) == ("ended", run.message)
    assert kept.statistics["ended_by"]["condition"] == {
        "kind": "below_height",
        "body": "stone",
        "height": 0.25,
        "point": [0.0, 0.0, 0.0],
        "meaning": "dropped",
    }
    assert kept.statistics["ended_by"]["limit"] == 0.25
    assert kept.statistics["ended_by"]["unit"] == "m"
    assert kept.settings["stop_when"] == [kept.statistics["ended_by"]["condition"]]
    # It can go on from there without the condition, but not with it.
    again = {"end_time": 1.0, "rtol": 1e-9, "atol": 1e-10, "continue_from": path}
    with pytest.raises(pc.SimulationError, match="would end at its start, dropped: 'stone'"):
        pc.simulate(stone(), stop_when=[pc.simulation.BelowHeight("stone", 0.25, meaning="dropped")], **again)
    longer = pc.simulate(stone(), **again)
    assert longer.status == pc.Trajectory.open(path).status == "finished"
    assert longer.trajectory.body("stone").position[-1, 2] == pytest.approx(1.0 - 0.5 * G, abs=1e-6)


def test_a_condition_that_holds_at_the_start_is_refused() -> None:
    with pytest.raises(pc.SimulationError, match=r"stop_when: the run would end at its start.*take another limit"):
        end_of(stone(), pc.simulation.BelowHeight("stone", 1.5))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pc.simulation.TiltedBeyond("stone", 45.0), r"angle is 45.0 rad; give at most π \(degrees\?\)"),
        (lambda: pc.simulation.TiltedBeyond("stone", -0.1), "angle is -0.1 rad"),
        (lambda: pc.simulation.TiltedBeyond("stone", 0.1, axis=(0.0, 0.0, 0.0)), "axis is zero"),
        (lambda: pc.simulation.BelowHeight("stone", math.nan), "height is nan m"),
        (lambda: pc.simulation.BelowHeight("stone", 0.1, point=(0.0, 1.0)), "point has shape"),
        (lambda: pc.simulation.FartherThan("stone", 0.0), "distance is 0.0 m"),
        (lambda: end_of(stone(), pc.simulation.BelowHeight("stoen", 0.1)), "did you mean 'stone'"),
        (lambda: end_of(stone(), "fell"), "give a list of TiltedBeyond"),
        (
            lambda: pc.simulate(stone(), end_time=1.0, stop_when=pc.simulation.BelowHeight("stone", 0.1)),
            "give a list of",
        ),
    ],
)
def test_bad_conditions_are_named(make: Any, message: str) -> None:
    with pytest.raises(pc.PolycontactError, match=message):
        make()


SCENARIO = """
[scenario]
name = "drop"

[simulation]
end_time = 2.0

[[simulation.stop_when]]
kind = "below_height"
body = "stone"
height = 0.25
meaning = "dropped"

[[bodies]]
name = "stone"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
position = [0.0, 0.0, 1.0]
"""


def test_the_command_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "drop.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    assert main(["run", str(path), "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "ended"
    assert told["message"].startswith("dropped: 'stone' is 0.25 m high")
    assert told["ended_by"]["time"] == pytest.approx(math.sqrt(1.5 / G), abs=1e-3)
    assert main(["run", str(path)]) == 3
    assert "ended early: dropped: 'stone'" in capsys.readouterr().out
    assert main(["run", str(path), "--json", "--end-time", "0.2"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["status"], told["ended_by"]) == ("finished", None)


def test_mistakes_of_a_file_are_told(tmp_path: Path) -> None:
    path = tmp_path / "drop.toml"
    wrong = SCENARIO.replace('body = "stone"', 'body = "stoen"').replace("height = 0.25", 'height = "low"')
    wrong += '\n[[simulation.stop_when]]\nkind = "tilted"\nbody = "stone"\nangle = 1.0\n'
    path.write_text(wrong, encoding="utf-8")
    with pytest.raises(pc.ScenarioError) as caught:
        pc.load_scenario(path)
    told = str(caught.value)
    assert 'simulation.stop_when[0].body: there is no body or marker "stoen"; did you mean "stone"' in told
    assert "simulation.stop_when[0].height" in told
    assert "simulation.stop_when[1].kind" in told


def test_samples_reach_the_end() -> None:
    run = end_of(stone(), pc.simulation.BelowHeight("stone", 0.25), output_step=0.1)
    np.testing.assert_allclose(run.trajectory.time, [0.0, 0.1, 0.2, 0.3, math.sqrt(1.5 / G)], atol=1e-6)
