"""Small motions against closed forms, and against Pinocchio where there is no contact."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polycontact as pc
from polycontact.errors import MultibodyError
from polycontact.multibody import AppliedForce, ConstantVelocity, JointSpring, Motor, SpringDamper

G = 9.81
LAW = pc.LayerLaw(stiffness=1e8, damping=1e5)


def two_masses(*, damping: float = 4.0) -> pc.MultibodySystem:
    """World - k - 1 kg - k - 2 kg on rails along x, the first spring with a damper."""
    system = pc.MultibodySystem("two masses", gravity=(0.0, 0.0, 0.0))
    for name, mass in (("a", 1.0), ("b", 2.0)):
        system.add_body(name, mass=mass, centre=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    system.add_joint("first", "prismatic", "world", "a", axis=(1.0, 0.0, 0.0))
    system.add_joint("second", "prismatic", "a", "b", axis=(1.0, 0.0, 0.0))
    system.add_force(JointSpring("k1", "first", stiffness=100.0, damping=damping))
    system.add_force(JointSpring("k2", "second", stiffness=100.0))
    return system


def box_on_floor() -> pc.MultibodySystem:
    system = pc.MultibodySystem("box")
    system.add_body("floor", surface=pc.shapes.box((2.0, 2.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_body("box", surface=pc.shapes.box(0.2), density=1000.0, position=(0.0, 0.0, 0.1))
    system.add_contact("box", "floor", law=LAW, friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=0.01))
    return system


def test_two_masses_have_the_frequencies_of_their_springs() -> None:
    """In x1, x2 of the world: M = diag(1, 2), K = [[2 k, -k], [-k, k]]; ω² = k (4 m ± …)/… by the quadratic formula."""
    found = pc.linearise(two_masses(damping=0.0))
    trace, determinant = 200.0 / 1.0 + 100.0 / 2.0, (200.0 * 100.0 - 100.0**2) / 2.0
    squares = [(trace - s * math.sqrt(trace**2 - 4.0 * determinant)) / 2.0 for s in (1.0, -1.0)]
    assert [each.frequency for each in found.modes] == pytest.approx(np.sqrt(squares) / (2.0 * math.pi), rel=1e-8)
    assert [each.damping_ratio for each in found.modes] == pytest.approx([0.0, 0.0], abs=1e-8)
    # in the coordinates of the joints, x1 and x2 - x1
    assert found.mass == pytest.approx(np.array([[3.0, 2.0], [2.0, 2.0]]), rel=1e-12)
    assert found.stiffness == pytest.approx(100.0 * np.eye(2), abs=1e-6)
    assert [each.name for each in found.displacements] == ["first.displacement", "second.displacement"]


def test_transfer_function_of_two_masses() -> None:
    """Force on the second, motion of the first: k / det(K + iωD - ω² M)."""
    found = pc.linearise(two_masses(), inputs=["b.fx"], outputs=["a.x", "a.vx", "a.ax", "second.displacement"])
    frequencies = np.array([0.0, 0.5, 1.0, 2.0, 5.0])
    s = 2j * np.pi * frequencies
    by_hand = 100.0 / ((200.0 + 4.0 * s + s**2) * (100.0 + 2.0 * s**2) - 100.0**2)
    assert found.transfer(frequencies, "b.fx", "a.x") == pytest.approx(by_hand, rel=1e-7)
    assert found.transfer(frequencies, "b.fx", "a.vx") == pytest.approx(s * by_hand, rel=1e-7)
    assert found.transfer(frequencies, "b.fx", "a.ax") == pytest.approx(s**2 * by_hand, rel=1e-7, abs=1e-12)
    assert [each.unit for each in (*found.inputs, *found.outputs)] == ["N", "m", "m/s", "m/s²", "m"]


def test_body_on_its_layer_swings_by_the_slope_of_its_law() -> None:
    """A face of A = 0.04 m² on a layer: stiffness c A, damping d A; tilting c I less m g h about the floor."""
    found = pc.linearise(box_on_floor(), outputs=["contact box–floor"], inputs=["box.fz"])
    mass, stiffness, damping = 8.0, 1e8 * 0.04, 1e5 * 0.04
    (up,) = [each for each in found.modes if each.words == "box moves along z"]
    assert up.frequency == pytest.approx(math.sqrt(stiffness / mass) / (2.0 * math.pi), rel=1e-6)
    k = [each.name for each in found.displacements].index("box.z")
    assert found.stiffness[k, k] == pytest.approx(stiffness, rel=1e-6)
    # what is pushed down slowly is felt by the contact
    assert found.transfer(0.0 + 1e-3, "box.fz", "contact box–floor") == pytest.approx(-1.0, rel=1e-3)
    ratio = found.damping[k, k] / (2.0 * math.sqrt(stiffness * mass))
    assert up.damping_ratio == pytest.approx(ratio, rel=1e-6)
    assert 0.0 <= found.damping[k, k] <= damping * (1.0 + 1e-9)


@pytest.mark.parametrize("subdivisions", [4])
def test_ball_on_a_plate_swings_by_the_slope_of_the_layer_law(subdivisions: int) -> None:
    """F = π c R u², so that k = 2 π c R u = 2 m g / u; meshes of the ball are 1 % off at this depth."""
    system = pc.MultibodySystem("ball")
    system.add_body("floor", surface=pc.shapes.box((2.0, 2.0, 0.1)), fixed=True, position=(0.0, 0.0, -0.05))
    system.add_body(
        "ball", surface=pc.shapes.sphere(0.1, subdivisions), mass=400.0, inertia=(1.6, 1.6, 1.6), position=(0, 0, 0.1)
    )
    system.add_joint("guide", "prismatic", "world", "ball", at=(0.0, 0.0, 0.1))
    system.add_contact("ball", "floor", law=LAW)
    found = pc.linearise(system)
    depth = math.sqrt(400.0 * G / (math.pi * 1e8 * 0.1))
    by_hand = math.sqrt(2.0 * G / depth) / (2.0 * math.pi)
    assert found.modes[0].frequency == pytest.approx(by_hand, rel=0.02)


def test_shaft_on_its_bearing() -> None:
    """Eight springs k around a shaft, as rollers that all carry: k Σ cos² = 4 k in every direction."""
    system = pc.MultibodySystem("shaft", gravity=(0.0, 0.0, 0.0))
    system.add_body("shaft", surface=pc.convex.Sphere(0.05), mass=10.0)
    frame = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]
    system.add_joint("plane", "planar", "world", "shaft", rotation=frame)
    for i in range(8):
        angle = math.pi / 4.0 * i
        out = np.array([math.sin(angle), 0.0, math.cos(angle)])
        turned = np.column_stack([np.cross([0.0, 1.0, 0.0], out), [0.0, 1.0, 0.0], out])
        place = (0.06 - 1e-5) * out  # 10 µm of preload
        flat = pc.convex.Box((0.03, 0.03, 0.02))
        system.add_body(f"flat{i}", surface=flat, fixed=True, position=place, rotation=turned)
        system.add_contact("shaft", f"flat{i}", law=pc.laws.SpringDamperLaw(stiffness=1e7, damping=0.0))
    found = pc.linearise(system)
    # the preload softens by F/R Σ sin² beside k: 2e-4
    by_hand = math.sqrt(4.0 * 1e7 / 10.0) / (2.0 * math.pi)
    assert [each.frequency for each in found.modes][1:] == pytest.approx([by_hand, by_hand], rel=1e-3)
    assert found.modes[0].kind == "free"
    assert found.modes[0].words == "plane.angle"


def test_linkage_is_reduced_to_its_own_motions() -> None:
    """Two equal hanging rods joined by a third: a parallelogram swings as a pendulum of the same masses."""
    length, mass = 0.4, 1.0
    system = pc.MultibodySystem("parallelogram")
    for name in ("left", "right"):
        system.add_body(name, mass=mass, centre=(0.0, 0.0, -length / 2.0), inertia=(0.01, 0.01, 0.001))
    system.add_body("coupler", mass=2.0, centre=(0.1, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
    y = (0.0, 1.0, 0.0)
    system.add_joint("a", "revolute", "world", "left", axis=y)
    system.add_joint("b", "revolute", "world", "right", at=(0.2, 0.0, 0.0), axis=y)
    system.add_joint("c", "revolute", "left", "coupler", at=(0.0, 0.0, -length), axis=y)
    system.add_loop(
        "d", "revolute", "coupler", "right", at_a=(0.2, 0.0, 0.0), axis_a=y, at_b=(0.0, 0.0, -length), axis_b=y
    )
    found = pc.linearise(system)
    inertia = 2.0 * (0.01 + mass * (length / 2.0) ** 2) + 2.0 * length**2
    torque = (2.0 * mass * length / 2.0 + 2.0 * length) * G
    assert len(found.displacements) == 1
    assert len(found.A) == 2
    assert found.modes[0].frequency == pytest.approx(math.sqrt(torque / inertia) / (2.0 * math.pi), rel=1e-6)


def test_body_that_spins_nutates() -> None:
    """A free symmetric body with spin ω about its axis: nutation with ω (I_a / I_t) in the world's axes."""
    system = pc.MultibodySystem("top", gravity=(0.0, 0.0, 0.0))
    spin = 50.0
    system.add_body(
        "top", mass=1.0, centre=(0.0, 0.0, 0.0), inertia=(0.01, 0.01, 0.015), angular_velocity=(0.0, 0.0, spin)
    )
    found = pc.linearise(system, about="start")
    rates = sorted(abs(each.imag) for each in found.eigenvalues.tolist())
    assert rates[-1] == pytest.approx(spin * 0.015 / 0.01, rel=1e-6)
    assert any("moves here" in note for note in found.notes)


def test_state_space_of_a_chain_is_that_of_pinocchio() -> None:
    """Derivatives of the accelerations by coordinates and speeds, at a state in motion."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (there is none for Windows)")
    rng = np.random.default_rng(4)
    system, model = pc.MultibodySystem("chain"), pin.Model()
    model.gravity = pin.Motion(np.array([0.0, 0.0, -G]), np.zeros(3))
    parent, joint, q, v = "world", 0, rng.normal(size=4), rng.normal(size=4)
    kinds = (("revolute", pin.JointModelRZ), ("prismatic", pin.JointModelPZ), ("revolute", pin.JointModelRZ)) * 2
    placement = pin.SE3.Identity()
    for i, (kind, made) in enumerate(kinds[:4]):
        R, at, centre = Rotation.random(random_state=i).as_matrix(), rng.normal(size=3), rng.normal(size=3)
        inertia, mass = rng.uniform(0.5, 1.0, size=3), 1.0 + i
        system.add_body(f"b{i}", mass=mass, centre=centre, inertia=inertia)
        # the marker on the child is the body's own frame
        system.add_joint(
            f"j{i}",
            kind,
            parent,
            f"b{i}",
            at=at,
            rotation=R,
            child_rotation=np.eye(3),
            coordinates=[q[i]],
            speeds=[v[i]],
        )
        placement = pin.SE3(R, at)
        joint = model.addJoint(joint, made(), placement, f"j{i}")
        model.appendBodyToJoint(joint, pin.Inertia(mass, centre, np.diag(inertia)), pin.SE3.Identity())
        parent = f"b{i}"
    found = pc.linearise(system, about="start")
    data = model.createData()
    pin.computeABADerivatives(model, data, q, v, np.zeros(4))
    expected = np.block([[np.zeros((4, 4)), np.eye(4)], [data.ddq_dq, data.ddq_dv]])
    # central differences with increments of 1e-6
    assert pytest.approx(expected, rel=1e-6, abs=1e-6 * np.abs(expected).max()) == found.A
    assert np.linalg.inv(found.mass) == pytest.approx(pin.computeMinverse(model, data, q), rel=1e-8)


def test_motor_and_marker_are_inputs_and_outputs() -> None:
    system = two_masses()
    system.add_marker("tip", "b", position=(0.0, 0.0, 0.5))
    system.add_force(Motor("motor", "first", ConstantVelocity(0.0), stiffness=0.0, damping=0.0))
    found = pc.linearise(system, inputs=["motor", "first.displacement", "tip.fx"], outputs=["tip.x", "tip.rotation_y"])
    assert found.B[:, 0] == pytest.approx(found.B[:, 1])
    assert found.transfer(0.1, "tip.fx", "tip.x") == pytest.approx(
        pc.linearise(system, inputs=["b.fx"], outputs=["b.x"]).transfer(0.1, "b.fx", "b.x"), rel=1e-9
    )
    assert not found.C[1].any()


def test_mode_displaces_the_system() -> None:
    found = pc.linearise(two_masses(damping=0.0))
    mode = found.modes[0]
    start = found.displaced(mode, 0.01).compile().start_state()
    shape = np.real(mode.shape)
    assert start[:2] == pytest.approx(0.01 * shape, rel=1e-9)
    assert found.bodies_of(mode)[1, 3] == pytest.approx(mode.shape[0])


def test_state_that_does_not_rest_is_noted() -> None:
    system = two_masses()
    system.add_force(AppliedForce("push", "b", force=(10.0, 0.0, 0.0)))
    assert any("not at rest" in note for note in pc.linearise(system, about="start").notes)
    assert not pc.linearise(system, about=pc.equilibrium(system)).notes


def free_mass() -> pc.MultibodySystem:
    system = pc.MultibodySystem("free", gravity=(0.0, 0.0, 0.0))
    system.add_body("mass", mass=1.0, centre=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    return system


def all_fixed() -> pc.MultibodySystem:
    system = pc.MultibodySystem("wall")
    system.add_body("wall", mass=1.0, centre=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0), fixed=True)
    return system


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda: pc.linearise(two_masses(), about="rest"), "about is 'rest'; give"),
        (lambda: pc.linearise(two_masses(), about=[1.0]), r"about has shape \(1,\); give 9 finite numbers"),
        (lambda: pc.linearise(two_masses(), inputs=["c.fx"]), r"input 'c\.fx' is not known: give BODY\.fz"),
        (lambda: pc.linearise(two_masses(), inputs=["a.fq"]), "'fq' is none of tx, ty, tz, fx, fy, fz"),
        (
            lambda: pc.linearise(two_masses(), outputs=["third.displacement"]),
            "output 'third.displacement' is not known",
        ),
        (lambda: pc.linearise(two_masses(), outputs=["contact a–b"]), "contact"),
        (lambda: pc.linearise(all_fixed()), "nothing in 'wall' is free to move"),
        (lambda: pc.linearise(two_masses()).transfer(1.0, "a.fx", "a.x"), "a.fx"),
        (
            lambda: pc.linearise(free_mass(), inputs=["mass.fx"], outputs=["mass.x"]).transfer(
                0.0, "mass.fx", "mass.x"
            ),
            "nothing holds mass moves along x",
        ),
    ],
)
def test_bad_input_is_refused(ask: Callable[[], object], told: str) -> None:
    with pytest.raises(MultibodyError, match=told):
        ask()


def test_plain_data_tells_all() -> None:
    plain = pc.linearise(two_masses(), inputs=["a.fx"], outputs=["b.x"]).to_dict()
    assert [each["name"] for each in plain["states"]] == [
        "first.displacement",
        "second.displacement",
        "first.speed",
        "second.speed",
    ]
    assert np.shape(plain["A"]) == (4, 4)
    assert np.shape(plain["B"]) == (4, 1)
    assert np.shape(plain["C"]) == (1, 4)
    assert plain["modes"][0]["kind"] == "oscillates"


def test_free_motions_are_modes_of_their_own() -> None:
    found = pc.linearise(box_on_floor())
    assert [each.words for each in found.modes if each.kind == "free"] == [
        "box moves along x",
        "box moves along y",
        "box turns about z",
    ]


def test_spring_between_bodies_holds_the_system_in_space() -> None:
    """Two free masses joined by a spring: one frequency, sqrt(k (1/m1 + 1/m2)), along the spring."""
    system = free_mass()
    system.add_body("other", mass=2.0, centre=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0))
    system.add_force(SpringDamper("spring", "mass", (0, 0, 0), "other", (0, 0, 0), stiffness=50.0, length=1.0))
    found = pc.linearise(system)
    held = [each for each in found.modes if each.kind == "oscillates"]
    assert [each.frequency for each in held] == pytest.approx([math.sqrt(50.0 * 1.5) / (2.0 * math.pi)], rel=1e-6)
    assert len([each for each in found.modes if each.kind == "free"]) == 11
