"""Numbers with units: values by the definitions of the units, wrong ones refused, in files and in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import constants

import polycontact as pc
from polycontact.scenario.loading import parse_scenario
from polycontact.scenario.schema.scenario import export_schema
from polycontact.units import UNITS, has_dimension, parse_unit

FILE = """
gravity = [0, 0, "-981 cm/s²"]
[scenario]
name = "units"
[simulation]
end_time = "500 ms"
atol = "0.1 mm"
[materials.pad]
youngs_modulus = "5 MPa"
poissons_ratio = 0.3
thickness = "10 mm"
density = "1.1 g/cm^3"
[[bodies]]
name = "arm"
shape = { kind = "box", size = ["20 mm", 0.03, "4 cm"] }
material = "pad"
[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = "10 mm" }
mass = "250 g"
position = ["1 in", 0, "0.5 m"]
angular_velocity = [0, 0, "3000 rpm"]
orientation = { axis = [0, 0, 1], angle_degrees = "90 deg" }
[[joints]]
name = "pin"
kind = "revolute"
child = "arm"
coordinates = ["15 deg"]
[[forces]]
name = "drive"
kind = "motor"
joint = "pin"
target = { kind = "harmonic", amplitude = "2 deg", frequency = "1 kHz" }
stiffness = "3 N m/deg"
damping = 0.1
limit = "20 N m"
[[forces]]
name = "spring"
kind = "spring_damper"
body_a = "arm"
body_b = "world"
stiffness = "5 N/mm"
[contact]
automatic = true
law = { stiffness = "0.6 N/mm³", damping = "1e-3 N s/mm³" }
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 mm", 0.012),
        ("12mm", 0.012),
        ("9 mm", 0.009),  # 9 * 0.001 is another double
        ("-3.5e2 µm", -3.5e-4),
        ("−1 m", -1.0),
        ("1 in", constants.inch),
        ("1 ft", constants.foot),
        ("1 lb", constants.lb),
        ("1 lbf", constants.lbf),
        ("1 psi", constants.psi),
        ("1 bar", constants.bar),
        ("36 km/h", 10.0),
        ("90 deg", 0.5 * math.pi),
        ("15°", math.radians(15)),
        ("3000 rpm", 100 * math.pi),
        ("5 N/mm", 5000.0),
        ("70 GPa", 70e9),
        ("7.85 g/cm³", 7850.0),
        ("1 ms", 1e-3),
        ("2 t", 2000.0),
        ("5 Nm", 5.0),
        ("5 N·m/deg", 5 * 180 / math.pi),
        ("1 m/s/s", 1.0),
        ("1 m s^-2", 1.0),
        ("1 m*s⁻²", 1.0),
        ("1 m s**-2", 1.0),
        ("4 N/(mm s)", 4000.0),
        ("5 1/s", 5.0),
        ("0 mm", 0.0),
    ],
)
def test_value_in_si_units(text: str, expected: float) -> None:
    assert pc.quantity(text) == pytest.approx(expected, rel=4e-16)  # two roundings


def test_plain_decimal_factors_round_once() -> None:
    for number in range(1, 2000):
        assert pc.quantity(f"{number} mm") == float(f"{number}e-3")


@pytest.mark.parametrize(
    ("text", "unit", "part"),
    [
        ("12 kg", "m", '"12 kg" is a mass; expected is a length in m, such as "12 mm"'),
        ("5 N/mm", "N/m³", "is a stiffness; expected is a stiffness per area"),
        ("50 Hz", "rad/s", "is a frequency; expected is an angular velocity"),
        ("5 N m", "N m/rad", "torsional stiffness"),
        ("5 kg m", "m", "in m^1 kg^1"),
        ("12", "m", "has no unit"),
        ("mm", "m", "does not begin with a number"),
        ("nan mm", "m", "does not begin with a number"),
        ("inf m", "m", "does not begin with a number"),
        ("", "m", "does not begin with a number"),
        ("3,5 mm", "m", "decimal comma"),
        ("5 Mm", "m", "did you mean 'mm'?"),
        ("5 kpa", "Pa", "did you mean 'kPa'?"),
        ("5 parsec", "m", "known are m, "),
        ("2 N/m s", "N/m", "not clear"),
        ("2 N//m", "N/m", "out of place"),
        ("2 (m)", "m", "out of place"),
        ("2 N/(m", "N/m", "incomplete"),
        ("2 N/", "N/m", "incomplete"),
        ("2 ·", "m", "incomplete"),
        ("2 m^", "m", "cannot be read"),
        ("2 m⁻", "m", "cannot be read"),
        ("5 12 m", "m", "cannot be read"),
        ("1e400 m", "m", "beyond"),
        ("1e-999999999 m", "m", "beyond"),
        ("1e999999999 m", "m", "beyond"),
        ("1 nm^9 nm^9 nm^9 nm^9", None, "beyond"),
        ("1" * 1000 + " m", "m", "does not begin"),
        ("5 m\x1b[31m", "m", "cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, unit: str | None, part: str) -> None:
    with pytest.raises(pc.errors.UnitError) as caught:
        pc.quantity(text, unit)
    assert part in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_file_with_units_is_the_file_in_si_units() -> None:
    scenario = parse_scenario(FILE)
    model = scenario.model
    assert scenario.source == FILE  # recorded as it was written
    assert model.gravity == (0, 0, -9.81)
    assert (model.simulation.end_time, model.simulation.atol) == (0.5, 1e-4)
    assert model.materials["pad"].youngs_modulus == 5e6
    assert model.materials["pad"].density == 1100
    arm, ball = model.bodies
    assert arm.shape.size == (0.02, 0.03, 0.04)
    assert (ball.mass, ball.position) == (0.25, (0.0254, 0, 0.5))
    assert ball.angular_velocity[2] == pytest.approx(100 * math.pi, rel=1e-15)
    assert ball.orientation.angle_degrees == 90.0
    assert model.joints[0].coordinates == (math.pi / 12,)
    assert model.contact.law.stiffness == 0.6e9
    scenario.build()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"10 mm" }', '"10 kg" }', 'bodies[1] "ball": shape.radius: "10 kg" is a mass; expected is a length in m'),
        ('"4 cm"', '"4 s"', 'bodies[0] "arm": shape.size[2]: "4 s" is a time; expected is a length in m'),
        ('"15 deg"', '"15 mm"', 'joints[0] "pin": coordinates[0]: "15 mm" is a length; expected is an angle in rad'),
        ('"2 deg"', '"2 mm"', 'forces[0] "drive": target.amplitude: "2 mm" is a length; expected is an angle in rad'),
        ('"3 N m/deg"', '"3 N/mm"', 'forces[0] "drive": stiffness: "3 N/mm" is a stiffness; expected is a torsional'),
        ('"20 N m"', '"20 N"', 'forces[0] "drive": limit: "20 N" is a force; expected is a torque'),
        ('"0.6 N/mm³"', '"0.6 N/mm"', 'contact.law.stiffness: "0.6 N/mm" is a stiffness; expected is a stiffness per'),
        ('"250 g"', '"-250 g"', 'bodies[1] "ball": mass: -0.25; allowed is a number greater than 0, in kg'),
        ("= 0.3", '= "0.3 m"', 'materials.pad.poissons_ratio: "0.3 m"; allowed is a number'),
    ],
)
def test_wrong_unit_in_a_file_is_told_with_its_key(old: str, new: str, expected: str) -> None:
    assert old in FILE
    with pytest.raises(pc.ScenarioError) as caught:
        parse_scenario(FILE.replace(old, new))
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith(expected)


def test_the_joint_decides_between_two_units() -> None:
    assert parse_scenario(FILE).model.forces[0].stiffness == pytest.approx(540 / math.pi)
    slide = FILE.replace('kind = "revolute"', 'kind = "prismatic"')
    for old, new in (("15 deg", "15 mm"), ("2 deg", "2 mm"), ("3 N m/deg", "3 N/mm"), ("20 N m", "20 N")):
        slide = slide.replace(f'"{old}"', f'"{new}"')
    model = parse_scenario(slide).model
    assert model.joints[0].coordinates == (0.015,)
    assert (model.forces[0].stiffness, model.forces[0].target.amplitude, model.forces[0].limit) == (3000, 0.002, 20)


def test_json_schema_allows_texts_where_there_is_a_unit() -> None:
    schema = export_schema()
    radius = schema["$defs"]["Sphere"]["properties"]["radius"]
    assert [each["type"] for each in radius["anyOf"]] == ["number", "string"]
    assert radius["unit"] == "m"
    assert schema["$defs"]["Material"]["properties"]["poissons_ratio"]["type"] == "number"
    assert schema["properties"]["gravity"]["default"] == [0.0, 0.0, -9.81]


def test_units_of_all_keys_are_known_but_few() -> None:
    found: set[str] = set()

    def collect(node: Any) -> None:
        if isinstance(node, dict):
            found.update([node["unit"]] if isinstance(node.get("unit"), str) else [])
            for each in node.values():
                collect(each)
        elif isinstance(node, list):
            for each in node:
                collect(each)

    collect(export_schema())
    unknown = {unit for unit in found if not has_dimension(unit)}
    matrices = {unit for unit in unknown if ", " in unit}  # rows and columns of lengths and angles, of a bushing
    assert unknown - matrices == {"N/mⁿ⁺²"}  # depends on the exponent of the law
    assert matrices == {"N, N m", "N/m, N m/rad", "N/m, N, N m/rad", "N s/m, N m s/rad", "N s/m, N s, N m s/rad"}


def test_units_in_python() -> None:
    ball = pc.shapes.sphere("20 mm", 1)
    assert np.ptp(ball.vertices[:, 2]) == pytest.approx(0.04, rel=0.2)
    assert pc.convex.Box(("20 mm", 0.1, "3 cm")).size == (0.02, 0.1, 0.03)  # type: ignore[arg-type]
    law = pc.LayerLaw(stiffness="0.6 N/mm³")  # type: ignore[arg-type]
    assert law.stiffness == 0.6e9
    assert pc.ElasticLayer("5 MPa", 0.3, "10 mm") == pc.ElasticLayer(5e6, 0.3, 0.01)  # type: ignore[arg-type]
    system = pc.MultibodySystem("units", gravity=(0, 0, "-9.81 m/s²"))
    system.add_body("ball", surface=ball, density="7.85 g/cm³", position=["10 mm", 0, 0])  # type: ignore[arg-type]
    system.add_joint("pin", "revolute", "world", "ball", at=(0, "5 cm", 0), coordinates=["15 deg"], speeds="60 rpm")
    assert system.bodies["ball"].mass == pytest.approx(7850 * ball.mass_properties(1.0).mass)
    assert system.joints["pin"].coordinates[0] == pytest.approx(math.pi / 12)
    assert system.joints["pin"].speeds[0] == pytest.approx(2 * math.pi)
    spring = pc.multibody.SpringDamper("s", "ball", ("1 mm", 0, 0), "world", (0, 0, 0), "5 N/mm", length="3 cm")  # type: ignore[arg-type]
    assert (spring.stiffness, spring.length, spring.point_a[0]) == (5000.0, 0.03, 1e-3)  # type: ignore[index]


def test_wrong_unit_in_python_names_the_thing() -> None:
    system = pc.MultibodySystem("units")
    with pytest.raises(pc.MultibodyError, match=r"mass is '2 mm'; .* is a length; expected is a mass"):
        system.add_body("ball", surface=pc.shapes.sphere(0.1, 1), mass="2 mm")  # type: ignore[arg-type]
    system.add_body("ball", surface=pc.shapes.sphere(0.1, 1), mass=1.0)
    with pytest.raises(pc.MultibodyError, match="expected is an angle in rad"):
        system.add_joint("pin", "revolute", "world", "ball", coordinates=["15 mm"])
    with pytest.raises(pc.MultibodyError, match="depends on the joint"):
        pc.multibody.JointSpring("s", "pin", stiffness="3 N m/deg")  # type: ignore[arg-type]
    with pytest.raises(pc.SurfaceError, match=r"sphere: radius = .*is a mass"):
        pc.shapes.sphere("2 kg")  # type: ignore[arg-type]
    with pytest.raises(pc.ContactError, match=r"stiffness per area in .* points give the number alone, 5000 in N/m$"):
        pc.LayerLaw(stiffness="5 N/mm")  # type: ignore[arg-type]
    with pytest.raises(pc.SimulationError, match=r"end_time is .*expected is a time"):
        pc.simulate(system, end_time="5 mm")  # type: ignore[arg-type]
    with pytest.raises(pc.errors.UnitError, match="12 is not a text"):
        pc.quantity(12)  # type: ignore[arg-type]


def test_table_of_units() -> None:
    assert "Mm" not in UNITS  # a slip for mm
    assert parse_unit("N") == parse_unit("kg m/s²")
    assert parse_unit("W s").dimension == parse_unit("N m").dimension
    assert parse_unit("rpm").factor == pytest.approx(2 * math.pi / 60)
