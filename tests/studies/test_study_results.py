"""The language of results: numbers against those of the run, and what cannot be asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.simulation.run_options import RunOptions
from polycontact.simulation.run_record import describe
from polycontact.studies.result_words import listed_words
from polycontact.studies.results import parse_result
from polycontact.studies.study_plan import description_of


@pytest.fixture(scope="module")
def crank() -> Any:
    """Joints, a loop, and a contact."""
    scenario = pc.load_scenario("slider_crank").with_values({"simulation.end_time": 0.1})
    return scenario, pc.simulate(scenario.build(), **scenario.settings), description_of(scenario)


@pytest.fixture(scope="module")
def ball() -> Any:
    """A ball that hits a table."""
    scenario = pc.load_scenario("ball_on_table").with_values({"simulation.end_time": 0.5})
    return scenario, pc.simulate(scenario.build(), **scenario.settings), description_of(scenario)


def test_numbers_of_bodies_and_contacts(ball: Any) -> None:
    _, run, system = ball
    body, pair = run.trajectory.body("ball"), run.trajectory.pairing(0)
    time = run.trajectory.time
    force = np.linalg.norm(pair.force, axis=1)
    times = run.trajectory.contact_times("ball–table")
    sampled = time[pair.in_contact]
    apart = time[1] - time[0]  # samples see a contact later, and lose it earlier, by the time between two at most
    assert sampled[0] - apart <= times.first <= sampled[0]
    assert sampled[-1] <= times.last <= sampled[-1] + apart
    expected = {
        "final position of ball.z": body.position[-1, 2],
        "initial position of ball.z": body.position[0, 2],
        "min position of ball.z": body.position[:, 2].min(),
        "range position of ball[2]": np.ptp(body.position[:, 2]),
        "max velocity of ball": np.linalg.norm(body.velocity, axis=1).max(),
        "time of max velocity of ball": time[np.linalg.norm(body.velocity, axis=1).argmax()],
        "rms velocity of ball.z": np.sqrt(np.trapezoid(body.velocity[:, 2] ** 2, time) / time[-1]),
        "mean force of ball-table": np.trapezoid(force, time) / time[-1],
        "max force of table–ball": force.max(),
        "peak force of ball-table": next(iter(run.peaks.contacts.values())).force.value,
        "time of peak force of ball-table": next(iter(run.peaks.contacts.values())).force.time,
        "peak force": next(iter(run.peaks.contacts.values())).force.value,
        "first contact of ball-table": times.first,
        "last contact of ball-table": times.last,
        "contact time of ball-table": times.total,
        "position of ball.z at 0.25 s": np.interp(0.25, time, body.position[:, 2]),
        "final kinetic energy": run.ledger["kinetic"][-1],
        "max elastic energy": run.ledger["elastic"].max(),
        "max elastic energy of ball-table": pair.elastic_energy.max(),
        "final contact damping loss": run.ledger["contact_damping"][-1],
        "steps": run.statistics.steps,
        "worst balance": run.ledger.worst_balance,
        "end time": time[-1],
        "final centre of mass of ball.z": body.centre_of_mass[-1, 2],
    }
    for text, value in expected.items():
        assert parse_result(text, text, system).value(run) == pytest.approx(value, rel=1e-14), text


def test_numbers_of_joints_and_reactions(crank: Any) -> None:
    _, run, system = crank
    joint = next(each for each in system.joints if each.kind == "revolute").name
    history = run.trajectory.joint(joint)
    assert parse_result("a", f"final coordinate of {joint}[0]", system).value(run) == history.coordinates[-1, 0]
    assert parse_result("a", f"max speed of {joint}", system).value(run) == history.speeds[:, 0].max()
    assert parse_result("a", f"final coordinate of {joint}[0]", system).unit == "rad"
    reaction = np.linalg.norm(run.trajectory.reaction(joint).force, axis=1)
    assert parse_result("a", f"max reaction force of {joint}", system).value(run) == reaction.max()
    assert parse_result("a", f"peak reaction force of {joint}", system).value(run) >= reaction.max()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("final positon of ball.z", 'did you mean "position"?'),
        ("final position of bal.z", "did you mean 'ball'?"),
        ("final position of ball.q", "no body 'ball.q'"),
        ("final position of ball[3]", "3 components"),
        ("final area of ball-table.x", "no components"),
        ("position of ball.z", "say how"),
        ("final position", "say of what"),
        ("peak force of ball-moon", "no pairing"),
        ("final steps", "is a number already"),
        ("steppes", 'did you mean "steps"'),
        ("__import__('os').system('true')", "there is no quantity"),
        ("position of ball.z at noon", "say how"),
        ("position of ball.z at 3 kg", "the time cannot be read"),
        ("", "it is empty"),
        ("kinetic energy", "say how"),
        ("max contact time of ball-table", "is a number already"),
    ],
)
def test_what_cannot_be_asked(ball: Any, text: str, told: str) -> None:
    with pytest.raises(pc.errors.StudyError) as error:
        parse_result("r", text, ball[2])
    assert told in str(error.value)


def test_a_force_element_is_asked_by_its_own_words() -> None:
    """ "force" is that of a contact: for a spring the right words are told, not that there is no such pairing."""
    system = pc.MultibodySystem("hanging")
    system.add_body("weight", mass=1.0, inertia=(0.1, 0.1, 0.1))
    system.add_force(pc.multibody.Bushing("mount", "world", "weight", (1e3, 1e3, 1e3, 5.0, 5.0, 5.0)))
    run = pc.simulate(system, end_time=0.01)
    description = describe(system.compile(), RunOptions(end_time=0.01))
    for text in ("max force of mount", "max force of mount.z"):
        with pytest.raises(pc.errors.StudyError, match=r"force element, no contact; write 'element force of mount'"):
            parse_result("r", text, description)
    found = parse_result("r", "max element force of mount[2]", description).value(run)
    assert found == run.trajectory.force("mount")[:, 2].max()


def test_the_list_has_every_word() -> None:
    words = [row[0] for row in listed_words()]
    assert len(set(words)) == len(words)
    assert "HOW position of BODY" in words
    assert "first contact of A-B" in words
