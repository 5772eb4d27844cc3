"""A Geneva drive turns its wheel by a quarter for each turn of the crank.

The pin enters a slot of the wheel without a jolt, as it moves along the slot at that moment; between two steps the
wheel is free. Vary the number of slots, the radius of the pin or the speed, and look at the force as the pin enters.
"""

import math

import numpy as np

import polycontact as pc

SETTINGS = {"end_time": 1.0, "output_step": 0.005, "rtol": 1e-5, "atol": 1e-6}
DISTANCE, SLOTS, PIN = 0.06, 4, 0.003  # m, number, m


def build() -> pc.MultibodySystem:
    """The crank makes one turn a second; the pin's circle meets the slots at right angles."""
    half = math.pi / SLOTS
    crank, rim = DISTANCE * math.sin(half), DISTANCE * math.cos(half)
    width, bottom = PIN + 1e-4, DISTANCE - crank - 1.5 * PIN
    outline = []
    for k in range(SLOTS):
        turn = 2.0 * half * k + math.pi
        along, across = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
        for x, y in ((rim, -width), (bottom, -width), (bottom, width), (rim, width)):
            outline.append(x * along + y * across)
    system = pc.MultibodySystem("geneva drive", gravity=(0.0, 0.0, 0.0))
    wheel = pc.shapes.extrude(outline, 0.006)
    pin = pc.Shape(pc.shapes.cylinder(PIN, 0.01, segments=48), position=(crank, 0.0, 0.003), colour="#4c84b8")
    system.add_body("wheel", surface=wheel, density=7850.0, colour="#d95f02")
    system.add_body("crank", shapes=[pin], density=7850.0)
    motion = pc.multibody.ExpressionMotion("2 * pi * t - 2")
    at = (-DISTANCE, 0.0, 0.0)
    system.add_joint("shaft", "revolute", "world", "crank", at=at, motion=motion)
    system.add_joint("axle", "revolute", "world", "wheel")
    system.add_force(pc.multibody.JointFriction("brake", "axle", dry=0.02))
    system.add_contact(
        "crank",
        "wheel",
        law=pc.LayerLaw(stiffness=1e10, damping=1e7),
        friction=pc.RegularisedCoulomb(coefficient=0.1, velocity=1e-3),
    )
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "geneva_drive.html")
