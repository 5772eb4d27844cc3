"""Scenario files from disk: bad and hostile ones are refused promptly and clearly, whatever they hold."""

from __future__ import annotations

import copy
import json
import os
import random
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scenario_text import FULL

from polycontact.errors import ScenarioError
from polycontact.scenario import loading
from polycontact.scenario.loading import Scenario, load_scenario, parse_scenario
from polycontact.surfaces import shapes
from polycontact.surfaces.save import save_surface
from scenes import Tally, examples

MESH = """
[scenario]
name = "mesh"
[simulation]
end_time = 1
[[bodies]]
name = "part"
density = 1000
shape = { kind = "mesh", file = "FILE", unit = "mm" }
"""

LITERALS = (
    "nan",
    "-inf",
    "1e400",
    "-1",
    "0",
    "2",
    "0.5",
    "1e-320",
    "9" * 40,
    "9" * 5000,
    '""',
    '"ball"',
    '"world"',
    '"\\u0000"',
    "true",
    "[]",
    "[1]",
    "[0, 0, 0]",
    "[nan, 1, 2]",
    "[[1]]",
    "[{}]",
    "{}",
    '{ kind = "box" }',
    '{ kind = ["box"] }',
    '{ name = "x" }',
    "1979-05-27",
    '["ball", "ball"]',
    "1e30",
    "-1e30",
    "'''\n'''",
    "0x",
    "[",
)


def refusal(path: Path | str) -> str:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    return str(caught.value)


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "everything.toml"
    path.write_text(FULL, encoding="utf-8-sig", newline="\r\n")
    scenario = load_scenario(path)
    assert isinstance(scenario, Scenario)
    assert scenario.folder == tmp_path
    assert scenario.file == "everything.toml"
    assert load_scenario(str(path)) == scenario


def test_errors_of_the_file_itself(tmp_path: Path) -> None:
    assert "there is no such file in" in refusal(tmp_path / "missing.toml")
    assert "there is no such file in" in refusal(str(tmp_path / "missing"))
    assert "is a folder" in refusal(tmp_path)
    (tmp_path / "empty.toml").write_text("  \n")
    assert (
        "empty.toml: 1 problem\n  1. the file is empty; for an example see 'polycontact template bubbles'"
        in refusal(tmp_path / "empty.toml")
    )
    (tmp_path / "latin.toml").write_bytes("[scenario]\nname = 'Körper'".encode("latin-1"))
    assert "byte 0xf6 in line 2 is not UTF-8" in refusal(tmp_path / "latin.toml")
    (tmp_path / "huge.toml").write_bytes(b"#" * (16 * 1024**2 + 1))
    assert "allowed are 16777216" in refusal(tmp_path / "huge.toml")
    assert "is not a valid path" in refusal("a\0b.toml")


def test_toml_errors_tell_line_and_column() -> None:
    with pytest.raises(ScenarioError, match=r"line 2, column 8: not valid TOML: .*: \"name = oops\""):
        parse_scenario("[scenario]\nname = oops\n")


def test_name_that_nothing_has() -> None:
    assert 'did you mean "bubbles"?' in refusal("bubble")
    assert 'built in are "bubbles"' in refusal("xyz")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_fifo_and_device_are_refused_promptly(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe.toml"
    os.mkfifo(fifo)
    start = time.process_time()
    assert "is a FIFO, socket or device" in refusal(fifo)
    assert "is a FIFO, socket or device" in refusal(Path("/dev/zero"))
    for file in ("pipe.toml", "/dev/zero", "../" * 40 + "dev/zero", "."):
        with pytest.raises(ScenarioError, match="is a folder or a device, not a mesh file"):
            parse_scenario(MESH.replace("FILE", file), tmp_path)
    assert time.process_time() - start < 2.0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_mesh_that_becomes_a_fifo_is_refused_promptly(tmp_path: Path) -> None:
    mesh = tmp_path / "part.obj"
    save_surface(shapes.box(1.0), mesh)
    scenario = parse_scenario(MESH.replace("FILE", "part.obj"), tmp_path)
    mesh.unlink()
    os.mkfifo(mesh)
    with pytest.raises(ScenarioError, match="is a FIFO, socket or device"):
        scenario.build()


def test_mesh_is_relative_to_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    save_surface(shapes.box(100.0), tmp_path / "meshes" / "part.obj")
    path = tmp_path / "part.toml"
    path.write_text(MESH.replace("FILE", "meshes/part.obj"))
    body = load_scenario(path).build().bodies["part"]
    assert body.mass == pytest.approx(1000.0 * 0.1**3)
    path.write_text(MESH.replace("FILE", "part.obj"))
    assert 'bodies[0] "part": shape.file: "part.obj": there is no such file' in refusal(path)


def test_meshes_that_cannot_be_used_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "bad.obj").write_text("v 0 0 0\nf 1 2 3\n")
    torus = 'shape = { kind = "torus", major_radius = 1, minor_radius = 2 }'
    text = MESH.replace("FILE", "bad.obj") + f'[[bodies]]\nname = "ring"\ndensity = 1\n{torus}\n'
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text, tmp_path).build()
    first, second = caught.value.problems
    assert first.startswith('bodies[0] "part": bad.obj: ')
    assert second.startswith('bodies[1] "ring": torus: minor_radius = 2 m')


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 100_000,
        "a = " + "[" * 200 + "]" * 200,
        "a = " + "{ b = " * 5_000,
        ".".join("a" * 1_000_000) + " = 1",
        ".".join(['"a"'] * 10_000) + " = 1",
        ".".join(['""'] * 1_000_000) + " = 1",
        ".".join("a" * 60) + " = 1",
        "[" + ".".join("a" * 100_000) + "]",
        "a = " + "9" * 100_000,
        "\n".join(f"k{i} = 1" for i in range(210_000)),
        FULL.replace("times = [0, 1, 2]", f"times = [{'0,' * 1_000_000}]"),
        FULL.replace("times = [0, 1, 2]", f"times = [{'nan,' * 200_000}]"),
        FULL.replace("times = [0, 1, 2]", f"times = [{'[],' * 100_000}]"),
        FULL.replace("gravity = [0, 0, -9.81]", f"gravity = [{'0,' * 200_000}]"),
        FULL + "[[joints]]\n" * 40_000,
        FULL + "[[joints]]\nname = 'a'\nparent = 'b'\nchild = 'c'\n" * 9_000,
        FULL + "".join(f"[[contact.pairs]]\nbodies = ['x{i}', 'y{i}']\n" for i in range(9_000)),
        "a" * 4_000_000,
        "'" * 1_000_000,
        "",
        "\x00",
    ],
    ids=range(21),
)
def test_hostile_text_is_refused_promptly(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text)
    assert len(str(caught.value)) < 30_000
    assert time.process_time() - start < 20.0


def test_nothing_is_run_from_a_file(tmp_path: Path) -> None:
    """Only what the schema knows is looked at: names of functions or modules mean nothing."""
    for kind in ("__class__", "Surface", "revolve.__globals__", "load_surface"):
        with pytest.raises(ScenarioError, match="allowed is one of"):
            parse_scenario(FULL.replace('kind = "sphere"', f'kind = "{kind}"'), tmp_path)


def test_changed_scenarios_load_or_are_refused() -> None:
    """Values replaced, lines dropped, doubled and moved: a scenario is built, or a ScenarioError says why not."""
    loaded = Tally()

    @settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        lines = FULL.splitlines()
        for _ in range(data.draw(st.integers(1, 3))):
            i = data.draw(st.integers(0, len(lines) - 1))
            change = data.draw(st.sampled_from(["value", "inner", "drop", "double", "move", "key"]))
            key, equals, value = lines[i].partition(" = ")
            if change == "value" and equals:
                lines[i] = f"{key} = {data.draw(st.sampled_from(LITERALS))}"
            elif change == "inner" and equals:
                parts = value.replace("[", "[,").split(",")
                parts[data.draw(st.integers(0, len(parts) - 1))] = data.draw(st.sampled_from(LITERALS))
                lines[i] = f"{key} = {','.join(parts).replace('[,', '[')}"
            elif change == "key":
                lines[i] = (
                    data.draw(st.sampled_from(["x", "kind", "name", "fixed", "[x]", "[[bodies]]"])) + equals + value
                )
            elif change == "drop":
                del lines[i]
            else:
                lines.insert(data.draw(st.integers(0, len(lines))) if change == "move" else i, lines[i])
        loaded.note(is_built_or_refused("\n".join(lines)))

    check()
    loaded.assert_share(0.03)


VALUES = (
    0,
    1,
    2,
    -1,
    0.5,
    1e30,
    -1e30,
    1e-30,
    1e-320,
    10**40,
    float("nan"),
    float("inf"),
    True,
    False,
    "",
    "ball",
    "world",
    "rod",
    "pin",
    "neck",
    "x" * 200,
    "a\nb",
    "\0",
    "sphere",
    "revolute",
    "free",
    "none",
    [],
    [0],
    [0, 0, 0],
    [1e30] * 3,
    [[0, 1], [1, 1], [1, 0]],
    [1, 0, 0, 0],
    ["ball", "hammer"],
    [["ball", "rod"]],
    {},
    {"kind": "box"},
    [{}],
    {"kind": "container"},
    {"kind": ["x"]},
    {"name": "ball"},
    {"kind": "spline", "times": [0, 1], "values": [0, 1]},
    {"kind": "revolve", "profile": [[0, 0], [1, 1], [2, 0]]},
    {"quaternion": [1e-10, 0, 0, 0]},
)


def as_toml(value: object) -> str:
    """A value in one line of TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_toml(key)} = {as_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def test_changed_content_loads_or_is_refused() -> None:
    """Any value replaced by any other, left out or put somewhere else."""
    loaded = Tally()

    @settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        content = tomllib.loads(FULL)
        for _ in range(data.draw(st.integers(1, 3))):
            node: Any = content
            while True:
                key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
                inner = node[key]
                if not inner or not isinstance(inner, dict | list) or data.draw(st.integers(0, 3)) == 0:
                    break
                node = inner
            change = data.draw(st.sampled_from(["value", "value", "drop", "rename"]))
            if change == "value":
                node[key] = copy.deepcopy(data.draw(st.sampled_from(VALUES)))
            elif change == "drop" and len(content) > 1:
                del node[key]
            elif isinstance(node, dict):
                node[data.draw(st.sampled_from(["kind", "shape", "motions", "holes", "density", "fixed", "x"]))] = inner
        loaded.note(is_built_or_refused("\n".join(f"{key} = {as_toml(value)}" for key, value in content.items())))

    check()
    loaded.assert_share(0.03)


def test_garbled_scenarios_load_or_are_refused() -> None:
    """Characters replaced anywhere."""
    loaded = Tally()

    @settings(max_examples=examples(200), deadline=None)
    @given(seed=st.integers(0, 2**32), n=st.integers(1, 12))
    def check(seed: int, n: int) -> None:
        rng = random.Random(seed)
        text = list(FULL)
        digits = [i for i, each in enumerate(FULL) if each.isdigit()]
        for _ in range(n):
            if rng.random() < 0.7:  # another number, often
                text[rng.choice(digits)] = rng.choice("0123456789")
            else:
                text[rng.randrange(len(text))] = rng.choice("[]{}=\"'\\#\n.,-+e019aä\x00\x7f")
        loaded.note(is_built_or_refused("".join(text)))

    check()
    loaded.assert_share(0.05)


def is_built_or_refused(text: str) -> bool:
    """Whether a scenario can be built; if not, its problems are told, each in one line."""
    problems = None
    try:
        parse_scenario(text).build()
    except ScenarioError as error:
        problems = error.problems
    if problems is None:
        return True
    assert problems
    assert all(problem and "\n" not in problem for problem in problems), problems
    return False


def test_public_names() -> None:
    assert loading.__all__ == ["Scenario", "load_scenario", "parse_scenario"]


def test_markers_name_frames_on_bodies() -> None:
    text = """
[scenario]
name = "hung"
[simulation]
end_time = 1.0
[[bodies]]
name = "bob"
mass = 1.0
inertia = [0.01, 0.01, 0.01]
position = [0.0, 0.0, -1.0]
[[markers]]
name = "hook"
body = "world"
position = [0.0, 0.0, 0.5]
[[markers]]
name = "eye"
body = "bob"
position = [0.0, 0.0, 0.1]
[[forces]]
kind = "spring_damper"
name = "rope"
body_a = "hook"
body_b = "eye"
stiffness = 100.0
length = 1.4
"""
    system = parse_scenario(text).build()
    rates = np.zeros(system.compile().n_states)
    system.compile().rates(0.0, system.compile().start_state(), rates)
    # The hook stands 1.4 m above the eye: no stretch, so that the bob falls freely.
    assert rates[9] == pytest.approx(-9.81, abs=1e-12)
    with pytest.raises(ScenarioError, match=r'markers\[1\] "eye": body: .*did you mean "bob"'):
        parse_scenario(text.replace('body = "bob"', 'body = "bub"'))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[bodies]]\nmass = 1.0\n" * 100_000, "bodies: has 100000 entries; allowed are at most 10000"),
        ("".join(f"a{i} = 1\n" for i in range(200_001)), "has more than 200000 keys; divide the scenario"),
    ],
)
def test_far_too_many_entries_are_refused_before_the_text_is_parsed(
    monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    """The reader of TOML needs 0.7 s a megabyte."""
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("it was parsed"))
    with pytest.raises(ScenarioError, match=said):
        parse_scenario(text)


def test_tables_inside_tables_are_not_counted_together() -> None:
    """Each body may have its shapes; what stands in comments and texts is no table."""
    shapes_of_bodies = "".join(
        f'[[bodies]]\nname = "b{i}"\nfixed = true\n' + '[[bodies.shapes]]\nkind = "box"\nsize = 1\n' * 12
        for i in range(1000)
    )
    with pytest.raises(ScenarioError) as caught:
        parse_scenario("# [[bodies]]\n" * 10_001 + shapes_of_bodies)  # without its first tables
    assert "allowed are at most" not in str(caught.value)
