"""Mistakes within tables and between them are told together; what cannot be read is told once, by the schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from scenario_text import FULL

from polycontact.errors import ScenarioError
from polycontact.scenario import parsing
from polycontact.scenario.loading import parse_scenario
from polycontact.scenario.readable_tables import given, readable
from polycontact.scenario.schema.body_keys import Body
from polycontact.scenario.schema.scenario import ScenarioModel


def problems(*changes: tuple[str, str]) -> list[str]:
    """Problems of the full scenario with some places changed."""
    text = FULL
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    return list(caught.value.problems)


def test_a_table_with_a_wrong_key_is_still_compared_with_others() -> None:
    found = problems(
        ('child = "head"\ncoordinates', 'child = "hed"\nspeds = 1\ncoordinates'),
        ('joint_a = "pin"\njoint_b = "bearing"\nratio = -7', 'joint_a = "pn"\njoint_b = "bearing"\nratio = "x"'),
        ("mass = 2\n", 'mass = "2 s"\nmaterial = "rubbr"\n'),
    )
    assert [each.partition(";")[0] for each in found] == [
        'bodies[4] "rod": mass: "2 s" is a time',
        'bodies[4] "rod": material: there is no material "rubbr"',
        'joints[2] "neck": child: there is no body "hed"',
        'joints[2] "neck": speds: unknown key',
        'couplers[0] "gears": joint_a: there is no joint "pn"',
        'couplers[0] "gears": ratio: "x"',
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("mass = 3\n", "mass = -3\n", 'bodies[5] "head": mass: -3; allowed'),
        ('kind = "torus", major_radius', 'kind = "tours", major_radius', 'bodies[5] "head": shape.kind: "tours"'),
        ('kind = "universal"', 'kind = "univrsal"', 'joints[1] "pin": kind: "univrsal"'),
        ('joint = "pin"\nlower = -1', "joint = 5\nlower = -1", 'forces[2] "stop": joint: 5'),
        ('exclude = [["head", "ground"]]', 'exclude = [["head", 1]]', "contact.exclude[0][1]: 1"),
        ("[materials.steel]", "[materials]\nsteel = 7\n[materials.gum]", "materials.steel: 7; allowed is a table"),
        ('bodies = ["hammer", "ground"]', "bodies = []", "contact.pairs[1].bodies: 0 values"),
        ("law = { stiffness = 2e6, damping = 10 }", 'law = { kind = "lyer" }', '"ground": law.kind: "lyer"'),
    ],
)
def test_what_cannot_be_read_is_told_once(old: str, new: str, told: str) -> None:
    """No mistake follows from it: names that it has are known, and what it may say is not missed."""
    found = problems((old, new))
    assert len(found) == 1, found
    assert told in found[0]


def test_what_is_no_table_is_told_beside_other_mistakes() -> None:
    found = problems(
        ("[[loops]]", "[scenario.loops]"),
        ('body = "ball"\nforce', 'body = "bal"\nforce'),
    )
    assert len(found) == 2
    assert found[0].startswith("scenario.loops: unknown key; loops belongs to the top level")
    assert found[1].startswith('forces[5] "push": body: there is no body "bal"')


def test_keys_that_do_not_fit_are_none() -> None:
    raw = {"name": "ball", "mass": "heavy", "density": 2, "colour": "red", "shape": {"kind": "bal", "material": "tin"}}
    body = readable(Body, raw)
    assert (body.name, body.mass, body.density, body.colour) == ("ball", None, 2.0, None)
    assert given(body, "mass")
    assert not given(body, "inertia")
    assert body.position == (0.0, 0.0, 0.0)
    assert body.shape is not None
    assert body.shape.material == "tin"  # all kinds of shapes have it
    assert not hasattr(body.shape, "radius")


@pytest.mark.parametrize("value", [None, 0, "x", [], [1, {}], {"name": 1}, {"a": [[{}]]}])
def test_anything_can_be_read(value: Any) -> None:
    model = readable(ScenarioModel, dict.fromkeys(ScenarioModel.model_fields, value))
    for key in ("bodies", "joints", "forces"):
        array = getattr(model, key)
        assert array is None or len(array) == len(value)


def test_each_pass_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Counter[str]()

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def count(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return function(*args, **options)

        return count

    passes = [name for name in vars(parsing) if name.startswith(("with_", "check_")) and name != "check_content"]
    for name in passes:
        monkeypatch.setattr(parsing, name, counted(name, getattr(parsing, name)))
    monkeypatch.setattr(ScenarioModel, "model_validate", counted("model_validate", ScenarioModel.model_validate))
    parse_scenario(FULL)
    assert len(passes) > 8
    assert calls == Counter(dict.fromkeys([*passes, "model_validate"], 1))
