"""What a scenario file may contain: every mistake is told, at once, with its path, value and remedy."""

from __future__ import annotations

import inspect
import json
import math
from typing import Any

import numpy as np
import pytest
from scenario_text import FULL

from polycontact.errors import PolycontactError, ScenarioError
from polycontact.scenario.loading import parse_scenario
from polycontact.scenario.schema.orientation_keys import Orientation
from polycontact.scenario.schema.scenario import ScenarioModel, export_schema
from polycontact.scenario.schema.simulation_keys import Simulation
from polycontact.simulation.integrators import INTEGRATORS
from polycontact.simulation.simulate import simulate
from polycontact.surfaces import shapes

MANY_MISTAKES = """
gravty = [0, 0, -9.81]
[scenario]
name = "wrong"
[simulation]
end_time = -1
integrator = "cvode"
gravity = [0, 0, 0]
[materials.soft]
thickness = 0.01
[[bodies]]
name = "ball"
shape = { kind = "spere", radius = 0.1 }
[[bodies]]
name = "crank"
mass = "heavy"
shape = { kind = "box", size = [1, 2], radius = 3 }
colr = "#ff0000"
material = "sofd"
[[joints]]
name = "pin"
kind = "hinge"
child = "crnk"
[contact]
method = "polygon"
[[contact.pairs]]
bodies = ["ball", "ball"]
damping = nan
"""


def problems(text: str) -> tuple[str, ...]:
    """Problems that a text has, none if it is good."""
    try:
        parse_scenario(text)
    except ScenarioError as error:
        return error.problems
    return ()


def changed(old: str, new: str) -> str:
    """The full scenario with one place changed."""
    assert FULL.count(old) == 1, old
    return FULL.replace(old, new)


def test_full_scenario_is_good() -> None:
    scenario = parse_scenario(FULL)
    assert scenario.name == "everything"
    assert scenario.description == "one of each"
    assert scenario.settings["workers"] == 2
    assert scenario.model.bodies[1].velocity == (0.0, 0.0, -1.0)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(MANY_MISTAKES, file="wrong.toml")
    assert isinstance(caught.value, PolycontactError)
    assert isinstance(caught.value, ValueError)
    message = str(caught.value)
    expected = [
        'gravty: unknown key; did you mean "gravity"?',
        "simulation.end_time: -1; allowed is a number greater than 0, in s",
        'simulation.integrator: "cvode"; allowed is one of "cvode-bdf", "cvode-adams", "ida", "lsoda", "dopri5"',
        "simulation.gravity: unknown key; gravity belongs to the top level: write it before the first [table]",
        "materials.soft: the layer is incomplete: youngs_modulus and poissons_ratio missing",
        'bodies[0] "ball": shape.kind: "spere"; allowed is one of "box", ',
        'bodies[0] "ball": mass: is missing: a body that moves needs it',
        'bodies[1] "crank": mass: "heavy"; allowed is a number greater than 0, in kg',
        'bodies[1] "crank": shape.size: 2 values; allowed is a number greater than 0 or 3 numbers greater than 0',
        'bodies[1] "crank": shape.radius: unknown key; did you mean "edge_radius"?',
        'bodies[1] "crank": colr: unknown key; did you mean "colour"?',
        'bodies[1] "crank": material: there is no material "sofd"; did you mean "soft"?',
        'joints[0] "pin": kind: "hinge"; allowed is one of "free", "fixed", "revolute"',
        'joints[0] "pin": child: there is no body "crnk"; did you mean "crank"?',
        'contact.method: "polygon"; allowed is one of "polygonal", "penetration_lines", "node_block", ',
        'contact.pairs[0] "ball"–"ball": bodies: "ball" is paired with itself',
        'contact.pairs[0] "ball"–"ball": damping: nan; allowed is a finite number',
    ]
    assert message.startswith(f"wrong.toml: {len(expected)} problems\n  1. ")
    lines = message.splitlines()[1:]
    assert len(lines) == len(expected)
    for number, (line, start) in enumerate(zip(lines, expected, strict=True), start=1):
        assert line.startswith(f"  {number}. {start}"), line


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "ball"', 'name = "ground"', 'bodies[1] "ground": name: "ground" is taken by bodies[0]'),
        ("rtol = 1e-4", "bodies = 1", "bodies: unknown key; bodies belongs to the top level: write [[bodies]]"),
        ("rtol = 1e-4", "materials = 1", "materials belongs to the top level: write [materials]"),
        ('kind = "distance"', 'kind = "free"', 'loops[0] "rope": kind: "free"; allowed is one of "fixed", "revolute"'),
        ('name = "ball"', 'name = "world"', 'bodies[1] "world": name: "world" is the inertial frame'),
        ('name = "ball"', 'name = " ball"', "must not begin or end with spaces"),
        ('name = "ball"', "name = 5", "bodies[1].name: 5; allowed is a text in quotes of 1 to 100 characters"),
        ("radius = 0.25,", "radius = inf,", 'bodies[1] "ball": shape.radius: inf; allowed is a finite number'),
        ("radius = 0.25,", "radius = 1e31,", "shape.radius: 1e+31; allowed is a magnitude of up to 1e+30"),
        ("radius = 0.25,", "radius = 1e-200,", "shape.radius: 1e-200 must be at least 1e-30"),
        ("radius = 0.25,", "", 'bodies[1] "ball": shape.radius: is missing; give radius, m'),
        ("radius = 0.25,", "radius = true,", "shape.radius: true; allowed is a number greater than 0, in m"),
        ("subdivisions = 1", "subdivisions = 1.0", "shape.subdivisions: 1.0; allowed is an integer from 0 to 8"),
        ('kind = "sphere", ', "", 'bodies[1] "ball": shape.kind: is missing; allowed is one of "box"'),
        ("position = [0, 0, 0.5]", "position = [0, 0]", "position: 2 values; allowed is 3 numbers, in m"),
        ("position = [0, 0, 0.5]", 'position = [0, "a", 0]', 'position[1]: "a"; allowed is a number, in m'),
        ('colour = "#ff0000"', 'colour = "red"', 'colour: "red"; allowed is a text like "#1f77b4"'),
        (", angle_degrees = 30", "", "orientation: axis needs exactly one of angle_degrees and angle_radians"),
        ("quaternion = [1, 0, 0, 0]", "quaternion = [0, 0, 0, 0]", "has no direction"),
        ("quaternion = [1, 0, 0, 0]", "", "orientation: needs exactly one of quaternion, axis, matrix"),
        ("matrix = [[1, 0, 0]", "matrix = [[2, 0, 0]", "the matrix is no rotation"),
        ("matrix = [[1, 0, 0]", "matrix = [[-1, 0, 0]", "the matrix is a reflection"),
        ("poissons_ratio = 0.3", "poissons_ratio = 0.5", "materials.rubber.poissons_ratio: 0.5; allowed is a number "),
        ("rigid = true", "rigid = true\nthickness = 1", "materials.steel: rigid = true has no layer"),
        ("rigid = true", "rigid = 1", "materials.steel.rigid: 1; allowed is true or false"),
        ("fixed = true", "fixed = true\nvelocity = [0, 0, 1]", "but a fixed body does not move"),
        ("mass = 1\n", "", 'bodies[3] "crank": mass: is missing: a body that moves needs it'),
        ("mass = 1\n", "mass = 1\ndensity = 3\n", "give density or mass, not both"),
        ("inertia = [0.01, 0.01, 0.01]", "", 'bodies[3] "crank": inertia: is missing'),
        ("mass = 1\n", "mass = 1\nposition = [0, 0, 1]\n", "the body's joint places it"),
        ("mass = 1\n", "mass = 1\nfixed = true\n", "the body is carried by a joint"),
        ("mass = 3\n", 'mass = 3\nshapes = [{ kind = "container" }]\n', "give shape or shapes, not both"),
        ('parent = "ground"', 'parent = "head"', "the joints go round in a circle"),
        ('child = "head"', 'child = "rod"', '"rod" already has a parent by joints[1]; close the loop with [[loops]]'),
        ('child = "head"', 'child = "world"', '"world" cannot be carried'),
        ("coordinates = [1, 0, 0, 0]", "coordinates = [0]", "1 values; a spherical joint has 4"),
        ("axis = [0, 1, 0]\nmotion", "axis = [0, 0, 0]\nmotion", "axis: [0, 0, 0] has no direction"),
        ("second_axis = [1, 0, 0]\n", 'second_axis = [1, 0, 0]\nmotion = { kind = "harmonic" }\n', "use motions"),
        ("length = 1.5", "", "length: is missing; give the length of the rod"),
        ('body_b = "world"', 'body_b = "rod"', '"rod" is body_a too'),
        ("coordinate = 1", "coordinate = 2", "coordinate: 2; the universal joint has 0 to 1"),
        ('joint = "neck"\nswing', 'joint = "pin"\nswing', "a swing_twist_stop needs a spherical joint"),
        ("lower = -1\nupper = 1\n", "", "has no end; give lower, upper or both"),
        ("upper = 1\n", "upper = -2\n", "lower = -1 must be less than upper = -2"),
        ("times = [0, 1, 2]", "times = [0, 1, 1]", "target: times[2] = 1 s must be greater than times[1] = 1 s"),
        ("times = [0, 1, 2]", "times = [0, 1]", "target: has 2 times and 3 values"),
        ('body = "ball"\nforce', 'body = "bal"\nforce', '"push": body: there is no body "bal"; did you mean "ball"?'),
        (
            "2 * sin(3 * t)",
            "2 * sn(3 * t)",
            "force[1]: \"2 * sn(3 * t)\" expression: 'sn' is unknown; did you mean",
        ),
        (
            '[1, "2 * sin',
            '[true, "2 * sin',
            "force[0]: true; allowed is a number, a formula in quotes, or a",
        ),
        ("times = [0, 0.5]", "times = [0, 0]", "force[2]: times[1] = 0 s must be greater than times[0] = 0 s"),
        (
            '{ kind = "table", times = [0, 0.5]',
            '{ kind = "tabel", times = [0, 0.5]',
            'force[2].kind: "tabel"; allow',
        ),
        ("values = [0, 4] }", "values = [0, 4], frequency = 1 }", "force[2].frequency: unknown key"),
        ('body = "ball"\nforce', 'body = "world"\nforce', '"push": body: "world" cannot be pushed; name a body'),
        ('axes = "body"', 'axes = "bdy"', '"push": axes: "bdy"; allowed is one of "world", "body"'),
        ('joint = "pin"\neffort', 'joint = "pn"\neffort', 'there is no joint "pn"'),
        ("parameters = { b = 0.1 }", "parameters = { c = 0.1 }", "effort: expression: 'b' is unknown"),
        ("parameters = { b = 0.1 }", 'parameters = { b = "x" }', 'effort.parameters.b: "x"; allowed is a number'),
        ('exclude = [["head", "ground"]]', 'exclude = [["head", "gruond"]]', "contact.exclude[0][1]: there is no body"),
        ('bodies = ["ball", "hammer"]', 'bodies = ["ball", "crank"]', '"crank" has no shape with contact'),
        ('bodies = ["ball", "hammer"]', 'bodies = ["ball"]', "bodies: 1 values; allowed is 2 texts in quotes"),
        ('method = "polygonal"', 'method = "penetration_lines"', '"clipped" means nothing to the method "penetr'),
        ("output_step = 0.01", "output_step = 1e-9", "makes 1e+09 samples; allowed are 1e+07"),
        ("output_step = 0.01", "output_step = 2", "2 s is longer than end_time = 1 s"),
        ("workers = 2", "workers = 0", "simulation.workers: 0; allowed is an integer from 1 to 256"),
    ],
)
def test_one_mistake(old: str, new: str, told: str) -> None:
    found = problems(changed(old, new))
    assert any(told in problem for problem in found), found


def test_names_that_are_no_bare_keys_are_quoted() -> None:
    text = changed("[materials.steel]", '[materials."high tensile"]\ncolour = 1\n[materials.steel]')
    assert 'materials."high tensile".colour: unknown key' in "\n".join(problems(text))


def test_pairs_without_stiffness() -> None:
    text = changed("stiffness = 1e6\n", "").replace('material = "rubber"', 'material = "steel"')
    found = problems(text)
    assert any("no stiffness between" in problem and "contact.automatic" in problem for problem in found)
    assert any(problem.startswith('contact.pairs[0] "hit": stiffness: is missing') for problem in found)
    assert not problems(text.replace("[contact]", "[contact]\nstiffness = 1e6"))


def test_no_contact_forces_at_all_by_one_key() -> None:
    assert not problems(changed('method = "polygonal"', 'method = "none"'))


def test_contact_without_pairs_is_a_mistake() -> None:
    text = MANY_MISTAKES.split("[[joints]]")[0] + "[contact]\nstiffness = 1\n"
    assert any("no bodies can touch" in problem for problem in problems(text))


def test_long_lists_of_problems_are_cut() -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(FULL + "\n".join(f"key_{i} = 1" for i in range(500)))
    assert len(caught.value.problems) == 50
    assert str(caught.value).endswith("  … and 450 more")


def test_error_survives_pickling() -> None:
    import pickle

    error = ScenarioError("a.toml", ("x", "y"), 3)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.problems == ("x", "y")


def test_the_model_never_changes() -> None:
    model = parse_scenario(FULL).model
    with pytest.raises(ValueError, match="frozen"):
        model.gravity = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"quaternion": (2.0, 0.0, 0.0, 2.0)}, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ({"axis": (0.0, 0.0, 3.0), "angle_degrees": 90.0}, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ({"axis": (0.0, 0.0, 3.0), "angle_radians": math.pi / 2}, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        (
            {"matrix": ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))},
            [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        ),
        ({"angles_degrees": (0.0, 0.0, 90.0)}, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        ({"angles_degrees": (90.0, 90.0, 0.0)}, [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
    ],
)
def test_orientations(table: dict[str, Any], expected: list[list[int]]) -> None:
    np.testing.assert_allclose(Orientation(**table).rotation(), expected, atol=1e-15)


def test_every_generated_shape_is_a_kind() -> None:
    kinds = export_schema()["$defs"]["Body"]["properties"]["shape"]["discriminator"]["mapping"]
    assert set(kinds) == {*shapes.__all__, "mesh"}


def test_integrators_are_those_of_simulate() -> None:
    known = export_schema()["$defs"]["Simulation"]["properties"]["integrator"]["enum"]
    assert set(known) == set(INTEGRATORS)


def test_settings_are_those_of_simulate() -> None:
    assert set(Simulation.model_fields) <= set(inspect.signature(simulate).parameters)


def test_schema_describes_every_key() -> None:
    schema = export_schema()
    assert json.loads(json.dumps(schema)) == schema
    tables = {"scenario": schema, **schema["$defs"]}
    undescribed = [
        f"{name}.{key}"
        for name, table in tables.items()
        for key, node in table.get("properties", {}).items()
        if "description" not in node
    ]
    assert not undescribed
    assert schema["$defs"]["Body"]["properties"]["mass"]["unit"] == "kg"
    assert '"null"' not in json.dumps(schema)


def test_round_trip() -> None:
    scenario = parse_scenario(FULL)
    content = json.loads(scenario.model.model_dump_json(exclude_unset=True))
    assert ScenarioModel.model_validate(content) == scenario.model
    assert parse_scenario(scenario.source).model == scenario.model
