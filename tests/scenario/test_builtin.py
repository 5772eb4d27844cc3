"""The built-in scenarios: they load, build, fit the exported schema, and the bubbles are those of the paper."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scenario_text import FULL

from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.layers import ElasticLayer, combined_stiffness
from polycontact.contact.methods import Base, PolygonalMethod
from polycontact.errors import ScenarioError
from polycontact.scenario.builtin import get, list_scenarios, mesh_files, scenario_text
from polycontact.scenario.copying import copy_scenario
from polycontact.scenario.loading import Scenario, load_scenario
from polycontact.scenario.schema.scenario import export_schema
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.simulate import simulate

NAMES = [name for name, _ in list_scenarios()]
WITH_MESHES = ["pedestrian", "pedestrian_road"]
N_MESHES = {"pedestrian": 16, "pedestrian_road": 16, "spinning_pyramid": 1}


def test_list_has_one_line_for_each() -> None:
    listed = list_scenarios()
    assert listed[0][0] == "bubbles"
    assert len({name for name, _ in listed}) == len(listed)
    for name, description in listed:
        assert re.fullmatch(r"[a-z_]+", name)
        assert 20 < len(description) < 120
        assert "\n" not in description


@pytest.mark.parametrize("name", NAMES)
def test_it_builds(name: str) -> None:
    scenario = load_scenario(name)
    assert isinstance(scenario, Scenario)
    assert scenario.name == name
    assert scenario.source == scenario_text(name)
    system = scenario.build()
    assert system.name == name
    assert system is not scenario.build()
    assert system.degrees_of_freedom > 0
    for contact in system.contacts.values():
        contact.make_pairing(system.bodies)


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_is_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    meshes = copy_scenario(name, path)
    assert len(meshes) == N_MESHES.get(name, 0)
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == {path, *meshes}
    copy, original = load_scenario(path), get(name)
    assert (copy.source, copy.model) == (original.source, original.model)
    bodies = original.build().bodies
    for body in copy.build().bodies.values():
        for shape, expected in zip(body.shapes, bodies[body.name].shapes, strict=True):
            np.testing.assert_array_equal(shape.surface.picture.vertices, expected.surface.picture.vertices)
            np.testing.assert_array_equal(shape.surface.picture.triangles, expected.surface.picture.triangles)


def test_copies_share_their_meshes(tmp_path: Path) -> None:
    """Both pedestrians have the same: a second copy in the same folder finds them there."""
    first, second = (copy_scenario(name, tmp_path / f"{name}.toml") for name in WITH_MESHES)
    assert set(first) == set(second)
    assert load_scenario(tmp_path / "pedestrian_road.toml").build().bodies.keys() >= {"car", "road"}


def test_copies_replace_no_mesh(tmp_path: Path) -> None:
    mine = tmp_path / "pedestrian" / "head.ply"
    mine.parent.mkdir()
    mine.write_bytes(b"a head of my own")
    with pytest.raises(FileExistsError) as caught:
        copy_scenario("pedestrian", tmp_path / "mine.toml")
    assert caught.value.filename == str(mine)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]
    assert mine.read_bytes() == b"a head of my own"


def test_copies_replace_no_scenario(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("# mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        copy_scenario("pedestrian", path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.toml"]
    assert path.read_text(encoding="utf-8") == "# mine"


def test_meshes_are_found_in_all_shapes() -> None:
    assert mesh_files("bubbles") == {}
    found = mesh_files("pedestrian")
    assert len(found) == 16
    assert found["pedestrian/car.ply"].startswith(b"ply\n")


@pytest.mark.parametrize("name", NAMES)
def test_files_fit_the_exported_schema(name: str) -> None:
    schema = export_schema()
    assert list(misfits(schema, schema, tomllib.loads(scenario_text(name)), "")) == []


def test_every_kind_of_table_fits_the_exported_schema() -> None:
    schema = export_schema()
    assert list(misfits(schema, schema, tomllib.loads(FULL), "")) == []


def test_schema_finds_a_misfit() -> None:
    schema = export_schema()
    content = tomllib.loads(scenario_text("bubbles"))
    content["bodies"][0]["shape"]["radius"] = 1.0
    content["simulation"]["end_time"] = 0
    del content["scenario"]["name"]
    content["contact"]["friction"]["kind"] = "layer"
    content["contact"]["pairs"][0]["law"] = {"kind": "layer", "dampin": 1.0}
    assert len(list(misfits(schema, schema, content, ""))) == 5


def misfits(schema: dict[str, Any], node: dict[str, Any], value: Any, path: str) -> Iterator[str]:
    """Where ``value`` does not fit ``node``: a small JSON schema validator for what the export uses."""
    if "$ref" in node:
        node = {**schema["$defs"][node["$ref"].rpartition("/")[2]], **node}
    if "oneOf" in node:
        found = [branch for branch in node["oneOf"] if not list(misfits(schema, branch, value, path))]
        if len(found) != 1:
            yield f"{path}: {len(found)} kinds"
    elif "anyOf" in node:
        if all(list(misfits(schema, branch, value, path)) for branch in node["anyOf"]):
            yield path
    elif node.get("type") == "object" and not isinstance(value, dict):
        yield f"{path}: no table"
    elif node.get("type") == "object":
        known = node.get("properties", {})
        yield from (f"{path}: {key} missing" for key in node.get("required", ()) if key not in value)
        for key, inner in value.items():
            extra = node.get("additionalProperties")
            if key not in known and not isinstance(extra, dict):
                yield f"{path}.{key}: unknown"
            else:
                yield from misfits(schema, known.get(key, extra), inner, f"{path}.{key}")
    elif node.get("type") == "array" and not isinstance(value, list):
        yield f"{path}: no array"
    elif node.get("type") == "array":
        items = node.get("prefixItems") or [node["items"]] * len(value)
        if len(items) != len(value):
            yield f"{path}: length"
        for i, (item, inner) in enumerate(zip(items, value, strict=False)):
            yield from misfits(schema, item, inner, f"{path}[{i}]")
    elif not fits(node, value):
        yield f"{path}: {value!r}"


def fits(node: dict[str, Any], value: Any) -> bool:
    kinds = {"number": (int, float), "integer": int, "string": str, "boolean": bool}
    if "type" not in node:  # values of several types
        return any(value is each or (value == each and isinstance(value, str)) for each in node["enum"])
    is_kind = isinstance(value, kinds[node["type"]]) and (node["type"] == "boolean") == isinstance(value, bool)
    if not is_kind:
        return False
    return (
        value in node.get("enum", [value])
        and value == node.get("const", value)
        and ("pattern" not in node or re.search(node["pattern"], value) is not None)
        and ("minimum" not in node or value >= node["minimum"])
        and ("exclusiveMinimum" not in node or value > node["exclusiveMinimum"])
    )


def test_bubbles_are_those_of_the_paper() -> None:
    scenario = get("bubbles")
    assert scenario.settings["end_time"] == 3.0
    assert scenario.settings["rtol"] == scenario.settings["atol"] == 2e-4
    assert scenario.settings["integrator"] == "cvode-bdf"
    system = scenario.build()
    np.testing.assert_array_equal(system.gravity, [0.0, 0.0, -9.81])
    assert system.degrees_of_freedom == 18
    starts = [(0.0, 0.0, 1.0), (-0.3, 0.2, 1.0), (0.3, -0.2, 1.0)]
    joints = system.tree_joints()
    for i, start in enumerate(starts, start=1):
        body, joint = system.bodies[f"bubble {i}"], joints[f"bubble {i}"]
        assert body.mass == 2.0
        np.testing.assert_array_equal(body.centre, 0.0)
        np.testing.assert_array_equal(body.inertia, np.diag([0.02, 0.01, 0.02]))
        assert body.shapes[0].surface.n_triangles == 950
        assert body.shapes[0].layer == ElasticLayer(5500.0, 0.4, 0.01)
        np.testing.assert_array_equal(joint.coordinates, [*start, 1.0, 0.0, 0.0, 0.0])
        np.testing.assert_array_equal(joint.speeds, 0.0)
    assert system.bodies["container"].shapes[0].surface.n_triangles == 4


def test_bubbles_pair_as_in_the_paper() -> None:
    system = get("bubbles").build()
    assert len(system.contacts) == 6
    for contact in system.contacts.values():
        walls = contact.f == "container"
        description = contact.description
        assert description.method == PolygonalMethod(base=Base.E if walls else Base.BOTH, depth="base_normal")
        assert description.law == LayerLaw(damping=500.0 if walls else 1000.0, transition_depth=1e-3)
        assert description.friction == RegularisedCoulomb(coefficient=0.25, velocity=0.5e-3)
        pairing = contact.make_pairing(system.bodies)
        assert pairing.stiffness == pytest.approx(1.1786e6 if walls else 5.893e5, rel=1e-4)
        layers = [system.bodies[name].shapes[0].layer for name in (contact.e, contact.f)]
        assert combined_stiffness(*layers) == pairing.stiffness
    assert system.bodies["container"].shapes[0].layer.is_rigid


def test_bubbles_share_their_surface() -> None:
    system = get("bubbles").build()
    first, second, third = (system.bodies[f"bubble {i}"].shapes[0].surface for i in (1, 2, 3))
    assert first is second is third


def test_automatic_contact_finds_the_free_ball() -> None:
    assert set(get("ball_on_table").build().contacts) == {"ball–table", "ball–wall"}


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(ScenarioError, match='did you mean "slider_crank"'):
        get("slidercrank")
    with pytest.raises(ScenarioError, match="built in are"):
        scenario_text("../../errors.py")


def positions(name: str) -> tuple[Trajectory, dict[str, np.ndarray]]:
    """Trajectory of a built-in scenario, and the path (n, 3) of each body's origin."""
    scenario = get(name)
    trajectory = simulate(scenario.build(), **scenario.settings).trajectory
    return trajectory, {body: np.asarray(trajectory.body(body).position) for body in trajectory.bodies}


def test_block_slides_as_coulomb_says() -> None:
    trajectory, path = positions("block_on_slope")
    way = np.linalg.norm(path["block"] - path["block"][0], axis=1)
    angle = math.radians(20.0)
    acceleration = 9.81 * (math.sin(angle) - 0.2 * math.cos(angle))
    assert way[-1] == pytest.approx(0.5 * acceleration * trajectory.time[-1] ** 2, rel=0.01)


def test_blocks_slide_as_their_materials_say() -> None:
    """Within 1 %: the layers give way by up to 0.13 mm first, and their damping by 1e-3 m/s fades friction out."""
    trajectory, path = positions("materials_on_slope")
    angle, half = math.radians(20.0), np.searchsorted(trajectory.time, 0.25)
    for name, coefficient in (("steel", 0.25), ("wood", 0.3)):
        speed = np.linalg.norm(trajectory.body(name).velocity, axis=1)
        found = (speed[-1] - speed[half]) / (trajectory.time[-1] - trajectory.time[half])
        assert found == pytest.approx(9.81 * (math.sin(angle) - coefficient * math.cos(angle)), rel=0.01)
    assert np.linalg.norm(path["rubber"][-1] - path["rubber"][0]) < 1e-3  # creeps below the friction velocity


def test_slider_follows_the_crank() -> None:
    trajectory, path = positions("slider_crank")
    angle = 2.0 * math.pi * trajectory.time
    expected = 0.1 * np.cos(angle) + np.sqrt(0.3**2 - (0.1 * np.sin(angle)) ** 2)
    np.testing.assert_allclose(path["slider"][:, 0], expected, atol=1e-6)


def test_cradle_hands_the_swing_on() -> None:
    trajectory, path = positions("newtons_cradle")
    swing = {name: np.abs(x[:, 0] - x[0, 0]) for name, x in path.items()}
    early = trajectory.time < 0.6
    assert swing["ball 5"][early].max() == pytest.approx(0.3 * math.sin(0.5), rel=0.1)
    assert max(swing[name][early].max() for name in ("ball 2", "ball 3", "ball 4")) < 0.01


def test_gripper_lifts_the_cylinder() -> None:
    _, path = positions("gripper")
    assert path["cylinder"][-1, 2] == pytest.approx(0.13, abs=2e-3)
    np.testing.assert_allclose(path["cylinder"][-1, :2], 0.0, atol=2e-3)


def test_ball_bounces_back_from_the_wall() -> None:
    _, path = positions("ball_on_table")
    assert path["ball"][:, 2].min() > 0.77
    assert path["ball"][:, 0].max() < 0.6
    assert path["ball"][-1, 0] < 0.4
