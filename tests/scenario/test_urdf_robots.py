"""Robots from URDF files in scenario files: built as by Python, named by joints, forces and contacts, mistakes told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.comparison.sources import find_subjects
from polycontact.scenario.parsing import Scenario, parse_scenario
from polycontact.scenario.schema.scenario import export_schema

ARM = """\
<robot name="arm">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="rod">
    <inertial>
      <origin xyz="0.25 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/>
    </inertial>
    <collision><origin xyz="0.25 0 0"/><geometry><box size="0.5 0.05 0.05"/></geometry></collision>
  </link>
  <link name="tip">
    <inertial>
      <mass value="0.5"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>
    </inertial>
    <collision><geometry>TIP</geometry></collision>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="rod"/>
    <origin xyz="0 0 0.1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="50" velocity="3"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="rod"/><child link="tip"/>
    <origin xyz="0.5 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.2" effort="50" velocity="3"/>
    <dynamics damping="5"/>
  </joint>
  <joint name="weld" type="fixed"><parent link="tip"/><child link="tool"/></joint>
  <link name="tool"/>
</robot>
"""

SCENARIO = """
[scenario]
name = "robot"
[simulation]
end_time = 0.5
rtol = 1e-6
atol = 1e-8
[materials.rubber]
youngs_modulus = 1e6
poissons_ratio = 0.3
thickness = 0.01
[[robots]]
name = "arm"
file = "robots/arm.urdf"
position = [0, 0, 0.5]
orientation = { axis = [0, 0, 1], angle_degrees = 90 }
coordinates = { hinge = 0.2, slide = [0.1] }
speeds = { hinge = -1 }
material = "rubber"
stop_stiffness = 500
stop_damping = 1
[[bodies]]
name = "floor"
shape = { kind = "plane", size = 4 }
fixed = true
[[forces]]
kind = "motor"
name = "drive"
joint = "hinge"
target = { kind = "harmonic", amplitude = 0.3, frequency = 1 }
stiffness = 200
damping = 10
[[contact.pairs]]
bodies = ["tip", "floor"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robots" / "meshes").mkdir(parents=True)
    (tmp_path / "robots" / "arm.urdf").write_text(ARM.replace("TIP", '<mesh filename="package://parts/tip.obj"/>'))
    (tmp_path / "robots" / "parts").mkdir()
    pc.save_surface(pc.shapes.sphere(0.05), tmp_path / "robots" / "parts" / "tip.obj")
    return tmp_path


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(pc.ScenarioError) as caught:
        parse_scenario(text, folder).build()
    return list(caught.value.problems)


def the_problem(folder: Path, old: str, new: str) -> str:
    assert SCENARIO.count(old) >= 1
    (only,) = problems(folder, SCENARIO.replace(old, new, 1))
    return only


def test_a_robot_is_built_as_by_python(folder: Path) -> None:
    found = parse_scenario(SCENARIO, folder).build()
    built = pc.MultibodySystem("robot")
    built.add_body("floor", surface=pc.shapes.plane(4.0), fixed=True)
    pc.robots.add_urdf(
        built,
        folder / "robots" / "arm.urdf",
        position=(0.0, 0.0, 0.5),
        rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        coordinates={"hinge": 0.2, "slide": 0.1},
        speeds={"hinge": -1.0},
        layer=pc.ElasticLayer(1e6, 0.3, 0.01),
        stop_stiffness=500.0,
        stop_damping=1.0,
    )
    built.add_force(pc.multibody.Motor("drive", "hinge", pc.multibody.Harmonic(0.3, 1.0), 200.0, 10.0))
    built.add_contact("tip", "floor")
    assert list(found.bodies) == list(built.bodies) == ["floor", "base", "rod", "tip", "tool"]
    assert list(found.forces) == list(built.forces) == ["hinge stop", "slide damping", "slide stop", "drive"]
    for name in ("base", "rod", "tip"):
        assert found.bodies[name].shapes[0].layer == built.bodies[name].shapes[0].layer
    y = [system.compile().start_state() for system in (found, built)]
    rates = [np.zeros_like(each) for each in y]
    for system, state, out in zip((found, built), y, rates, strict=True):
        system.compile().rates(0.0, state, out)
    assert np.array_equal(*y)
    assert np.array_equal(*rates)


def test_a_scenario_of_robots_alone_runs(folder: Path) -> None:
    """Two alike, told apart by their prefixes, one of them free."""
    text = """
[scenario]
name = "two"
[simulation]
end_time = 0.1
[[robots]]
name = "left"
file = "robots/arm.urdf"
prefix = "left_"
contact = "none"
[[robots]]
name = "right"
file = "robots/arm.urdf"
prefix = "right_"
position = [0, 2, 0]
contact = "none"
[[forces]]
kind = "joint_spring"
name = "spring"
joint = "right_hinge"
stiffness = 10
"""
    scenario = parse_scenario(text, folder)
    system = scenario.build()
    assert [name for name in system.bodies if name.startswith("right_")] == [
        "right_base",
        "right_rod",
        "right_tip",
        "right_tool",
    ]
    assert not any(shape.contact for body in system.bodies.values() for shape in body.shapes)
    run = pc.simulate(system, **scenario.settings)
    assert run.trajectory.body("left_rod").position[-1, 2] == pytest.approx(0.1)


def test_a_joint_of_the_scenario_may_carry_a_robot(folder: Path) -> None:
    cart = '[[joints]]\nname = "rail"\nkind = "prismatic"\nchild = "base"\naxis = [1, 0, 0]\n'
    system = parse_scenario(SCENARIO + cart, folder).build()
    assert system.joints["rail"].child == "base"
    assert system.degrees_of_freedom == 3


def test_automatic_contact_knows_links_and_layers(folder: Path) -> None:
    pairs = '[[contact.pairs]]\nbodies = ["tip", "floor"]\n'
    system = parse_scenario(SCENARIO.replace(pairs, "[contact]\nautomatic = true\n"), folder).build()
    assert {(contact.e, contact.f) for contact in system.contacts.values()} == {
        ("floor", "rod"),
        ("floor", "tip"),
        ("base", "tip"),
    }
    rubs = pc.RegularisedCoulomb(coefficient=0.8, velocity=0.01)
    friction = "friction = { coefficient = 0.8, velocity = 0.01 }"
    table = f'[[contact.material_pairs]]\nmaterials = ["rubber", "rubber"]\n{friction}\n'
    paired = SCENARIO.replace(pairs, f"[contact]\nautomatic = true\n{table}")
    with pytest.warns(pc.ContactWarning, match="no pair of materials says the friction of 'no material' and 'rubber'"):
        contacts = parse_scenario(paired, folder).build().contacts.values()
    assert {(each.e, each.f): each.description.friction for each in contacts} == {
        ("floor", "rod"): None,
        ("floor", "tip"): None,
        ("base", "tip"): rubs,
    }
    without = SCENARIO.replace(pairs, "[contact]\nautomatic = true\n").replace('material = "rubber"\n', "")
    assert any("no stiffness between" in each and '"tip"' in each for each in problems(folder, without))


def test_one_switch_makes_links_touch_in_points(folder: Path) -> None:
    pairs = '[[contact.pairs]]\nbodies = ["tip", "floor"]\n'
    plane = 'shape = { kind = "plane", size = 4 }'
    box = 'shape = { kind = "box", size = 4, position = [0, 0, -2] }'
    text = SCENARIO.replace(pairs, "[contact]\nautomatic = true\nsimple_response = true\n").replace(plane, box)
    text = text.replace("[[robots]]", "contact_properties = { c = 1e4 }\n[[robots]]")
    text = text.replace(box, f"{box}\ncontact_properties = {{ c = 4e4 }}")
    contacts = parse_scenario(text, folder).build().contacts
    assert {type(each.description.method) for each in contacts.values()} == {pc.contact.ConvexMethod}
    assert contacts["floor–tip"].description.law == pc.laws.SpringDamperLaw(stiffness=8e3)
    assert contacts["base–tip"].description.law == pc.laws.SpringDamperLaw(stiffness=5e3)
    areas = text.replace("simple_response = true", "simple_response = false")
    areas = areas.replace("stop_damping = 1", 'stop_damping = 1\ngeometry = "convex"')
    (told,) = [each for each in problems(folder, areas) if "geometry" in each]
    assert told.startswith('robots[0] "arm": geometry: "convex" touches in a point, and simple_response = false')


def test_needed_files(folder: Path) -> None:
    assert parse_scenario(SCENARIO, folder).mesh_files == ("robots/arm.urdf", "robots/parts/tip.obj")
    assert parse_scenario(SCENARIO, folder).model.robots[0].speeds == {"hinge": (-1.0,)}


def test_packages_are_relative_to_the_scenario(folder: Path) -> None:
    (folder / "robots" / "parts").rename(folder / "moved")
    (told,) = problems(folder, SCENARIO)
    assert told.startswith("robots[0] \"arm\": file: arm.urdf: line 16: mesh 'package://parts/tip.obj' was not found")
    given = SCENARIO.replace("position = [0, 0, 0.5]", 'packages = { parts = "moved" }')
    assert parse_scenario(given, folder).mesh_files == ("robots/arm.urdf", "moved/tip.obj")
    parse_scenario(given, folder).build()


MISTAKES = {
    "no file": (
        '"robots/arm.urdf"',
        '"arm.urdf"',
        'robots[0] "arm": file: arm.urdf: no such file in',
    ),
    "folder": ('"robots/arm.urdf"', '"robots"', 'robots[0] "arm": file: robots: is a folder'),
    "number": ("[0, 0, 0.5]", "[0, 0]", 'robots[0] "arm": position: 2 values; allowed is 3 numbers'),
    "key": ("stop_damping", "stop_dampin", 'robots[0] "arm": stop_dampin: unknown key; did you mean "stop_damping"?'),
    "stop": ("stop_stiffness = 500\n", "", 'robots[0] "arm": stop_damping: means nothing without stop_stiffness'),
    "joint": (
        "hinge = 0.2",
        "hing = 0.2",
        'robots[0] "arm": coordinates.hing: there is no moving joint "hing"; did you mean "hinge"?',
    ),
    "count": (
        "hinge = 0.2",
        "hinge = [0.2, 1]",
        'robots[0] "arm": coordinates.hinge: 2 values; a revolute joint has 1',
    ),
    "value": ("hinge = 0.2", 'hinge = "a"', 'robots[0] "arm": coordinates.hinge: "a"; allowed is a number'),
    "fixed joint": ("hinge = -1", "weld = 1", 'robots[0] "arm": speeds.weld: there is no moving joint "weld"'),
    "velocity": (
        "position = [0, 0, 0.5]",
        "velocity = [1, 0, 0]",
        'robots[0] "arm": velocity: a fixed base does not move; give fixed_base = false',
    ),
    "package": (
        "position = [0, 0, 0.5]",
        'packages = { parts = "there" }',
        'robots[0] "arm": packages.parts: "there": there is no such folder',
    ),
    "material": ('= "rubber"', '= "ruber"', 'robots[0] "arm": material: there is no material "ruber"; did you mean'),
    "contact": (
        'material = "rubber"',
        'contact = "both"',
        'robots[0] "arm": contact: "both"; allowed is one of "collision", "visual", "none"',
    ),
    "body's name": (
        'name = "floor"',
        'name = "rod"',
        'robots[0] "arm": prefix: its link "rod" has the name of a body already; give one, such as "left_"',
    ),
    "motor": ('joint = "hinge"', 'joint = "hing"', 'forces[0] "drive": joint: there is no joint "hing"; did you mean'),
    "coordinate": (
        'joint = "hinge"',
        'joint = "hinge"\ncoordinate = 1',
        'forces[0] "drive": coordinate: 1; the revolute joint has 0',
    ),
    "pair": ('["tip", "floor"]', '["tpi", "floor"]', 'bodies[0]: there is no body "tpi"; did you mean "tip"?'),
    "no shape": ('["tip", "floor"]', '["tool", "floor"]', 'bodies: "tool" has no shape with contact'),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(folder: Path, name: str) -> None:
    old, new, message = MISTAKES[name]
    told = problems(folder, SCENARIO.replace(old, new, 1))
    assert any(message in each for each in told), told


def test_one_mistake_makes_one_problem(folder: Path) -> None:
    """The links of a robot with an unknown material are not told one by one."""
    assert "there is no material" in the_problem(folder, '"rubber"\nstop', '"ruber"\nstop')
    assert "no such file" in problems(folder, SCENARIO.replace("robots/arm.urdf", "x.urdf"))[0]


def test_whatever_stands_in_the_table_is_told_or_built(folder: Path) -> None:
    """Each value of the robot replaced by others: a scenario, or an error of ours, nothing else."""
    head, rest = SCENARIO.split("[[robots]]\n")
    lines = rest.split("[[bodies]]")[0].splitlines()
    tail = rest[rest.index("[[bodies]]") :]
    told = 0
    for i, line in enumerate(lines):
        key = line.partition(" = ")[0]
        for value in (
            "nan",
            "-1",
            "1e400",
            '""',
            '"ball"',
            '"\\u0000"',
            "true",
            "[]",
            "[[1]]",
            "{}",
            "{ x = [1] }",
            "[{}]",
        ):
            changed = [*lines[:i], f"{key} = {value}", *lines[i + 1 :]]
            text = head + "[[robots]]\n" + "\n".join(changed) + "\n" + tail
            try:
                parse_scenario(text, folder).build()
            except pc.ScenarioError:
                told += 1
    assert told > 80
    with pytest.raises(pc.ScenarioError, match="robots: 5; allowed is"):
        parse_scenario("robots = 5\n" + head + tail, folder)


def test_a_second_parent_is_told_of_the_robot(folder: Path) -> None:
    joint = '[[joints]]\nname = "more"\nkind = "fixed"\nchild = "rod"\n'
    (told,) = problems(folder, SCENARIO + joint)
    assert told.startswith('robots[0] "arm": joint "hinge": "rod" already has a parent by joints[0]')


def test_two_robots_of_one_name_are_told(folder: Path) -> None:
    more = '[[robots]]\nname = "arm"\nfile = "robots/arm.urdf"\n'
    told = problems(folder, SCENARIO + more)
    assert any('robots[1] "arm": name: "arm" is taken by robots[0]' in each for each in told)
    assert any('robots[1] "arm": prefix: its link "base" has the name of a body already' in each for each in told)
    assert any('robots[1] "arm": prefix: its joint "hinge" has the name of a joint' in each for each in told)


def test_a_broken_robot_tells_file_and_line(folder: Path) -> None:
    path = folder / "robots" / "arm.urdf"
    path.write_text(path.read_text().replace('mass value="2"', 'mass value="-2"'))
    told = problems(folder, SCENARIO)[0]
    assert told.startswith("robots[0] \"arm\": file: arm.urdf: line 6: link 'rod': mass: value is -2 kg")


def test_a_mesh_that_is_no_surface_is_told_when_built(folder: Path) -> None:
    (folder / "robots" / "parts" / "tip.obj").write_text("v 0 0 0\n")
    (told,) = problems(folder, SCENARIO)
    assert told.startswith("robots[0] \"arm\": arm.urdf: line 16: link 'tip': tip.obj: ")


def test_a_scenario_needs_something(folder: Path) -> None:
    empty = '[scenario]\nname = "x"\n[simulation]\nend_time = 1\n'
    assert problems(folder, empty) == [
        "bodies: is missing; give the bodies under [[bodies]], [[robots]] or [[assemblies]]"
    ]
    assert problems(folder, "bodies = []\n" + empty) == problems(folder, empty)


def test_a_robot_is_no_scenario(folder: Path) -> None:
    with pytest.raises(pc.ScenarioError, match=r"this is a robot, no scenario; .* name it under \[\[robots\]\]"):
        pc.load_scenario(folder / "robots" / "arm.urdf")


def test_the_schema_describes_robots() -> None:
    keys = export_schema()["$defs"]["RobotTable"]["properties"]
    assert keys["stop_stiffness"]["unit"] == "N m/rad or N/m"
    assert all("description" in each for each in keys.values())


def test_a_run_goes_on_with_its_robot(folder: Path) -> None:
    """A run file keeps the text of its scenario and the folder: the robot is found again."""
    scenario: Scenario = parse_scenario(SCENARIO, folder)
    run = pc.simulate(
        scenario.build(), **scenario.settings, scenario=scenario.source, scenario_folder=str(scenario.folder)
    )
    description = run.trajectory.description
    again = parse_scenario(description.scenario, description.scenario_folder)
    assert list(again.build().bodies) == list(run.trajectory.bodies)


def test_contacts_of_a_robot_can_be_compared(folder: Path) -> None:
    _, (subject,) = find_subjects(parse_scenario(SCENARIO, folder), None, ("tip", "floor"))
    assert (subject.e.name, subject.e.kind) == ("tip", None)
    assert subject.e.given.name == "tip"
    assert subject.f.kind == "plane"
