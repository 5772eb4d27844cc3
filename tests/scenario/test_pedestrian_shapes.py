"""The man and the car of the pedestrian scenario as shipped: shapes, masses, joints and the pose at the start."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from pedestrian_data import (
    JOINTS,
    LIMBS,
    MODEL,
    NEIGHBOURS,
    SEGMENTS,
    end_stops,
    man_and_car,
    standing_origins,
    start,
    surface_of,
    swing_stop,
)

import polycontact as pc
from polycontact.scenario.schema.joint_keys import Joint

SURFACES = [*SEGMENTS, "car"]
STATURE = 1.75
ARMS_AND_LEGS = ("upper arm", "forearm", "hand", "thigh", "shank", "foot")


def smallest_angles(surface: pc.Surface) -> NDArray[np.float64]:
    """Smallest angle of each triangle, degrees."""
    corners = surface.vertices[surface.triangles]
    angles = []
    for i in range(3):
        a, b = corners[:, (i + 1) % 3] - corners[:, i], corners[:, (i + 2) % 3] - corners[:, i]
        angles.append(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.einsum("ij,ij->i", a, b)))
    return np.degrees(np.min(angles, axis=0))


def placed(name: str) -> NDArray[np.float64]:
    """Vertices of a segment at the start, in the world."""
    place = start()[name]
    return np.asarray(surface_of(name).vertices @ place.rotation.T + place.position)


def touch_at_start(first: str, second: str) -> bool:
    a, b = start()[first], start()[second]
    pair = pc.ContactPairing(surface_of(first), surface_of(second), law=pc.LayerLaw(stiffness=1e6))
    R = a.rotation.T
    kinematics = pc.RelativeKinematics(rotation=R @ b.rotation, position=R @ (b.position - a.position))
    return pair.evaluate(kinematics).in_contact


def test_counts_are_those_of_the_paper() -> None:
    assert len(SEGMENTS) == 15
    assert set(LIMBS) == set(ARMS_AND_LEGS)
    assert sum(surface_of(name).n_triangles for name in SEGMENTS) == 20_452
    assert surface_of("car").n_triangles == 1_240


@pytest.mark.parametrize("name", SURFACES)
def test_surface_is_sound(name: str) -> None:
    surface = surface_of(name)
    report = pc.check_surface(surface)
    assert report.ok
    assert not report.problems
    assert report.n_components == 1
    assert surface.is_closed
    assert surface.volume > 0.0
    assert surface.name == name.replace(" ", "_")


@pytest.mark.parametrize("name", SURFACES)
def test_triangles_are_well_shaped(name: str) -> None:
    angles = smallest_angles(surface_of(name))
    assert np.mean(angles > 20.0) >= 0.99
    assert angles.min() > 15.0


@pytest.mark.parametrize("limb", ARMS_AND_LEGS)
def test_sides_are_mirror_images(limb: str) -> None:
    left, right = surface_of(f"left {limb}"), surface_of(f"right {limb}")
    np.testing.assert_array_equal(right.vertices, left.vertices * (1.0, -1.0, 1.0))
    np.testing.assert_array_equal(right.triangles, left.triangles[:, ::-1])


def test_standing_man_has_human_size() -> None:
    points = np.concatenate([surface_of(name).vertices + origin for name, origin in standing_origins().items()])
    size = points.max(axis=0) - points.min(axis=0)
    assert size[2] == pytest.approx(STATURE, abs=0.01)
    assert 0.45 < size[1] < 0.55
    volume = sum(surface_of(name).volume for name in SEGMENTS)
    assert 0.072 < volume < 0.095  # neighbours overlap at the joints


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_neighbours_overlap_at_their_joint(joint: Joint) -> None:
    assert touch_at_start(joint.parent, joint.child)


def test_degrees_of_freedom() -> None:
    assert len(JOINTS) == 14
    assert man_and_car().degrees_of_freedom == 29
    assert {joint.child for joint in JOINTS} == set(SEGMENTS) - {"pelvis"}


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.name)
def test_start_pose_is_within_the_stops(joint: Joint) -> None:
    stops, swing = end_stops(joint.name), swing_stop(joint.name)
    assert len(stops) == {"revolute": 1, "universal": 2, "spherical": 0}[joint.kind]
    assert (swing is not None) == (joint.kind == "spherical")
    for angle, stop in zip(joint.coordinates or (), stops, strict=False):
        assert stop.lower is not None
        assert stop.upper is not None
        assert stop.lower <= angle <= stop.upper
    if swing is not None:
        assert swing.cone is not None
        limb = start()[joint.parent].rotation.T @ start()[joint.child].rotation @ np.array(swing.axis)
        assert np.linalg.norm(swing.cone) == pytest.approx(1.0)
        assert math.acos(limb @ np.array(swing.cone)) < swing.swing


def test_masses_add_up() -> None:
    masses = {name: man_and_car().bodies[name].mass for name in SEGMENTS}
    assert math.fsum(masses.values()) == pytest.approx(75.0, abs=1e-12)
    assert masses["left thigh"] == pytest.approx(7.5)


@pytest.mark.parametrize("name", SEGMENTS)
def test_inertia_is_that_of_a_body(name: str) -> None:
    body = man_and_car().bodies[name]
    np.testing.assert_allclose(body.inertia, body.inertia.T, rtol=1e-12, atol=1e-15)
    small, middle, large = np.linalg.eigvalsh(body.inertia)
    assert small > 0.0
    assert small + middle >= large
    low, high = surface_of(name).bounds
    assert (low < body.centre).all()
    assert (body.centre < high).all()


@pytest.mark.parametrize("limb", ARMS_AND_LEGS)
def test_inertias_are_mirror_images(limb: str) -> None:
    left, right = (man_and_car().bodies[f"{side} {limb}"] for side in ("left", "right"))
    mirror = np.diag((1.0, -1.0, 1.0))
    np.testing.assert_allclose(right.centre, mirror @ left.centre, atol=1e-12)
    np.testing.assert_allclose(right.inertia, mirror @ left.inertia @ mirror, rtol=1e-9, atol=1e-12)


def test_start_pose_is_free_of_contact() -> None:
    found = [
        (first, second)
        for first, second in itertools.combinations(SEGMENTS, 2)
        if frozenset((first, second)) not in NEIGHBOURS and touch_at_start(first, second)
    ]
    assert found == []


def test_start_pose_stands_on_both_feet() -> None:
    lowest = [placed(f"{side} foot")[:, 2].min() for side in ("left", "right")]
    assert min(lowest) == pytest.approx(0.0, abs=1e-12)
    assert max(lowest) < 0.005
    assert all(placed(name)[:, 2].min() > -1e-12 for name in SEGMENTS)


def test_pairings_are_between_segments_that_are_apart() -> None:
    assert MODEL.contact is not None
    pairs = [frozenset(pair.bodies) for pair in MODEL.contact.pairs if "car" not in pair.bodies]
    assert len(pairs) == len(set(pairs)) == 12
    assert not set(pairs) & NEIGHBOURS
    assert all(pair <= set(SEGMENTS) for pair in pairs)


def test_car_has_the_size_of_a_compact() -> None:
    low, high = surface_of("car").bounds
    assert high[0] == pytest.approx(0.0, abs=0.01)
    np.testing.assert_allclose(high - low, (4.2, 1.75, 1.42), atol=0.03)
    assert low[2] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(low[1], -high[1], atol=1e-12)
