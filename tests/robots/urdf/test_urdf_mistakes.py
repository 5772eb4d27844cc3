"""URDF files that cannot be used: each tells the file, the line, the thing, the value and what to do, and quickly."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from urdf_texts import ARM, written

import polycontact as pc

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
LINK = f'<link name="{{}}">{INERTIAL}</link>\n'
JOINT = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>\n'


def refused(folder: Path, text: str | bytes, **options: object) -> str:
    path = folder / "robot.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(pc.errors.RobotError) as caught:
        pc.load_urdf(path, **options)
    assert str(caught.value).startswith("robot.urdf: ")
    return str(caught.value)


def robot(*parts: str) -> str:
    return "<robot name='r'>\n" + "".join(parts) + "</robot>\n"


FILES = {
    "empty": (b"", "the file is empty (0 bytes)"),
    "blank": (b"  \n\n", "the file is empty"),
    "no XML": (b"solid cube\nfacet normal 0 0 1\n", "this is no XML"),
    "binary": (bytes(range(256)).replace(b"<", b"") * 40, "this is no XML"),
    "broken": (b"<robot name='r'>\n<link name='a'>\n</robot>", "XML, line 3: damaged XML: mismatched tag"),
    "cut off": (ARM[:900].encode(), "damaged XML"),
    "other XML": (b"<?xml version='1.0'?>\n<html/>", "one <robot> element, and this is <html>, in line 2"),
    "SDF": (b"<sdf version='1.7'><model/></sdf>", "it looks like an SDF file: convert it to URDF"),
    "MuJoCo": (b"<mujoco model='x'/>", "it looks like a MuJoCo model"),
    "bomb": (b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><robot name="&b;"/>', "DOCTYPE or entities"),
    "file entity": (b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot>&a;</robot>', "DOCTYPE"),
    "encoding": (b"<?xml version='1.0' encoding='nonsense'?><robot/>", "damaged XML: unknown encoding"),
    "no links": (b"<robot name='r'/>", "line 1: the robot has no links"),
    "nested": (b"<robot>" + b"<a>" * 5000 + b"</a>" * 5000 + b"</robot>", "nested more than 64 deep"),
    "crowded": (b"<robot>" + b"<a/>" * 300_000 + b"</robot>", "more than 200000 elements"),
    "long tag": (b"<robot name='" + b"a" * 5_000_000, "a tag or comment is longer than"),
    "many links": (robot(*(f"<link name='{i}'/>" for i in range(2500))).encode(), "more than 2000 links"),
    "xacro": (
        b"<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:include filename='x'/></robot>",
        "line 2: <xacro:include>: this is a xacro file, from which a robot is yet to be made: run 'xacro FILE",
    ),
    "xacro value": (robot("<link name='${prefix}base'/>").encode(), "'${prefix}base': this is a xacro file"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_no_robot(tmp_path: Path, name: str) -> None:
    content, message = FILES[name]
    assert message in refused(tmp_path, content)


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    with path.open("wb") as file:
        file.truncate(200 * 1024**2)
    with pytest.raises(pc.errors.RobotError, match=r"robot.urdf: the file has 209715200 bytes, the limit is 16777216"):
        pc.robots.read_urdf(path)


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(pc.errors.RobotError, match=r"missing.urdf: no such file in"):
        pc.robots.read_urdf(tmp_path / "missing.urdf")
    with pytest.raises(pc.errors.RobotError, match="is a folder; give the path of a regular URDF file"):
        pc.robots.read_urdf(tmp_path)
    with pytest.raises(pc.errors.RobotError, match="give a text or a Path"):
        pc.robots.read_urdf(3)  # type: ignore[arg-type]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.urdf")
        with pytest.raises(pc.errors.RobotError, match="FIFO"):
            pc.robots.read_urdf(tmp_path / "pipe.urdf")


TREES = {
    "unnamed link": (robot("<link/>"), "line 2: a link: <link> has no name"),
    "unnamed joint": (robot(LINK.format("a"), '<joint type="fixed"/>'), "line 3: a joint: <joint> has no name"),
    "doubled link": (robot(LINK.format("a"), LINK.format("a")), "line 3: there is a link 'a' in line 2 already"),
    "doubled joint": (
        robot(*(LINK.format(x) for x in "abc"), JOINT.format("j", "a", "b"), JOINT.format("j", "b", "c")),
        "line 6: there is a joint 'j' in line 5 already",
    ),
    "two roots": (
        robot(LINK.format("a"), LINK.format("b")),
        "line 1: 2 links have no parent: 'a' (line 2), 'b' (line 3); a robot has one root",
    ),
    "two parents": (
        robot(*(LINK.format(x) for x in "abc"), JOINT.format("i", "a", "c"), JOINT.format("j", "b", "c")),
        "line 6: joint 'j': link 'c' is the child of joint 'i' in line 5 already",
    ),
    "own ancestor": (
        robot(*(LINK.format(x) for x in "abc"), JOINT.format("i", "b", "c"), JOINT.format("j", "c", "b")),
        "joints go round in a circle: 'c' ← 'b' ← 'c'",
    ),
    "own parent": (
        robot(LINK.format("a"), JOINT.format("i", "a", "a")),
        "line 3: joint 'i': the joints go round in a circle: 'a' ← 'a'",
    ),
    "unknown parent": (
        robot(LINK.format("base"), LINK.format("b"), JOINT.format("j", "bas", "b")),
        "line 4: joint 'j': parent: there is no link 'bas'; did you mean 'base'?",
    ),
    "unknown child": (robot(LINK.format("a"), JOINT.format("j", "a", "x")), "joint 'j': child: there is no link 'x'"),
    "no parent": (
        robot(LINK.format("a"), '<joint name="j" type="fixed"><child link="a"/></joint>'),
        "line 3: joint 'j' has no parent; add <parent link",
    ),
    "two children": (
        robot(
            LINK.format("a"),
            '<joint name="j" type="fixed"><parent link="a"/><child link="a"/>\n<child link="a"/></joint>',
        ),
        "line 4: a second <child> in joint 'j', which has one in line 3",
    ),
    "no type": (robot(LINK.format("a"), '<joint name="j"/>'), "joint 'j': <joint> has no type"),
    "unknown type": (
        robot(LINK.format("a"), '<joint name="j" type="ball"/>'),
        "line 3: joint 'j': type is 'ball'; allowed: revolute, continuous, prismatic, fixed, floating, planar",
    ),
    "body's name": (
        robot(*(LINK.format(x) for x in "abc"), JOINT.format("a", "a", "b"), JOINT.format("j", "b", "c")),
        "line 5: joint 'a' has the name of a body that it does not carry",
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_links_that_make_no_tree(tmp_path: Path, name: str) -> None:
    text, message = TREES[name]
    assert message in refused(tmp_path, text)


VALUES = {
    "negative mass": (('mass value="4"', 'mass value="-4"'), "link 'column': mass: value is -4 kg; it must be not neg"),
    "NaN mass": (('mass value="4"', 'mass value="nan"'), "link 'column': mass: value: 'nan' is not finite"),
    "mass without number": (('mass value="4"', "mass"), "link 'column': mass: <mass> has no value"),
    "no mass": (('<mass value="4"/>', ""), "link 'column': <inertial> has no <mass>"),
    "zero mass": (('mass value="4"', 'mass value="0"'), "link 'column': mass is 0 kg, and its inertia is not"),
    "overflow": (('mass value="4"', 'mass value="1e999"'), "'1e999' kg is too large"),
    "NaN inertia": (('iyy="0.05"', 'iyy="NaN"'), "link 'column': inertia: iyy: 'NaN' is not finite"),
    "missing moment": (('iyy="0.05"', ""), "link 'column': inertia: <inertia> has no iyy"),
    "negative inertia": (('iyy="0.05"', 'iyy="-0.05"'), "link 'column': principal moments of inertia"),
    "impossible inertia": (('iyy="0.05"', 'iyy="0.5"'), "the largest exceeds the sum of the others"),
    "zero axis": (('axis xyz="0 3 4"', 'axis xyz="0 0 0"'), "joint 'shoulder': axis is zero; give a direction"),
    "two numbers": (('axis xyz="0 3 4"', 'axis xyz="3 4"'), "axis: xyz is '3 4'; expected 3 numbers with spaces"),
    "word": (('xyz="0 0 0.05"', 'xyz="0 zero 0.05"'), "joint 'turn': xyz: 'zero' in '0 zero 0.05' is no number"),
    "comma": (('xyz="0 0 0.05"', 'xyz="0 0 0,05"'), "write a point, no comma"),
    "underscore": (('mass value="4"', 'mass value="4_0"'), "'4_0' is no number"),
    "xacro": (('mass value="4"', 'mass value="${4*2}"'), "this is a xacro file"),
    "infinite origin": (('rpy="0 0 0.4"', 'rpy="0 0 inf"'), "joint 'turn': rpy: 'inf' in '0 0 inf' is not finite"),
    "negative damping": (('damping="12"', 'damping="-1"'), "joint 'reach': dynamics: damping is -1 N s/m"),
    "limits": (('lower="-1.5" upper="2"', 'lower="2" upper="1"'), "lower (2 rad) lies above upper (1 rad)"),
    "limit word": (('lower="-1.5"', 'lower="low"'), "joint 'shoulder': limit: lower: 'low' is no number"),
    "negative radius": (('radius="0.06"', 'radius="-1"'), "collision: cylinder: radius is -1 m; it must be positive"),
    "flat box": (('size="0.2 0.2 0.1"', 'size="0.2 0.2 0"'), "link 'base': collision: box: size is [0.2, 0.2, 0.0] m"),
    "no length": (('<cylinder radius="0.06" length="0.4"/>', '<cylinder radius="1"/>'), "<cylinder> has no length"),
    "torus": (('<box size="0.2 0.2 0.1"/>', "<torus/>"), "<torus> is not read; give it <box>"),
    "no geometry": (('<geometry><box size="0.2 0.2 0.1"/></geometry>', ""), "link 'base': collision has no geometry"),
    "two geometries": (('<box size="0.2 0.2 0.1"/>', '<box size="1 1 1"/>' * 2), "has two geometries"),
    "massless leaf": (('<mass value="0.4"/>', '<mass value="0"/>'), "link 'balloon': mass is 0 kg"),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_that_make_no_sense(tmp_path: Path, name: str) -> None:
    (old, new), message = VALUES[name]
    assert ARM.count(old) == 1
    line = ARM[: ARM.index(old)].count("\n") + 1
    told = refused(tmp_path, ARM.replace(old, new))
    assert message in told
    assert any(told.startswith(f"robot.urdf: line {line - k}: ") for k in range(3))  # of it, or of what it is in


def test_a_moving_link_needs_mass_somewhere(tmp_path: Path) -> None:
    text = robot("<link name='a'/>", "<link name='b'/>", "<link name='c'/>\n", JOINT.format("i", "b", "c"))
    text = text.replace("</robot>", JOINT.format("j", "a", "b").replace("fixed", "revolute") + "</robot>")
    told = refused(tmp_path, text)
    assert "line 4: joint 'j' (revolute) moves link 'b', which has no mass and carries none" in told
    assert "no link has a mass" in refused(tmp_path, robot("<link name='a'/>"), fixed_base=False)


OPTIONS = {
    "contact": ({"contact": "both"}, 'contact is \'both\'; give "collision", "visual", or None'),
    "geometry": ({"geometry": "implicit"}, 'geometry is \'implicit\'; give "mesh" or "convex"'),
    "packages": ({"packages": ["a"]}, "packages is ['a']; give the folder of each by its name"),
    "package": ({"packages": {"a": "/not/there"}}, "packages: 'a' is '/not/there'; there is no such folder"),
    "joint": ({"coordinates": {"shouler": 1.0}}, "there is no moving joint 'shouler'; did you mean 'shoulder'?"),
    "fixed joint": ({"speeds": {"mount": 1.0}}, "speeds: there is no moving joint 'mount'"),
    "start": ({"coordinates": [1.0]}, 'coordinates is [1.0]; give values by the names of joints: {"elbow": 0.5}'),
    "start value": ({"coordinates": {"shoulder": float("nan")}}, "coordinates (angle) is not finite"),
    "stiffness": ({"stop_stiffness": -1.0}, "end stop 'shoulder stop': stiffness is -1.0"),
    "position": ({"position": (0.0, 1.0)}, "robot: position has shape (2,)"),
    "rotation": ({"rotation": [[1, 2, 3]] * 3}, "robot: rotation is not a rotation"),
    "layer": ({"layer": 3.0}, "layer is 3.0; expected an ElasticLayer"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_make_no_sense(tmp_path: Path, name: str) -> None:
    options, message = OPTIONS[name]
    path = written(tmp_path, ARM)
    with pytest.raises(pc.PolycontactError) as caught:
        pc.load_urdf(path, **options)
    assert message in str(caught.value)


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """Bytes replaced, removed and doubled at random: a robot or an error of ours, nothing else."""
    dice, path, told = random.Random(1), tmp_path / "robot.urdf", []
    for _ in range(300):
        data = bytearray(ARM.encode())
        for _ in range(dice.randrange(1, 6)):
            at, length = dice.randrange(len(data)), dice.randrange(1, 40)
            match dice.randrange(3):
                case 0:
                    data[at] = dice.randrange(256)
                case 1:
                    del data[at : at + length]
                case _:
                    data[at:at] = data[at : at + length]
        path.write_bytes(data)
        try:
            pc.robots.read_urdf(path)
        except pc.errors.RobotError as error:
            told.append(str(error))
    assert len(told) > 100
    assert all(each.startswith("robot.urdf: ") for each in told)
