"""A latch snaps in: a striker pushes its nose aside and is held behind it.

The latch turns about a pin against a spring. Its sloping nose lets the striker in; pulled back, the striker meets the
steep side and is held. Vary the slope of the nose, the spring or the friction, and look for the least force that
closes it.
"""

import numpy as np

import polycontact as pc

SETTINGS = {"end_time": 0.6, "output_step": 0.004, "rtol": 1e-4, "atol": 1e-6}


def build() -> pc.MultibodySystem:
    """The striker is pushed in with 20 N, and pulled back with as much from 0.3 s on."""
    system = pc.MultibodySystem("latch", gravity=(0.0, 0.0, 0.0))
    outline = [(0, 3), (42, 3), (41, -5), (46, -5), (60, 2), (60, 8), (0, 8)]
    lever = pc.shapes.extrude(1e-3 * np.array(outline, float), 0.008)
    striker = pc.shapes.extrude(1e-3 * np.array([(0, -8), (7, -8), (8, 0), (3, 0), (0, -3)], float), 0.008)
    system.add_body("latch", surface=lever, density=7850.0, colour="#d95f02")
    system.add_body("striker", surface=striker, density=7850.0, colour="#4c84b8")
    system.add_joint("pin", "revolute", "world", "latch", axis=(0, 0, 1))
    system.add_joint("slide", "prismatic", "world", "striker", axis=(1, 0, 0), at=(0.062, 0, 0))
    system.add_force(pc.multibody.JointEffort("hand", "slide", "-20 + 40 * step(t - 0.3)"))
    system.add_force(pc.multibody.JointFriction("rail", "slide", viscous=150.0))
    system.add_force(pc.multibody.EndStop("end", "slide", lower=-0.030, stiffness=1e5, damping=200.0))
    system.add_force(pc.multibody.JointSpring("spring", "pin", stiffness=5.0, damping=0.01, reference=-0.05))
    system.add_force(pc.multibody.EndStop("stop", "pin", lower=0.0, stiffness=500.0, damping=0.1))
    system.add_contact(
        "striker",
        "latch",
        law=pc.LayerLaw(stiffness=1e10, damping=1e7),
        friction=pc.RegularisedCoulomb(coefficient=0.15, velocity=1e-3),
    )
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "latch.html")
