"""Materials of scenario files that remember: what keys make, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

import polycontact as pc

TEXT = """
[scenario]
name = "pads"

[simulation]
end_time = 0.01

[materials.steel]
rigid = true

[materials.pad]
youngs_modulus = 1e6
poissons_ratio = 0.3
thickness = "10 mm"
{keys}

[[bodies]]
name = "block"
shape = {{ kind = "box", size = [0.1, 0.1, 0.1] }}
material = "pad"
mass = 1.0

[[bodies]]
name = "floor"
shape = {{ kind = "plane", size = 1.0 }}
material = "steel"
fixed = true

[[contact.pairs]]
bodies = ["block", "floor"]
"""


def loaded(tmp_path: Path, keys: str) -> pc.Scenario:
    path = tmp_path / "pads.toml"
    path.write_text(TEXT.format(keys=keys), encoding="utf-8")
    return pc.load_scenario(path)


def test_keys_make_a_layer_that_remembers(tmp_path: Path) -> None:
    keys = 'prony = [[0.5, 0.02], [0.2, 1.0]]\nyield_pressure = "50 kPa"\nhardening = 1e7\nhealing_time = "2 min"'
    system = loaded(tmp_path, keys).build()
    layer = pc.RheologicalLayer(
        1e6, 0.3, 0.01, prony=((0.5, 0.02), (0.2, 1.0)), yield_pressure=5e4, hardening=1e7, healing_time=120.0
    )
    assert system.bodies["block"].shapes[0].layer == layer
    assert system.compile().contacts[0].description.layers == (layer, pc.ElasticLayer.rigid())


def test_without_these_keys_the_layer_is_elastic(tmp_path: Path) -> None:
    assert loaded(tmp_path, "").build().bodies["block"].shapes[0].layer == pc.ElasticLayer(1e6, 0.3, 0.01)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("prony = [[0.5, 0.0]]", "prony"),
        ("prony = [[-0.5, 0.1]]", "prony"),
        ("prony = [[0.7, 0.1], [0.7, 0.2]]", "add up to 1.4"),
        ("prony = [0.5, 0.1]", "prony"),
        ("yield_pressure = -1.0", "yield_pressure"),
        ("hardening = 1e6", "without a yield pressure there is no dent"),
        ("damping_time = -0.1", "damping_time"),
        ("damping_time = 0.1\nyield_pressure = 1e5", "give a Prony term instead"),
        ("healing_time = 0.0", "healing_time"),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, keys: str, told: str) -> None:
    with pytest.raises(pc.ScenarioError) as raised:
        loaded(tmp_path, keys)
    assert told in str(raised.value)


def test_a_layer_that_is_none_remembers_nothing(tmp_path: Path) -> None:
    text = TEXT.format(keys="").replace("rigid = true", "rigid = true\ndamping_time = 0.1")
    (tmp_path / "pads.toml").write_text(text, encoding="utf-8")
    with pytest.raises(pc.ScenarioError, match="damping_time says what a layer remembers, but there is none"):
        pc.load_scenario(tmp_path / "pads.toml")
