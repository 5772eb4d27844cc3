"""Friction is μ times the load, whatever the depth: submerged side faces do not rub, inclined faces of a groove do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import polycontact as pc

MU = 0.3
SPEED = 0.5
LAW = pc.LayerLaw(stiffness=1e9)
COULOMB = pc.RegularisedCoulomb(coefficient=MU, velocity=1e-3)
SPIN = pc.laws.SpinFriction(coefficient=MU, velocity=1e-3, spin_length=1e-3, spin_velocity=1e-3)
STICK = pc.StickFriction(coefficient=MU, damping=1e12)
"""A damper so strong that it slips at once: an evaluation that remembers nothing shows sliding friction."""
DIRECTIONS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, -0.8, 0.0))

Array = NDArray[np.float64]


def plane() -> pc.Surface:
    """A thick plate; its top is at z = 0."""
    plate = pc.shapes.box((0.1, 0.1, 0.04), (6, 5, 2))
    return pc.Surface(plate.vertices - (0.0, 0.0, 0.02), plate.triangles)


def block(n: int = 3) -> pc.Surface:
    """A block with 10 mm sides; its bottom is at z = 0."""
    cube = pc.shapes.box((0.01, 0.01, 0.01), n)
    return pc.Surface(cube.vertices - (0.0, 0.0, -0.005), cube.triangles)


def sunk(surface: pc.Surface, rotation: Array, depth: float) -> pc.Surface:
    """The surface, turned, with its lowest point so deep below z = 0."""
    vertices = surface.vertices @ rotation.T
    return pc.Surface(vertices - (0.0, 0.0, vertices[:, 2].min() + depth), surface.triangles)


def load_and_friction(e: pc.Surface, f: pc.Surface, direction: Any, **options: Any) -> tuple[Array, float]:
    """Force on E without sliding, N, and friction along the way of F, N; one body slides, the other stands still."""
    options = {"friction": COULOMB, **options}
    pair = pc.ContactPairing(e, f, law=LAW, **options)
    still = pair.wrench(np.eye(3), np.zeros(3))[:3]
    moving = pair.wrench(np.eye(3), np.zeros(3), SPEED * np.asarray(direction))[:3]
    return still, float((moving - still) @ direction)


@pytest.mark.parametrize("friction", [COULOMB, SPIN, STICK], ids=["coulomb", "spin", "stick"])
@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_block_that_slides_is_braked_by_its_load_at_any_depth(base: pc.Base, friction: Any) -> None:
    for depth in (1e-6, 1e-4, 1e-3, 2e-3):
        e = sunk(block(), np.eye(3), depth)
        for direction in DIRECTIONS:
            load, braking = load_and_friction(e, plane(), direction, base=base, friction=friction)
            assert braking == pytest.approx(MU * load[2], rel=1e-6)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("turn", [(0.0, 0.02, 0.0), (0.0, math.pi / 4, 0.0), (0.5, 0.6, 0.0)])
def test_tilted_block_is_braked_by_its_load(base: pc.Base, turn: tuple[float, float, float]) -> None:
    """On an edge or a corner too, along and across it.

    To 0.1 %: slopes of the depth over parts of elements are estimated. To 1 % with the plane as the base, whose
    triangles are larger than the contact.
    """
    e = sunk(block(), Rotation.from_rotvec(turn).as_matrix(), 1e-3)
    for direction in DIRECTIONS:
        load, braking = load_and_friction(e, plane(), direction, base=base)
        assert braking == pytest.approx(MU * load[2], rel=0.01 if base is not pc.Base.E else 1e-3)


@pytest.mark.parametrize(
    "method",
    [
        pc.contact.PolygonalMethod(depth="base_normal"),
        pc.contact.PolygonalMethod(depth="target_normal"),
        pc.contact.PenetrationLines(max_penetration=4e-3),
        pc.contact.PenetrationLines(max_penetration=4e-3, depth="target_normal"),
    ],
    ids=["paper", "target normal", "lines", "lines, target normal"],
)
def test_block_that_slides_is_braked_by_its_load_with_other_depths(method: Any) -> None:
    e = sunk(block(), np.eye(3), 1e-3)
    load, braking = load_and_friction(e, plane(), (0.6, 0.8, 0.0), method=method)
    assert load[2] > 90.0
    assert braking == pytest.approx(MU * load[2], rel=1e-6)


def wedge(half_angle: float, height: float, width: float, length: float, flip: float) -> pc.Surface:
    """A prism along y with an edge at z = 0, faces at ``half_angle`` to the vertical; a groove with ``flip`` -1."""
    x = height * math.tan(half_angle)
    profile = [(0.0, 0.0), (x, height), (-x, height)]
    if flip < 0:
        profile = [(0.0, 0.0), (-x, height), (-width, height), (-width, -height), (width, -height), (width, height)]
        profile.append((x, height))
    made = pc.shapes.extrude(np.array(profile), length)
    low, high = made.vertices.min(axis=0), made.vertices.max(axis=0)
    vertices = made.vertices - (0.0, 0.0, (low[2] + high[2]) / 2)
    return pc.Surface(vertices[:, [0, 2, 1]], made.triangles[:, ::-1])


@pytest.mark.parametrize("half_angle", [math.radians(20), math.radians(30), math.radians(45)])
def test_wedge_in_a_groove_rubs_on_both_faces(half_angle: float) -> None:
    """μN / sin α along the groove: the faces press each other with N / (2 sin α) each."""
    groove = wedge(half_angle, 0.02, 0.04, 0.2, -1.0)
    for depth in (1e-5, 1e-4):
        body = wedge(half_angle, 0.03, 0.0, 0.05, 1.0)
        body = pc.Surface(body.vertices - (0.0, 0.0, depth), body.triangles)
        load, braking = load_and_friction(body, groove, (0.0, 1.0, 0.0), base=pc.Base.E)
        assert load[2] > 1.0
        # At the rims of the groove and the ends of the wedge strips as wide as the depth meet other faces.
        assert braking == pytest.approx(MU * load[2] / math.sin(half_angle), rel=4 * depth / 0.02)


def test_pin_in_a_hole_that_fits_rubs_all_around() -> None:
    """A pin with interference: its loads cancel, and it is held by μ times all of them."""
    n = 48
    angles = np.linspace(0.0, 2.0 * math.pi, n, endpoint=False)
    pin = pc.shapes.extrude(0.0101 * np.column_stack((np.cos(angles), np.sin(angles))), 0.01)
    ring = pc.shapes.revolve([(-0.02, 0.01), (-0.02, 0.02), (0.04, 0.02), (0.04, 0.01), (-0.02, 0.01)], n, axis="z")
    pair = pc.ContactPairing(pin, ring, law=LAW, friction=COULOMB, base=pc.Base.E)
    moving = pair.wrench(np.eye(3), np.zeros(3), (0.0, 0.0, SPEED))
    plain = pc.ContactPairing(pin, ring, law=LAW, base=pc.Base.E).evaluate(pc.RelativeKinematics())
    pressed = float((plain.elements.pressure * plain.elements.area).sum())
    assert np.linalg.norm(plain.force) < 1e-3 * pressed
    assert moving[2] == pytest.approx(MU * pressed, rel=1e-2)


def test_sphere_that_slides_is_braked_by_its_load_either_way() -> None:
    ball = pc.shapes.sphere(0.01, 4)
    for depth in (1e-4, 1e-3, 4e-3):
        e = sunk(ball, np.eye(3), depth)
        for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH):
            load, braking = load_and_friction(e, plane(), (0.6, 0.8, 0.0), base=base)
            assert braking == pytest.approx(MU * load[2], rel=1e-3)


def test_friction_takes_from_motion_what_the_ledger_says() -> None:
    """The power of friction is that of its force, also where the common normal is not that of the elements."""
    e = sunk(block(), Rotation.from_rotvec((0.5, 0.6, 0.0)).as_matrix(), 2e-3)
    velocity = np.array((-0.3, 0.2, 0.0))
    system = pc.MultibodySystem()
    system.add_body("block", surface=e, density=1000.0, velocity=velocity)
    system.add_body("plane", surface=plane(), fixed=True)
    system.add_contact("block", "plane", law=LAW, friction=COULOMB, base=pc.Base.E)
    with pytest.warns(pc.ContactWarning, match="overlap"):
        contact = pc.simulate(system, end_time=1e-9).trajectory.pairing("block–plane")
    assert contact.friction_power[0] > 0.5
    assert contact.friction_power[0] == pytest.approx(-contact.force[0] @ velocity, rel=1e-9)
