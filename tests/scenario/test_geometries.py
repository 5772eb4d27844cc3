"""Shapes as convex, parametric and implicit geometries in scenario files: chosen methods, mistakes, runs and pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.report.view.pose_file import load_pose
from polycontact.scenario.parsing import Scenario, parse_scenario
from polycontact.scenario.schema.scenario import export_schema

TEMPLATE = """
[scenario]
name = "a ball on a floor"
[simulation]
end_time = 0.3
output_step = 0.01
rtol = 1e-8
atol = 1e-10
[[bodies]]
name = "ball"
shape = {{ {ball} }}
density = 500
position = [0, 0, 0.15]
[[bodies]]
name = "floor"
shape = {{ {floor} }}
fixed = true
[contact]
{contact}
[[contact.pairs]]
bodies = ["ball", "floor"]
"""
SPRING = 'law = { kind = "spring_damper", stiffness = 2e4 }'
PAIRS = {
    "convex": (
        'kind = "sphere", radius = 0.1, geometry = "convex"',
        'kind = "box", size = [1, 1, 0.1], position = [0, 0, -0.05], edge_radius = 0.01, geometry = "convex"',
        pc.contact.ConvexMethod(),
    ),
    "parametric": (
        'kind = "sphere", radius = 0.1, geometry = "parametric"',
        'kind = "plane", size = 1, geometry = "parametric"',
        pc.contact.ParametricMethod(),
    ),
    "implicit": (
        'kind = "sphere", radius = 0.1, geometry = "implicit"',
        'kind = "plane", size = 1, geometry = "implicit"',
        pc.contact.ImplicitMethod(),
    ),
    "parametric and implicit": (
        'kind = "ellipsoid", semi_axes = 0.1, geometry = "implicit"',
        'kind = "paraboloid", radii = [1e6, 1e6], geometry = "parametric"',
        pc.contact.ParametricMethod(),
    ),
    "mesh": ('kind = "sphere", radius = 0.1', 'kind = "plane", size = 1', pc.contact.PolygonalMethod(base=pc.Base.E)),
}


def scenario_of(ball: str, floor: str, contact: str = SPRING) -> Scenario:
    return parse_scenario(TEMPLATE.format(ball=ball, floor=floor, contact=contact))


def problems(ball: str, floor: str, contact: str = SPRING) -> str:
    with pytest.raises(pc.ScenarioError) as caught:
        scenario_of(ball, floor, contact).build()
    return "\n".join(caught.value.problems)


@pytest.mark.parametrize("name", PAIRS)
def test_the_method_follows_from_the_geometry(name: str) -> None:
    ball, floor, method = PAIRS[name]
    (contact,) = scenario_of(ball, floor).build().contacts.values()
    assert contact.description.method == method


@pytest.mark.parametrize("name", [name for name in PAIRS if name != "mesh"])
def test_all_geometries_bounce_alike(name: str) -> None:
    """Depth of a ball that falls 5 cm on a spring: ½ c u² = m g (h + u), whatever finds the contact."""
    ball, floor, _ = PAIRS[name]
    scenario = scenario_of(ball, floor)
    run = pc.simulate(scenario.build(), **{**scenario.settings, "output_step": 5e-4})
    weight = 500.0 * 4.0 / 3.0 * np.pi * 1e-3 * 9.81
    deepest = (weight + np.sqrt(weight**2 + 2.0 * 2e4 * weight * 0.05)) / 2e4
    height = run.trajectory.body("ball").position[:, 2]
    assert height.min() == pytest.approx(0.1 - deepest, abs=2e-6)  # half a sample from the turning point: 1 µm
    assert run.ledger["contact_damping"][-1] == pytest.approx(0.0, abs=1e-6)


def test_shapes_that_are_equal_share_their_geometry() -> None:
    ball = PAIRS["convex"][0]
    bodies = scenario_of(ball, ball).build().bodies
    assert bodies["ball"].shapes[0].surface is bodies["floor"].shapes[0].surface


def test_mesh_keys_mean_nothing_to_exact_bodies() -> None:
    plain, fine = (
        scenario_of(f'kind = "sphere", radius = 0.1{keys}, geometry = "convex"', PAIRS["convex"][1]).build()
        for keys in ("", ", subdivisions = 5, balanced = true")
    )
    assert plain.bodies["ball"].mass == fine.bodies["ball"].mass == pytest.approx(500 * 4 / 3 * np.pi * 1e-3)


def test_a_gear_that_is_a_full_cylinder_weighs_what_a_gear_weighs() -> None:
    gear = 'kind = "spur_gear", module = 0.01, teeth = 20, width = 0.05'
    floor = PAIRS["convex"][1]
    convex, mesh = (
        scenario_of(f'{gear}, geometry = "{geometry}"', floor, f'{SPRING}\nmethod = {{ kind = "none" }}').build()
        for geometry in ("convex", "mesh")
    )
    assert convex.bodies["ball"].mass == mesh.bodies["ball"].mass
    np.testing.assert_array_equal(convex.bodies["ball"].inertia, mesh.bodies["ball"].inertia)
    assert convex.bodies["ball"].shapes[0].surface == pc.convex.gearwheel(0.11, 0.05)


@pytest.mark.parametrize(
    ("ball", "floor", "contact", "expected"),
    [
        (
            'kind = "torus", major_radius = 0.2, minor_radius = 0.1, geometry = "convex"',
            'kind = "plane", size = 1',
            SPRING,
            'bodies[0] "ball": shape: torus cannot be convex; take geometry = "mesh", or a shape that can: "box"',
        ),
        (
            'kind = "sphere", radius = 0.1, geometry = "convex"',
            'kind = "plane", size = 1, geometry = "convex"',
            SPRING,
            'or a "box" whose upper side lies in the plane',
        ),
        (
            'kind = "box", size = 0.1, exponent = 8',
            'kind = "plane", size = 1',
            SPRING,
            'exponent belongs to geometry = "implicit", not to "mesh"; leave it out, or change geometry',
        ),
        (
            'kind = "box", size = 0.1, edge_radius = 0.06, geometry = "convex"',
            PAIRS["convex"][1],
            SPRING,
            "edge_radius = 0.06 m is more than the sphere that fits inside, 0.05 m; make it less",
        ),
        (
            'kind = "sphere", radius = 0.1, geometry = "nurbs"',
            'kind = "plane", size = 1',
            SPRING,
            'geometry: "nurbs"; allowed is one of "mesh", "convex", "parametric", "implicit"',
        ),
        (
            'kind = "sphere", radius = 0.1, geometry = "convex"',
            'kind = "box", size = 1',
            SPRING,
            "sphere takes part in contact as convex, box as mesh, and no method fits both; give both the same geometry"
            ', or, where the mesh is convex, take the method "convex"',
        ),
        (
            'kind = "sphere", radius = 0.1, geometry = "convex"',
            'kind = "plane", size = 1, geometry = "implicit"',
            SPRING,
            "sphere takes part in contact as convex, plane as implicit, and no method fits both; give both the same",
        ),
        (
            'kind = "sphere", radius = 0.1, geometry = "convex"',
            PAIRS["convex"][1],
            f'{SPRING}\nbase = "both"',
            "PolygonalMethod takes mesh geometries, and sphere takes part in contact as convex; give it another "
            "geometry, or leave the method out, which then follows from the geometries",
        ),
        (
            'kind = "sphere", radius = 0.1, geometry = "convex"',
            PAIRS["convex"][1],
            "",
            "give a law of a point, law = { kind = ",
        ),
    ],
)
def test_what_does_not_fit_is_told(ball: str, floor: str, contact: str, expected: str) -> None:
    assert expected in problems(ball, floor, contact)


def test_layers_say_nothing_of_points() -> None:
    ball, floor, _ = PAIRS["convex"]
    text = TEMPLATE.format(ball=ball, floor=floor, contact="").replace(
        "density = 500", 'density = 500\nmaterial = "rubber"'
    )
    text += "[materials.rubber]\nyoungs_modulus = 1e6\npoissons_ratio = 0.3\nthickness = 0.01\n"
    with pytest.raises(pc.ScenarioError, match="touch in points, for which layers, which count per area, say nothing"):
        parse_scenario(text).build()
    layer = pc.ElasticLayer(1e6, 0.3, 0.01)
    with pytest.raises(pc.ContactError, match="finds points, and the stiffness of layers counts per area"):
        pc.ContactDescription(method=pc.contact.ConvexMethod(), layers=(layer, layer))


def test_a_convex_mesh_may_meet_a_convex_shape() -> None:
    contact = f'{SPRING}\nmethod = {{ kind = "convex" }}'
    ball = 'kind = "sphere", radius = 0.1, geometry = "convex"'
    system = scenario_of(ball, 'kind = "box", size = 0.1', contact).build()
    (pair,) = system.contacts.values()
    assert isinstance(pair.make_pairing(system.bodies).method, pc.contact.ConvexMethod)


def test_pairings_choose_their_method_too() -> None:
    ball = pc.convex.Sphere(0.1)
    law = pc.laws.SpringDamperLaw(stiffness=1e4)
    pairing = pc.ContactPairing(ball, pc.convex.Box(1.0), law=law)
    assert pairing.method == pc.contact.ConvexMethod()
    assert pairing.wrench(np.eye(3), (0.0, 0.0, -0.599))[2] == pytest.approx(10.0)
    with pytest.raises(pc.ContactError, match="sphere takes part in contact as convex, box as mesh"):
        pc.ContactPairing(ball, pc.shapes.box(1.0), law=law)


def test_single_contacts_know_the_geometries(tmp_path: Path) -> None:
    path = tmp_path / "pose.toml"
    text = """
[e]
kind = "sphere"
radius = 0.1
geometry = "implicit"
[f]
kind = "box"
size = 1.0
geometry = "implicit"
[contact]
law = { kind = "spring_damper", stiffness = 1e4 }
[kinematics]
position = [0.0, 0.0, -0.599]
"""
    path.write_text(text, encoding="utf-8")
    assert load_pose(path).evaluate().force[2] == pytest.approx(10.0, rel=1e-6)
    path.write_text(text.replace("radius = 0.1", "radius = 0.1\nposition = [0, 0, 1]"), encoding="utf-8")
    with pytest.raises(pc.ScenarioError, match="here meshes alone are moved; leave it out"):
        load_pose(path)


@pytest.mark.parametrize("name", ["convex", "parametric", "implicit"])
def test_runs_are_recorded_and_shown(name: str, tmp_path: Path) -> None:
    ball, floor, method = PAIRS[name]
    scenario = scenario_of(ball, floor)
    run = tmp_path / "run.h5"
    pc.simulate(scenario.build(), record=run, **{**scenario.settings, "end_time": 0.12})
    with pc.Trajectory.open(run) as trajectory:
        assert trajectory.pairing("ball–floor").force[-1, 2] > 0.0
        page = pc.save_page(trajectory, tmp_path / "page.html")
    assert page.stat().st_size > 10_000
    assert method == scenario.build().contacts["ball–floor"].description.method


def test_the_schema_knows_the_geometries() -> None:
    table = export_schema()["$defs"]["Box"]["properties"]
    assert table["geometry"]["enum"] == ["mesh", "convex", "parametric", "implicit"]
    assert table["edge_radius"]["unit"] == "m"
    assert "exponent" in table


@pytest.mark.parametrize("geometry", ["convex", "mesh"])
@pytest.mark.parametrize("pairs", ['[[contact.pairs]]\nbodies = ["ball", "floor"]', ""])
def test_units_of_a_law_are_those_of_a_point_where_bodies_touch_in_points(geometry: str, pairs: str) -> None:
    """Springs of points are in N/m and those of areas in N/m³: the number of the wrong one would be taken as it is."""
    text = TEMPLATE.format(
        ball=f'kind = "sphere", radius = 0.1, geometry = "{geometry}"',
        floor=f'kind = "box", size = [1, 1, 0.1], geometry = "{geometry}"',
        contact='law = { kind = "spring_damper", stiffness = "LAW", damping = "5 N s/UNIT" }',
    ).replace('[[contact.pairs]]\nbodies = ["ball", "floor"]', pairs)
    text = text if pairs else text.replace("[contact]", "[contact]\nautomatic = true")
    right, wrong = ("m", "m³") if geometry == "convex" else ("m³", "m")
    law = parse_scenario(text.replace("LAW", f"40 kN/{right}").replace("UNIT", right)).build()
    described = next(iter(law.contacts.values())).description.law
    assert (described.stiffness, described.damping) == (4e4, 5.0)
    with pytest.raises(pc.ScenarioError) as error:
        parse_scenario(text.replace("LAW", f"40 kN/{wrong}").replace("UNIT", right))
    assert f"expected is a stiffness{' per area' if right == 'm³' else ''} in N/{right}" in str(error.value)
    with pytest.raises(pc.ScenarioError, match=f"greater than 0, in N/{right}"):
        parse_scenario(text.replace('"LAW"', "-1").replace("UNIT", right))
