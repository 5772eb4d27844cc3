"""MJCF models on the command line and in scenario files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from mjcf_texts import ARM, written

import polycontact as pc
from polycontact.cli import main
from polycontact.scenario.parsing import parse_scenario

quietly = pytest.mark.filterwarnings("ignore::polycontact.errors.RobotWarning")

SCENARIO = """
[scenario]
name = "arm on the floor"
[simulation]
end_time = 0.01
[[robots]]
name = "arm"
file = "model.xml"
prefix = "my_"
position = [0, 0, 0.1]
coordinates = { yaw = 0.3, ball = [0.9, 0.1, 0, 0] }
controls = { push = "sin(t)", "hold yaw" = 0.1 }
geometry = "convex"
[[bodies]]
name = "brick"
shape = { kind = "box", size = 0.1, geometry = "convex" }
density = 1000
position = [3, 0, 1]
[[forces]]
kind = "spring_damper"
name = "string"
body_a = "brick"
body_b = "my_top"
stiffness = 10
[contact]
automatic = true
law = { kind = "spring_damper", stiffness = 1e4 }
"""


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(pc.ScenarioError) as caught:
        parse_scenario(text, folder).build()
    return list(caught.value.problems)


def test_check_lists_bodies_joints_and_what_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(written(tmp_path, ARM))]) == 0
    told = capsys.readouterr().out
    for word in ("arm: 5 bodies, 5 joints", "shoulder", "hold yaw", "left out: line 18: <geom> of the type plane"):
        assert word in told
    assert main(["check", str(tmp_path / "model.xml"), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["ok"]
    assert [joint["type"] for joint in record["joints"]] == ["hinge", "hinge", "slide", "ball", "free"]


def test_check_tells_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        '<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody><body><joint/>'
        '<geom type="mesh" mesh="m" mass="0"/></body></worldbody></mujoco>'
    )
    assert main(["check", str(written(tmp_path, text))]) == 1
    told = capsys.readouterr().out
    assert "problem: model.xml: line 1: mesh 'm': the file 'm.stl' was not found" in told
    assert "moves, has no mass and carries none" in told


@pytest.mark.parametrize("command", ["check", "view"])
def test_a_broken_model_has_status_2(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "<mujoco><worldbody><body><joint type='x'/></body></worldbody></mujoco>")
    assert main([command, str(path)]) == 2
    assert "type is 'x'; allowed" in capsys.readouterr().err


@quietly
def test_view_of_a_model(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["view", str(written(tmp_path, ARM)), "-o", str(page), "--no-open"]) == 0
    assert page.stat().st_size > 100_000


def test_run_says_what_to_do_with_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(written(tmp_path, ARM))]) == 2
    assert "this is a robot, no scenario" in capsys.readouterr().err


@quietly
def test_a_scenario_builds_a_model_as_python_does(tmp_path: Path) -> None:
    path = written(tmp_path, ARM)
    found = parse_scenario(SCENARIO, tmp_path).build()
    built = pc.MultibodySystem()
    built.add_body("brick", surface=pc.convex.Box((0.1, 0.1, 0.1)), density=1000.0, position=(3.0, 0.0, 1.0))
    model = pc.robots.add_mjcf(
        built,
        path,
        prefix="my_",
        position=(0.0, 0.0, 0.1),
        coordinates={"yaw": 0.3, "ball": [0.9, 0.1, 0.0, 0.0]},
        controls={"push": "sin(t)", "hold yaw": 0.1},
        geometry="convex",
    )
    built.add_force(pc.multibody.SpringDamper("string", "brick", (0, 0, 0), "my_top", (0, 0, 0), 10.0))
    built.find_contacts(exclude=model.kept_apart("my_"), law=pc.laws.SpringDamperLaw(stiffness=1e4))
    assert list(found.bodies) == list(built.bodies)
    assert list(found.contacts) == list(built.contacts)
    rates = []
    for system in (found, built):
        compiled = system.compile()
        y = compiled.start_state()
        out = np.zeros_like(y)
        compiled.rates(0.005, y, out)
        rates.append(out)
    assert np.array_equal(*rates)


@quietly
def test_files_of_a_scenario(tmp_path: Path) -> None:
    written(tmp_path, ARM.replace('<option gravity="0.3 -0.5 -9"/>', '<include file="gravity.xml"/>'))
    written(tmp_path, "<mujocoinclude><option/></mujocoinclude>", "gravity.xml")
    assert parse_scenario(SCENARIO, tmp_path).mesh_files == ("model.xml", "gravity.xml")


MISTAKES = {
    "fixed base": ('prefix = "my_"', "fixed_base = true", 'fixed_base: means nothing to "model.xml"'),
    "key": ('prefix = "my_"', 'key = "home"', 'there is no key frame "home"'),
    "actuator": ("push =", "pull =", 'there is no actuator "pull"'),
    "joint": ("yaw =", "yawn =", 'there is no moving joint "yawn"'),
    "count": ("ball = [0.9, 0.1, 0, 0]", "ball = 1", "a spherical joint has 4"),
    "file": ('"model.xml"', '"other.xml"', "other.xml"),
    "marker": ('"my_top"', '"my_bottom"', "my_bottom"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_a_scenario(tmp_path: Path, name: str) -> None:
    written(tmp_path, ARM)
    old, new, message = MISTAKES[name]
    assert old in SCENARIO
    assert any(message in each for each in problems(tmp_path, SCENARIO.replace(old, new)))


def test_keys_of_mjcf_mean_nothing_to_urdf(tmp_path: Path) -> None:
    (tmp_path / "model.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    told = problems(tmp_path, SCENARIO.replace("model.xml", "model.urdf"))
    assert any("controls: means nothing" in each for each in told)


@quietly
def test_armature_in_a_scenario(tmp_path: Path) -> None:
    written(tmp_path, ARM.replace('name="yaw"', 'name="yaw" armature="0.5"'))
    assert parse_scenario(SCENARIO, tmp_path).build().joints["my_yaw"].rotor_inertia == 0.5


@quietly
def test_check_tells_who_follows_whom(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    equality = '<equality><joint name="e" joint1="yaw" joint2="reach" polycoef="0 2"/></equality></mujoco>'
    path = written(tmp_path, ARM.replace("</mujoco>", equality))
    assert main(["check", str(path)]) == 0
    assert "follows: yaw = 2 · reach + 0" in capsys.readouterr().out
    assert main(["check", str(path), "--json"]) == 0
    (following,) = json.loads(capsys.readouterr().out)["followings"]
    assert (following["name"], following["joint"], following["leader"]) == ("e", "yaw", "reach")
