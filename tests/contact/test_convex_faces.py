"""Convex shapes that lie flat: several points of contact, their stiffness, continuity, energy, and rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polycontact as pc
from polycontact.kernels.views import JIT_IS_OFF

convex = pc.convex
METHOD = pc.contact.ConvexMethod()
STIFFNESS = 1e5
PLATE = convex.Box((1.0, 1.0, 0.1))
BOX = convex.Box((0.2, 0.2, 0.1))

pytestmark = pytest.mark.skipif(JIT_IS_OFF, reason="hundreds of poses and runs take minutes as plain Python")


def pairing(e: Any, f: Any) -> pc.ContactPairing:
    return pc.ContactPairing(e, f, method=METHOD, law=pc.LayerLaw(stiffness=STIFFNESS))


def pressed(
    pair: pc.ContactPairing, rotation: Rotation, place: tuple[float, float], depth: float
) -> pc.RelativeKinematics:
    """F on E at a place, so low that the greatest depth is ``depth`` (m)."""
    R, r = rotation.as_matrix(), np.array([*place, 0.1])
    r[2] -= pair.distance(R, r).distance + depth
    return pc.RelativeKinematics(rotation=R, position=r)


def energy(pair: pc.ContactPairing, R: np.ndarray, r: np.ndarray) -> float:
    table = pair.evaluate(pc.RelativeKinematics(rotation=R, position=r)).elements
    return 0.5 * STIFFNESS * float((table.area * table.depth**2).sum())


def shared(r: float, shape: Any) -> float:
    """κ of two corners r (m) apart: Wendland's function, 0 at twice the reach of the shape."""
    part = r / (2.0 * np.linalg.norm(np.abs(shape.bounds).max(axis=0)))
    return float((1.0 - part) ** 4 * (4.0 * part + 1.0))


@pytest.mark.parametrize(
    ("turn", "points"),
    [((0.0, 0.0, 0.0), 4), ((0.0, 0.2, 0.0), 2), ((0.2, 0.15, 0.0), 1)],
    ids=["face", "edge", "corner"],
)
@pytest.mark.parametrize("shape", [BOX, convex.Box((0.01, 0.3, 0.1))], ids=["slab", "bar"])
def test_a_box_on_a_plate_has_a_point_for_each_corner(
    shape: Any, turn: tuple[float, float, float], points: int
) -> None:
    """Where all corners bear alike each counts for 1 over the sum of its κ, by symmetry."""
    pair = pairing(PLATE, shape)
    result = pair.evaluate(pressed(pair, Rotation.from_rotvec(turn), (0.1, 0.2), 1e-4))
    assert len(result.elements) == points
    x, y, _ = shape.bounds[1] - shape.bounds[0]
    near = {4: (0.0, x, y, np.hypot(x, y)), 2: (0.0, y), 1: (0.0,)}[points]
    stiffness = points * STIFFNESS / sum(shared(r, shape) for r in near)
    # Shapes are smaller by 1e-9 of some 0.1 m, 1e-6 of this depth; the edge's ends are level to rounding.
    np.testing.assert_allclose(result.force, (0.0, 0.0, -stiffness * 1e-4), rtol=3e-6, atol=1e-9)


@pytest.mark.parametrize("tilt", [1e-3, 3e-3, 1e-2, 0.1])
@pytest.mark.parametrize(
    "shape", [BOX, convex.Box((0.2, 0.2, 0.1), 0.01), pc.shapes.box((0.2, 0.15, 0.1))], ids=["box", "rounded", "mesh"]
)
def test_wrench_is_the_gradient_of_the_energy(shape: Any, tilt: float) -> None:
    """From four points over three and two to one: minus the derivatives of ½ Σ c m u² are force and torque on F."""
    rng = np.random.default_rng(3)
    pair = pairing(PLATE, shape)
    step = 1e-7
    for _ in range(6):
        turn = Rotation.from_rotvec([*(tilt * rng.normal(size=2)), rng.uniform(0.0, 6.0)])
        pose = pressed(pair, turn, tuple(rng.uniform(-0.3, 0.3, 2)), 3e-4)
        R, r = np.asarray(pose.rotation), np.asarray(pose.position)
        result = pair.evaluate(pose)
        found = np.empty(6)
        for k, axis in enumerate(step * np.eye(3)):
            found[k] = (energy(pair, R, r + axis) - energy(pair, R, r - axis)) / (2.0 * step)
            turned = [energy(pair, (Rotation.from_rotvec(s * axis) * turn).as_matrix(), r) for s in (1.0, -1.0)]
            found[3 + k] = (turned[0] - turned[1]) / (2.0 * step)
        # Central differences: rounding of the energy, 1e-16 of it over a step of 1e-7 m for a depth of 3e-4 m.
        np.testing.assert_allclose(found, [*result.force, *result.torque], atol=1e-7 * np.linalg.norm(result.force))


@pytest.mark.parametrize("shape", [BOX, convex.Cylinder(0.1, 0.1)], ids=["box", "cylinder"])
@pytest.mark.parametrize("x", [0.1, 0.45], ids=["on the plate", "over its edge"])
def test_the_force_is_continuous_as_a_body_is_tilted(shape: Any, x: float) -> None:
    """A turn by 0.08 rad, beyond what is still seen as a face: ten times the steps change the force far less each."""
    pair = pairing(PLATE, shape)

    def greatest_step(n: int) -> float:
        poses = [
            pressed(pair, Rotation.from_rotvec((0.3 * a, a, 0.4)), (x, 0.1), 3e-4) for a in np.linspace(0.0, 0.08, n)
        ]
        wrenches = np.array([pair.wrench(pose.rotation, pose.position) for pose in poses])
        return float(np.abs(np.diff(wrenches, axis=0)).max() / np.abs(wrenches).max())

    assert greatest_step(4001) < 0.2 * greatest_step(401)


def test_the_force_is_continuous_as_a_body_slides_over_an_edge() -> None:
    """One corner becomes two where a turned box passes the edge and the corner of the plate."""
    pair = pairing(PLATE, BOX)
    turn = Rotation.from_rotvec((0.0, 0.0, 0.5)).as_matrix()
    wrenches = [pair.wrench(turn, (x, 0.4, 0.0997)) for x in np.linspace(0.3, 0.6, 3001)]
    steps = np.abs(np.diff(wrenches, axis=0)).max()
    assert steps < 2e-3 * np.abs(wrenches).max()  # 3,000 steps over a way on which the force goes to nothing


@pytest.mark.parametrize(
    ("shape", "spin"),
    [
        (BOX, (0.0, 0.0, 0.0)),
        (BOX, (1.0, 2.0, 1.0)),
        (convex.Box((0.2, 0.2, 0.1), 0.005), (1.0, 2.0, 1.0)),
        (convex.Cylinder(0.1, 0.1), (0.0, 0.0, 0.0)),  # one that is thrown rolls on its rim for long, as a coin does
    ],
    ids=["box", "thrown box", "thrown rounded box", "cylinder"],
)
def test_a_body_with_a_flat_face_rests(shape: Any, spin: tuple[float, float, float]) -> None:
    system = pc.MultibodySystem("rest")
    system.add_body("plate", surface=PLATE, fixed=True, position=(0.0, 0.0, -0.05))
    speed = (0.5, 0.0, 0.0) if any(spin) else (0.0, 0.0, 0.0)
    system.add_body(
        "body", surface=shape, mass=2.0, inertia=(8e-3, 8e-3, 1.3e-2), position=(0, 0, 0.06), velocity=speed,
        angular_velocity=spin,
    )  # fmt: skip
    law = pc.LayerLaw(stiffness=STIFFNESS, damping=300.0, transition_depth=1e-5)
    friction = pc.RegularisedCoulomb(coefficient=0.5, velocity=1e-3)
    system.add_contact("plate", "body", method=METHOD, law=law, friction=friction, name="rest")
    run = pc.simulate(system, end_time=1.0, rtol=1e-5, atol=1e-7)
    body, weight = run.trajectory.body("body"), 2.0 * 9.81
    assert np.abs(body.velocity[-1]).max() < 1e-6
    assert np.abs(body.angular_velocity[-1]).max() < 1e-6
    np.testing.assert_allclose(run.trajectory.pairing("rest").force[-1], (0.0, 0.0, -weight), atol=1e-3 * weight)
    # Of 1,500 evaluations and fewer; a box that rocks on one point takes hundreds of thousands.
    assert run.statistics.evaluations < 5000
