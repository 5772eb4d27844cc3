"""The page of a model before it runs: what is drawn where, what is listed, and what overlaps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from view_subjects import array_of, content_of, model_with_everything

import polycontact as pc
from polycontact.report.view.showing import make_page_of
from polycontact.report.view.system_scene import system_scene
from polycontact.report.view.viewer_scene import Item, Scene


@pytest.fixture(scope="module")
def scene() -> Scene:
    return system_scene(model_with_everything())


def item(scene: Scene, name: str) -> Item:
    return next(each for each in scene.items if each.name == name)


def layer(scene: Scene, key: str) -> Any:
    return next(each for each in scene.layers if each.key == key)


def test_every_part_is_listed(scene: Scene) -> None:
    groups: dict[str, list[str]] = {}
    for each in scene.items:
        groups.setdefault(each.group, []).append(each.name)
    assert groups == {
        "Overlap at the start": ["block–plate"],
        "Joints": ["elbow", "rail", "neck"],
        "Springs, motors and other forces": ["elbow motor", "cord", "gust"],
        "Contacts": ["block–plate"],
    }
    assert [(body.name, body.note, body.is_fixed) for body in scene.bodies] == [
        ("plate", "", True),
        ("block", "2 kg", False),
        ("arm", "1 kg", False),
        ("cart", "1 kg", False),
        ("head", "1 kg", False),
    ]


def test_words_have_numbers_and_units(scene: Scene) -> None:
    assert item(scene, "elbow").value == "revolute"
    assert item(scene, "elbow").text == "world → arm; angle 30°; stops bend: from 0° to 120°; motor elbow motor"
    assert "displacement 0.1 m; stops ends: from -0.2 m to 0.3 m" in item(scene, "rail").text
    assert "swing up to 45°, twist ± 20°" in item(scene, "neck").text
    assert item(scene, "elbow motor").text.startswith("drives joint elbow")
    assert "at most 20 N m" in item(scene, "elbow motor").text
    assert item(scene, "cord").text == "cart – world, 100 N/m, free length 0.2 m, now 0.5 m"
    assert item(scene, "block–plate").value == "5 mm"
    contact = scene.items[-1]
    assert contact.value in ("polygonal, base E", "polygonal, base F")
    assert contact.text.startswith("law: layer 1e+07 N/m³; friction: regularised coulomb 0.3; base: ")
    assert contact.text.partition("; base: ")[2].startswith(f"{contact.value[-1]} ")
    assert ("gravity", "9.81 m/s² along −z") in scene.facts


def test_signs_lie_where_the_parts_are(scene: Scene) -> None:
    """By hand: the elbow at (0, 0, 1) m turns about y, from x towards −z; stops of the rail lie along x."""
    at = np.array([0.0, 0.0, 1.0])
    np.testing.assert_allclose(item(scene, "elbow").place, at, atol=1e-15)
    limits = layer(scene, "limits").data.reshape(-1, 3)
    arms = limits[np.isclose(limits[:, 1], 0.0, atol=1e-12) & (np.abs(limits - at).max(axis=1) < 0.4)] - at
    angles = np.degrees(np.arctan2(-arms[:, 2], arms[:, 0]))
    turning = angles[np.linalg.norm(arms, axis=1) > 1e-3]
    assert turning.min() == pytest.approx(0.0, abs=1e-9)
    assert turning.max() == pytest.approx(120.0, abs=1e-9)
    for limit in (-0.2, 0.3):
        crossing = np.isclose(limits, (1.0 + limit, 1.0, 0.5), atol=0.1).all(axis=1)
        assert np.allclose(limits[crossing, 0], 1.0 + limit, atol=1e-12)
        assert crossing.sum() == 4  # two strokes
    spring = layer(scene, "springs").data
    np.testing.assert_allclose(spring[0, 0], (1.1, 1.0, 0.5), atol=1e-12)
    np.testing.assert_allclose(spring[-1, 1], (1.1, 1.0, 1.0), atol=1e-12)
    (foot, tip), *_ = layer(scene, "gravity").data
    np.testing.assert_allclose((tip - foot) / np.linalg.norm(tip - foot), (0.0, 0.0, -1.0), atol=1e-12)


def test_cone_of_a_spherical_joint(scene: Scene) -> None:
    """All lines from the apex make the swing with the cone's axis, z."""
    at = item(scene, "neck").place
    ends = layer(scene, "limits").data
    lines = ends[np.linalg.norm(ends[:, 0] - at, axis=1) < 1e-12]
    ways = lines[:, 1] - lines[:, 0]
    angles = np.degrees(np.arccos(ways[:, 2] / np.linalg.norm(ways, axis=1)))
    assert sorted(np.round(angles, 6)) == [0.0] + 8 * [45.0]  # the pointer, and the cone


def test_overlap_is_marked_on_the_bodies(scene: Scene) -> None:
    """A box 5 mm deep in a plate: the force of the layer on the block is stiffness times depth times face."""
    (frame,) = scene.frames
    (mark,) = frame.contacts
    assert scene.bodies[mark.body].name == "block"
    np.testing.assert_allclose(mark.force, (0.0, 0.0, 1e7 * 0.005 * 0.01), rtol=1e-9, atol=1e-6)
    assert mark.depth == pytest.approx(0.005)
    assert {scene.bodies[piece.body].name for piece in frame.patches} == {"block"}  # the base
    np.testing.assert_allclose(item(scene, "block–plate").place[:2], (2.0, 0.0), atol=1e-9)


def test_deep_overlap_is_told_as_a_run_tells_it() -> None:
    system = model_with_everything(depth=0.05)
    assert [note.split(":")[0] for note in system_scene(system).notes] == ["contact 'block–plate'"]


def test_many_pairs_share_a_row() -> None:
    system = pc.MultibodySystem("many")
    for i in range(9):
        system.add_body(f"b{i}", surface=pc.shapes.box(size=0.1), density=1000.0, position=(0.2 * i, 0.0, 0.0))
    system.find_contacts(law=pc.LayerLaw(stiffness=1e7))
    (row,) = system_scene(system).items
    assert (row.name, row.value) == ("36 pairs", "polygonal, base E")
    assert row.text.endswith("and 12 more")


def test_page_holds_the_model(scene: Scene) -> None:
    content, data = content_of(make_page_of(model_with_everything()).html)
    assert (content["kind"], content["subtitle"]) == ("model", "before the run")
    drawn = {each["key"]: each for each in content["layers"]}
    assert set(drawn) == {"joints", "limits", "springs", "drives", "gravity"}
    springs = array_of(drawn["springs"]["data"], data).reshape(-1, 2, 3) + np.array(content["origin"])
    np.testing.assert_allclose(springs, layer(scene, "springs").data, atol=1e-6)
    place = np.array(next(each["place"] for each in content["items"] if each["name"] == "elbow"))
    np.testing.assert_allclose(place + content["origin"], (0.0, 0.0, 1.0), atol=1e-5)
    assert math.isclose(content["quantities"][1]["max"], 0.005, rel_tol=1e-6)


def test_gears_friction_and_bushings() -> None:
    """Pitch circles of wheels meet between their axes, that of a pinion has its radius; all are listed with numbers."""
    system = pc.MultibodySystem("machine")
    for i, at in enumerate((0.0, 0.24)):
        system.add_body(f"wheel {i}", surface=pc.shapes.box(size=0.05), mass=1.0, contact=False)
        system.add_joint(f"axle {i}", "revolute", "world", f"wheel {i}", at=(at, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    system.add_body("rack", surface=pc.shapes.box(size=0.05), mass=1.0, contact=False)
    system.add_joint("rail", "prismatic", "world", "rack", at=(0.24, 0.0, -0.2), axis=(1.0, 0.0, 0.0))
    system.add_coupler(pc.multibody.Gear("gears", "axle 0", "axle 1", ratio=-3.0))
    system.add_coupler(pc.multibody.RackAndPinion("teeth", "axle 1", "rail", radius="30 mm"))
    system.add_force(pc.multibody.JointFriction("brake", "axle 0", dry=2.0, viscous=0.1))
    system.add_force(pc.multibody.Bushing("mount", "rack", "wheel 0", (1e3, 1e3, 1e3, 5.0, 5.0, 5.0)))
    system.add_force(pc.multibody.AppliedForce("push", "rack", force=(0.0, "5 * sin(t)", 2.0), axes="body"))
    system.add_force(pc.multibody.JointEffort("drive", "axle 0", 0.5))
    scene = system_scene(system)
    points = layer(scene, "couplers").data.reshape(-1, 3)
    around = [np.linalg.norm(points - np.array([at, 0.0, 0.0]), axis=1) for at in (0.0, 0.24)]
    for distance, radius in ((around[0], 0.06), (around[1], 0.18), (around[1], 0.03)):
        assert np.count_nonzero(np.isclose(distance, radius, atol=1e-12)) > 40
    assert layer(scene, "springs").count == 1
    told = {each.name: (each.value, each.text) for each in scene.items}
    assert told["gears"] == ("gear", "axle 0 turns −3 times as fast as axle 1")
    assert told["teeth"] == ("rack and pinion", "pinion axle 1, rack rail, radius 0.03 m")
    assert told["brake"][0] == "friction"
    assert "dry 2 N m, viscous 0.1 N m s/rad, fades out below 0.001 rad/s" in told["brake"][1]
    assert told["mount"] == ("bushing", "rack – wheel 0, (1000, 1000, 1000) N/m, (5, 5, 5) N m/rad")
    assert told["push"] == ("applied force", "on rack, force (0, 5 * sin(t), 2) N, axes of the body")
    assert told["drive"] == ("effort", "at joint axle 0, 0.5 N m")
    assert ("gears and couplers", "2") in scene.facts
