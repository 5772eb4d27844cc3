"""The commands equilibrium and linearise: JSON, tables, files, pages and exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polycontact.cli import main

HANGING = """
[scenario]
name = "hanging"

[simulation]
end_time = 1.0

[[bodies]]
name = "weight"
shape = { kind = "box", size = 0.1 }
mass = 2.0

[[joints]]
name = "guide"
kind = "prismatic"
child = "weight"

[[forces]]
kind = "joint_spring"
name = "spring"
joint = "guide"
stiffness = 800.0
"""


@pytest.fixture
def hanging(tmp_path: Path) -> str:
    path = tmp_path / "hanging.toml"
    path.write_text(HANGING, encoding="utf-8")
    return str(path)


def test_equilibrium_prints_and_writes(hanging: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "rest.json"
    assert main(["equilibrium", hanging, "-o", str(target)]) == 0
    assert "hanging rests" in capsys.readouterr().out
    written = json.loads(target.read_text(encoding="utf-8"))
    assert written["state"]["guide.displacement"] == pytest.approx(-2.0 * 9.81 / 800.0, rel=1e-8)
    assert main(["equilibrium", hanging, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stable"] is True
    assert main(["equilibrium", hanging, "--friction", "some"]) == 2
    assert "friction is 'some'" in capsys.readouterr().err


def test_no_equilibrium_ends_with_status_1(hanging: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equilibrium", hanging, "--set", "forces.spring.stiffness=0", "--json"]) == 1
    assert "guide.displacement" in json.loads(capsys.readouterr().out)["error"]


def test_linearise_prints_and_writes_a_page(hanging: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "modes.html"
    assert main(["linearise", hanging, "-o", str(page)]) == 0
    assert "guide.displacement" in capsys.readouterr().out
    assert "hanging: modes" in page.read_text(encoding="utf-8")
    words = ["linearise", hanging, "--inputs", "weight.fz", "--outputs", "weight.z", "--json"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["modes"][0]["frequency"] == pytest.approx(3.1831, rel=1e-4)
    assert main(["linearise", hanging, "--inputs", "crank.fz"]) == 2
    assert "input 'crank.fz' is not known" in capsys.readouterr().err
