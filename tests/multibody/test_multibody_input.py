"""Bad input of the multibody layer: every message names the thing, its value, and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import polycontact as pc
from scenes import random_rotation

NAN = math.nan
CUBE = pc.shapes.box((0.1, 0.1, 0.1))
PLATE = pc.shapes.plane((1.0, 1.0))
ROUND = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
LAW = pc.LayerLaw(stiffness=1e7)


def robot() -> pc.MultibodySystem:
    """A pedestal, an arm on a hinge, a hand on a ball joint, and a free ball; the loop and the spring are good ones."""
    system = pc.MultibodySystem("robot")
    system.add_body("pedestal", surface=CUBE, fixed=True)
    system.add_body("arm", surface=CUBE, density=1000.0)
    system.add_body("hand", **ROUND)
    system.add_body("ball", surface=CUBE, mass=0.3)
    system.add_body("slide", **ROUND)
    system.add_joint("shoulder", "revolute", "pedestal", "arm")
    system.add_joint("wrist", "spherical", "arm", "hand")
    system.add_joint("rail", "cylindrical", "world", "slide")
    return system


System = pc.MultibodySystem
CASES: dict[str, tuple[Callable[[System], object], tuple[str, ...]]] = {
    # Systems and bodies
    "gravity is a number": (lambda s: System(gravity=9.81), ("gravity has shape ()", "(3,) in m/s²")),
    "gravity is not finite": (lambda s: System(gravity=(0, 0, NAN)), ("gravity is not finite", "nan")),
    "stabilisation": (
        lambda s: System(loop_stabilisation=-1.0),
        ("loop_stabilisation is -1.0 1/s", "not negative"),
    ),
    "name taken": (lambda s: s.add_body("arm", **ROUND), ("body 'arm' exists already", "must differ")),
    "name of the world": (lambda s: s.add_body("world", **ROUND), ("body 'world' exists already",)),
    "empty name": (lambda s: s.add_body("  ", **ROUND), ("the name is '  '", "not empty")),
    "name is a number": (lambda s: s.add_body(3, **ROUND), ("the name is 3", "give a text")),
    "no mass": (
        lambda s: s.add_body("b"),
        ("body 'b' moves but has no mass", "density", "inertia", "fixed=True"),
    ),
    "negative mass": (
        lambda s: s.add_body("b", mass=-1.0, inertia=(1, 1, 1)),
        ("body 'b': mass is -1.0 kg", "positive"),
    ),
    "mass of shapes is zero": (
        lambda s: s.add_body("b", mass=0.0, surface=CUBE),
        ("body 'b': mass is 0.0 kg",),
    ),
    "mass is not a number": (
        lambda s: s.add_body("b", mass="1 km", inertia=(1, 1, 1)),
        ("mass is '1 km'", "in kg"),
    ),
    "mass is nan": (lambda s: s.add_body("b", mass=NAN, inertia=(1, 1, 1)), ("mass is nan kg",)),
    "density is negative": (
        lambda s: s.add_body("b", density=-5.0, surface=CUBE),
        ("body 'b': density is -5.0 kg/m³", "positive"),
    ),
    "density and mass": (
        lambda s: s.add_body("b", density=1.0, mass=2.0, surface=CUBE),
        ("body 'b'", "1.0 kg/m³", "2.0 kg", "leave one out"),
    ),
    "density and inertia": (
        lambda s: s.add_body("b", density=1.0, mass=1.0, inertia=(1, 1, 1)),
        ("body 'b'", "together with a density"),
    ),
    "density without a surface": (
        lambda s: s.add_body("b", density=1.0),
        ("body 'b'", "needs a surface", "inertia"),
    ),
    "density of an open surface": (
        lambda s: s.add_body("b", density=1.0, surface=PLATE),
        ("body 'b'", "open surface", "close it"),
    ),
    "inertia without mass": (
        lambda s: s.add_body("b", inertia=(1, 1, 1)),
        ("body 'b'", "without a mass", "in kg"),
    ),
    "inertia of two": (
        lambda s: s.add_body("b", mass=1, inertia=(1, 1)),
        ("inertia has shape (2,)", "(3, 3)"),
    ),
    "inertia is a text": (
        lambda s: s.add_body("b", mass=1, inertia="heavy"),
        ("inertia is 'heavy'", "kg m²"),
    ),
    "inertia is ragged": (
        lambda s: s.add_body("b", mass=1, inertia=[[1, 2], [3]]),
        ("inertia is [[1, 2], [3]]",),
    ),
    "inertia is nan": (
        lambda s: s.add_body("b", mass=1, inertia=(1, NAN, 1)),
        ("inertia is not finite", "nan"),
    ),
    "inertia is not symmetric": (
        lambda s: s.add_body("b", mass=1, inertia=[[1, 0.2, 0], [0, 1, 0], [0, 0, 1]]),
        ("not symmetric", "0.2"),
    ),
    "inertia is negative": (
        lambda s: s.add_body("b", mass=1, inertia=(1, 1, -1)),
        ("principal moments", "-1.0", "must be positive"),
    ),
    "inertia of no body": (
        lambda s: s.add_body("b", mass=1, inertia=(1, 1, 3)),
        ("are not possible", "exceeds", "check the units"),
    ),
    "centre": (lambda s: s.add_body("b", centre=(0, 0), **ROUND), ("centre has shape (2,)", "(3,) in m")),
    "position": (
        lambda s: s.add_body("b", position=(0, 0, NAN), **ROUND),
        ("body 'b': position is not finite",),
    ),
    "velocity": (
        lambda s: s.add_body("b", velocity="fast", **ROUND),
        ("body 'b': velocity is 'fast'", "m/s"),
    ),
    "angular velocity": (
        lambda s: s.add_body("b", angular_velocity=(1, 2), **ROUND),
        ("angular_velocity has shape (2,)", "rad/s"),
    ),
    "rotation": (
        lambda s: s.add_body("b", rotation=2 * np.eye(3), **ROUND),
        ("rotation is not a rotation", "normalise it"),
    ),
    "reflection": (
        lambda s: s.add_body("b", rotation=np.diag([1, 1, -1]), **ROUND),
        ("not a rotation", "determinant -1"),
    ),
    "surface and shapes": (
        lambda s: s.add_body("b", surface=CUBE, shapes=[pc.Shape(CUBE)], mass=1),
        ("body 'b'", "not both"),
    ),
    "surface is a file": (
        lambda s: s.add_body("b", surface="part.stl", mass=1),
        ("'part.stl'", "expected a Surface", "load_surface"),
    ),
    "shapes are surfaces": (
        lambda s: s.add_body("b", shapes=[CUBE], mass=1),
        ("body 'b': shapes is", "list of Shape("),
    ),
    "one shape": (
        lambda s: s.add_body("b", shapes=pc.Shape(CUBE), mass=1),
        ("body 'b': shapes is", "list of Shape("),
    ),
    "shape's layer": (lambda s: pc.Shape(CUBE, layer=0.01), ("layer is 0.01", "ElasticLayer")),
    "shape's position": (lambda s: pc.Shape(CUBE, position=(1, 2)), ("position has shape (2,)",)),
    # Joints
    "kind of joint": (
        lambda s: s.add_joint("j", "hinge", "arm", "ball"),
        ("joint 'j'", "kind is 'hinge'", "revolute, prismatic"),
    ),
    "unknown child": (
        lambda s: s.add_joint("j", "fixed", "arm", "bal"),
        ("joint 'j'", "'bal'", "did you mean 'ball'?"),
    ),
    "unknown parent": (
        lambda s: s.add_joint("j", "fixed", "pedestel", "ball"),
        ("'pedestel'", "did you mean 'pedestal'?", "'hand'"),
    ),
    "world as child": (
        lambda s: s.add_joint("j", "fixed", "arm", "world"),
        ("joint 'j'", "'world'", "known:"),
    ),
    "joint taken": (
        lambda s: s.add_joint("wrist", "fixed", "arm", "ball"),
        ("joint 'wrist' exists already",),
    ),
    "second parent": (
        lambda s: s.add_joint("j", "revolute", "ball", "hand"),
        ("joint 'j'", "'hand' is carried by joint 'wrist' already", "add_loop"),
    ),
    "circle": (
        lambda s: (
            s.add_joint("k", "revolute", "hand", "ball"),
            s.add_joint("j", "fixed", "ball", "pedestal"),
        ),
        ("joint 'j'", "'ball' is carried by 'pedestal'", "circle", "add_loop"),
    ),
    "circle of one": (lambda s: s.add_joint("j", "fixed", "ball", "ball"), ("joint 'j'", "circle")),
    "axis is zero": (
        lambda s: s.add_joint("j", "revolute", "arm", "ball", axis=(0, 0, 0)),
        ("axis is zero", "such as (0, 0, 1)"),
    ),
    "axes of a universal joint": (
        lambda s: s.add_joint("j", "universal", "arm", "ball", axis=(1, 0, 0), second_axis=(1, 1, 0)),
        ("second_axis must be perpendicular", "0.707"),
    ),
    "place of a joint": (
        lambda s: s.add_joint("j", "fixed", "arm", "ball", at=(0, 0)),
        ("at has shape (2,)",),
    ),
    "place on the child": (
        lambda s: s.add_joint("j", "fixed", "arm", "ball", child_at=(0, NAN, 0)),
        ("child_at is not finite",),
    ),
    "rotation on the child": (
        lambda s: s.add_joint("j", "fixed", "arm", "ball", child_rotation=np.ones((3, 3))),
        ("child_rotation is not a rotation",),
    ),
    "number of coordinates": (
        lambda s: s.add_joint("j", "universal", "arm", "ball", coordinates=0.1),
        ("coordinates (angle_1, angle_2)", "shape (1,)", "(2,)"),
    ),
    "coordinates are text": (
        lambda s: s.add_joint("j", "revolute", "arm", "ball", coordinates="up"),
        ("coordinates (angle) is 'up'", "rad"),
    ),
    "number of speeds": (
        lambda s: s.add_joint("j", "spherical", "arm", "ball", speeds=(1, 2, 3, 4)),
        ("speeds (wx, wy, wz)", "shape (4,)"),
    ),
    "quaternion": (
        lambda s: s.add_joint("j", "spherical", "arm", "ball", coordinates=(0, 0, 0, 0)),
        ("quaternion (w, x, y, z)", "length 0", "must be 1"),
    ),
    # Motions
    "motion is a number": (
        lambda s: s.add_joint("j", "revolute", "arm", "ball", motion=[1.0]),
        ("motion is [1.0]", "Harmonic"),
    ),
    "motion is one number": (
        lambda s: s.add_joint("j", "revolute", "arm", "ball", motion=1),
        ("motion is 1",),
    ),
    "number of motions": (
        lambda s: s.add_joint("j", "planar", "arm", "ball", motion=pc.multibody.ConstantVelocity(1.0)),
        ("1 motions for 3 coordinates", "x, y, angle", "one for each"),
    ),
    "motion of a ball joint": (
        lambda s: s.add_joint("j", "spherical", "arm", "ball", motion=pc.multibody.ConstantVelocity(1.0)),
        ("motion of a spherical joint cannot be prescribed", "revolute"),
    ),
    "speed of a motion": (lambda s: pc.multibody.ConstantVelocity(NAN), ("constant velocity: speed is nan",)),
    "frequency": (lambda s: pc.multibody.Harmonic(1.0, "fast"), ("harmonic motion: frequency is 'fast'", "Hz")),
    "one point of a table": (lambda s: pc.multibody.TableMotion([0.0], [1.0]), ("table motion", "(1,)", "at least 2")),
    "lengths of a table": (lambda s: pc.multibody.TableMotion([0.0, 1.0], [1.0]), ("(2,)", "(1,)", "same length")),
    "times go back": (
        lambda s: pc.multibody.SplineMotion([0.0, 2.0, 1.0], [0, 0, 0]),
        ("times must increase", "2 s is followed by 1 s at index 1"),
    ),
    "times are text": (lambda s: pc.multibody.SplineMotion(["a", "b"], [0, 0]), ("times and values must be numbers",)),
    "values are nan": (lambda s: pc.multibody.SplineMotion([0, 1], [0, NAN]), ("must be finite",)),
    # Loops
    "kind of loop": (
        lambda s: s.add_loop("l", "free", "arm", "ball"),
        ("loop 'l'", "kind is 'free'", "revolute", "distance"),
    ),
    "loop to itself": (
        lambda s: s.add_loop("l", "revolute", "arm", "arm"),
        ("loop 'l'", "both ends are on 'arm'"),
    ),
    "body of a loop": (
        lambda s: s.add_loop("l", "revolute", "arm", "bell"),
        ("loop 'l'", "did you mean 'ball'?"),
    ),
    "rod without length": (
        lambda s: s.add_loop("l", "distance", "arm", "ball"),
        ("give a length (m)", "'distance'"),
    ),
    "length of no rod": (
        lambda s: s.add_loop("l", "revolute", "arm", "ball", length=1.0),
        ("length (m) for kind 'distance'",),
    ),
    "length of a rod": (
        lambda s: s.add_loop("l", "distance", "arm", "ball", length=0.0),
        ("loop 'l': length is 0.0 m", "positive"),
    ),
    "axis of a loop": (
        lambda s: s.add_loop("l", "revolute", "arm", "ball", axis_b=(0, 0, 0)),
        ("axis_b is zero", "direction"),
    ),
    # Force elements
    "no force element": (lambda s: s.add_force("spring"), ("'spring' is no force element", "SpringDamper")),
    "force element taken": (
        lambda s: [s.add_force(pc.multibody.JointSpring("k", "shoulder")) for _ in range(2)],
        ("force element 'k' exists already",),
    ),
    "spring to nowhere": (
        lambda s: s.add_force(pc.multibody.SpringDamper("k", "world", (0, 0, 0), "amr", (0, 0, 0), 1.0)),
        ("force element 'k'", "'amr'", "did you mean 'arm'?"),
    ),
    "stiffness is negative": (
        lambda s: pc.multibody.SpringDamper("k", "a", (0, 0, 0), "b", (0, 0, 0), -1.0),
        ("spring 'k'", "-1.0 N/m", "not negative"),
    ),
    "length is negative": (
        lambda s: pc.multibody.SpringDamper("k", "a", (0, 0, 0), "b", (0, 0, 0), 1.0, length=-0.1),
        ("length is -0.1 m",),
    ),
    "point of a spring": (
        lambda s: pc.multibody.SpringDamper("k", "a", (0, 0), "b", (0, 0, 0), 1.0),
        ("spring 'k'", "point_a", "(2,)"),
    ),
    "unknown joint": (
        lambda s: s.add_force(pc.multibody.JointSpring("k", "shouldr")),
        ("force element 'k'", "did you mean 'shoulder'?"),
    ),
    "coordinate out of range": (
        lambda s: s.add_force(pc.multibody.JointSpring("k", "rail", coordinate=2)),
        ("joint 'rail' (cylindrical) has no coordinate 2", "0: angle, 1: displacement"),
    ),
    "coordinate is negative": (
        lambda s: s.add_force(pc.multibody.JointSpring("k", "rail", coordinate=-1)),
        ("no coordinate -1",),
    ),
    "coordinate of a ball joint": (
        lambda s: s.add_force(pc.multibody.JointSpring("k", "wrist")),
        ("'wrist' (spherical)", "no single coordinate", "SwingTwistStop"),
    ),
    "swing of a hinge": (
        lambda s: s.add_force(pc.multibody.SwingTwistStop("k", "shoulder", 0.5, 0.5, 1.0)),
        ("joint 'shoulder' is revolute", "spherical"),
    ),
    "damping is nan": (
        lambda s: pc.multibody.JointSpring("k", "rail", damping=NAN),
        ("joint spring 'k'", "damping is nan"),
    ),
    "stop without stiffness": (
        lambda s: pc.multibody.EndStop("k", "rail", upper=1.0),
        ("end stop 'k'", "stiffness is 0.0"),
    ),
    "stop without limits": (
        lambda s: pc.multibody.EndStop("k", "rail", stiffness=1.0),
        ("end stop 'k'", "give lower or upper"),
    ),
    "limits crossed": (
        lambda s: pc.multibody.EndStop("k", "rail", lower=1.0, upper=-1.0, stiffness=1.0),
        ("lower (1.0)", "above upper (-1.0)"),
    ),
    "limit is nan": (lambda s: pc.multibody.EndStop("k", "rail", lower=NAN, stiffness=1.0), ("lower is nan", "finite")),
    "swing in degrees": (
        lambda s: pc.multibody.SwingTwistStop("k", "wrist", 45.0, 0.5, 1.0),
        ("swing is 45.0 rad", "at most π", "degrees?"),
    ),
    "axis of a stop": (
        lambda s: pc.multibody.SwingTwistStop("k", "wrist", 0.5, 0.5, 1.0, axis=(0, 0, 0)),
        ("swing-twist stop 'k'", "axis is zero"),
    ),
    "target of a motor": (
        lambda s: pc.multibody.Motor("k", "rail", 1.0, 10.0, 1.0),
        ("motor 'k'", "target is 1.0", "Harmonic"),
    ),
    "limit of a motor": (
        lambda s: pc.multibody.Motor("k", "rail", pc.multibody.ConstantVelocity(1.0), 10.0, 1.0, limit=0.0),
        ("motor 'k'", "limit is 0.0", "positive"),
    ),
    "force is no function": (
        lambda s: pc.multibody.PythonForce("k", 3),
        ("force element 'k'", "3 is no function", "ForceView"),
    ),
    "state is nan": (
        lambda s: pc.multibody.ForceElement("k", states=[NAN]),
        ("force element 'k'", "a state is nan", "finite"),
    ),
    "state is text": (
        lambda s: pc.multibody.ForceElement("k", discrete=["on"]),
        ("a discrete state is 'on'", "a number"),
    ),
    # Contacts
    "unknown body of a contact": (
        lambda s: s.add_contact("arm", "bal", law=LAW),
        ("contact", "did you mean 'ball'?"),
    ),
    "body without a shape": (
        lambda s: s.add_contact("arm", "hand", law=LAW),
        ("contact 'arm–hand'", "'hand' has no contact shape", "surface"),
    ),
    "body with itself": (
        lambda s: s.add_contact("arm", "arm", law=LAW),
        ("contact 'arm–arm'", "not touch itself"),
    ),
    "pair twice": (
        lambda s: (s.add_contact("arm", "ball", name="hit", law=LAW), s.add_contact("ball", "arm", law=LAW)),
        ("contact 'ball–arm'", "are a pair already: 'hit'"),
    ),
    "unknown option": (
        lambda s: s.add_contact("arm", "ball", lwa=LAW),
        ("contact 'arm–ball'", "unknown option 'lwa'", "law, layers"),
    ),
    "unknown option of all": (
        lambda s: s.find_contacts(stiffness=1.0),
        ("find_contacts", "'stiffness'", "allowed"),
    ),
    "among unknown": (lambda s: s.find_contacts(among=["arm", "bal"], law=LAW), ("find_contacts", "'ball'")),
    "exclude unknown": (lambda s: s.find_contacts(exclude=[("arm", "bal")], law=LAW), ("exclude", "'ball'")),
    "exclude three": (
        lambda s: s.find_contacts(exclude=[("arm", "ball", "slide")]),
        ("['arm', 'ball', 'slide']", "pairs of two"),
    ),
    "no stiffness": (
        lambda s: s.add_contact("arm", "ball"),
        ("contact 'arm–ball'", "no stiffness", "LayerLaw(stiffness=…)", "N/m³", "layer"),
    ),
    "both rigid": (
        lambda s: (
            s.add_contact("arm", "ball", layers=(pc.ElasticLayer.rigid(), pc.ElasticLayer.rigid())),
            s.compile().evaluator().pairing(0),
        ),
        ("contact 'arm–ball'", "rigid"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(case: str) -> None:
    act, fragments = CASES[case]
    with pytest.raises(pc.MultibodyError) as caught:
        act(robot())
    message = str(caught.value)
    for fragment in fragments:
        assert fragment in message, message
    assert "np.float64" not in message, message


def test_errors_leave_the_system_as_it_was() -> None:
    """Nothing half-added: the system of the example still runs after every mistake that can be made with it."""
    system = robot()
    before = (
        list(system.bodies),
        list(system.joints),
        list(system.loops),
        list(system.forces),
        list(system.contacts),
    )
    for case in (
        "no mass",
        "unknown child",
        "second parent",
        "kind of loop",
        "unknown joint",
        "unknown option",
    ):
        with pytest.raises(pc.MultibodyError):
            CASES[case][0](system)
    after = (
        list(system.bodies),
        list(system.joints),
        list(system.loops),
        list(system.forces),
        list(system.contacts),
    )
    assert after == before
    assert pc.simulate(system, end_time=0.01).status == "finished"


def test_a_moving_leaf_without_mass_is_named() -> None:
    system = pc.MultibodySystem("massless")
    system.add_body("ghost", fixed=True)
    system.add_joint("hinge", "revolute", "world", "ghost")
    with pytest.raises(pc.MultibodyError, match="body 'ghost' moves but has no mass; give density or mass, or fix it"):
        system.compile()


def test_a_joint_that_moves_no_mass_is_named() -> None:
    """A massless link whose child hangs on the same axis: nothing resists its own turn."""
    system = pc.MultibodySystem("same axis")
    system.add_body("link", fixed=True)
    system.add_body("wheel", **ROUND)
    system.add_joint("first", "revolute", "world", "link")
    system.add_joint("second", "revolute", "link", "wheel")
    with pytest.raises(pc.MultibodyError, match=r"joint 'first' moves no mass .*body 'link'.* give that body"):
        pc.simulate(system, end_time=0.1)


def test_names_of_a_force_view() -> None:
    """A user's function that asks for something unknown is told what there is."""
    system = robot()
    system.add_force(pc.multibody.PythonForce("f", lambda view: view.add_force("amr", (1.0, 0.0, 0.0))))
    with pytest.raises(pc.MultibodyError, match="'amr'; did you mean 'arm'"):
        pc.simulate(system, end_time=0.1)
    system = robot()
    system.add_force(pc.multibody.PythonForce("f", lambda view: view.add_effort("shoudler", 1.0)))
    with pytest.raises(pc.MultibodyError, match="'shoudler'"):
        pc.simulate(system, end_time=0.1)
    system = robot()
    system.add_force(pc.multibody.PythonForce("f", lambda view: view.add_effort("shoulder", 1.0, 1)))
    with pytest.raises(pc.MultibodyError, match="joint 'shoulder' has no speed 1; it has 1, counted from 0"):
        pc.simulate(system, end_time=0.1)


def test_a_force_element_without_apply_says_so() -> None:
    system = robot()
    system.add_force(pc.multibody.ForceElement("empty"))
    with pytest.raises(NotImplementedError, match="force element 'empty' has no apply method"):
        pc.simulate(system, end_time=0.1)


def test_a_system_says_what_it_is() -> None:
    assert repr(robot()) == (
        "MultibodySystem('robot', bodies: 5, degrees of freedom: 12, force elements: 0, contacts: 0)"
    )


def test_mass_properties_of_shapes() -> None:
    """Two cubes on a body: mass by density, centre between them, inertia by Steiner; a given mass scales it."""
    rng = np.random.default_rng(0)
    d, R = np.array([0.4, 0.1, -0.2]), random_rotation(rng)
    shapes = [pc.Shape(CUBE), pc.Shape(CUBE, position=d, rotation=R)]
    system = pc.MultibodySystem("dumbbell")
    body = system.add_body("b", shapes=shapes, density=1000.0)
    assert body.mass == pytest.approx(2.0, rel=1e-12)
    np.testing.assert_allclose(body.centre, d / 2, atol=1e-14)
    own = 2.0 * (1.0 * 0.1**2 / 6.0) * np.eye(3)
    steiner = 2.0 * (d @ d / 4 * np.eye(3) - np.outer(d, d) / 4)
    np.testing.assert_allclose(body.inertia, own + steiner, atol=1e-14)
    scaled = system.add_body("c", shapes=shapes, mass=5.0)
    np.testing.assert_allclose(scaled.inertia, 2.5 * body.inertia, rtol=1e-12)


def test_a_change_compiles_anew() -> None:
    system = robot()
    first = system.compile()
    assert system.compile() is first
    system.add_force(pc.multibody.JointSpring("k", "shoulder", stiffness=1.0))
    assert system.compile() is not first
