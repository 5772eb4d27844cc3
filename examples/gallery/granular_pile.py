"""Forty balls fall into a box and come to rest.

Balls are exact spheres with a point of contact for each pair that touches. Vary their number, friction and damping, or
make the contacts rigid: `response = "multipliers"` in the settings.
"""

import numpy as np

import polycontact as pc

SETTINGS = {"end_time": 1.2, "output_step": 0.01, "rtol": 1e-4, "atol": 1e-6}


def build() -> pc.MultibodySystem:
    """Balls of 15 mm, layer by layer above a box of 140 mm."""
    system = pc.MultibodySystem("granular pile")
    random = np.random.default_rng(1)
    plates = {
        "floor": ((0.14, 0.14, 0.02), (0.0, 0.0, -0.01)),
        "left": ((0.02, 0.18, 0.10), (-0.08, 0.0, 0.03)),
        "right": ((0.02, 0.18, 0.10), (0.08, 0.0, 0.03)),
        "front": ((0.14, 0.02, 0.10), (0.0, -0.08, 0.03)),
        "back": ((0.14, 0.02, 0.10), (0.0, 0.08, 0.03)),
    }
    box = [pc.Shape(pc.convex.Box(size), position=at, colour="#8d99ae") for size, at in plates.values()]
    system.add_body("box", shapes=box, fixed=True)
    ball = pc.convex.Sphere(0.015)
    colours = ("#d95f02", "#4c84b8", "#2a9d8f", "#e9c46a")
    for k in range(40):
        layer, place = divmod(k, 9)
        at = 0.04 * np.array([place % 3 - 1, place // 3 - 1, layer + 0.6]) + random.uniform(-2e-3, 2e-3, 3)
        system.add_body(f"ball {k}", surface=ball, density=2500.0, position=at, colour=colours[k % 4])
    friction = pc.RegularisedCoulomb(coefficient=0.4, velocity=1e-3)
    law = pc.LayerLaw(stiffness=2e4, damping=10.0)
    system.find_contacts(method=pc.contact.ConvexMethod(), law=law, friction=friction)
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "granular_pile.html")
