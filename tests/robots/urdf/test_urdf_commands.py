"""`polycontact check` and `polycontact view` of robots: what they say, and their status."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from urdf_texts import ARM, written

import polycontact as pc
from polycontact.cli import main
from polycontact.report.view.system_scene import system_scene


def test_check_of_a_robot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = ARM.replace("</robot>", '<transmission name="t"/></robot>')
    assert main(["check", str(written(tmp_path, text))]) == 0
    out = capsys.readouterr().out
    assert "robot.urdf: ok" in out
    assert "arm: 8 links, 7 joints, 11.8 kg" in out
    assert "base (root)" in out
    assert f"left out: line {ARM.count(chr(10))}: <transmission 't'>" in out


def test_check_of_a_robot_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(written(tmp_path, ARM)), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["ok"] is True
    assert [joint["upper"] for joint in record["joints"]] == [None, 2.0, 0.3, None, 3.0, None, None]


def test_check_tells_who_follows_whom(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, tail = ARM.split('<joint name="reach"', 1)
    end = tail.index("</joint>")
    mimic = '<mimic joint="shoulder" multiplier="-0.5" offset="0.1"/>'
    path = written(tmp_path, f'{head}<joint name="reach"{tail[:end]}{mimic}{tail[end:]}')
    assert main(["check", str(path)]) == 0
    assert "follows: reach = -0.5 · shoulder + 0.1" in capsys.readouterr().out
    assert main(["check", str(path), "--json"]) == 0
    (following,) = json.loads(capsys.readouterr().out)["followings"]
    assert (following["joint"], following["leader"], following["multiplier"]) == ("reach", "shoulder", -0.5)


def test_check_lists_every_missing_mesh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box = '<box size="0.2 0.2 0.1"/>'
    text = ARM.replace(box, '<mesh filename="a.stl"/>').replace('<sphere radius="0.07"/>', '<mesh filename="b.stl"/>')
    path = written(tmp_path, text)
    assert main(["check", str(path), "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)["problems"]
    assert "mesh 'a.stl' was not found" in first
    assert "mesh 'b.stl' was not found" in second


@pytest.mark.parametrize("command", ["check", "view"])
def test_a_broken_robot_has_status_2(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "<robot/>")
    assert main([command, str(path), *(["--no-open"] if command == "view" else [])]) == 2
    assert "robot.urdf: line 1: the robot has no links" in capsys.readouterr().err


def test_view_of_a_robot(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert main(["view", str(written(tmp_path, ARM)), "-o", str(page), "--no-open"]) == 0
    assert page.stat().st_size > 10_000


def test_a_system_is_shown_as_it_starts(tmp_path: Path) -> None:
    """Poses by hand: the column stands on the base, turned by its joint's frame and its coordinate."""
    system = pc.load_urdf(written(tmp_path, ARM), position=(0.0, 0.0, 1.0), coordinates={"turn": 0.2})
    scene = system_scene(system)
    names = [body.name for body in scene.bodies]
    column = names.index("column")
    np.testing.assert_allclose(scene.positions[0, column], (0.0, 0.0, 1.05), atol=1e-15)
    np.testing.assert_allclose(scene.quaternions[0, column], (np.cos(0.3), 0.0, 0.0, np.sin(0.3)), atol=1e-15)
    assert [names[part.body] for part in scene.parts] == ["base", "column", "upper"]
    assert scene.parts[1].colour == "#ff8000"
    with pytest.raises(pc.MultibodyError, match="no body has a shape"):
        system_scene(pc.MultibodySystem("bare"))
