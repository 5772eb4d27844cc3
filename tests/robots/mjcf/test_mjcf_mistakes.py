"""MJCF files that cannot be used: each tells the file, the line, the thing, the value and what to do, and quickly."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from mjcf_texts import ARM, CUBE, CUBE_FACES, written

import polycontact as pc

GEOM = '<geom size="0.1"/>'


def refused(folder: Path, text: str | bytes, **options: object) -> str:
    path = folder / "model.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(pc.errors.RobotError) as caught:
        pc.load_mjcf(path, **options)
    assert "model.xml: " in str(caught.value)
    return str(caught.value)


def model(bodies: str = "", *, before: str = "", after: str = "") -> str:
    return f"<mujoco>\n{before}\n<worldbody>\n{bodies}\n</worldbody>\n{after}\n</mujoco>"


def body(inside: str = GEOM, attributes: str = 'name="a"') -> str:
    return f"<body {attributes}>{inside}</body>"


def joint(attributes: str) -> str:
    return model(body(f"<joint {attributes}/>{GEOM}"))


def chain(length: int) -> str:
    return "".join(f'<body name="b{i}">' for i in range(length)) + "</body>" * length


FILES = {
    "empty": (b"", "the file is empty (0 bytes)"),
    "no XML": (b"solid cube\nfacet normal 0 0 1\n", "this is no XML"),
    "broken": (b"<mujoco>\n<worldbody>\n</mujoco>", "XML, line 3: damaged XML: mismatched tag"),
    "cut off": (ARM[:900].encode(), "damaged XML"),
    "other XML": (b"<?xml version='1.0'?>\n<html/>", "one <mujoco> element, and this is <html>, in line 2"),
    "URDF": (b"<robot name='r'/>", "it looks like a URDF file: read it with load_urdf"),
    "part": (b"<mujocoinclude/>", "give the path of the model that includes it"),
    "bomb": (b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><mujoco model="&b;"/>', "DOCTYPE or entities"),
    "file entity": (b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><mujoco>&a;</mujoco>', "DOCTYPE"),
    "encoding": (b"<?xml version='1.0' encoding='nonsense'?><mujoco/>", "damaged XML: unknown encoding"),
    "nested": (b"<mujoco>" + b"<a>" * 5000 + b"</a>" * 5000 + b"</mujoco>", "nested more than 600 deep"),
    "crowded": (b"<mujoco>" + b"<a/>" * 300_000 + b"</mujoco>", "more than 200000 elements"),
    "long tag": (b"<mujoco model='" + b"a" * 5_000_000, "a tag or comment is longer than"),
    "deep chain": (model(chain(700)).encode(), "nested more than 600 deep"),
    "many bodies": (model("".join(body("", "") for _ in range(5100))).encode(), "more than 5000 bodies"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_no_model(tmp_path: Path, name: str) -> None:
    content, message = FILES[name]
    assert message in refused(tmp_path, content)


CONTENTS = {
    "two bodies of one name": (model(body() + body()), "there is a body 'a' in line 4 already"),
    "world as name": (model(body(GEOM, 'name="world"')), "the name of the world itself"),
    "two joints": (model(body('<joint name="j"/><joint name="j"/>' + GEOM)), "there is a joint 'j' in line 4 already"),
    "two geoms": (model('<geom name="g" size="1"/><geom name="g" size="1"/>'), "there is a geom 'g' already"),
    "two sites": (model('<site name="s"/><site name="s"/>'), "there is a site 's' already"),
    "joint in the world": (model("<joint/>"), "<joint> in the world, which does not move"),
    "free below": (model(body(body(f"<freejoint/>{GEOM}", 'name="b"'))), "a free joint is the only one of a body"),
    "free and hinge": (model(body(f"<freejoint/><joint/>{GEOM}")), "a free joint is the only one of a body"),
    "seven speeds": (
        model(body('<joint name="j1"/><joint name="j2" type="ball"/>' + '<joint type="slide"/>' * 3000 + GEOM)),
        "body 'a': its 3002 joints give it more than 6 degrees of freedom, which a body cannot have; leave out those "
        "from joint 'a joint 5' on, or give each its own body",
    ),
    "type of joint": (joint('type="screw"'), "joint: type is 'screw'; allowed: hinge, slide, ball, free"),
    "zero axis": (joint('axis="0 0 0"'), "joint 'a': axis is zero; give a direction, such as 0 0 1"),
    "short axis": (joint('axis="0 1"'), "axis is '0 1'; expected 3 numbers"),
    "words": (joint('axis="0 0 up"'), "'up' in '0 0 up' is no number"),
    "comma": (joint('pos="0,1 0 0"'), "write a point, no comma"),
    "nan": (joint('ref="nan"'), "'nan' is not finite"),
    "huge": (joint('ref="1e99"'), "is too large"),
    "turned range": (joint('range="2 1"'), "the first must lie below the second"),
    "negative stiffness": (joint('stiffness="-1"'), "stiffness is -1 N m/rad; it must be not negative"),
    "negative damping": (joint('type="slide" damping="-1"'), "damping is -1 N s/m; it must be not negative"),
    "limited": (joint('limited="maybe"'), "limited is 'maybe'; allowed: auto, true, false"),
    "open limits": (
        model(body(f'<joint range="1 2"/>{GEOM}'), before='<compiler autolimits="false"/>'),
        'give limited="true" or "false"',
    ),
    "two orientations": (
        model(body(GEOM, 'name="a" quat="1 0 0 0" euler="0 0 0"')),
        "quat and euler are given; leave one out",
    ),
    "zero quaternion": (model(body(GEOM, 'name="a" quat="0 0 0 0"')), "body 'a': quat is zero"),
    "zero z axis": (model(body(GEOM, 'name="a" zaxis="0 0 0"')), "zaxis is zero"),
    "parallel axes": (model(body(GEOM, 'name="a" xyaxes="1 0 0 2 0 0"')), "the y axis of xyaxes, across the x axis,"),
    "type of geom": (model('<geom type="cone"/>'), "type is 'cone'; read are plane, sphere, capsule"),
    "sdf": (model(body('<geom type="sdf"/>')), "put a mesh in its place"),
    "no size": (model(body("<geom/>")), "size is ''; a sphere needs 1 positive numbers"),
    "short size": (model(body('<geom type="box" size="1 2"/>')), "a box needs 3 positive numbers"),
    "negative size": (model(body('<geom size="-1"/>')), "a sphere needs 1 positive numbers"),
    "long size": (model(body('<geom size="1 2 3 4"/>')), "expected at most 3 numbers"),
    "one point": (model(body('<geom type="capsule" size="1" fromto="0 0 0 0 0 0"/>')), "names one point twice"),
    "negative mass": (model(body('<geom size="1" mass="-1"/>')), "mass is -1 kg; it must be not negative"),
    "shell": (model(body('<geom size="1" shellinertia="true"/>')), "shellinertia is not read"),
    "fitted": (model(body('<geom mesh="m"/>')), 'write type="mesh" for the mesh itself'),
    "no mesh": (model(body('<geom type="mesh"/>')), "it is a mesh, and names none"),
    "unknown mesh": (model(body('<geom type="mesh" mesh="m"/>')), "there is no mesh 'm'; known: none"),
    "half a group": (model(body('<geom size="1" group="1.5"/>')), "group is 1.5; give a whole number"),
    "unknown class": (model(body('<geom class="x" size="1"/>')), "there is no default class 'x'"),
    "nameless class": (
        model(body(), before="<default><default><geom/></default></default>"),
        "a <default> inside another needs a class",
    ),
    "two classes": (
        model(body(), before='<default><default class="x"/><default class="x"/></default>'),
        "there is a default class 'x' already",
    ),
    "no mass": (model(body("<joint/>")), "body 'a' moves, has no mass and carries none; give it an <inertial>"),
    "two inertials": (
        model(body('<inertial mass="1" diaginertia="1 1 1"/><inertial mass="1" diaginertia="1 1 1"/>')),
        "a second <inertial>",
    ),
    "impossible inertia": (
        model(body('<joint/><inertial mass="1" diaginertia="1 1 9"/>')),
        "are not possible",
    ),
    "half an inertia": (model(body('<joint/><inertial mass="1"/>')), "must be positive"),
    "massless inertia": (model(body('<inertial mass="0" diaginertia="1 1 1"/>')), "mass is 0 kg, and its inertia"),
    "both inertias": (
        model(body('<inertial mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/>')),
        "diaginertia and fullinertia are given",
    ),
    "angle": (model(body(), before='<compiler angle="grad"/>'), "angle is 'grad'; allowed: degree, radian"),
    "sequence": (model(body(), before='<compiler eulerseq="xy"/>'), "eulerseq is 'xy'; give three of x, y, z"),
    "global": (model(body(), before='<compiler coordinate="global"/>'), "which MuJoCo itself has given up"),
    "timestep": (model(body(), before='<option timestep="0"/>'), "timestep is 0 s; it must be positive"),
    "replicate": (model('<replicate count="3"/>'), "let MuJoCo write the whole model out"),
    "actuator at nothing": (model(body(), after="<actuator><motor/></actuator>"), "it acts on nothing"),
    "actuator's joint": (model(body(), after='<actuator><motor joint="x"/></actuator>'), "there is no joint 'x'"),
    "control range": (
        model(body(f'<joint name="j"/>{GEOM}'), after='<actuator><motor joint="j" ctrlrange="2 1"/></actuator>'),
        "ctrlrange goes from 2 to 1",
    ),
    "weld to nothing": (model(body(), after='<equality><weld body1="x"/></equality>'), "there is no body 'x'"),
    "weld to itself": (
        model(body(), after='<equality><weld body1="a" body2="a"/></equality>'),
        "both ends are on body 'a'",
    ),
    "no anchor": (model(body(), after='<equality><connect body1="a"/></equality>'), "has no anchor"),
    "excluded nobody": (
        model(body(), after='<contact><exclude body1="a" body2="b"/></contact>'),
        "there is no body 'b'",
    ),
    "pair of nothing": (
        model(body(), after='<contact><pair geom1="a" geom2="b"/></contact>'),
        "there is no geom 'a'",
    ),
    "short key": (
        model(body(f"<joint/>{GEOM}"), after='<keyframe><key qpos="1 2"/></keyframe>'),
        "qpos has 2 numbers, and the model 1",
    ),
    "mesh without anything": (model(before='<asset><mesh name="m"/></asset>'), "neither a file nor vertices"),
    "mesh of both": (
        model(before='<asset><mesh name="m" file="x.stl" vertex="0 0 0"/></asset>'),
        "it has a file and vertices",
    ),
    "half a vertex": (model(before='<asset><mesh name="m" vertex="0 0"/></asset>'), "vertex has 2 numbers"),
    "flat mesh": (
        model(
            body('<geom type="mesh" mesh="m"/>'),
            before='<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 1 1 0"/></asset>',
        ),
        "enclose no volume",
    ),
    "face beyond": (
        model(before=f'<asset><mesh name="m" vertex="{CUBE}" face="0 1 8"/></asset>'),
        "there are 8, from 0",
    ),
    "zero scale": (
        model(before=f'<asset><mesh name="m" vertex="{CUBE}" face="{CUBE_FACES}" scale="1 0 1"/></asset>'),
        "no factor may be zero",
    ),
    "missing mesh": (
        model(body('<geom type="mesh" mesh="m"/>'), before='<asset><mesh name="m" file="m.stl"/></asset>'),
        "the file 'm.stl' was not found; looked for",
    ),
    "include of nothing": (model(before="<include/>"), "<include> has no file"),
    "missing include": (model(before='<include file="x.xml"/>'), "'x.xml' was not found; looked for"),
    "include of itself": (model(before='<include file="model.xml"/>'), "is included twice, or includes itself"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_contents_that_make_no_sense(tmp_path: Path, name: str) -> None:
    text, message = CONTENTS[name]
    told = refused(tmp_path, text)
    assert message in told
    assert "line " in told


OPTIONS = {
    "prefix": ({"prefix": 3}, "prefix is 3"),
    "contact": ({"contact": "all"}, "contact is 'all'; give \"collision\""),
    "geometry": ({"geometry": "round"}, "geometry is 'round'"),
    "joint": ({"coordinates": {"elbow": 1.0}}, "there is no joint 'elbow'"),
    "count": ({"coordinates": {"ball": 1.0}}, "joint 'ball'"),
    "table": ({"speeds": 3.0}, "speeds is 3.0; give values by the names of joints"),
    "key": ({"key": "home"}, "there is no key frame 'home'"),
    "actuator": ({"controls": {"x": 1.0}}, "there is no actuator 'x'"),
    "range": ({"controls": {"push": 6.0}}, "give a number from -5 to 5"),
    "formula": ({"controls": {"push": "sin("}}, "sin("),
    "nan": ({"coordinates": {"yaw": float("nan")}}, "joint 'yaw'"),
    "position": ({"position": (0.0, 1.0)}, "position"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_make_no_sense(tmp_path: Path, name: str) -> None:
    options, message = OPTIONS[name]
    path = written(tmp_path, ARM)
    with pytest.raises(pc.PolycontactError) as caught:
        pc.load_mjcf(path, **options)
    assert message in str(caught.value)


def test_files_that_include_each_other_without_end(tmp_path: Path) -> None:
    for i in range(300):
        written(tmp_path, f'<mujocoinclude><include file="part{i + 1}.xml"/></mujocoinclude>', f"part{i}.xml")
    path = written(tmp_path, model(before='<include file="part0.xml"/>'))
    with pytest.raises(pc.errors.RobotError, match="more than 200 files are included"):
        pc.robots.read_mjcf(path)


@pytest.mark.filterwarnings("ignore::polycontact.errors.RobotWarning")
def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    """Whatever happens to a file, it is a model or an error of ours, never anything else."""
    rng = random.Random(5)
    for _ in range(150):
        text = bytearray(ARM.encode())
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text[at : at + rng.randint(0, 12)] = bytes(rng.randrange(32, 127) for _ in range(rng.randint(0, 6)))
        path = tmp_path / "model.xml"
        path.write_bytes(bytes(text))
        with suppress(pc.PolycontactError):
            pc.load_mjcf(path)
