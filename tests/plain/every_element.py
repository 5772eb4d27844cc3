"""A system with every joint, force element, kind of motion and kind of loop, and what an evaluation finds of it.

Run as a program it prints the numbers: ``python tests/plain/every_element.py > tests/plain/every_element.json``.
"""

from __future__ import annotations

import json
import math

import numpy as np

import polycontact as pc

FLESH = {"mass": 1.2, "centre": (0.02, -0.01, 0.03), "inertia": (0.02, 0.03, 0.025)}
TIME = 0.37
"""When it is evaluated, s: in the middle of all motions."""


def every_element() -> pc.MultibodySystem:
    """No contacts at hand: a chain of all joints, driven joints on it, loops and bodies far apart beside it."""
    system = pc.MultibodySystem("every element")
    add_chain(system)
    add_drives(system)
    add_forces(system)
    add_loops(system)
    add_couplers(system)
    add_crowd(system)
    return system


def add_chain(system: pc.MultibodySystem) -> None:
    rng = np.random.default_rng(3)
    parent = "world"
    counts = {"free": 6, "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "planar": 3}
    for kind, n_speeds in [*counts.items(), ("fixed", 0)]:
        coordinates = 0.4 * rng.normal(size=n_speeds)
        if kind in ("free", "spherical"):
            turn = rng.normal(size=4)
            coordinates = np.concatenate([coordinates[:-3], turn / np.linalg.norm(turn)])
        system.add_body(f"on {kind}", **FLESH)
        system.add_joint(
            kind,
            kind,
            parent,
            f"on {kind}",
            at=(0.1, 0.2, -0.1),
            child_at=(0.0, 0.1, 0.05),
            coordinates=coordinates,
            speeds=rng.normal(size=n_speeds),
        )
        parent = f"on {kind}"


def add_drives(system: pc.MultibodySystem) -> None:
    motions = {
        "revolute": pc.multibody.ConstantVelocity(speed=0.7),
        "prismatic": pc.multibody.Harmonic(amplitude=0.2, frequency=1.3),
        "cylindrical": pc.multibody.TableMotion([0.0, 0.3, 1.0], [0.0, 0.1, 0.4]),
        "universal": pc.multibody.SplineMotion([0.0, 0.5, 1.0], [0.0, 0.2, 0.1]),
        "planar": pc.multibody.ExpressionMotion(
            "a * sin(3 * t)**2 + smoothstep(t) * exp(-t) / (1 + t) - max(min(t, 0.2), 0.1) + 0.1 * sqrt(1 + t)"
            " + log(1 + t) * abs(cos(t)) - tan(0.1 * t) + step(t - 0.1) * t**1.5 - -t",
            {"a": 0.2},
        ),
    }
    for i, (carrier, motion) in enumerate(motions.items()):
        system.add_body(f"driven {i}", **FLESH)
        kind = "prismatic" if i % 2 else "revolute"
        system.add_joint(f"drive {i}", kind, f"on {carrier}", f"driven {i}", at=(0.0, 0.1, 0.1), motion=motion)


def add_forces(system: pc.MultibodySystem) -> None:
    """A spring, an end stop and a ball stop that act, a motor at its limit, and applied forces."""
    system.add_force(
        pc.multibody.SpringDamper("spring", "on revolute", (0.1, 0.0, 0.0), "world", (0.0, 0.5, 0.0), 40.0, 2.0, 0.2)
    )
    system.add_force(pc.multibody.JointSpring("torsion", "revolute", stiffness=5.0, damping=0.4, reference=0.3))
    system.add_force(pc.multibody.EndStop("stop", "prismatic", upper=-2.0, stiffness=200.0, damping=3.0))
    cone = (math.sin(0.4), 0.0, math.cos(0.4))
    system.add_force(pc.multibody.SwingTwistStop("ball", "spherical", 0.1, 0.0, stiffness=30.0, damping=1.0, cone=cone))
    target = pc.multibody.Harmonic(amplitude=0.5, frequency=0.5)
    system.add_force(
        pc.multibody.Motor("motor", "cylindrical", target, stiffness=50.0, damping=1.0, coordinate=1, limit=0.5)
    )
    push = (1.0, "2 * t", pc.multibody.TableMotion([0.0, 1.0], [0.0, 3.0]))
    system.add_force(pc.multibody.AppliedForce("push", "on planar", force=push, torque=(0.1, 0.2, 0.3), axes="body"))
    system.add_force(pc.multibody.JointEffort("effort", "revolute", "-0.3 * q - 0.1 * v + t"))
    system.add_force(pc.multibody.JointFriction("friction", "prismatic", dry="2 * t", viscous=0.1))
    system.add_force(pc.multibody.JointFriction("grip", "spherical", dry=0.3, velocity=10.0))
    stiffness = np.diag([50.0, 60.0, 70.0, 5.0, 6.0, 7.0])
    stiffness[0, 4] = stiffness[4, 0] = 8.0
    damping, preload = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3), (0.5, 0.0, 0.0, 0.0, 0.0, 0.1)
    system.add_force(pc.multibody.Bushing("bushing", "on free", "on cylindrical", stiffness, damping, preload))


def add_loops(system: pc.MultibodySystem) -> None:
    """A four-bar linkage that a revolute joint closes, and a bob on a rod."""
    corners = [(0.0, 2.0, 0.0), (0.3, 2.0, 0.0), (0.3, 2.5, 0.0)]
    parent = "world"
    for i, corner in enumerate(corners):
        at = corner if parent == "world" else np.subtract(corner, corners[i - 1])
        system.add_body(f"bar {i}", **FLESH)
        system.add_joint(f"hinge {i}", "revolute", parent, f"bar {i}", at=at, speeds=[0.5] if i == 0 else None)
        parent = f"bar {i}"
    system.add_loop("closing", "revolute", "bar 2", "world", at_a=(-0.3, 0.0, 0.0), at_b=(0.0, 2.5, 0.0))
    system.add_body("bob", **FLESH, position=(0.0, -1.0, 0.0), velocity=(0.2, 0.0, 0.1))
    system.add_loop("rod", "distance", "bob", "world", at_b=(0.0, -1.0, 0.7), length=0.7)


def add_couplers(system: pc.MultibodySystem) -> None:
    """A screw, a gear from a driven joint, and a sum with a rack."""
    system.add_coupler(pc.multibody.Screw("screw", "cylindrical", lead=0.1))
    for i, kind in enumerate(("revolute", "revolute", "prismatic")):
        system.add_body(f"geared {i}", **FLESH)
        system.add_joint(f"shaft {i}", kind, "world", f"geared {i}", at=(0.0, -3.0 - i, 0.0), speeds=[0.3])
    system.add_coupler(pc.multibody.Gear("gear", "drive 0", "shaft 0", ratio=-2.0))
    system.add_coupler(pc.multibody.RackAndPinion("rack", "shaft 1", "shaft 2", radius=0.2))
    system.add_coupler(
        pc.multibody.Coupler("sum", [("shaft 0", 1.0), ("shaft 1", -2.0), ("revolute", 0.5)], constant=0.1)
    )


def add_crowd(system: pc.MultibodySystem) -> None:
    """Ten boxes side by side along x, apart along y, all pairs of which may touch: a sweep has much to look at."""
    box = pc.shapes.box((0.2, 0.2, 0.2))
    names = [f"box {i}" for i in range(10)]
    for i, name in enumerate(names):
        place = (5.0 + 0.03 * i, 0.5 * i, 0.0)
        system.add_body(name, surface=box, mass=0.5, position=place, velocity=(0.0, 0.0, 1.0 * i))
    system.find_contacts(among=names, law=pc.LayerLaw(stiffness=1e6))


def found() -> dict[str, list[float]]:
    """The start state on the loops, what follows from it, and how long a step from there may be (s)."""
    compiled = every_element().compile()
    evaluator = compiled.evaluator()
    start = evaluator.evaluate(TIME, compiled.start_state(TIME))
    outlook = evaluator.look_ahead(TIME, start.state, start.acceleration, 0.5)
    return {
        "state": start.state.tolist(),
        "rates": start.rates.tolist(),
        "acceleration": start.acceleration.ravel().tolist(),
        "energies": list(start.energies),
        "powers": list(start.powers),
        "momentum": start.momentum.tolist(),
        "longest step": [outlook.longest_step],
        "reactions": start.reactions.joints.ravel().tolist(),
        "loop reactions": start.reactions.loops.ravel().tolist(),
        "drives": start.reactions.drives.tolist(),
        "element forces": start.reactions.elements.tolist(),
    }


if __name__ == "__main__":
    print(json.dumps(found()))
