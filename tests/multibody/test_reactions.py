"""Reactions of joints and loops, drives and forces of elements: closed forms, and the balance of every body."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from random_trees import build_system, random_tree
from test_loops import CRANK, M_CRANK, M_ROD, M_SLIDER, ROD, G, inertia_and_potential, slider_at, slider_crank

import polycontact as pc
from polycontact.multibody.evaluation import Evaluation

Array = NDArray[np.float64]


def evaluate(system: pc.MultibodySystem, t: float = 0.0) -> Evaluation:
    compiled = system.compile()
    return compiled.evaluate(t, compiled.start_state(t))


# Closed forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("angle", "speed"), [(0.0, 0.0), (0.4, 2.0), (2.5, -3.0)])
def test_bearing_force_of_a_pendulum(angle: float, speed: float) -> None:
    """Along the rod m g cos θ + m l θ'², across it m g sin θ (1 - m l²/J): the textbook's physical pendulum."""
    m, rod, J_c = 2.0, 0.5, 0.03
    system = pc.MultibodySystem("pendulum", gravity=(0.0, 0.0, -G))
    system.add_body("bob", mass=m, centre=(0.0, 0.0, -rod), inertia=(J_c, J_c, J_c))
    system.add_joint("pin", "revolute", "world", "bob", axis=(0.0, 1.0, 0.0), coordinates=angle, speeds=speed)
    found = evaluate(system).reactions.joint("pin")
    R = np.array([[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]])
    x, _, z = R.T @ found.force
    J = J_c + m * rod * rod
    assert z == pytest.approx(m * G * math.cos(angle) + m * rod * speed**2, rel=1e-13)
    assert x == pytest.approx(-m * G * math.sin(angle) * (1.0 - m * rod * rod / J), rel=1e-12, abs=1e-13)
    np.testing.assert_allclose(found.torque, 0.0, atol=1e-13)  # a revolute joint without drive turns freely
    np.testing.assert_allclose(found.own_torque, 0.0, atol=1e-13)
    assert np.linalg.norm(found.own_force) == pytest.approx(np.linalg.norm(found.force), rel=1e-14)
    assert evaluate(system).reactions.drive("pin") == 0.0


def test_own_axes_of_a_joint() -> None:
    """A beam that is clamped at its end: weight and moment in the axes of the joint's frame, z along its axis."""
    system = pc.MultibodySystem("beam", gravity=(0.0, 0.0, -10.0))
    system.add_body("beam", mass=3.0, centre=(2.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    frame = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # its x is the world's y
    system.add_joint("clamp", "fixed", "world", "beam", at=(0.5, 0.0, 0.0), rotation=frame)
    found = evaluate(system).reactions.joint("clamp")
    np.testing.assert_allclose(found.force, (0.0, 0.0, 30.0), atol=1e-13)
    np.testing.assert_allclose(found.own_force, frame.T @ found.force, atol=1e-13)
    np.testing.assert_allclose(found.own_torque, frame.T @ found.torque, atol=1e-13)
    R, r = evaluate(system).bodies.pose("beam")
    arm = r + R @ (2.0, 0.0, 0.0) - found.point
    np.testing.assert_allclose(found.torque, np.cross(arm, (0.0, 0.0, 30.0)), atol=1e-12)


@pytest.mark.parametrize("angle", [0.3, 1.5, 2.9, 4.4])
def test_slider_crank(angle: float) -> None:
    """At constant speed: the drive's torque from Lagrange, the wrist's force from the slider's acceleration."""
    speed = 30.0
    system = slider_crank(angle=angle, motion=pc.multibody.ConstantVelocity(speed, angle))
    found = evaluate(system)
    step = 1e-30  # a complex step differentiates to rounding
    M, V = inertia_and_potential(angle + 1j * step)
    torque = 0.5 * M.imag / step * speed**2 + V.imag / step
    assert found.reactions.drive("main") == pytest.approx(torque, rel=1e-9)  # the loop is closed to 1e-10 m
    h = 1e-5
    (_, after), (_, before) = slider_at(angle + speed * h, speed), slider_at(angle - speed * h, speed)
    along = M_SLIDER * (after - before) / (2.0 * h)
    wrist = found.reactions.loop("wrist")
    assert wrist.force[0] == pytest.approx(along, rel=1e-6)  # the difference quotient's error
    rail = found.reactions.joint("rail")
    assert rail.own_force[2] == pytest.approx(0.0, abs=1e-9 * abs(along))  # it slides without friction
    # All weights and the reactions at the frame make up the rate of momentum.
    total = found.reactions.joint("main").force + rail.force
    masses = {"crank": (M_CRANK, CRANK / 2), "rod": (M_ROD, ROD / 2), "slider": (M_SLIDER, 0.0)}
    for name, (mass, centre) in masses.items():
        total = total - mass * (centre_acceleration(found, name, (centre, 0.0, 0.0)) - system.gravity)
    np.testing.assert_allclose(total, 0.0, atol=1e-9 * abs(along))


def test_torque_of_a_cam() -> None:
    """An eccentric disk lifts a guided follower without friction: the torque is its force times the lever."""
    system = pc.MultibodySystem("cam", gravity=(0.0, 0.0, -G))
    offset, radius, angle = 0.02, 0.05, 0.8
    disk = pc.shapes.sphere(radius=radius, subdivisions=4)
    system.add_body("cam", surface=disk, mass=1.0, centre=(0.0, 0.0, 0.0), inertia=(1e-3, 1e-3, 1e-3))
    system.add_joint(
        "shaft",
        "revolute",
        "world",
        "cam",
        axis=(0, -1, 0),
        child_at=(-offset, 0, 0),
        motion=pc.multibody.ConstantVelocity(0.0, angle),
    )
    top = radius + offset * math.sin(angle)
    system.add_body("follower", surface=pc.shapes.box(size=(0.2, 0.1, 0.02)), mass=2.0)
    system.add_joint("guide", "prismatic", "world", "follower", axis=(0, 0, 1), coordinates=top + 0.01 - 2e-4)
    system.add_contact("cam", "follower", law=pc.LayerLaw(stiffness=1e10), name="lift")
    found = evaluate(system)
    force = found.contacts.wrench[0]
    assert found.contacts.area[0] > 0.0
    lift = np.linalg.norm(force[:3])
    # The centre's weight acts beside the shaft too; the mesh of the disk is not quite round: 1e-3 of the lever.
    lever = offset * math.cos(angle)
    assert found.reactions.drive("shaft") == pytest.approx((lift + 1.0 * G) * lever, rel=2e-3)
    centre = found.centres_of_pressure[0]
    shaft = found.reactions.joint("shaft").point
    np.testing.assert_allclose(centre - shaft, (lever, 0.0, top), atol=2e-4)


def test_forces_of_elements() -> None:
    system = pc.MultibodySystem("elements", gravity=(0.0, 0.0, 0.0))
    system.add_body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_joint("hinge", "revolute", "world", "arm", coordinates=0.5, speeds=0.2)
    system.add_body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    quarter = (math.cos(math.pi / 4), math.sin(math.pi / 4), 0.0, 0.0)
    system.add_joint("socket", "spherical", "world", "ball", at=(0.0, 3.0, 0.0), coordinates=quarter)
    system.add_force(
        pc.multibody.Motor("motor", "hinge", pc.multibody.ConstantVelocity(1.0, 0.0), stiffness=2.0, damping=3.0)
    )
    system.add_force(pc.multibody.SpringDamper("cord", "world", (0, 0, 2), "arm", (0, 0, 0), stiffness=7.0, length=0.5))
    system.add_force(pc.multibody.SwingTwistStop("cone", "socket", swing=1.0, twist=math.pi, stiffness=11.0))
    system.add_force(pc.multibody.EndStop("stop", "hinge", upper=0.1, stiffness=5.0))
    system.add_force(pc.multibody.JointSpring("spring", "hinge", stiffness=13.0, reference=0.25))
    found = evaluate(system).reactions
    assert found.force("cord") == pytest.approx([7.0 * 1.5])
    assert found.force("spring") == pytest.approx([-13.0 * 0.25])
    assert found.force("stop") == pytest.approx([-5.0 * 0.4])
    assert found.force("motor") == pytest.approx([2.0 * -0.5 + 3.0 * 0.8])
    assert found.force("cone") == pytest.approx([-11.0 * (math.pi / 2 - 1.0), 0.0, 0.0], abs=1e-12)
    assert found.drive("hinge") == pytest.approx(found.force("motor"))
    along = found.force("spring") + found.force("stop") + found.force("motor")
    assert found.joint("hinge").own_torque[2] == pytest.approx(along[0], rel=1e-12)
    with pytest.raises(pc.MultibodyError, match="no built-in force element 'sprig'; did you mean 'spring'"):
        found.force("sprig")
    with pytest.raises(pc.MultibodyError, match="no loop 'x'"):
        found.loop("x")
    with pytest.raises(pc.MultibodyError, match="no joint 'hinges'"):
        found.joint("hinges")


# The balance of every body ----------------------------------------------------------------------------------------


def centre_acceleration(found: Evaluation, name: str, centre: tuple[float, float, float] | Array) -> Array:
    body = found.bodies.setup.number[name]
    w, turn, a = found.bodies.velocity[body, :3], found.acceleration[body, :3], found.acceleration[body, 3:]
    c = found.bodies.rotation[body] @ np.asarray(centre)
    return np.asarray(a + np.cross(turn, c) + np.cross(w, np.cross(w, c)))


def imbalance(found: Evaluation, system: pc.MultibodySystem, name: str, loads: Array) -> tuple[Array, float]:
    """Rate of momentum and of spin about the centre of mass, less all that acts; and the size of what acts."""
    body = system.bodies[name]
    number = found.bodies.setup.number[name]
    R, r = found.bodies.pose(name)
    centre = r + R @ body.centre
    w, turn = found.bodies.velocity[number, :3], found.acceleration[number, :3]
    J = R @ body.inertia @ R.T
    rate = np.concatenate([body.mass * centre_acceleration(found, name, body.centre), J @ turn + np.cross(w, J @ w)])
    acting = [np.concatenate([body.mass * system.gravity, np.zeros(3)]), loads]

    def act(force: Array, torque: Array, point: Array) -> None:
        acting.append(np.concatenate([force, torque + np.cross(point - centre, force)]))

    for joint in found.bodies.setup.joints:
        reaction = found.reactions.joint(joint.name)
        if joint.child == name:
            act(reaction.force, reaction.torque, reaction.point)
        if joint.parent == name:
            act(-reaction.force, -reaction.torque, reaction.point)
    for loop in system.loops.values():
        reaction = found.reactions.loop(loop.name)
        if loop.body_b == name:
            act(reaction.force, reaction.torque, reaction.point)
        if loop.body_a == name:
            act(-reaction.force, -reaction.torque, reaction.point)
    for pair, contact in enumerate(found.bodies.setup.contacts):
        shapes = found.bodies.setup.pairs
        R_E = found.shapes.rotation[shapes.shape_e[pair]]
        at = found.shapes.position[shapes.shape_f[pair]]
        force, torque = R_E @ found.contacts.wrench[pair, :3], R_E @ found.contacts.wrench[pair, 3:]
        sign = (contact.e == name) - (contact.f == name)
        act(sign * force, sign * torque, at)
    for each in system.forces.values():
        if isinstance(each, pc.multibody.SpringDamper):
            ends = [found.bodies.pose(body) for body in (each.body_a, each.body_b)]
            points = [p + T @ np.asarray(own) for (T, p), own in zip(ends, (each.point_a, each.point_b), strict=True)]
            pull = (points[1] - points[0]) / np.linalg.norm(points[1] - points[0]) * found.reactions.force(each.name)
            if each.body_a == name:
                act(pull, np.zeros(3), points[0])
            if each.body_b == name:
                act(-pull, np.zeros(3), points[1])
    size = max(1.0, *(float(np.abs(each).max()) for each in acting))
    return rate - sum(acting), size


@pytest.mark.parametrize("seed", range(6))
def test_balance_of_the_bodies_of_random_trees(seed: int) -> None:
    rng = np.random.default_rng(300 + seed)
    links, gravity = random_tree(rng), 5.0 * rng.normal(size=3)
    for link in links:
        if link.kind in ("revolute", "prismatic", "universal") and rng.random() < 0.5:
            link.motions = [pc.multibody.Harmonic(rng.normal(), rng.uniform(0.3, 1.0)) for _ in link.u]
    system = build_system(links, gravity)
    system.add_force(
        pc.multibody.SpringDamper("cord", "b0", (0.1, 0, 0), "b3", (0, 0.2, 0), stiffness=9.0, damping=2.0)
    )
    found = evaluate(system, 0.2)
    for link in links:
        R, _ = found.bodies.pose(link.name)
        loads = np.concatenate([link.force, link.torque + np.cross(R @ (link.point - link.centre), link.force)])
        # Efforts of users act between the two bodies of a joint: they are part of its reaction.
        off, size = imbalance(found, system, link.name, loads)
        np.testing.assert_allclose(off, 0.0, atol=1e-10 * size)  # rounding of a dozen bodies in a row


@pytest.mark.parametrize("angle", [0.3, 2.2])
@pytest.mark.parametrize("loop", ["revolute", "spherical", "cylindrical"])
def test_balance_with_a_loop_and_a_contact(loop: str, angle: float) -> None:
    system = slider_crank(loop, angle, motion=pc.multibody.ConstantVelocity(12.0, angle))
    place = slider_at(angle, 12.0)[0]
    system.add_body("wall", surface=pc.shapes.box(size=(0.1, 0.4, 0.4)), fixed=True, position=(0.40, 0.0, 0.0))
    system.add_body("bumper", surface=pc.shapes.sphere(radius=0.05, subdivisions=2), mass=0.3)
    system.add_joint("weld", "fixed", "slider", "bumper", at=(0.35 - 0.05 + 1e-3 - place, 0.01, 0.02))
    system.add_contact(
        "bumper", "wall", law=pc.LayerLaw(stiffness=1e9), friction=pc.RegularisedCoulomb(coefficient=0.3)
    )
    found = evaluate(system)
    assert found.contacts.area[0] > 0.0
    for name in ("crank", "rod", "slider", "bumper", "wall"):
        off, size = imbalance(found, system, name, np.zeros(6))
        np.testing.assert_allclose(off, 0.0, atol=1e-10 * size)  # rounding
    drawn = found.contact("bumper–wall")
    np.testing.assert_allclose(drawn.force, found.contacts.wrench[0, :3], rtol=1e-9)
    np.testing.assert_allclose(sum(patch.force for patch in drawn.patches), drawn.force, rtol=1e-9)


def test_contact_of_bodies_far_apart() -> None:
    system = pc.MultibodySystem("apart")
    system.add_body("ball", surface=pc.shapes.sphere(radius=0.05), mass=1.0, position=(0.0, 0.0, 3.0))
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    system.add_contact("ball", "floor", law=pc.LayerLaw(stiffness=1e9), name="landing")
    found = evaluate(system)
    assert not found.contact("landing").in_contact
    assert np.isnan(found.centres_of_pressure).all()
    with pytest.raises(pc.MultibodyError, match="no contact 'lading'; did you mean 'landing'"):
        found.contact("lading")
