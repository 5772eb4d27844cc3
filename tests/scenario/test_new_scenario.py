"""First scenarios from meshes and assemblies: masses, pairs, joints, questions, and what is refused."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

import polycontact as pc
from polycontact.cli import main
from polycontact.scenario.drafting.drafted_parts import DraftedPart
from polycontact.scenario.drafting.guessed_joints import NearPair, near_pairs
from polycontact.scenario.parsing import parse_scenario

Captured = pytest.CaptureFixture[str]


def moved(surface: pc.Surface, by: ArrayLike, scale: float = 1.0) -> pc.Surface:
    return surface.with_vertices((surface.vertices + np.array(by)) * scale)


@pytest.fixture
def jig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plate with a hole, a pin in it, and a block that lies on the plate, in mm."""
    monkeypatch.chdir(tmp_path)
    plate = pc.shapes.plate_with_hole(size=0.1, thickness=0.02, hole_radius=0.0101)
    block = moved(pc.shapes.box(0.02), (0.035, 0.0, 0.0201), 1e3)
    pc.save_surface(moved(plate, (0.0, 0.0, 0.0), 1e3), "plate.stl")
    pc.save_surface(moved(pc.shapes.cylinder(0.01, 0.04), (0.0, 0.0, 0.0), 1e3), "pin.stl")
    pc.save_surface(block, "block.stl")
    return tmp_path


FILES = ["plate.stl", "pin.stl", "block.stl"]


def test_a_jig_in_millimetres(jig: Path) -> None:
    text = pc.new_scenario(FILES, unit="mm", material="steel", name="jig")
    scenario = parse_scenario(text)
    plate, pin, block = scenario.model.bodies
    assert (plate.fixed, pin.fixed, block.fixed) == (True, False, False)
    assert "fixed = true  # a guess: the largest part" in text
    system = scenario.build()
    assert system.bodies["block"].mass == pytest.approx(7850.0 * 0.02**3, rel=1e-6)
    assert scenario.model.contact is not None
    assert [each.bodies for each in scenario.model.contact.pairs] == [("plate", "pin"), ("plate", "block")]
    run = pc.simulate(system, **(scenario.settings | {"end_time": 0.02}))
    assert run.trajectory.body("block").position[-1, 2] > -1e-3  # it lies on the plate

    joint = "\n".join(line[2:] for line in text.partition("# [[joints]]")[2].splitlines())
    jointed = parse_scenario(f"{text}\n[[joints]]{joint}")
    assert jointed.model.joints[0].kind == "revolute"
    assert (jointed.model.joints[0].parent, jointed.model.joints[0].child) == ("plate", "pin")
    assert jointed.model.joints[0].axis == (0.0, 0.0, 1.0)
    assert jointed.model.joints[0].at == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_paths_are_relative_to_the_folder_of_the_scenario(jig: Path) -> None:
    (jig / "models").mkdir()
    text = pc.new_scenario(FILES, unit="mm", density=1000.0, fixed=["pin", "plate"], folder="models")
    assert 'file = "../plate.stl"' in text
    assert text.count("fixed = true  # as asked for") == 2
    assert [each.bodies for each in parse_scenario(text, "models").model.contact.pairs] == [("plate", "block")]  # type: ignore[union-attr]


def part(name: str, surface: pc.Surface) -> DraftedPart:
    return DraftedPart(name, surface, np.eye(3), np.zeros(3), "", "", 1.0)


@pytest.mark.slow
def test_joints_are_guessed_where_they_are_clear() -> None:
    shapes = pc.shapes
    turn = np.array([[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [-0.8, 0.6, 0.0]])  # z to x
    pin, hole = shapes.cylinder(0.01, 0.04), shapes.plate_with_hole(size=0.1, thickness=0.02, hole_radius=0.0101)
    there = np.array([0.2, -0.1, 0.3])
    turned = [each.with_vertices(each.vertices @ turn.T + there) for each in (pin, hole)]
    found = near_pairs([part("pin", turned[0]), part("hole", turned[1])], None)[0]
    assert found.kind == "revolute"
    np.testing.assert_allclose(np.abs(turn.T @ found.axis), (0.0, 0.0, 1.0), atol=1e-6)
    np.testing.assert_allclose(np.cross(turn[:, 2], np.array(found.centre) - there), 0.0, atol=1e-5)
    assert found.radius == pytest.approx(0.01, rel=0.01)

    ball, seat = shapes.sphere(0.01), shapes.spherical_cup(0.0101, opening=1.2)
    found = near_pairs([part("ball", moved(ball, there)), part("seat", moved(seat, there))], None)[0]
    assert found.kind == "spherical"
    np.testing.assert_allclose(found.centre, there, atol=1e-5)

    floor = part("floor", moved(shapes.box((0.4, 0.4, 0.1)), (0.0, 0.0, -0.05)))
    for lying in (shapes.box(0.02), shapes.sphere(0.01), shapes.cylinder(0.01, 0.02)):
        height = lying.bounds[1][2]
        pairs: list[NearPair] = near_pairs([floor, part("it", moved(lying, (0.0, 0.0, height)))], None)
        assert [each.kind for each in pairs] == [""]
    assert near_pairs([floor, part("high", moved(ball, (0.0, 0.0, 0.1)))], None) == []
    assert len(near_pairs([floor, part("high", moved(ball, (0.0, 0.0, 0.1)))], 0.1)) == 1


def test_an_assembly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh = pytest.importorskip("trimesh")
    monkeypatch.chdir(tmp_path)
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box((0.1, 0.05, 0.01)), node_name="plate")
    at = trimesh.transformations.translation_matrix((0.02, 0.0, 0.015))
    scene.add_geometry(trimesh.creation.box((0.01, 0.01, 0.02)), node_name="pin", transform=at)
    scene.export("jig.glb")
    scenario = parse_scenario(pc.new_scenario("jig.glb", density=7850.0))
    assert scenario.model.assemblies[0].fixed == ("plate",)
    system = scenario.build()
    assert system.bodies["pin"].mass == pytest.approx(7850.0 * 2e-6, rel=1e-5)  # single precision
    assert [(each.e, each.f) for each in system.contacts.values()] in ([("pin", "plate")], [("plate", "pin")])


def test_the_command_writes_and_replaces_nothing(jig: Path, capsys: Captured) -> None:
    command = ["new", *FILES, "--unit", "mm", "--material", "steel", "-o", "jig.toml"]
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scenario"] == Path("jig.toml").read_text(encoding="utf-8")
    assert main(["check", "jig.toml"]) == 0
    before = Path("jig.toml").read_bytes()
    assert main(command) == 2
    assert "is there already, and is not replaced" in capsys.readouterr().err
    assert Path("jig.toml").read_bytes() == before


def test_on_a_terminal_it_asks(jig: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal("\n2700\nplate, pin\n"))
    assert main(["new", *FILES, "-o", "asked.toml"]) == 0
    assert capsys.readouterr().err.count("[") == 3
    text = Path("asked.toml").read_text(encoding="utf-8")
    assert text.count('unit = "mm"') == 3
    assert text.count("density = 2700.0") == 3
    assert text.count("fixed = true") == 2
    monkeypatch.setattr("sys.stdin", Terminal(""))
    assert main(["new", *FILES, "-o", "none.toml"]) == 130
    assert not Path("none.toml").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "there is no file"),
        (["no.stl"], "no.stl: no such file"),
        ([*FILES, "--density", "1000"], "it does not say its unit; give one of m, mm, cm"),
        ([*FILES, "--unit", "mm"], "give a density in kg/m³ or a material"),
        ([*FILES, "--unit", "mm", "--density", "-1"], "the density is -1.0 kg/m³"),
        ([*FILES, "--unit", "mm", "--material", "stel"], "did you mean 'steel'"),
        ([*FILES, "--unit", "mm", "--material", "steel", "--fixed", "plat"], "there is no part 'plat'"),
        ([*FILES, "--unit", "mm", "--material", "steel", "--gap", "-1"], "gap is -1.0 m"),
        ([*FILES, "--unit", "mm", "--material", "steel", "--end-time", "0"], "end_time is 0.0 s"),
        ([*FILES, "--unit", "mm", "--material", "steel", "-o", "a.txt"], "name one that ends with .toml"),
        ([*FILES, "--unit", "mm", "--material", "steel", "-o", "no/a.toml"], "the folder no does not exist"),
        (["open.stl", "--unit", "mm", "--material", "steel"], "no mass follows from a surface that is not closed"),
    ],
)
def test_mistakes_are_told(jig: Path, words: list[str], told: str, capsys: Captured) -> None:
    pc.save_surface(pc.shapes.plane(10.0), "open.stl")
    output = [] if "-o" in words else ["-o", "new.toml"]
    assert main(["new", *words, *output]) == 2
    assert told in capsys.readouterr().err
    assert not list(jig.glob("*.toml"))
