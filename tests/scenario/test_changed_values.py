"""Scenarios with other values: keys by name and index, units, mistakes, and a source that says what was run."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.scenario.builtin import list_scenarios
from polycontact.scenario.changed_values import locations, value_at
from polycontact.scenario.key_paths import setting_of
from polycontact.scenario.parsing import parse_scenario
from polycontact.scenario.toml_text import toml_text


@pytest.fixture(scope="module")
def bubbles() -> Any:
    return pc.load_scenario("bubbles")


@pytest.mark.parametrize("key", ['bodies."bubble 1".mass', "bodies.bubble 1.mass", "bodies[0].mass", "bodies.0.mass"])
def test_an_entry_goes_by_name_or_index(bubbles: Any, key: str) -> None:
    changed = bubbles.with_values({key: 3.5})
    assert [body.mass for body in changed.model.bodies] == [3.5, 2.0, 2.0, None]
    assert bubbles.model.bodies[0].mass == 2.0


def test_many_kinds_of_keys_and_values(bubbles: Any) -> None:
    changed = bubbles.with_values(
        {
            "simulation.rtol": np.float64(1e-6),
            "bodies[1].position[2]": "1200 mm",
            "bodies[1].velocity[0]": 0.25,  # left out in the file: the rest of the default stays
            "materials.skin.youngs_modulus": "6 kPa",
            "contact.pairs.bubble 1-container.damping": 600,
            "contact.friction.coefficient": 0.3,
            "gravity": np.array([0.0, 0.0, -1.62]),
        }
    ).model
    assert changed.simulation.rtol == 1e-6
    assert changed.bodies[1].position == (-0.3, 0.2, 1.2)
    assert changed.bodies[1].velocity == (0.25, 0.0, 0.0)
    assert changed.materials["skin"].youngs_modulus == 6000.0
    assert [pair.damping for pair in changed.contact.pairs] == [1000.0, 1000.0, 1000.0, 600, 500.0, 500.0]
    assert changed.contact.friction.coefficient == 0.3
    assert changed.gravity == (0.0, 0.0, -1.62)


def test_a_star_means_all_entries(bubbles: Any) -> None:
    changed = bubbles.with_values({"contact.pairs.*.damping": 7.0, "materials.*.density": 900.0})
    assert {pair.damping for pair in changed.model.contact.pairs} == {7.0}
    assert {each.density for each in changed.model.materials.values()} == {900.0}
    assert locations(bubbles, "contact.pairs[*].damping")[5] == ("contact", "pairs", 5, "damping")


def test_the_source_is_what_was_changed(bubbles: Any) -> None:
    changed = bubbles.with_values({"bodies.bubble 2.mass": 0.1 + 0.2})
    again = parse_scenario(changed.source, changed.folder)
    assert again.model == changed.model
    assert value_at(again, "bodies.bubble 2.mass") == 0.1 + 0.2
    assert changed.with_values({"bodies.bubble 2.mass": 2.0}).model == bubbles.model


@pytest.mark.parametrize("name", [name for name, _ in list_scenarios()])
def test_every_scenario_is_written_as_it_is_read(name: str) -> None:
    content = tomllib.loads(pc.load_scenario(name).source)
    assert tomllib.loads(toml_text(content)) == content


def test_odd_texts_and_numbers_survive_writing() -> None:
    content = {
        "text": 'a "quoted" \\ \n\t\x7f\u00e9 line',
        "big": 10**17,
        "numbers": [1e300, -0.0, 1e-7, 1e16, 5.0, float("inf")],
        "empty": [],
        "mixed": [[1, 2.5], ["x", True]],
        "table with spaces": {"a.b": 1, "deep": {"deeper": {"deepest": {}}}},
        "entries": [{"name": "x", "inner": [{"y": 1}]}, {}],
    }
    again = tomllib.loads(toml_text(content))
    assert again == content
    assert str(again["numbers"]) == str(content["numbers"])


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("simulation.rtoll", 1e-3, 'simulation.rtoll: unknown key; did you mean "rtol"?'),
        ("bodies[0].velocty[0]", 1.0, 'bodies[0] "bubble 1": velocty: unknown key; did you mean "velocity"?'),
        ("simulaton.rtol", 1e-3, 'did you mean "simulation"?'),
        ("bodies.buble 1.mass", 1.0, 'bodies: there is no "buble 1"; did you mean "bubble 1"?'),
        ("bodies[4].mass", 1.0, "bodies: there is no entry [4]; the last is [3]"),
        ("materials.skinn.thickness", 1.0, 'materials: there is no "skinn"; did you mean "skin"?'),
        ("joints.hinge.speeds[0]", 1.0, 'joints: there is no "hinge"; known: none'),
        ("bodies[0].position[3]", 1.0, "there is no entry [3]; the last is [2]"),
        ("bodies[0].mass", -1.0, 'bodies[0] "bubble 1": mass: -1.0; allowed is a number greater than 0'),
        ("bodies[0].mass", "1 mm", "mm"),
        ("bodies[0].mass", float("nan"), "allowed is a finite number"),
        ("bodies[0].mass.value", 1.0, "is no table"),
        ("scenario[0]", 1.0, "is a table"),
        ("bodies..mass", 1.0, "cannot be read as a key"),
        ("bodies[0]mass", 1.0, "cannot be read as a key"),
        ("", 1.0, "cannot be read as a key"),
        ("simulation.integrator", "eulr", "integrator"),
        ("bodies[0].mass", object(), "mass"),
    ],
)
def test_mistakes_are_told(bubbles: Any, key: str, value: Any, told: str) -> None:
    with pytest.raises(pc.ScenarioError) as error:
        bubbles.with_values({key: value})
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a.b=1e9", 1e9),
        ("a.b = 12 mm", "12 mm"),
        ("a.b=[1, 2]", [1, 2]),
        ("a.b=true", True),
        ('a.b="x=y"', "x=y"),
        ("a.b=1\nc=2", "1\nc=2"),
    ],
)
def test_settings_of_the_command_line(text: str, value: Any) -> None:
    assert setting_of(text) == ("a.b", value)


@pytest.mark.parametrize("text", ["a.b", "=1", "a.b=", ""])
def test_a_text_without_key_or_value_is_no_setting(text: str) -> None:
    with pytest.raises(pc.ScenarioError, match="is no setting"):
        setting_of(text)
