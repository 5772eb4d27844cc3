"""Rest under loads and contacts, against statics by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import polycontact as pc
from polycontact.errors import ContactError, EquilibriumError, EquilibriumWarning, MultibodyError, SimulationError
from polycontact.multibody import AppliedForce, ConstantVelocity, JointSpring, Motor

G = 9.81
LAW = pc.LayerLaw(stiffness=1e8, damping=1e5)
UNKNOWN: Any = "some"
FADING = pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01)


def with_floor(name: str, *, slope: float = 0.0) -> pc.MultibodySystem:
    system = pc.MultibodySystem(name, gravity=(G * math.sin(slope), 0.0, -G * math.cos(slope)))
    system.add_body("floor", surface=pc.shapes.box((2.0, 2.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    return system


def box_on_floor(
    *, slope: float = 0.0, gap: float = 0.001, friction: Any = FADING, **placed: Any
) -> pc.MultibodySystem:
    system = with_floor("box", slope=slope)
    placed = {"position": (0.0, 0.0, 0.1 + gap)} | placed
    system.add_body("box", surface=pc.shapes.box(0.2), density=1000.0, **placed)
    system.add_contact("box", "floor", law=LAW, friction=friction)
    return system


def pendulum(angle: float) -> pc.MultibodySystem:
    system = pc.MultibodySystem("pendulum")
    system.add_body("rod", mass=2.0, centre=(0.0, 0.0, -0.5), inertia=(0.08, 0.08, 0.001))
    system.add_joint("hinge", "revolute", "world", "rod", axis=(0.0, 1.0, 0.0), coordinates=[angle])
    return system


def test_each_leg_of_a_table_carries_its_share() -> None:
    """Rigid table on four equal legs: N = W/4 ± Mx/(4 a) ± My/(4 b), as of four equal springs."""
    system = with_floor("table")
    places = [(x, y) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    legs = [pc.Shape(pc.shapes.box((0.05, 0.05, 0.4)), position=(x, y, -0.2)) for x, y in places]
    system.add_body("table", shapes=legs, mass=20.0, inertia=(1.5, 1.5, 2.0), position=(0.0, 0.0, 0.403))
    system.add_contact("table", "floor", law=LAW, friction=FADING)
    load, x, y = 100.0, 0.2, 0.1
    system.add_force(AppliedForce("vase", "table", force=(0.0, 0.0, -load), point=(x, y, 0.0)))
    found = pc.equilibrium(system)
    # Legs tilt by 1e-4 rad, and carry on what is tilted: a part of 1e-4.
    for (at_x, at_y), each in zip(places, found.contacts, strict=True):
        by_hand = (20.0 * G + load) / 4.0 + load * (x / 1.6 * np.sign(at_x) + y / 1.2 * np.sign(at_y))
        assert each.force == pytest.approx([0.0, 0.0, by_hand], rel=3e-4, abs=1e-9)
        assert each.point[:2] == pytest.approx([at_x, at_y], abs=2e-4)
    assert found.is_stable
    assert {each.words for each in found.free_motions} == {
        "table moves along x",
        "table moves along y",
        "table turns about z",
    }
    assert found.residual.force < 1e-8 * found.load
    assert any("vanishes at rest" in note for note in found.notes)


def test_stack_that_sticks_hands_its_weight_down() -> None:
    system = with_floor("stack")
    for i in range(3):
        box = pc.shapes.box(0.2)
        system.add_body(f"box{i}", surface=box, density=1000.0, position=(0.01 * i, 0.0, 0.1 + 0.201 * i))
    system.find_contacts(law=LAW, friction=FADING)
    found = pc.equilibrium(system, friction="sticking")
    weight = 8.0 * G
    carried = [each.force[2] * (1.0 if each.e != "floor" else -1.0) for each in found.contacts]
    assert np.abs(carried) == pytest.approx([3.0 * weight, 2.0 * weight, weight], rel=1e-6)
    assert found.is_stable
    assert not found.free_motions


@pytest.mark.parametrize("slope", [0.1, 0.28])
def test_box_on_a_slope_is_held_by_friction_that_sticks(slope: float) -> None:
    """Below the angle of friction, atan 0.3 = 0.29: friction is m g sin α, whichever the normal law is."""
    found = pc.equilibrium(box_on_floor(slope=slope), friction="sticking")
    (contact,) = found.contacts
    weight = 8.0 * G
    by_hand = [-weight * math.sin(slope), 0.0, weight * math.cos(slope)]
    assert contact.force == pytest.approx(by_hand, rel=1e-6, abs=1e-6)


@pytest.mark.slow
def test_box_on_a_slope_without_friction_at_rest_is_told_to_fall() -> None:
    with pytest.raises(EquilibriumError, match=r"'box' falls away.*'box–floor' vanishes at rest.*friction='sticking'"):
        pc.equilibrium(box_on_floor(slope=0.1))


@pytest.mark.slow
def test_box_on_a_steep_slope_slips() -> None:
    with pytest.raises(EquilibriumError, match=r"(falls away|'box–floor' slips where the load is more)"):
        pc.equilibrium(box_on_floor(slope=0.5), friction="sticking")


@pytest.mark.slow
def test_gripper_holds_by_friction() -> None:
    """Two fingers press with 50 N each: each carries half of the weight by friction; without it the part falls."""
    system = pc.MultibodySystem("gripper")
    system.add_body("part", surface=pc.shapes.box(0.1), mass=1.0)
    for name, side in (("left", -1.0), ("right", 1.0)):
        finger = pc.shapes.box((0.02, 0.06, 0.06))
        system.add_body(name, surface=finger, mass=0.2)
        place, axis = (side * 0.0601, 0.0, 0.0), (side, 0.0, 0.0)
        system.add_joint(f"{name} slide", "prismatic", "world", name, at=place, axis=axis)
        system.add_force(pc.multibody.JointEffort(f"{name} drive", f"{name} slide", -50.0))
        system.add_contact(name, "part", law=LAW, friction=pc.StickFriction(coefficient=0.4))
    found = pc.equilibrium(system)
    for name, side in (("left", 1.0), ("right", -1.0)):
        contact = found.contact(f"{name}–part")
        assert contact is not None
        assert contact.force == pytest.approx([-side * 50.0, 0.0, -0.5 * G], rel=1e-5, abs=1e-5)
    with pytest.raises(EquilibriumError, match="falls away"):
        pc.equilibrium(system, friction="none")


@pytest.mark.parametrize("n_rollers", [8, 9])
def test_load_of_a_bearing_is_distributed_as_by_hand(n_rollers: int) -> None:
    """Rollers between a round inner race and a flat for each: linear springs k/2 in the directions ψ.

    By hand Q = max(0, k/2 δ cos ψ) with Σ Q cos ψ = F. The race moves by 20 µm of its 50 mm, which turns the normals by
    4e-4; that changes forces by its square, and where rollers leave their load by 1e-3 of the largest.
    """
    stiffness, load, race, roller = 1e7, 500.0, 0.05, 0.01
    system = pc.MultibodySystem("bearing", gravity=(0.0, 0.0, 0.0))
    system.add_body("shaft", surface=pc.convex.Sphere(race), mass=1.0)
    system.add_joint("shaft", "planar", "world", "shaft", axis=(0.0, 1.0, 0.0), rotation=_plane())
    law = pc.laws.SpringDamperLaw(stiffness=stiffness, damping=0.0)
    angles = 2.0 * math.pi * np.arange(n_rollers) / n_rollers
    for i, angle in enumerate(angles.tolist()):
        out = np.array([math.sin(angle), 0.0, -math.cos(angle)])
        system.add_body(f"roller{i}", surface=pc.convex.Sphere(roller), mass=0.01)
        system.add_joint(f"radial{i}", "prismatic", "world", f"roller{i}", axis=out, coordinates=[race + roller])
        turned = np.column_stack([np.cross([0.0, 1.0, 0.0], out), [0.0, 1.0, 0.0], out])
        flat = pc.convex.Box((0.05, 0.05, 0.02))
        place = (race + 2.0 * roller + 0.01) * out
        system.add_body(f"flat{i}", surface=flat, fixed=True, position=place, rotation=turned)
        system.add_contact(f"roller{i}", "shaft", law=law)
        system.add_contact(f"roller{i}", f"flat{i}", law=law)
    system.add_force(AppliedForce("load", "shaft", force=(0.0, 0.0, -load)))
    found = pc.equilibrium(system)
    cosines = np.maximum(np.cos(angles), 0.0)
    by_hand = load * cosines / float(cosines @ cosines)
    forces = [0.0 if (c := found.contact(f"roller{i}–shaft")) is None else c.magnitude for i in range(n_rollers)]
    assert forces == pytest.approx(by_hand, abs=2e-3 * by_hand.max())
    assert found.position("shaft")[2] == pytest.approx(-2.0 / stiffness * by_hand.max(), rel=2e-3)


def _plane() -> np.ndarray:
    """Frame of a planar joint in the plane of x and z of the world."""
    return np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def test_linkage_with_a_spring_against_virtual_work() -> None:
    """Two rods AB, BC of length l, A hinged, C on a rail with a spring that holds it at 2 l: B sags.

    Of angles α of both rods the potential is m g l sin α + k/2 (2 l cos α - 2 l)²; its derivative vanishes.
    """
    length, mass, stiffness = 0.5, 2.0, 200.0
    system = pc.MultibodySystem("sagging rods")
    for name in ("ab", "bc"):
        system.add_body(name, mass=mass, centre=(length / 2.0, 0.0, 0.0), inertia=(0.001, 0.04, 0.04))
    up: dict[str, Any] = {"axis": (0.0, -1.0, 0.0)}  # a positive angle lifts a rod
    system.add_joint("a", "revolute", "world", "ab", coordinates=[-0.2], **up)
    system.add_joint("b", "revolute", "ab", "bc", at=(length, 0.0, 0.0), coordinates=[0.4], **up)
    system.add_body("foot", mass=0.1, centre=(0.0, 0.0, 0.0), inertia=(1e-3, 1e-3, 1e-3))
    start = 2.0 * length * math.cos(0.2)
    system.add_joint("rail", "prismatic", "world", "foot", axis=(1.0, 0.0, 0.0), coordinates=[start])
    axes: dict[str, Any] = {"axis_a": (0.0, -1.0, 0.0), "axis_b": (0.0, -1.0, 0.0)}
    system.add_loop("c", "revolute", "bc", "foot", at_a=(length, 0.0, 0.0), **axes)
    system.add_force(JointSpring("spring", "rail", stiffness=stiffness, reference=2.0 * length))
    found = pc.equilibrium(system)

    def slope(angle: float) -> float:
        spring = 4.0 * stiffness * length**2 * math.sin(angle) * (1.0 - math.cos(angle))
        return mass * G * length * math.cos(angle) + spring

    by_hand = brentq(slope, -1.5, -0.01, xtol=1e-14)
    assert float(found.evaluation.bodies.joint_values("a")[0][0]) == pytest.approx(by_hand, rel=1e-6)
    # half of the weight of both rods hangs on each end
    assert found.evaluation.reactions.joint("a").force[2] == pytest.approx(mass * G, rel=1e-6)
    assert found.is_stable
    assert len(found.motions) == 1


def test_pendulum_hangs_and_swings_as_it_must() -> None:
    found = pc.equilibrium(pendulum(2.0))
    (motion,) = found.motions
    assert abs(float(found.evaluation.bodies.joint_values("hinge")[0][0])) < 1e-7
    # ω² = m g l / J about the hinge
    assert motion.square == pytest.approx(2.0 * G * 0.5 / (0.08 + 2.0 * 0.25), rel=1e-7)
    assert found.evaluation.reactions.joint("hinge").force == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-6)


def test_what_stands_upside_down_is_said_not_to_stay() -> None:
    with pytest.warns(EquilibriumWarning, match=r"does not stay there: hinge\.angle"):
        found = pc.equilibrium(pendulum(math.pi))
    assert not found.is_stable
    assert found.unstable_motions[0].square == pytest.approx(-2.0 * G * 0.5 / 0.58, rel=1e-7)


@pytest.mark.slow
def test_box_on_its_edge_tips_over() -> None:
    """Begun 0.7 rad off its face, at 45° it would balance: it comes to lie flat."""
    c, s = math.cos(0.7), math.sin(0.7)
    system = box_on_floor(position=(0.0, 0.0, 0.16), rotation=[[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    found = pc.equilibrium(system)
    assert found.is_stable
    assert abs(found.rotation("box")[2]).max() == pytest.approx(1.0, abs=1e-6)
    # a flat face of 0.04 m² carries its weight with 1e8 N/m³
    assert found.position("box")[2] == pytest.approx(0.1 - 8.0 * G / (1e8 * 0.04), abs=1e-9)


def test_body_that_nothing_holds_is_named() -> None:
    system = box_on_floor()
    system.add_body("loose", mass=1.0, centre=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 1.0))
    with pytest.raises(EquilibriumError, match=r"body 'loose' falls away along -z.*support it") as told:
        pc.equilibrium(system)
    assert np.asarray(told.value.state).shape == (system.compile().n_states,)


def test_body_falls_from_far_above() -> None:
    found = pc.equilibrium(box_on_floor(gap=3.0))
    assert found.position("box")[2] == pytest.approx(0.1 - 8.0 * G / (1e8 * 0.04), abs=1e-9)


def test_state_that_rests_already_takes_no_step() -> None:
    first = pc.equilibrium(box_on_floor())
    again = pc.equilibrium(box_on_floor(), state=first.state)
    assert again.steps == 0
    assert np.array_equal(again.state[:7], first.state[:7])


def test_motions_and_loads_are_taken_at_the_time() -> None:
    """A spring between a slide that moves by 0.1 m/s and a weight: at 2 s it hangs at 0.2 m - m g / k."""
    system = pc.MultibodySystem("hanging")
    for name in ("slide", "weight"):
        system.add_body(name, mass=1.0, centre=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    system.add_joint("drive", "prismatic", "world", "slide", motion=ConstantVelocity(0.1))
    system.add_joint("guide", "prismatic", "slide", "weight")
    system.add_force(JointSpring("spring", "guide", stiffness=100.0))
    system.add_force(AppliedForce("pull", "weight", force=(0.0, 0.0, "3*t")))
    found = pc.equilibrium(system, time=2.0)
    assert found.position("weight")[2] == pytest.approx(0.2 - (G - 6.0) / 100.0, abs=1e-9)
    assert found.evaluation.reactions.drive("drive") == pytest.approx([2.0 * G - 6.0], rel=1e-8)
    path = pc.equilibrium_path(system, times=[0.0, 1.0, 2.0])
    heights = [0.1 * t - (G - 3.0 * t) / 100.0 for t in (0, 1, 2)]
    assert path.positions("weight")[:, 2] == pytest.approx(heights, abs=1e-9)
    assert path.drives("drive")[:, 0] == pytest.approx([2.0 * G - 3.0 * t for t in (0, 1, 2)], rel=1e-8)


def test_motor_holds_its_target_at_the_time() -> None:
    system = pendulum(0.1)
    target = ConstantVelocity(1.0)
    system.add_force(Motor("motor", "hinge", target, stiffness=1000.0, damping=50.0))
    found = pc.equilibrium(system, time=0.5)
    angle = float(found.evaluation.bodies.joint_values("hinge")[0][0])
    assert 1000.0 * (0.5 - angle) == pytest.approx(2.0 * G * 0.5 * math.sin(angle), rel=1e-6)


def snap_fit() -> pc.MultibodySystem:
    """A wedge of 30° driven along x under a ball that a spring of 1000 N/m presses down; no friction."""
    system = pc.MultibodySystem("snap fit", gravity=(0.0, 0.0, 0.0))
    angle = math.radians(30.0)
    tilt = [[math.cos(angle), 0.0, -math.sin(angle)], [0.0, 1.0, 0.0], [math.sin(angle), 0.0, math.cos(angle)]]
    system.add_body("wedge", shapes=[pc.Shape(pc.convex.Box((0.2, 0.1, 0.02)), rotation=tilt)], mass=0.1)
    system.add_joint("drive", "prismatic", "world", "wedge", axis=(1.0, 0.0, 0.0), motion=ConstantVelocity(-0.01))
    system.add_body("ball", surface=pc.convex.Sphere(0.01), mass=0.1)
    start = (0.01 + 0.01) / math.cos(angle)  # just touching above the middle of the wedge
    system.add_joint("guide", "prismatic", "world", "ball", coordinates=[start])
    system.add_force(JointSpring("spring", "guide", stiffness=1000.0, reference=start))
    system.add_contact("ball", "wedge", law=pc.laws.SpringDamperLaw(stiffness=1e7, damping=0.0))
    return system


def test_force_over_the_way_of_a_snap_fit() -> None:
    """The wedge lifts the ball by s tan 30°; the drive feels the spring's force times tan 30°."""
    path = pc.equilibrium_path(snap_fit(), times=np.linspace(0.5, 4.0, 8))
    way = 0.01 * path.times
    lift = way * math.tan(math.radians(30.0))
    # the contact gives by F/k, 1e-4 of the lift
    assert path.coordinates("guide")[:, 0] - (0.02 / math.cos(math.radians(30.0))) == pytest.approx(lift, rel=1e-3)
    assert path.drives("drive")[:, 0] == pytest.approx(-1000.0 * lift * math.tan(math.radians(30.0)), rel=1e-3)


def test_run_begins_at_rest() -> None:
    """From equilibrium nothing moves; from the given start the box falls on the floor."""
    system = box_on_floor(friction=pc.StickFriction(coefficient=0.5), slope=0.2)
    speeds = {}
    for start in ("as_given", "equilibrium"):
        run = pc.simulate(system, end_time=0.05, start=start)
        speeds[start] = float(np.abs(run.trajectory.body("box").velocity).max())
    assert speeds["equilibrium"] < 1e-7 < 1e-3 < speeds["as_given"]


def bad_time(system: pc.MultibodySystem) -> object:
    return pc.equilibrium(system, time=math.nan)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (bad_time, "time"),
        (lambda system: pc.equilibrium(system, tolerance=0.0), r"tolerance is 0\.0; give a number between 0 and 1"),
        (lambda system: pc.equilibrium(system, max_steps=0), "max_steps is 0; give a whole number"),
        (
            lambda system: pc.equilibrium(system, friction=UNKNOWN),
            "friction is 'some'; give one of 'as_described'",
        ),
        (lambda system: pc.equilibrium(system, state=[1.0, 2.0]), r"state has shape \(2,\); give 18 numbers"),
        (lambda system: pc.equilibrium(system, state=np.full(18, np.nan)), r"box\.x of the state is not finite"),
        (lambda system: pc.equilibrium_path(system, times=[1.0, 0.5]), "give increasing, finite numbers"),
        (lambda system: pc.equilibrium(system).contact("box–ceiling"), "box–ceiling"),
    ],
)
def test_bad_input_is_refused(ask: Callable[[pc.MultibodySystem], object], told: str) -> None:
    with pytest.raises(MultibodyError, match=told):
        ask(box_on_floor())


def test_bad_start_of_a_run_is_refused() -> None:
    with pytest.raises(SimulationError, match="start is 'rest'; give 'as_given' or 'equilibrium'"):
        pc.simulate(box_on_floor(), end_time=1.0, start="rest")
    with pytest.raises(SimulationError, match="multipliers"):
        pc.simulate(box_on_floor(), end_time=1.0, start="equilibrium", response="multipliers")


def test_friction_without_coefficient_cannot_stick() -> None:
    @pc.laws.contact_law("rubs a little at rest")
    def rubs(elements: Any, parameters: Any) -> None:
        """No force at all."""

    with pytest.raises(ContactError, match=r"has no coefficient.*friction=\"none\""):
        pc.equilibrium(box_on_floor(friction=pc.laws.UserLaw("rubs a little at rest")), friction="sticking")


def test_plain_data_tells_all() -> None:
    found = pc.equilibrium(box_on_floor())
    plain = found.to_dict()
    assert plain["stable"]
    assert plain["state"]["box.z"] == found.state[2]
    assert plain["contacts"][0]["magnitude"] == pytest.approx(8.0 * G, rel=1e-8)
    assert [each["kind"] for each in plain["motions"]] == ["free"] * 3 + ["held"] * 3
    again = found.system_at_rest()
    assert np.allclose(again.compile().start_state()[:7], found.state[:7], atol=0.0)
